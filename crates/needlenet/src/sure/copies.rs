//! Near copies: inputs so strongly correlated with a needle that the samples can hardly tell the two apart.
//!
//! Cost: O(n p s) for `s` needles. Tested in `tests/sure.rs`.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::haystack::Haystack;
use super::law::standardised;
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

/// The near copies of each of some inputs, nearest first. Inputs of several columns have none. An input that is always in is not a
/// near copy, because it stays in both fits.
pub(super) fn near_copies(
    data: &Data,
    haystack: &Haystack,
    inputs: &[usize],
    near_copy: f64,
) -> Vec<Vec<Copy>> {
    let samples = data.samples();
    let (n, total) = (data.n_samples(), samples.total(data.n_samples()));
    let needle = |input: &usize| match haystack.inputs[*input].columns[..] {
        [j] => Some((j, standardised(&data.column(j), &samples))),
        _ => None,
    };
    let needles: Vec<Option<(usize, Vec<f64>)>> = inputs.iter().map(needle).collect();
    let correlations: Vec<Vec<f64>> = (0..data.n_features())
        .into_par_iter()
        .map(|k| {
            let x = standardised(&data.column(k), &samples);
            let correlation = |needle: &[f64]| samples.sum(n, |i| needle[i] * x[i]) / total;
            needles.iter().map(|needle| needle.as_ref().map_or(0.0, |(_, x)| correlation(x))).collect()
        })
        .collect();
    let copy = |k: usize, correlation: f64| Copy { name: data.names()[k].clone(), index: k, correlation };
    needles
        .iter()
        .enumerate()
        .map(|(at, needle)| {
            let Some((j, _)) = needle else { return Vec::new() };
            let near =
                |k: &usize| k != j && haystack.is_searched(*k) && correlations[*k][at].abs() >= near_copy;
            let mut copies: Vec<Copy> =
                (0..data.n_features()).filter(near).map(|k| copy(k, correlations[k][at])).collect();
            copies.sort_by(|a, b| {
                b.correlation.abs().total_cmp(&a.correlation.abs()).then(a.index.cmp(&b.index))
            });
            copies
        })
        .collect()
}
