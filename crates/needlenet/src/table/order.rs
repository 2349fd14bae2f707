//! The order and the signs of columns in the canonical form, from sums of integers over their rows.
//!
//! Integer sums do not depend on the order of summation, even if they wrap around. So the keys of a column depend
//! neither on the order of the rows nor on where the column is stored. Tested in `tests/units.rs`.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::Samples;
use super::grid::on_grid;

/// An integer for the outcome of each sample, and its weight.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SampleKeys {
    keys: Vec<i64>,
    /// In units of 1/256: a whole weight counts as that many rows, others are rounded. None if all weights
    /// are 1.
    weights: Option<Vec<i64>>,
}

/// The sums over the samples of `k x`, `k x^2` and `x^3`, for the keys `k` and the column `x` in units of the grid.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct ColumnKeys {
    along: i128,
    bent: i128,
    cubed: i128,
}

impl SampleKeys {
    pub fn new(keys: Vec<i64>, samples: &Samples) -> Self {
        let parts = |weights: &[f64]| weights.iter().map(|w| (w * 256.0).round() as i64).collect();
        SampleKeys { keys, weights: samples.weights.as_deref().map(parts) }
    }

    /// The keys of a standardised column.
    pub fn of_column(&self, column: &[f64]) -> ColumnKeys {
        let mut sums = ColumnKeys { along: 0, bent: 0, cubed: 0 };
        for (i, (v, &key)) in column.iter().zip(&self.keys).enumerate() {
            let (q, key) = (i128::from(on_grid(*v)), i128::from(key));
            let weight = self.weights.as_ref().map_or(1, |weights| i128::from(weights[i]));
            let (first, second) = (q.wrapping_mul(weight), (q * q).wrapping_mul(weight));
            sums.along = sums.along.wrapping_add(first.wrapping_mul(key));
            sums.bent = sums.bent.wrapping_add(second.wrapping_mul(key));
            sums.cubed = sums.cubed.wrapping_add(second.wrapping_mul(q));
        }
        sums
    }
}

impl ColumnKeys {
    /// Whether the sign of the column changes, so that it correlates positively with the outcome.
    pub fn turned(&self) -> bool {
        self.along < 0 || (self.along == 0 && self.cubed < 0)
    }
}

/// The order of columns: those most correlated with the outcome first.
pub(crate) fn order_of(keys: &[ColumnKeys]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&j| {
        let ColumnKeys { along, bent, cubed } = keys[j];
        (Reverse(along.unsigned_abs()), bent, cubed.unsigned_abs())
    });
    order
}
