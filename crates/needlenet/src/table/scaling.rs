//! Mean and standard deviation of a column.
//!
//! A sum adds the values in the order of the samples, so each addition waits for the one before. [`Scaling::of_columns`] adds
//! several columns side by side instead: the same additions for each column, and so the same bits, in a fourth of the time.

use pulp::{Arch, NullaryFnOnce};
use serde::{Deserialize, Serialize};

use super::Samples;
use super::grid::{GRID, round_to_grid};
use crate::product::larger;

/// A column whose spread is below this part of its magnitude counts as constant: its variation is
/// rounding error.
const CONSTANT: f64 = 1e-13;

/// Columns that are summed side by side, and samples of each at a time.
const SIDE: usize = 8;

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
    #[inline(always)]
    pub fn apply(&self, value: f64) -> f64 {
        (value - self.mean) / self.scale
    }

    /// The standardised value, rounded to the grid.
    #[inline(always)]
    pub(super) fn on_grid(&self, value: f64) -> f64 {
        round_to_grid(self.apply(value)) / GRID
    }

    /// The standardised values, rounded to the grid.
    pub(super) fn standardise(&self, values: &[f64], to: &mut [f64]) {
        Arch::new().dispatch(Standardise { scaling: self, values, to });
    }

    /// Those of columns of `n` values, side by side.
    pub(crate) fn of_columns(values: &[f64], n: usize, samples: &Samples) -> Vec<Option<Self>> {
        let of_block = |block: &[f64]| -> Vec<Option<Self>> {
            let columns: Vec<&[f64]> = block.chunks(n).collect();
            match columns.as_slice().try_into() {
                Ok(columns) => Arch::new().dispatch(OfColumns { columns, samples }).to_vec(),
                Err(_) => columns.into_iter().map(|column| Scaling::of(column, samples)).collect(),
            }
        };
        values.chunks(SIDE * n).flat_map(of_block).collect()
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

/// [`Scaling::standardise`] with the vector instructions of the processor.
struct Standardise<'a> {
    scaling: &'a Scaling,
    values: &'a [f64],
    to: &'a mut [f64],
}

impl NullaryFnOnce for Standardise<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.to.iter_mut().zip(self.values).for_each(|(to, v)| *to = self.scaling.on_grid(*v));
    }
}

/// [`Scaling::of_values`] of several columns.
struct OfColumns<'a> {
    columns: [&'a [f64]; SIDE],
    samples: &'a Samples,
}

impl OfColumns<'_> {
    /// The weighted sum over each column of a function of its number and its values.
    #[inline(always)]
    fn sums(&self, of: impl Fn(usize, f64) -> f64) -> [f64; SIDE] {
        let mut sums = [0.0; SIDE];
        let weights = self.samples.weights.as_deref();
        let n = self.columns[0].len();
        let mut parts = self.columns.map(|column| column.as_chunks::<SIDE>().0.iter());
        for first in (0..n - n % SIDE).step_by(SIDE) {
            let mut tile = [[0.0; SIDE]; SIDE];
            for (k, (tile, part)) in tile.iter_mut().zip(&mut parts).enumerate() {
                let Some(part) = part.next() else { return sums };
                tile.iter_mut().zip(part).for_each(|(to, v)| *to = of(k, *v));
                if let Some(weights) = weights {
                    tile.iter_mut().zip(&weights[first..]).for_each(|(v, w)| *v *= w);
                }
            }
            (0..SIDE).for_each(|i| (0..SIDE).for_each(|k| sums[k] += tile[k][i]));
        }
        for i in n - n % SIDE..n {
            for (k, column) in self.columns.iter().enumerate() {
                let v = of(k, column[i]);
                sums[k] += weights.map_or(v, |weights| weights[i] * v);
            }
        }
        sums
    }

    /// The largest deviation from each mean, and the largest magnitude.
    #[inline(always)]
    fn largest(&self, means: &[f64; SIDE]) -> [(f64, f64); SIDE] {
        std::array::from_fn(|k| {
            let (parts, rest) = self.columns[k].as_chunks::<SIDE>();
            let (mut deviations, mut magnitudes) = ([0.0; SIDE], [0.0; SIDE]);
            for part in parts {
                for i in 0..SIDE {
                    deviations[i] = larger(deviations[i], (part[i] - means[k]).abs());
                    magnitudes[i] = larger(magnitudes[i], part[i].abs());
                }
            }
            for v in rest {
                deviations[0] = larger(deviations[0], (v - means[k]).abs());
                magnitudes[0] = larger(magnitudes[0], v.abs());
            }
            (deviations.into_iter().fold(0.0, larger), magnitudes.into_iter().fold(0.0, larger))
        })
    }
}

impl NullaryFnOnce for OfColumns<'_> {
    type Output = [Option<Scaling>; SIDE];

    #[inline(always)]
    fn call(self) -> [Option<Scaling>; SIDE] {
        let total = self.samples.total(self.columns[0].len());
        let rough = self.sums(|_, v| v).map(|sum| sum / total);
        let beyond = self.sums(|k, v| v - rough[k]);
        let means = std::array::from_fn(|k| rough[k] + beyond[k] / total);
        let largest = self.largest(&means);
        let sums = self.sums(|k, v| {
            let v = (v - means[k]) / largest[k].0;
            v * v
        });
        std::array::from_fn(|k| {
            let (largest, magnitude) = largest[k];
            if largest <= CONSTANT * magnitude {
                return None;
            }
            Some(Scaling { mean: means[k], scale: largest * (sums[k] / total).sqrt() })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::gaussian;

    #[test]
    fn columns_side_by_side_have_the_scalings_of_single_columns_to_the_bit() {
        for n in [3, 8, 61] {
            let p = 19;
            let mut x = gaussian(n * p, 5);
            x.iter_mut()
                .enumerate()
                .for_each(|(at, v)| *v = 1e3 * (at / n) as f64 + 10f64.powi((at / n) as i32 - 9) * *v);
            x[4 * n..5 * n].fill(0.1);
            let weights = (0..n).map(|i| 0.5 + i as f64).collect();
            for samples in [Samples::default(), Samples { weights: Some(weights), ..Samples::default() }] {
                let single: Vec<_> = x.chunks(n).map(|column| Scaling::of(column, &samples)).collect();
                assert_eq!(Scaling::of_columns(&x, n, &samples), single);
                assert!(single[4].is_none() && single[5].is_some());
            }
        }
    }
}
