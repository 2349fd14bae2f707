//! An estimate with its 95% interval.
//!
//! A share `k / n` has Wilson's interval, which stays within 0 and 1 and is accurate near both, or the exact one; a mean
//! has `mean +- 1.96 s / sqrt(n)`.

/// The 97.5% point of the normal law.
const Z: f64 = 1.959_963_984_540_054;

/// An estimate and the interval around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// The estimate.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Band {
    /// The share of ones.
    ///
    /// ```
    /// // Wilson (1927): 0 of 10 has the interval 0 to 0.2775
    /// let band = needlenet_lab::Band::share(&[0.0; 10]).unwrap();
    /// assert!(band.value == 0.0 && band.low == 0.0 && (band.high - 0.2775).abs() < 1e-4);
    /// ```
    pub fn share(values: &[f64]) -> Option<Band> {
        let n = values.len() as f64;
        let share = (n > 0.0).then(|| values.iter().sum::<f64>() / n)?;
        let scale = 1.0 + Z * Z / n;
        let centre = (share + Z * Z / (2.0 * n)) / scale;
        let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt() / scale;
        Some(Band { value: share, low: (centre - half).max(0.0), high: (centre + half).min(1.0) })
    }

    /// The share of `found` in `tries` with the exact interval of Clopper and Pearson: at its lower end `found` or more have
    /// probability 2.5%, at its upper end `found` or fewer.
    ///
    /// ```
    /// // R: binom.test(5, 100)$conf.int
    /// let band = needlenet_lab::Band::exact(5, 100).unwrap();
    /// assert!((band.low - 0.01643).abs() < 1e-5 && (band.high - 0.11283).abs() < 1e-5);
    /// ```
    pub fn exact(found: usize, tries: usize) -> Option<Band> {
        let share = (tries > 0).then(|| found as f64 / tries as f64)?;
        // the share at which the upper tail from `count` has probability 2.5%, by bisection: the tail
        // grows with the share
        let bound = |count: usize, tail: f64| {
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if at_least(count, tries, middle) < tail { low = middle } else { high = middle }
            }
            0.5 * (low + high)
        };
        let low = if found == 0 { 0.0 } else { bound(found, 0.025) };
        let high = if found == tries { 1.0 } else { bound(found + 1, 0.975) };
        Some(Band { value: share, low, high })
    }

    /// The mean; the interval of a single value is that value.
    pub fn mean(values: &[f64]) -> Option<Band> {
        let n = values.len() as f64;
        let mean = (n > 0.0).then(|| values.iter().sum::<f64>() / n)?;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        let half = Z * (variance / n).sqrt();
        Some(Band { value: mean, low: mean - half, high: mean + half })
    }

    /// The mean of numbers between 0 and 1; its interval is cut to this range.
    pub fn rate(values: &[f64]) -> Option<Band> {
        Band::mean(values).map(|b| Band { low: b.low.max(0.0), high: b.high.min(1.0), ..b })
    }

    /// The root of the mean square.
    pub fn root_mean_square(values: &[f64]) -> Option<Band> {
        let squares: Vec<f64> = values.iter().map(|v| v * v).collect();
        let band = Band::mean(&squares)?;
        Some(Band { value: band.value.sqrt(), low: band.low.max(0.0).sqrt(), high: band.high.sqrt() })
    }
}

/// The chance that a binomial count is at least `count`.
fn at_least(count: usize, tries: usize, chance: f64) -> f64 {
    let odds = (chance / (1.0 - chance)).ln();
    let mut log = tries as f64 * (1.0 - chance).ln();
    let mut sum = 0.0;
    for k in 0..=tries {
        if k >= count {
            sum += log.exp();
        }
        log += ((tries - k) as f64 / (k + 1) as f64).ln() + odds;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_four_has_wilsons_interval() {
        // (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n) at p = 1/2, n = 4
        let band = Band::share(&[1.0, 0.0, 1.0, 0.0]).unwrap();
        assert!((band.low - 0.150_036).abs() < 1e-5 && (band.high - 0.849_964).abs() < 1e-5, "{band:?}");
    }

    #[test]
    fn mean_of_one_to_five_has_the_normal_interval() {
        // mean 3, variance 2.5, standard error sqrt(0.5)
        let band = Band::mean(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert!((band.low - (3.0 - 1.959_964 * 0.5f64.sqrt())).abs() < 1e-6);
        assert!((band.low + band.high - 6.0).abs() < 1e-12);
    }

    #[test]
    fn the_exact_interval_of_none_and_of_all_is_known_in_closed_form() {
        // (1 - high)^n = .025
        let (none, all) = (Band::exact(0, 2000).unwrap(), Band::exact(40, 40).unwrap());
        assert_eq!((none.low, all.high), (0.0, 1.0));
        assert!((none.high - (1.0 - 0.025f64.powf(1.0 / 2000.0))).abs() < 1e-12, "{none:?}");
        assert!((all.low - 0.025f64.powf(1.0 / 40.0)).abs() < 1e-12, "{all:?}");
    }

    #[test]
    fn nothing_has_no_band() {
        assert_eq!(Band::exact(0, 0), None);
        assert_eq!((Band::share(&[]), Band::mean(&[]), Band::root_mean_square(&[])), (None, None, None));
    }
}
