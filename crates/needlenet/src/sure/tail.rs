//! The tail of a trace over redraws of an input, without drawing: Lugannani and Rice's saddlepoint in the form of
//! Barndorff-Nielsen.
//!
//! Given the residuals of the outcome, a trace is a sum of independent terms, one for each sample,
//!
//! $$ T = \sum_i a_i v_i + b_i (v_i^2 - \sigma^2), \qquad K(s) = \sum_i \log \mathrm{E}\, e^{s (a_i v + b_i (v^2 - \sigma^2))}, $$
//!
//! with `v_i` drawn from a law of finitely many points, the same for all samples, or each a coin minus its own chance. With `K'(s) = t`, `omega = sqrt(2 (s t - K))` and
//! `u = s sqrt(K'')`,
//!
//! $$ P(T \ge t) \approx 1 - \Phi(\omega + \log(u / \omega) / \omega), $$
//!
//! whose relative error is of order `1/n` also far out, where redraws would have to be counted in billions. A row of weight
//! `w` stands for `w` terms of `1/w` of the size. Cost: O(n points) for each of about ten steps. Tested below against
//! redraws, and against sums whose law is known.

use rayon::prelude::*;

use crate::elementary::{exp, ln};
use crate::table::Samples;

/// The most points of the law of the residuals. With more samples, neighbouring inner residuals are merged.
const MOST_POINTS: usize = 256;
/// Samples per block of a sum.
const BLOCK: usize = 512;
/// The smallest tail reported. The law of the input is estimated, so smaller values would have no meaning.
pub(super) const LEAST_TAIL: f64 = 1e-15;
const MOST_STEPS: usize = 80;

/// The law of a redrawn residual: centred points and their chances.
#[derive(Debug, Clone)]
pub(crate) struct Points {
    values: Vec<f64>,
    chances: Vec<f64>,
    pub variance: f64,
}

impl Points {
    /// That of the residuals, each as likely as its weight says.
    pub fn of(residuals: &[f64], samples: &Samples) -> Self {
        let n = residuals.len();
        let total = samples.total(n);
        let mean = samples.sum(n, |i| residuals[i]) / total;
        let variance = samples.sum(n, |i| (residuals[i] - mean).powi(2)) / total;
        let mut sorted: Vec<(f64, f64)> =
            residuals.iter().enumerate().map(|(i, r)| (r - mean, samples.weight(i) / total)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (values, chances) = thinned(&sorted).into_iter().unzip();
        let mut points = Points { values, chances, variance };
        // merging neighbours reduces the variance; restore it
        let left: f64 = points.values.iter().zip(&points.chances).map(|(v, chance)| chance * v * v).sum();
        if left > 0.0 {
            let factor = (variance / left).sqrt();
            points.values.iter_mut().for_each(|v| *v *= factor);
        }
        points
    }
}

/// The outermost points unchanged, and the inner ones merged in groups of equal size.
fn thinned(sorted: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let n = sorted.len();
    if n <= MOST_POINTS {
        return sorted.to_vec();
    }
    let (edge, inner) = (MOST_POINTS / 4, MOST_POINTS / 2);
    let joined = |part: &[(f64, f64)]| {
        let chance: f64 = part.iter().map(|(_, chance)| chance).sum();
        (part.iter().map(|(value, chance)| value * chance).sum::<f64>() / chance, chance)
    };
    let between = &sorted[edge..n - edge];
    let parts = (0..inner).map(|k| &between[k * between.len() / inner..(k + 1) * between.len() / inner]);
    let mut points = sorted[..edge].to_vec();
    points.extend(parts.filter(|part| !part.is_empty()).map(joined));
    points.extend_from_slice(&sorted[n - edge..]);
    points
}

/// The law of the redrawn residuals of all samples.
#[derive(Debug, Clone)]
pub(crate) struct Law {
    drawn: Drawn,
    /// The factor by which redraws are larger than the residuals.
    widened: f64,
}

#[derive(Debug, Clone)]
enum Drawn {
    Points(Points),
    /// 1 with the chance of the sample, otherwise 0, minus the chance.
    Coins(Vec<f64>),
}

impl Law {
    /// That of the residuals themselves.
    pub fn of_residuals(residuals: &[f64], samples: &Samples, widened: f64) -> Self {
        Law { drawn: Drawn::Points(Points::of(residuals, samples)), widened }
    }

