//! What the refit misses of an effect curve: cubic splines of the needles, fitted beside the refit.
//!
//! The sparse network follows a smooth curve with a few bends. The error of that shape is the same in every half of the samples, so
//! the spread of the refits does not show it. The outputs of a refit therefore get a correction
//!
//! $$ g(x) = g_0 + \sum_j \sum_{k \le d} c_{jk}\, b_{jk}(x_j) + \sum_{(j, l)} \sum_{k, m \le 3} c_{jklm}\, b_{jk}(x_j)\, b_{lm}(x_l), $$
//!
//! with `b_jk` a basis of cubic splines of needle `j`, orthogonal over the samples, and products for each two needles that a neuron
//! joins. The coefficients minimise the loss beside the outputs of the refit. Nothing is smoothed: `d` grows with the number of
//! samples, so that the bias of the curve falls faster than its standard error.
//! Cost: one regression for each refit. Tested below and in `tests/sure_tables.rs`; coverage in `docs/how-sure.md`.

use super::law::regression;
use crate::outcome::Loss;
use crate::table::Samples;

/// The columns of a needle's spline are at most the number of samples to this power: 8 of 200 samples, 12 of 500. Six columns for any
/// number of samples left a bias around parabolas and bends at 500 samples ("Bands" in `docs/how-sure.md`).
const POWER: f64 = 0.4;
/// A needle with fewer columns has no band: a cubic is the least that follows a bend.
const FEWEST_COLUMNS: usize = 3;
/// All columns together are at most this part of the samples.
const MOST_OF_SAMPLES: f64 = 0.125;
/// Columns of each of two needles of which products are taken. With two columns the curves of products were missed too often (the
/// same place).
const IN_PRODUCTS: usize = 3;
/// A column is left out if the earlier ones leave less than this part of it, as when an input has few values.
const LEAST_LEFT: f64 = 1e-4;

/// A column at the samples of the table, and at the values of the curve of its needle.
struct Height {
    samples: Vec<f64>,
    values: Vec<f64>,
}

/// A column of the correction.
enum Column {
    /// A column of the spline of a needle.
    Single(usize, usize),
    /// The product of two of them, minus its mean.
    Product([(usize, usize); 2], f64),
}

/// Splines of needles, and their products.
pub(super) struct Splines {
    /// For each needle its columns.
    bases: Vec<Vec<Height>>,
    columns: Vec<Column>,
}

/// A correction: for each output its constant, and the coefficients of all columns.
#[derive(Debug, Clone)]
pub(super) struct Correction {
    constants: Vec<f64>,
    coefficients: Vec<Vec<f64>>,
}

impl Splines {
    /// Of some columns, each with the values of its curve, and of some pairs of them; `size` is the number of samples that count.
    /// None if there are too few for so many columns.
    pub fn of(
        columns: &[&[f64]],
        values: &[Vec<f64>],
        pairs: &[[usize; 2]],
        samples: &Samples,
        size: f64,
    ) -> Option<Self> {
        let all = (MOST_OF_SAMPLES * size) as usize;
        let of_needle = |products: usize| all.saturating_sub(products) / columns.len().max(1);
        let products = pairs.len() * IN_PRODUCTS * IN_PRODUCTS;
        let (pairs, most) = if of_needle(products) >= FEWEST_COLUMNS {
            (pairs, of_needle(products))
        } else {
            (&[][..], of_needle(0))
        };
        if most < FEWEST_COLUMNS {
            return None;
        }
        let most = most.min(libm::pow(size, POWER) as usize).max(FEWEST_COLUMNS);
        let n = columns.first()?.len();
        let bases: Vec<Vec<Height>> =
            columns.iter().zip(values).map(|(column, values)| basis(column, values, most, samples)).collect();
        let singles = |at: usize| (0..bases[at].len()).map(move |k| Column::Single(at, k));
        let mut list: Vec<Column> = (0..bases.len()).flat_map(singles).collect();
        for &[a, b] in pairs {
            for k in 0..bases[a].len().min(IN_PRODUCTS) {
                for l in 0..bases[b].len().min(IN_PRODUCTS) {
                    let (first, second) = (&bases[a][k].samples, &bases[b][l].samples);
                    let mean = samples.sum(n, |i| first[i] * second[i]) / samples.total(n);
                    list.push(Column::Product([(a, k), (b, l)], mean));
                }
            }
        }
        Some(Splines { bases, columns: list })
    }

    /// A column at a sample where needle `moved`, if any, has a value of its curve instead of its own.
    fn height(&self, column: &Column, sample: usize, moved: Option<(usize, usize)>) -> f64 {
        let of = |(needle, k): (usize, usize)| {
            let height = &self.bases[needle][k];
            match moved {
                Some((at, value)) if at == needle => height.values[value],
                _ => height.samples[sample],
            }
        };
        match column {
            Column::Single(needle, k) => of((*needle, *k)),
            Column::Product([a, b], mean) => of(*a) * of(*b) - mean,
        }
    }

    /// The correction of outputs on some rows of the table, which are those of `loss`; none if it did not converge.
    pub fn fitted(&self, loss: &dyn Loss, out: &[f64], rows: &[usize]) -> Option<Correction> {
        let heights = |column| rows.iter().map(move |&i| self.height(column, i, None));
        let columns: Vec<f64> = self.columns.iter().flat_map(heights).collect();
        let beside = loss.shifted(out)?;
        let (network, theta) = regression(&*beside, &columns)?;
        let (outputs, last) = (network.n_outputs(), network.last());
        let of_output =
            |t: usize| theta[last.weights.clone()].iter().skip(t).step_by(outputs).copied().collect();
        // a loss that does not see a common shift of all outputs has no constant
        let sees_shifts = loss.n_contrasts() > 0;
        let constants =
            theta[last.biases.clone()].iter().map(|c| if sees_shifts { *c } else { 0.0 }).collect();
        Some(Correction { constants, coefficients: (0..outputs).map(of_output).collect() })
    }

