//! The scale of an axis: maps values to positions in the picture, and chooses the ticks.

/// The smallest number of ticks.
const FEWEST_TICKS: f64 = 4.0;

/// A linear map from a range of values to a range of positions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    pub low: f64,
    pub high: f64,
    start: f64,
    end: f64,
}

impl Scale {
    /// An empty range is widened, so that its value has a position.
    pub fn new([low, high]: [f64; 2], [start, end]: [f64; 2]) -> Self {
        let wide = if high > low { 0.0 } else { low.abs().max(1.0) / 2.0 };
        Scale { low: low - wide, high: high + wide, start, end }
    }

    pub fn place(&self, value: f64) -> f64 {
        self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)
    }

    pub fn holds(&self, value: f64) -> bool {
        value >= self.low && value <= self.high
    }

    /// Round values inside the range: steps of 1, 2 or 5 times a power of ten.
    pub fn ticks(&self) -> Vec<f64> {
        let rough = (self.high - self.low) / FEWEST_TICKS;
        let power = 10f64.powf(rough.log10().floor());
        let step = [5.0, 2.0, 1.0].into_iter().map(|m| m * power).find(|step| *step <= rough * 1.0001);
        let step = step.unwrap_or(power);
        let first = (self.low / step - 1e-9).ceil() as i64;
        (first..)
            .map(|k| k as f64 * step)
            .take_while(|tick| *tick <= self.high + 1e-9 * step)
            .take(12)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside_at_any_size() {
        for (range, expected) in [
            ([0.0, 1.0], vec![0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
            ([-3.0, 7.0], vec![-2.0, 0.0, 2.0, 4.0, 6.0]),
            ([1000.0, 1900.0], vec![1000.0, 1200.0, 1400.0, 1600.0, 1800.0]),
        ] {
            let ticks = Scale::new(range, [0.0, 1.0]).ticks();
            assert_eq!(ticks.len(), expected.len(), "{ticks:?}");
            assert!(ticks.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9), "{ticks:?}");
        }
    }

    #[test]
    fn a_range_without_width_has_a_place_for_its_value() {
        assert_eq!(Scale::new([3.0, 3.0], [0.0, 10.0]).place(3.0), 5.0);
    }
}