    /// A coin for each sample, minus its chance.
    pub fn of_chances(chances: Vec<f64>) -> Self {
        Law { drawn: Drawn::Coins(chances), widened: 1.0 }
    }

    pub fn widened(self, by: f64) -> Self {
        Law { widened: self.widened * by, ..self }
    }

    /// Whether the square of the column is more than a linear function of it.
    pub fn has_squares(&self) -> bool {
        matches!(self.drawn, Drawn::Points(_))
    }

    /// The mean square of the residuals; 0 where squares are not used.
    fn variance(&self) -> f64 {
        match &self.drawn {
            Drawn::Points(points) => points.variance,
            Drawn::Coins(_) => 0.0,
        }
    }

    fn term(&self, i: usize, a: f64, b: f64, s: f64) -> Cumulants {
        let a = self.widened * a;
        match &self.drawn {
            Drawn::Points(points) => term(a, self.widened * self.widened * b, s, points),
            Drawn::Coins(chances) => coin(a, chances[i], s),
        }
    }
}

/// A trace as a function of the redrawn residuals.
pub(crate) struct Trace {
    /// The factors of the residuals, with the weight of the row.
    pub straight: Vec<f64>,
    /// The factors of their squares; none if all are zero.
    pub square: Option<Vec<f64>>,
}

impl Trace {
    fn square(&self, i: usize) -> f64 {
        self.square.as_ref().map_or(0.0, |b| b[i])
    }

    /// Its value at residuals.
    pub fn at(&self, residuals: &[f64], law: &Law) -> f64 {
        let variance = law.variance();
        let term = |(i, v): (usize, &f64)| self.straight[i] * v + self.square(i) * (v * v - variance);
        residuals.iter().enumerate().map(term).sum()
    }

    /// The chance that a redraw is as far from zero as `value`, on either side.
    pub fn two_sided(&self, value: f64, law: &Law, samples: &Samples) -> f64 {
        let sign = value.signum();
        (2.0 * self.tail(sign, value.abs(), law, samples)).min(1.0)
    }

    /// The chance that `sign T` is at least `t > 0`.
    fn tail(&self, sign: f64, t: f64, law: &Law, samples: &Samples) -> f64 {
        let at_zero = self.cumulants(sign, 0.0, law, samples);
        let sd = at_zero.second.sqrt();
        // written so that NaN ends here too
        if !(t > 1e-6 * sd && sd > 0.0) {
            return 0.5;
        }
        let (mut low, mut high, mut s) = (0.0, f64::INFINITY, t / at_zero.second);
        let mut now = self.cumulants(sign, s, law, samples);
        for _ in 0..MOST_STEPS {
            // Chernoff's bound holds at every s
            if now.value - s * t < libm::log(LEAST_TAIL) {
                return LEAST_TAIL;
            }
            if (now.first - t).abs() <= 1e-10 * t.max(sd) {
                break;
            }
            if now.first < t {
                low = s
            } else {
                high = s
            }
            let newton = s + (t - now.first) / now.second.max(f64::MIN_POSITIVE);
            s = if newton > low && newton < high.min(4.0 * s) {
                newton
            } else if high.is_finite() {
                (low + high) / 2.0
            } else {
                2.0 * s
            };
            now = self.cumulants(sign, s, law, samples);
        }
        let omega = (2.0 * (s * t - now.value)).max(0.0).sqrt();
        let u = s * now.second.sqrt();
        let chernoff = libm::exp(now.value - s * t).min(1.0);
        if !(omega > 1e-4 && u > 0.0) {
            return chernoff.max(0.5);
        }
        normal_tail(omega + libm::log(u / omega) / omega).clamp(LEAST_TAIL, 1.0)
    }

