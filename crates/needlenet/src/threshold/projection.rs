//! Removes the null fit (the best constant and the inputs that are always in) from every null
//! outcome.
//!
//! The null model is `c + Z gamma`. Its fit to a null outcome removes, to first order, what `B = (1, Z)` explains in the metric
//! `W` of the variance of the outcome:
//!
//! $$y \leftarrow y - W B (B^T W B)^{-1} B^T y$$
//!
//! If `W` is the curvature of the loss at the null fit, these are the residuals of one Newton step of that fit; for Gaussian
//! noise they are its exact residuals. For permuted residuals, which have equal variances, `W` is the weights.
//! The null statistic `X'y` then has the law of its efficient score. The inputs are not changed except for their unit:
//! the variance of an input is that beyond `B`, `x'Wx - x'WB (B'WB)^-1 B'Wx`, so that every input has the same chance.
//! Cost: O(n (q + 1)) a draw for each column of the outcome. Tested below, and the level in `tests/always_in.rs`.

use faer::{Mat, Side};
use serde::{Deserialize, Serialize};

use crate::outcome::{Coupling, Loss};
use crate::product::{dot, multiply, multiply_add, view, view_mut};
use crate::table::Samples;

/// A direction of `B` with less than this share of the largest curvature is skipped: it is a linear combination of others, or
/// no sample has variance along it.
const RANK: f64 = 1e-10;

/// The variance of a null outcome of `n` samples and some columns.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Metric {
    n: usize,
    columns: usize,
    /// For each sample `columns x columns`.
    blocks: Vec<f64>,
    coupling: Option<Coupling>,
    /// Over all copies of the rows that weights stand for.
    trace: f64,
}

impl Metric {
    /// The variance given by the loss at the empty model, or that of permuted residuals.
    pub fn of(loss: &dyn Loss, columns: usize, permuted: bool) -> Self {
        let n = loss.n();
        if permuted {
            let of_sample = |at: usize| {
                let (i, entry) = (at / (columns * columns), at % (columns * columns));
                if entry % (columns + 1) == 0 { loss.samples().weight(i) } else { 0.0 }
            };
            let blocks = (0..n * columns * columns).map(of_sample).collect();
            return Metric::new(n, columns, blocks, None, loss.samples());
        }
        let held = loss.at_noise(1.0);
        let out = held.null_outputs();
        let curvature = held.null_curvature(&out);
        let outputs = loss.n_outputs();
        let mut all = vec![0.0; n * outputs * outputs];
        curvature.of_rows(0..n, &mut all);
        let kept = |block: &[f64]| -> Vec<f64> {
            (0..columns * columns).map(|at| block[at / columns * outputs + at % columns]).collect()
        };
        let blocks = all.chunks(outputs * outputs).flat_map(kept).collect();
        Metric::new(n, columns, blocks, curvature.coupling, loss.samples())
    }

    fn new(
        n: usize,
        columns: usize,
        blocks: Vec<f64>,
        coupling: Option<Coupling>,
        samples: &Samples,
    ) -> Self {
        let of_block = |block: &[f64]| block.iter().step_by(columns + 1).sum::<f64>();
        let of_blocks: f64 = blocks.chunks(columns * columns).map(of_block).sum();
        let trace = of_blocks - coupling.as_ref().map_or(0.0, |coupling| coupling.trace(samples));
        Metric { n, columns, blocks, coupling, trace }
    }

    /// The sum of the variances over the columns of the outcome.
    pub fn of_one_column(self) -> Self {
        let of_block = |block: &[f64]| block.iter().step_by(self.columns + 1).sum();
        let blocks = self.blocks.chunks(self.columns * self.columns).map(of_block).collect();
        Metric { columns: 1, blocks, ..self }
    }

    /// `W b`
    pub(super) fn times(&self, b: &[f64]) -> Vec<f64> {
        let Metric { n, columns, .. } = *self;
        let mut product = vec![0.0; b.len()];
        for (i, block) in self.blocks.chunks(columns * columns).enumerate() {
            for s in 0..columns {
                product[s * n + i] = (0..columns).map(|t| block[s * columns + t] * b[t * n + i]).sum();
            }
        }
        if let Some(coupling) = &self.coupling {
            coupling.subtract(b, &mut product);
        }
        product
    }
}

/// The null fit to first order.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Parts", into = "Parts")]
pub(crate) struct Projection {
    metric: Metric,
    /// `(1, Z)`, `n x (q + 1)`.
    basis: Vec<f64>,
    /// `R` with `R'R = (B'WB)^-1`, and `W B (B'WB)^-1` for the columns of the outcome one under the other.
    root: Mat<f64>,
    image: Vec<f64>,
}

/// The parts that determine a projection, to the bit.
#[derive(Serialize, Deserialize)]
struct Parts {
    metric: Metric,
    always: Vec<f64>,
}

impl From<Parts> for Projection {
    fn from(parts: Parts) -> Self {
        Projection::new(&parts.always, parts.metric)
    }
}

impl From<Projection> for Parts {
    fn from(projection: Projection) -> Self {
        let always = projection.basis[projection.metric.n..].to_vec();
        Parts { metric: projection.metric, always }
    }
}

