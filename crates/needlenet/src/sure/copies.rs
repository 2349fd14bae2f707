//! Near copies: inputs whose correlation with a needle is so large that either could stand for the other.
//!
//! Cost: O(n p s) for `s` needles. Tested in `tests/sure.rs`.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::distil::standardised;
use crate::table::Data;

/// A near copy of a needle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copy {
    /// Its name.
    pub name: String,
    /// Its position among the inputs, from 0.
    pub index: usize,
    /// Its correlation with the needle.
    pub correlation: f64,
}

/// The near copies of each of some inputs, nearest first.
pub(super) fn near_copies(data: &Data, inputs: &[usize], near_copy: f64) -> Vec<Vec<Copy>> {
    let samples = data.samples();
    let (n, total) = (data.n_samples(), samples.total(data.n_samples()));
    let needles: Vec<Vec<f64>> = inputs.iter().map(|&j| standardised(&data.column(j), &samples)).collect();
    let correlations: Vec<Vec<f64>> = (0..data.n_features())
        .into_par_iter()
        .map(|k| {
            let x = standardised(&data.column(k), &samples);
            needles.iter().map(|needle| samples.sum(n, |i| needle[i] * x[i]) / total).collect()
        })
        .collect();
    let copy = |k: usize, correlation: f64| Copy { name: data.names()[k].clone(), index: k, correlation };
    inputs
        .iter()
        .enumerate()
        .map(|(at, &j)| {
            let near = |k: &usize| *k != j && correlations[*k][at].abs() >= near_copy;
            let mut copies: Vec<Copy> =
                (0..data.n_features()).filter(near).map(|k| copy(k, correlations[k][at])).collect();
            copies.sort_by(|a, b| {
                b.correlation.abs().total_cmp(&a.correlation.abs()).then(a.index.cmp(&b.index))
            });
            copies
        })
        .collect()
}
