//! Mean and standard deviation of a column.

use serde::{Deserialize, Serialize};

use super::Samples;
use super::grid::{GRID, round_to_grid};

/// A column whose spread is below this part of its magnitude counts as constant: its variation is
/// rounding error.
const CONSTANT: f64 = 1e-13;

/// How values are standardised: `standardised = (value - mean) / scale`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaling {
    /// The mean of the column.
    pub mean: f64,
    /// Its standard deviation (divisor `n`); 1 for an outcome that keeps its unit.
    pub scale: f64,
}

/// The values of a column, dense or sparse.
pub(super) trait Values {
    fn n(&self) -> usize;

    /// The weighted sum of a function of the values, in the order of the samples.
    fn sum(&self, samples: &Samples, of: impl Fn(f64) -> f64) -> f64;

    /// Every value at least once.
    fn distinct(&self) -> impl Iterator<Item = f64>;
}

impl Values for [f64] {
    fn n(&self) -> usize {
        self.len()
    }

    fn sum(&self, samples: &Samples, of: impl Fn(f64) -> f64) -> f64 {
        samples.sum(self.len(), |i| of(self[i]))
    }

    fn distinct(&self) -> impl Iterator<Item = f64> {
        self.iter().copied()
    }
}

impl Scaling {
    /// The standardised value.
    pub fn apply(&self, value: f64) -> f64 {
        (value - self.mean) / self.scale
    }

    /// The standardised value, rounded to the grid.
    pub(super) fn on_grid(&self, value: f64) -> f64 {
        round_to_grid(self.apply(value)) / GRID
    }

    /// Mean and standard deviation in two passes each; `None` if the values do not vary.
    pub(crate) fn of(values: &[f64], samples: &Samples) -> Option<Self> {
        Scaling::of_values(values, samples)
    }

    /// The same of values that may be kept otherwise.
    pub(super) fn of_values(values: &(impl Values + ?Sized), samples: &Samples) -> Option<Self> {
        let total = samples.total(values.n());
        let rough = values.sum(samples, |v| v) / total;
        let mean = rough + values.sum(samples, |v| v - rough) / total;
        // scaled by the largest deviation, so that no square overflows or vanishes
        let (largest, magnitude) = values
            .distinct()
            .fold((0.0, 0.0), |(d, m): (f64, f64), v| (d.max((v - mean).abs()), m.max(v.abs())));
        if largest <= CONSTANT * magnitude {
            return None;
        }
        let sum = values.sum(samples, |v| ((v - mean) / largest).powi(2));
        Some(Scaling { mean, scale: largest * (sum / total).sqrt() })
    }
}
