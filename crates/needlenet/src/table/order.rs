//! The order and the signs of columns in the canonical form, from sums of integers over their rows.
//!
//! Integer sums do not depend on the order of summation, even if they wrap around. So the keys of a column depend
//! neither on the order of the rows nor on where the column is stored. Tested in `tests/units.rs`.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::Samples;
use super::grid::{are_narrow, on_grid, small_on_grid};

/// An integer for the outcome of each sample, and its weight.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SampleKeys {
    keys: Vec<i64>,
    /// In units of 1/256: a whole weight counts as that many rows, others are rounded. None if all weights
    /// are 1.
    weights: Option<Vec<i64>>,
}

/// The sums over the samples of `k x`, `k x^2` and `x^3`, for the keys `k` and the column `x` in units of the grid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
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
        let mut sums = ColumnKeys::default();
        if self.weights.is_none() && are_narrow(column) {
            for (v, key) in column.iter().zip(&self.keys) {
                sums.add_narrow(small_on_grid(*v), *key);
            }
            return sums;
        }
        column.iter().enumerate().for_each(|(i, v)| sums.add(*v, &self.of_sample(i)));
        sums
    }

    /// The keys of a standardised column of which most values are `zero`; each cell has its row and what it differs by.
    pub fn of_sparse(
        &self,
        total: &SampleKey,
        zero: f64,
        cells: impl Iterator<Item = (usize, f64)>,
    ) -> ColumnKeys {
        let mut sums = ColumnKeys::default();
        sums.add(zero, total);
        for (i, v) in cells {
            let SampleKey { weight, key } = self.of_sample(i);
            sums.add(zero, &SampleKey { weight: -weight, key: -key });
            sums.add(zero + v, &SampleKey { weight, key });
        }
        sums
    }

    /// The sum over all samples.
    pub fn total(&self) -> SampleKey {
        (0..self.keys.len()).map(|i| self.of_sample(i)).fold(SampleKey { weight: 0, key: 0 }, |sum, one| {
            SampleKey { weight: sum.weight + one.weight, key: sum.key.wrapping_add(one.key) }
        })
    }

    fn of_sample(&self, i: usize) -> SampleKey {
        let weight = self.weights.as_ref().map_or(1, |weights| i128::from(weights[i]));
        SampleKey { weight, key: i128::from(self.keys[i]).wrapping_mul(weight) }
    }
}

/// The weight of a sample, and its key times its weight.
pub(crate) struct SampleKey {
    weight: i128,
    key: i128,
}

impl ColumnKeys {
    /// Adds a value of a sample.
    fn add(&mut self, value: f64, SampleKey { weight, key }: &SampleKey) {
        let q = i128::from(on_grid(value));
        self.along = self.along.wrapping_add(q.wrapping_mul(*key));
        self.bent = self.bent.wrapping_add((q * q).wrapping_mul(*key));
        self.cubed = self.cubed.wrapping_add((q * q).wrapping_mul(*weight).wrapping_mul(q));
    }

    /// The same for a value of less than 2^31 widths of the grid and a weight of 1, with products of 64 bits.
    #[inline(always)]
    fn add_narrow(&mut self, q: i64, key: i64) {
        let square = q * q;
        self.along = self.along.wrapping_add(i128::from(q) * i128::from(key));
        self.bent = self.bent.wrapping_add(i128::from(square) * i128::from(key));
        self.cubed = self.cubed.wrapping_add(i128::from(square) * i128::from(q));
    }

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

#[cfg(test)]
mod tests {
    use super::super::grid::{GRID, round_to_grid};
    use super::*;
    use crate::tests::gaussian;

    #[test]
    fn products_of_64_bits_give_the_keys_of_wider_ones() {
        let keys: Vec<i64> = (0..50).map(|i| (i - 20) * 0x0123_4567_89ab).collect();
        let column: Vec<f64> = gaussian(50, 3).iter().map(|v| round_to_grid(9.0 * v) / GRID).collect();
        let sums = |weights: Option<Vec<i64>>| SampleKeys { keys: keys.clone(), weights }.of_column(&column);
        assert!(are_narrow(&column));
        assert_eq!(sums(None), sums(Some(vec![1; 50])));
    }
}