    /// The correction along the curve of needle `at`, at some rows of the table: output after output, value after value, row after
    /// row.
    pub fn along(&self, at: usize, count: usize, rows: &[usize], correction: &Correction) -> Vec<f64> {
        let mut along = Vec::with_capacity(correction.constants.len() * count * rows.len());
        for (constant, coefficients) in correction.constants.iter().zip(&correction.coefficients) {
            for value in 0..count {
                along.extend(rows.iter().map(|&i| {
                    let term = |(column, c): (&Column, &f64)| c * self.height(column, i, Some((at, value)));
                    constant + self.columns.iter().zip(coefficients).map(term).sum::<f64>()
                }));
            }
        }
        along
    }
}

/// A basis of at most `most` columns, each at the samples and then at `values`; over the samples each has mean zero and mean square 1,
/// and they are orthogonal.
fn basis(column: &[f64], values: &[f64], most: usize, samples: &Samples) -> Vec<Height> {
    let n = column.len();
    let total = samples.total(n);
    let mut sorted = column.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (sorted[0], sorted[n - 1]);
    // from -1 to 1
    let unit = |v: f64| if high > low { 2.0 * (v - low) / (high - low) - 1.0 } else { 0.0 };
    let inner = most.saturating_sub(3);
    let knot = |k: usize| unit(sorted[(n - 1) * (k + 1) / (inner + 1)]);
    let knots: Vec<f64> = (0..inner).map(knot).collect();
    let raw = |k: usize, v: f64| match k {
        0..3 => v.powi(k as i32 + 1),
        _ => (v - knots[k - 3]).max(0.0).powi(3),
    };
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for k in 0..most {
        let mut heights: Vec<f64> = column.iter().chain(values).map(|v| raw(k, unit(*v))).collect();
        let square = |heights: &[f64]| samples.sum(n, |i| heights[i] * heights[i]) / total;
        let mean = samples.sum(n, |i| heights[i]) / total;
        heights.iter_mut().for_each(|h| *h -= mean);
        let whole = square(&heights);
        // twice, so that rounding leaves no trace of the earlier ones
        for _ in 0..2 {
            for other in &basis {
                let part = samples.sum(n, |i| heights[i] * other[i]) / total;
                heights.iter_mut().zip(other).for_each(|(h, o)| *h -= part * o);
            }
        }
        let left = square(&heights);
        if left > LEAST_LEFT * LEAST_LEFT * whole {
            heights.iter_mut().for_each(|h| *h /= left.sqrt());
            basis.push(heights);
        }
    }
    let split = |heights: Vec<f64>| Height { values: heights[n..].to_vec(), samples: heights[..n].to_vec() };
    basis.into_iter().map(split).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Numbers;

    #[test]
    fn correction_is_the_cubic_that_the_outputs_lack() {
        let n = 200;
        let x: Vec<f64> = (0..n).map(|i| i as f64 / 10.0).collect();
        let law = |v: f64| 0.3 + v - 0.1 * v * v + 0.005 * v * v * v;
        // the noise alternates, so no cubic follows it
        let noise = |i: usize| if i.is_multiple_of(2) { 1e-3 } else { -1e-3 };
        let loss = Numbers::new(x.iter().enumerate().map(|(i, v)| law(*v) + 2.0 * v + noise(i)).collect());
        let out: Vec<f64> = x.iter().map(|v| 2.0 * v).collect();
        let values = vec![1.5, 12.0];
        let splines =
            Splines::of(&[&x], std::slice::from_ref(&values), &[], &Samples::default(), n as f64).unwrap();
        let rows: Vec<usize> = (0..n).collect();
        let correction = splines.fitted(&loss, &out, &rows).unwrap();
        for (height, v) in splines.along(0, 2, &[0], &correction).iter().zip(values) {
            assert!((height - law(v)).abs() < 1e-3, "{height} {}", law(v));
        }
    }

    #[test]
    fn input_of_two_values_has_one_column_and_few_samples_have_no_splines() {
        let x: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        assert_eq!(basis(&x, &[0.0, 1.0], 6, &Samples::default()).len(), 1);
        let columns = [&x[..]; 5];
        let values = vec![vec![0.0, 1.0]; 5];
        assert!(Splines::of(&columns, &values, &[], &Samples::default(), 100.0).is_none());
        assert!(Splines::of(&columns[..4], &values[..4], &[], &Samples::default(), 100.0).is_some());
    }

    #[test]
    fn correction_of_two_needles_that_a_neuron_joins_has_their_product() {
        let n = 400;
        let value = |i: usize, step: usize| ((i * step) % 101) as f64 / 50.0 - 1.0;
        let columns = [7, 29].map(|step| (0..n).map(|i| value(i, step)).collect::<Vec<f64>>());
        let [a, b] = &columns;
        let noise = |i: usize| value(i, 53) / 10.0;
        let loss = Numbers::new((0..n).map(|i| a[i] * b[i] + a[i] * a[i] + noise(i)).collect());
        let values = vec![vec![-0.5, 0.8]; 2];
        let all = [&a[..], &b[..]];
        let splines = Splines::of(&all, &values, &[[0, 1]], &Samples::default(), n as f64).unwrap();
        let rows: Vec<usize> = (0..n).collect();
        let correction = splines.fitted(&loss, &vec![0.0; n], &rows).unwrap();
        for (height, v) in splines.along(0, 2, &[11], &correction).iter().zip([-0.5, 0.8]) {
            let truth = v * b[11] + v * v;
            assert!((height - truth).abs() < 0.05, "{height} {truth}");
        }
    }
}
