//! The traces that inputs leave in a residual: by themselves, by their squares, and by their products with
//! each other.
//!
//! The trace of inputs `j <= k` is the correlation of the residual with `x_j x_k`, that of an input by itself
//! its correlation with `x_j`, both times `sqrt(n)`: close to a standard Gaussian variable if nothing is there.
//! Of `m` such variables the largest seldom exceeds `sqrt(2 ln m)`, the universal threshold. A neuron that bends
//! leaves a trace of second order also where there is none of the first: `|x_1 - x_2|` has one with `x_1 x_2`.
//! Cost: O(n q^2) for `q` inputs. Tested in `src/tests/traces.rs`.

use faer::Mat;

use crate::product::{dot, multiply, norm, view};

/// The least length of a list of leading inputs.
const SHORTEST: usize = 10;

/// The largest trace of each input, and what chance alone would leave.
pub(crate) struct Traces {
    pub columns: Vec<usize>,
    pub largest: Vec<f64>,
    pub threshold: f64,
}

impl Traces {
    /// The traces in `residual` of the inputs `columns`, whose standardised values stand in `x`.
    pub fn of(residual: &[f64], columns: Vec<usize>, x: &[f64]) -> Self {
        let (n, q) = (residual.len(), columns.len());
        let mean = residual.iter().sum::<f64>() / n as f64;
        let r: Vec<f64> = residual.iter().map(|r| r - mean).collect();
        let squares: Vec<f64> = x.iter().map(|x| x * x).collect();
        let one = vec![1.0; n];
        let products = weighted_products(x, &r, x);
        let means = weighted_products(x, &one, x);
        let second = weighted_products(&squares, &one, &squares);
        let length = norm(&r);
        // root n times a correlation, of a sum of products with r and a sum of squares about the mean
        let trace = |sum: f64, squares: f64| {
            let lengths = length * squares.max(0.0).sqrt();
            if lengths > 0.0 { (n as f64).sqrt() * sum.abs() / lengths } else { 0.0 }
        };
        let of_pair =
            |j: usize, k: usize| trace(products[(j, k)], second[(j, k)] - means[(j, k)].powi(2) / n as f64);
        let alone = |j: usize| trace(dot(&x[j * n..(j + 1) * n], &r), means[(j, j)]);
        let largest = (0..q).map(|j| (0..q).map(|k| of_pair(j, k)).fold(alone(j), f64::max)).collect();
        let m = (q * (q + 3) / 2).max(2) as f64;
        Traces { columns, largest, threshold: (2.0 * m.ln()).sqrt() }
    }

    fn count(&self) -> usize {
        self.largest.iter().filter(|z| **z > self.threshold).count()
    }

    /// Whether something is left to be found.
    pub fn any(&self) -> bool {
        self.count() > 0
    }

    /// The inputs of the largest traces, twice as many as stand out; ascending.
    pub fn leading(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        order.sort_by(|a, b| self.largest[*b].total_cmp(&self.largest[*a]).then(a.cmp(b)));
        order.truncate((2 * self.count()).max(SHORTEST));
        let mut leading: Vec<usize> = order.into_iter().map(|at| self.columns[at]).collect();
        leading.sort_unstable();
        leading
    }
}

/// `a' diag(weights) b` for tables of `weights.len()` rows.
fn weighted_products(a: &[f64], weights: &[f64], b: &[f64]) -> Mat<f64> {
    let n = weights.len();
    let (rows, cols) = (a.len() / n, b.len() / n);
    let weighted: Vec<f64> = b.iter().zip(weights.iter().cycle()).map(|(b, w)| b * w).collect();
    let mut out = Mat::zeros(rows, cols);
    multiply(out.as_mut(), view(a, n, rows).transpose(), view(&weighted, n, cols));
    out
}
