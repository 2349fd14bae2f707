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
        let (n, total) = (values.len(), samples.total(values.len()));
        let rough = samples.sum(n, |i| values[i]) / total;
        let mean = rough + samples.sum(n, |i| values[i] - rough) / total;
        // scaled by the largest deviation, so that no square overflows or vanishes
        let (largest, magnitude) =
            values.iter().fold((0.0, 0.0), |(d, m): (f64, f64), v| (d.max((v - mean).abs()), m.max(v.abs())));
        if largest <= CONSTANT * magnitude {
            return None;
        }
        let sum = samples.sum(n, |i| ((values[i] - mean) / largest).powi(2));
        Some(Scaling { mean, scale: largest * (sum / total).sqrt() })
    }
}