    fn cumulants(&self, sign: f64, s: f64, law: &Law, samples: &Samples) -> Cumulants {
        let rows: Vec<usize> = (0..self.straight.len()).collect();
        // blocks are added in their order, whatever thread they came from
        let blocks: Vec<Cumulants> = rows
            .par_chunks(BLOCK)
            .map(|rows| {
                rows.iter().fold(Cumulants::default(), |sum, &i| {
                    let w = samples.copies(i);
                    let (a, b) = (sign * self.straight[i] / w, sign * self.square(i) / w);
                    sum.plus(law.term(i, a, b, s), w)
                })
            })
            .collect();
        blocks.into_iter().fold(Cumulants::default(), |sum, block| sum.plus(block, 1.0))
    }
}

/// A cumulant generating function and its first two derivatives.
#[derive(Debug, Clone, Copy, Default)]
struct Cumulants {
    value: f64,
    first: f64,
    second: f64,
}

impl Cumulants {
    fn plus(self, other: Cumulants, times: f64) -> Self {
        Cumulants {
            value: self.value + times * other.value,
            first: self.first + times * other.first,
            second: self.second + times * other.second,
        }
    }
}

/// Of `a v + b (v^2 - sigma^2)`.
fn term(a: f64, b: f64, s: f64, law: &Points) -> Cumulants {
    let g = |v: f64| a * v + b * (v * v - law.variance);
    let largest = law.values.iter().map(|v| s * g(*v)).fold(f64::NEG_INFINITY, f64::max);
    let (mut sum, mut first, mut second) = (0.0, 0.0, 0.0);
    for (v, chance) in law.values.iter().zip(&law.chances) {
        let g = g(*v);
        let e = chance * exp(s * g - largest);
        sum += e;
        first += g * e;
        second += g * g * e;
    }
    let mean = first / sum;
    Cumulants { value: largest + ln(sum), first: mean, second: (second / sum - mean * mean).max(0.0) }
}

/// Of `a (c - p)` with `c` 1 with the chance `p`, otherwise 0.
fn coin(a: f64, p: f64, s: f64) -> Cumulants {
    let is_open = p > 0.0 && p < 1.0;
    if !is_open {
        return Cumulants::default();
    }
    // the larger exponential is taken out
    let (odds, start) = if s * a > 0.0 {
        ((1.0 - p) * libm::exp(-s * a) / p, s * a + libm::log(p))
    } else {
        (p * libm::exp(s * a) / (1.0 - p), libm::log(1.0 - p))
    };
    let (small, large) = (odds / (1.0 + odds), 1.0 / (1.0 + odds));
    let tilted = if s * a > 0.0 { large } else { small };
    Cumulants {
        value: start + libm::log1p(odds) - s * a * p,
        first: a * (tilted - p),
        second: a * a * small * large,
    }
}

/// `1 - Phi(z)`
fn normal_tail(z: f64) -> f64 {
    libm::erfc(z * std::f64::consts::FRAC_1_SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rand_distr::StandardNormal;

    use super::*;

    fn gaussian(count: usize, seed: u64) -> Vec<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        (0..count).map(|_| rng.sample(StandardNormal)).collect()
    }

    fn of(residuals: &[f64]) -> Law {
        Law::of_residuals(residuals, &Samples::default(), 1.0)
    }

    #[test]
    fn tail_of_a_sum_of_uniform_variables_is_that_of_irwin_and_hall() {
        // 12 variables on (-1/2, 1/2), so the sum is above t with chance sum_k (-1)^k C(12, k) (6 - t - k)^12 / 12!
        let law = of(&(0..200).map(|k| (k as f64 + 0.5) / 200.0).collect::<Vec<_>>());
        let trace = Trace { straight: vec![1.0; 12], square: None };
        for t in [1.0, 2.0, 3.0] {
            let (mut exact, mut choose, mut factorial) = (0.0, 1.0, 1.0);
            for k in 0..12 {
                let left: f64 = 6.0 - t - f64::from(k);
                exact += if left > 0.0 { choose * left.powi(12) } else { 0.0 };
                choose *= -f64::from(12 - k) / f64::from(k + 1);
                factorial *= f64::from(k + 1);
            }
            let ours = trace.two_sided(t, &law, &Samples::default()) / 2.0;
            assert!((ours * factorial / exact - 1.0).abs() < 0.01, "{t}: {ours} {}", exact / factorial);
        }
    }

    #[test]
    fn tail_of_a_sum_of_squares_is_that_of_chi_square() {
        // P(chi2_300 >= 381.43) = .001 by tables; 20,000 Gaussian variables stand for their law
        let law = of(&gaussian(20_000, 1));
        let trace = Trace { straight: vec![0.0; 300], square: Some(vec![1.0; 300]) };
        let ours = trace.two_sided(81.43 * law.variance(), &law, &Samples::default()) / 2.0;
        assert!((0.00085..0.00115).contains(&ours), "{ours}");
    }

    #[test]
    fn tail_agrees_with_a_hundred_thousand_redraws() {
        let n = 80;
        let residuals: Vec<f64> = gaussian(n, 2).iter().map(|z| z.exp() - 1.6).collect();
        let law = of(&residuals);
        let points = Points::of(&residuals, &Samples::default());
        let (a, b) = (gaussian(n, 3), gaussian(n, 4));
        let trace = Trace { straight: a, square: Some(b) };
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut redraw = || -> f64 {
            let drawn: Vec<f64> = (0..n).map(|_| points.values[rng.random_range(0..n)]).collect();
            trace.at(&drawn, &law)
        };
        let draws = 100_000;
        let mut drawn: Vec<f64> = (0..draws).map(|_| redraw()).collect();
        drawn.sort_by(f64::total_cmp);
        for part in [0.05, 0.01, 0.001] {
            for (sign, at) in
                [(1.0, draws - (part * draws as f64) as usize), (-1.0, (part * draws as f64) as usize)]
            {
                let ours = trace.tail(sign, sign * drawn[at], &law, &Samples::default());
                assert!((ours / part - 1.0).abs() < 0.15, "{sign} {part} {ours}");
            }
        }
    }

    #[test]
    fn weight_of_two_is_the_row_twice() {
        let (a, residuals) = (gaussian(30, 6), gaussian(30, 7));
        let twice = |v: &[f64]| v.iter().chain(v).copied().collect::<Vec<f64>>();
        let weighted = Samples { weights: Some(vec![2.0; 30].into()), ..Samples::default() };
        let doubled: Vec<f64> = a.iter().map(|a| 2.0 * a).collect();
        let points = of(&twice(&residuals));
        let rows = Trace { straight: twice(&a), square: None }.two_sided(9.0, &points, &Samples::default());
        let weights = Trace { straight: doubled, square: None }.two_sided(9.0, &points, &weighted);
        assert!((rows / weights - 1.0).abs() < 1e-9, "{rows} {weights}");
    }

    #[test]
    fn tail_of_coins_is_that_of_a_binomial_law_and_of_redraws() {
        // 200 coins of chance .1: P(at least 33 heads) = .0036 by summation; half of the last step is that of the continuous law
        let trace = Trace { straight: vec![1.0; 200], square: None };
        let law = Law::of_chances(vec![0.1; 200]);
        let choose = |k: i32| (1..=k).map(|i| f64::from(201 - i) / f64::from(i)).product::<f64>();
        let exact: f64 = (33..=200).map(|k| choose(k) * 0.1f64.powi(k) * 0.9f64.powi(200 - k)).sum();
        let ours = trace.tail(1.0, 32.5 - 20.0, &law, &Samples::default());
        assert!((ours / exact - 1.0).abs() < 0.03, "{ours} {exact}");

        let n = 150;
        let chances: Vec<f64> = gaussian(n, 8).iter().map(|z| 1.0 / (1.0 + (-2.0 * z).exp())).collect();
        let trace = Trace { straight: gaussian(n, 9), square: None };
        let mut rng = ChaCha8Rng::seed_from_u64(10);
        let law = Law::of_chances(chances.clone());
        let mut redraw = || -> f64 {
            let coin = |p: &f64| f64::from(u8::from(rng.random::<f64>() < *p)) - p;
            trace.at(&chances.iter().map(coin).collect::<Vec<_>>(), &law)
        };
        let draws = 100_000;
        let mut drawn: Vec<f64> = (0..draws).map(|_| redraw()).collect();
        drawn.sort_by(f64::total_cmp);
        for part in [0.05, 0.01, 0.001] {
            let at = drawn[draws - (part * draws as f64) as usize];
            let ours = trace.tail(1.0, at, &law, &Samples::default());
            assert!((ours / part - 1.0).abs() < 0.15, "{part} {ours}");
        }
    }

    #[test]
    fn wider_law_has_the_tail_of_a_nearer_value() {
        let (a, residuals) = (gaussian(40, 11), gaussian(40, 12));
        let trace = Trace { straight: a, square: None };
        let law = of(&residuals);
        let ours = trace.two_sided(12.0, &law.clone().widened(1.5), &Samples::default());
        assert!((ours / trace.two_sided(8.0, &law, &Samples::default()) - 1.0).abs() < 1e-9);
    }
}
