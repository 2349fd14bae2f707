//! The traces that inputs leave in a residual: through their values, their squares, and their pairwise
//! products.
//!
//! The trace of the inputs `j <= k` is the correlation of the residual with `x_j x_k`, and the trace of one
//! input is its correlation with `x_j`, both times `sqrt(n)`. Without an effect each is approximately standard
//! Gaussian. The largest of `m` such variables rarely exceeds `sqrt(2 ln m)`, the universal threshold. A
//! nonlinear law may leave a second-order trace only: `|x_1 - x_2|` has one with `x_1 x_2` and none with `x_1`
//! or `x_2`.
//! Cost: O(n q^2) for `q` inputs. Tested in `src/tests/traces.rs`.

use std::ops::Range;

use faer::Mat;

use crate::network::Inputs;
use crate::product::{dot, multiply_add, norm, view};
use crate::table::{Design, Samples};

/// Samples per block.
const BLOCK: usize = 1024;
/// The smallest length of a list of leading inputs.
const SHORTEST: usize = 10;

/// The largest trace of each input, and the bound for chance alone.
pub(crate) struct Traces {
    pub columns: Vec<usize>,
    pub largest: Vec<f64>,
    pub threshold: f64,
}

impl Traces {
    /// The traces of some columns of a design in residuals with weights. The residuals may have several columns;
    /// each input has its largest trace over them.
    pub fn of(residuals: &[f64], samples: &Samples, columns: &[usize], x: &Design) -> Self {
        let q = columns.len();
        let rows = Rows::of(x, columns);
        let of_one = |r| largest_traces(r, samples, q, &rows);
        let of_each: Vec<Vec<f64>> = residuals.chunks(x.n()).map(of_one).collect();
        let largest = (0..q).map(|j| of_each.iter().map(|of_one| of_one[j]).fold(0.0, f64::max)).collect();
        let m = (of_each.len() * q * (q + 3) / 2).max(2) as f64;
        Traces { columns: columns.to_vec(), largest, threshold: (2.0 * libm::log(m)).sqrt() }
    }

    fn count(&self) -> usize {
        self.largest.iter().filter(|z| **z > self.threshold).count()
    }

    /// Whether any trace exceeds the universal threshold.
    pub fn any(&self) -> bool {
        self.count() > 0
    }

    /// Whether an input other than `known` (ascending) leaves a trace so large that chance alone exceeds it in at most
    /// this share of tables.
    pub fn clearly_any_but(&self, known: &[usize], share: f64) -> bool {
        // each of m Gaussian variables exceeds t with a chance below exp(-t^2 / 2)
        let clear = (self.threshold.powi(2) - 2.0 * libm::log(share)).sqrt();
        let of_others =
            |(column, largest): (&usize, &f64)| *largest > clear && known.binary_search(column).is_err();
        self.columns.iter().zip(&self.largest).any(of_others)
    }

    /// The inputs with the largest traces, twice as many as exceed the threshold; ascending.
    pub fn leading(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        order.sort_by(|a, b| self.largest[*b].total_cmp(&self.largest[*a]).then(a.cmp(b)));
        order.truncate((2 * self.count()).max(SHORTEST));
        let mut leading: Vec<usize> = order.into_iter().map(|at| self.columns[at]).collect();
        leading.sort_unstable();
        leading
    }
}

/// Some columns of a design, of which a block of rows is dense at a time.
enum Rows<'a> {
    Dense(Inputs<'a>),
    Sparse(Design),
}

impl<'a> Rows<'a> {
    fn of(x: &'a Design, columns: &'a [usize]) -> Self {
        if x.is_sparse() && x.n() > BLOCK {
            Rows::Sparse(x.part(columns))
        } else {
            Rows::Dense(Inputs::of(x, columns, None))
        }
    }

    /// Some rows of every column, column-major.
    fn dense(&self, rows: Range<usize>) -> Vec<f64> {
        match self {
            Rows::Dense(inputs) => inputs.rows(&rows, &mut Vec::new()).to_vec(),
            Rows::Sparse(part) => {
                let columns: Vec<usize> = (0..part.p()).collect();
                part.of_rows(&rows.collect::<Vec<_>>()).gathered(&columns)
            }
        }
    }
}

/// The largest trace of each input in one column of residuals.
fn largest_traces(residual: &[f64], samples: &Samples, q: usize, x: &Rows) -> Vec<f64> {
    let n = residual.len();
    let total = samples.total(n);
    let mean = residual.iter().sum::<f64>() / total;
    let r: Vec<f64> = residual.iter().enumerate().map(|(i, r)| r - samples.weight(i) * mean).collect();
    let sums = Sums::over(&r, samples, q, x);
    let length = match &samples.weights {
        None => norm(&r),
        Some(w) => r.iter().zip(w.iter()).map(|(r, w)| r * r / w).sum::<f64>().sqrt(),
    };
    // sqrt(n) times a correlation, from the sum of products with r and the sum of squares about the
    // mean
    let trace = |sum: f64, squares: f64| {
        let lengths = length * squares.max(0.0).sqrt();
        if lengths > 0.0 { total.sqrt() * sum.abs() / lengths } else { 0.0 }
    };
    let of_pair = |j: usize, k: usize| {
        trace(sums.triple[(j, k)], sums.fourth[(j, k)] - sums.second[(j, k)].powi(2) / total)
    };
    let alone = |j: usize| trace(sums.first[j], sums.second[(j, j)]);
    (0..q).map(|j| (0..q).map(|k| of_pair(j, k)).fold(alone(j), f64::max)).collect()
}

/// Weighted sums over the samples of `r x_j`, `r x_j x_k`, `x_j x_k` and `x_j^2 x_k^2`.
struct Sums {
    first: Vec<f64>,
    triple: Mat<f64>,
    second: Mat<f64>,
    fourth: Mat<f64>,
}

impl Sums {
    /// Works in blocks of samples, so that a tall table is not copied.
    fn over(r: &[f64], samples: &Samples, q: usize, x: &Rows) -> Self {
        let n = r.len();
        let mut first = vec![0.0; q];
        let [mut triple, mut second, mut fourth] = [(); 3].map(|()| Mat::zeros(q, q));
        for start in (0..n).step_by(BLOCK) {
            let rows = start..n.min(start + BLOCK);
            let mut block = x.dense(rows.clone());
            for (sum, column) in first.iter_mut().zip(block.chunks(rows.len())) {
                *sum += dot(column, &r[rows.clone()]);
            }
            let weights = r[rows.clone()].iter().cycle();
            let weighted: Vec<f64> = block.iter().zip(weights).map(|(x, r)| x * r).collect();
            let mut squares: Vec<f64> = block.iter().map(|x| x * x).collect();
            let triples = view(&block, rows.len(), q).transpose();
            multiply_add(triple.as_mut(), triples, view(&weighted, rows.len(), q));
            if let Some(weights) = &samples.weights {
                let roots: Vec<f64> = weights[rows.clone()].iter().map(|w| w.sqrt()).collect();
                for values in [&mut block, &mut squares] {
                    values.iter_mut().zip(roots.iter().cycle()).for_each(|(v, root)| *v *= root);
                }
            }
            let of_block = |values| view(values, rows.len(), q);
            multiply_add(second.as_mut(), of_block(&block).transpose(), of_block(&block));
            multiply_add(fourth.as_mut(), of_block(&squares).transpose(), of_block(&squares));
        }
        Sums { first, triple, second, fourth }
    }
}