impl Projection {
    /// `always` is `Z`, `n x q`.
    pub fn new(always: &[f64], metric: Metric) -> Self {
        let Metric { n, columns, .. } = metric;
        let mut basis = vec![1.0; n];
        basis.extend_from_slice(always);
        let width = basis.len() / n;
        let (k, rows) = (width * columns, n * columns);
        let mut projection = Projection { metric, basis, root: Mat::zeros(k, k), image: Vec::new() };
        let mut weighted = Vec::with_capacity(rows * k);
        for (t, column) in (0..k).map(|at| (at / width, at % width)) {
            let mut b = vec![0.0; rows];
            b[t * n..(t + 1) * n].copy_from_slice(&projection.basis[column * n..(column + 1) * n]);
            weighted.extend(projection.metric.times(&b));
        }
        let along: Vec<f64> = weighted.chunks(rows).flat_map(|b| projection.along(b)).collect();
        projection.root = root_of_inverse(&Mat::from_fn(k, k, |i, j| along[j * k + i]));
        let mut image = vec![0.0; rows * k];
        let inverse = projection.root.transpose() * &projection.root;
        multiply(view_mut(&mut image, rows, k), view(&weighted, rows, k), inverse.as_ref());
        projection.image = image;
        projection
    }

    /// `B'y`, column after column of the outcome.
    fn along(&self, y: &[f64]) -> Vec<f64> {
        let n = self.metric.n;
        let of_one = |y: &[f64]| self.basis.chunks(n).map(|b| dot(b, y)).collect::<Vec<_>>();
        y.chunks(n).flat_map(of_one).collect()
    }

    /// Replaces `y` by its residuals from the null fit.
    pub fn apply(&self, y: &mut [f64]) {
        let explained: Vec<f64> = self.along(y).iter().map(|v| -v).collect();
        let (rows, k) = (y.len(), explained.len());
        multiply_add(view_mut(y, rows, 1), view(&self.image, rows, k), view(&explained, k, 1));
    }

    /// The number of directions that are removed.
    pub fn rank(&self) -> usize {
        self.root.nrows()
    }

    /// The components of a column in an orthonormal basis of `B`, if all samples have the same variance and the outcome has
    /// one column.
    pub fn along_basis(&self, x: &[f64]) -> Vec<f64> {
        let along = self.along(x);
        let size = (self.metric.trace / self.metric.n as f64).sqrt();
        let entry = |i: usize| (0..along.len()).map(|j| self.root[(i, j)] * along[j]).sum::<f64>();
        (0..self.rank()).map(|i| size * entry(i)).collect()
    }

    /// The standard deviation of a standardised column given the inputs that are always in. For an outcome of one column.
    pub fn spread_beyond(&self, x: &[f64]) -> f64 {
        let weighted = self.metric.times(x);
        let along = self.along(&weighted);
        let entry = |i: usize| (0..along.len()).map(|j| self.root[(i, j)] * along[j]).sum::<f64>();
        let explained: f64 = (0..self.rank()).map(|i| entry(i).powi(2)).sum();
        ((dot(x, &weighted) - explained).max(0.0) / self.metric.trace).sqrt()
    }
}

/// `R` with `R'R` the inverse along the eigenvectors whose eigenvalues are not negligible.
fn root_of_inverse(gram: &Mat<f64>) -> Mat<f64> {
    let k = gram.nrows();
    let Ok(eigen) = gram.self_adjoint_eigen(Side::Lower) else { return Mat::zeros(0, k) };
    let (vectors, values) = (eigen.U(), eigen.S());
    let largest = (0..k).map(|i| values[i]).fold(0.0, f64::max);
    let kept: Vec<usize> = (0..k).filter(|i| values[*i] > RANK * largest).collect();
    Mat::from_fn(kept.len(), k, |at, j| vectors[(j, kept[at])] / values[kept[at]].sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{gaussian, losses};

    /// Of every loss: what is left has no part along `(1, Z)`, a second application changes nothing, and a copy of `Z` has no
    /// spread beyond it.
    #[test]
    fn what_is_left_has_nothing_of_the_inputs_that_are_always_in() {
        let (n, q) = (40, 2);
        let z = gaussian(n * q, 1);
        for loss in losses(n) {
            for permuted in [false, true] {
                let columns = loss.null().columns(n);
                let projection = Projection::new(&z, Metric::of(&*loss, columns, permuted));
                let mut y = gaussian(n * columns, 3);
                // a common shift of all outputs has no curvature in survival
                if loss.n_contrasts() == 0 {
                    let mean = y.iter().sum::<f64>() / n as f64;
                    y.iter_mut().for_each(|v| *v -= mean);
                }
                projection.apply(&mut y);
                for v in projection.along(&y) {
                    assert!(v.abs() < 1e-9, "{loss:?}: {v}");
                }
                let before = y.clone();
                projection.apply(&mut y);
                assert!(y.iter().zip(&before).all(|(a, b)| (a - b).abs() < 1e-9), "{loss:?}");
                let alone = Projection::new(&z, Metric::of(&*loss, columns, permuted).of_one_column());
                let copy: Vec<f64> = (0..n).map(|i| 2.0 * z[i] - z[n + i] + 0.5).collect();
                assert!(alone.spread_beyond(&copy) < 1e-6, "{loss:?}");
                assert!((0.3..3.0).contains(&alone.spread_beyond(&gaussian(n, 8))), "{loss:?}");
            }
        }
    }
}
