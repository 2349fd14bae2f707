//! The law of `X'Y` under the null for tables with many samples: only the Gram matrix of the inputs is needed.
//!
//! With `Q` an orthonormal basis of the centred inputs, `X = Q L'`, so `X'Y = L Q'Y`. For a Gaussian outcome `z = Q'y` is
//! standard Gaussian, and the squared norm of `y` is that of `z` plus an independent chi-square variable with the remaining
//! degrees of freedom. This is exact, also with inputs that are always in, to which the other inputs are then orthogonal.
//! For classes `Q'Y` is a sum of many small independent terms, and is Gaussian with the covariance
//! `diag(p) - pp'` across the classes, up to an error below that of the draws (see `Null::is_normal`); so are permuted residuals.
//! Cost: O(n p^2 + p^3), and O(p^2) a draw. Tested in `threshold/mod.rs`.

use faer::{Mat, Side};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::Outcomes;
use super::null::Null;
use super::statistic::NullStatistic;
use crate::product::{dot, multiply, view, view_mut};
use crate::table::Design;

/// The largest number of inputs whose Gram matrix is factored, and the number of its columns
/// computed at once.
const MOST_INPUTS: usize = 2000;
const BLOCK: usize = 64;

pub(super) struct Law {
    n: usize,
    p: usize,
    /// The inputs in the basis `Q`: `L'`, column by column.
    inputs: Design,
}

impl Law {
    /// None if the law is not accurate enough, if there are too many inputs, if they are sparse, or if one
    /// depends on others.
    pub fn of(x: &Design, null: &Null) -> Option<Self> {
        let (n, values) = (x.n(), x.side_by_side()?);
        if x.p() > MOST_INPUTS || x.p() + null.taken_out() >= n {
            return None;
        }
        let cubes = |column: &[f64]| column.iter().map(|v| v.abs().powi(3)).sum::<f64>() / n as f64;
        let third = x.map(cubes).into_iter().fold(0.0, f64::max);
        if null.is_normal(n, third) { Law::new(values, n, null) } else { None }
    }

    pub fn new(x: &[f64], n: usize, null: &Null) -> Option<Self> {
        let p = x.len() / n;
        let along = null.along_null_fit();
        let taken: Vec<Vec<f64>> = x.par_chunks(n).map(along).collect();
        let mut gram = vec![0.0; p * p];
        gram.par_chunks_mut(BLOCK * p).zip(x.par_chunks(BLOCK * n)).for_each(|(gram, some)| {
            let columns = some.len() / n;
            multiply(view_mut(gram, p, columns), view(x, n, p).transpose(), view(some, n, columns));
        });
        let gram = Mat::from_fn(p, p, |i, j| gram[j * p + i] - dot(&taken[i], &taken[j]));
        let lower = gram.llt(Side::Lower).ok()?;
        let lower = lower.L();
        let rows = (0..p * p).map(|at| (at / p, at % p));
        let inputs = rows.map(|(i, j)| if i < j { 0.0 } else { lower[(i, j)] }).collect();
        Some(Law { n, p, inputs: Design::dense(inputs, p) })
    }

    /// The statistics of one null outcome of `columns` columns from each random stream.
    pub fn largest(
        &self,
        streams: Vec<ChaCha8Rng>,
        columns: usize,
        null: &Null,
        statistics: &[NullStatistic],
    ) -> Vec<f64> {
        let Law { n, p, inputs } = self;
        let draw = |mut rng, z: &mut [f64]| null.draw_basis(&mut rng, *n, *p, z);
        Outcomes::drawn(*p, columns, streams, draw).largest(inputs, statistics)
    }
}
