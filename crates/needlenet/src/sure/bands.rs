//! From where to where the effect curve of a needle is, given which inputs are needles.
//!
//! At a value `v` of needle `j` the curve is the mean of the refitted function over some samples, with `x_j = v` and the other inputs
//! as they are in the table,
//!
//! $$ f_j(v) = \frac1m \sum_{i=1}^m \hat f(v, x_{i,-j}), $$
//!
//! in units of the outcome, of the log odds of the needle's class, of a mean count, or of a log hazard. Its standard error comes
//! from the refits of halves, as that of a strength does (`intervals.rs`), and the band is `f_j(v)` minus and plus 1.96 of it:
//! each value by itself, not the whole curve at once.
//! Cost: 21 values times at most 100 samples for each needle and half. Tested in `tests/sure.rs`; coverage in `docs/how-sure.md`.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::intervals::standard_error;
use crate::model::{Fitted, Model};

/// Values along a curve.
const VALUES: usize = 21;
/// Samples over which a curve is averaged.
const MOST_SAMPLES: usize = 100;
/// Needles that get a band, the strongest first.
const MOST_BANDS: usize = 20;
/// A curve goes from this quantile of its input to the opposite one.
const LOWEST: f64 = 0.01;

/// The effect curve of a needle, and from where to where it is at each value with a confidence of 95%.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EffectBand {
    /// Values of the input, ascending.
    pub values: Vec<f64>,
    /// The mean of the refitted function at each.
    pub effect: Vec<f64>,
    /// The lower ends.
    pub low: Vec<f64>,
    /// The upper ends.
    pub high: Vec<f64>,
}

impl EffectBand {
    /// Whether its lists belong together and its ends have an order.
    pub(super) fn is_sound(&self) -> bool {
        let count = self.values.len();
        let lists = [&self.effect, &self.low, &self.high];
        let ordered = |k: usize| self.low[k] <= self.effect[k] && self.effect[k] <= self.high[k];
        lists.iter().all(|list| list.len() == count)
            && (0..count).all(|k| ordered(k) && self.values[k].is_finite())
            && self.low.iter().chain(&self.high).all(|v| v.is_finite())
    }
}

/// The band of each needle, from pairs of models that halves gave; `columns` are the values of the model's inputs.
pub(super) fn bands(
    model: &Model,
    halves: &[[Model; 2]],
    columns: &[&[f64]],
    quantile: f64,
) -> Vec<Option<EffectBand>> {
    let count = model.needles.len();
    let band = |at: usize| {
        if at >= MOST_BANDS {
            return None;
        }
        let values = values(columns[at]);
        let effect = curve(model, at, &values, columns)?;
        let of_pair = |pair: &[Model; 2]| -> Option<[Vec<f64>; 2]> {
            let [a, b] = pair.each_ref().map(|half| curve(half, at, &values, columns));
            Some([a?, b?])
        };
        let pairs: Vec<[Vec<f64>; 2]> = halves.iter().map(of_pair).collect::<Option<_>>()?;
        let reach = |k: usize| quantile * standard_error(pairs.iter().map(|[a, b]| [a[k], b[k]]));
        let reach: Vec<f64> = (0..values.len()).map(reach).collect();
        let band = EffectBand {
            low: effect.iter().zip(&reach).map(|(v, r)| v - r).collect(),
            high: effect.iter().zip(&reach).map(|(v, r)| v + r).collect(),
            values,
            effect,
        };
        band.is_sound().then_some(band)
    };
    (0..count).into_par_iter().map(band).collect()
}

/// The values at which a curve is told: both values of an input that has two.
fn values(column: &[f64]) -> Vec<f64> {
    let mut sorted = column.to_vec();
    sorted.sort_by(f64::total_cmp);
    let quantile = |part: f64| sorted[((sorted.len() - 1) as f64 * part).round() as usize];
    let (first, last) = (sorted[0], sorted[sorted.len() - 1]);
    if sorted.iter().all(|v| *v == first || *v == last) {
        return vec![first, last];
    }
    let (low, high) = (quantile(LOWEST), quantile(1.0 - LOWEST));
    (0..VALUES).map(|k| low + (high - low) * k as f64 / (VALUES - 1) as f64).collect()
}

/// The mean of the refitted function at each value of the needle at a position of the list.
fn curve(model: &Model, at: usize, values: &[f64], columns: &[&[f64]]) -> Option<Vec<f64>> {
    let n = columns[at].len();
    let rows: Vec<usize> = (0..n).step_by(n.div_ceil(MOST_SAMPLES).max(1)).collect();
    let moved = |(input, column): (usize, &&[f64])| -> Vec<f64> {
        let cell = |v: f64, i: usize| if input == at { v } else { column[i] };
        values.iter().flat_map(|&v| rows.iter().map(move |&i| cell(v, i))).collect()
    };
    let moved: Vec<Vec<f64>> = columns.iter().enumerate().map(moved).collect();
    let moved: Vec<&[f64]> = moved.iter().map(Vec::as_slice).collect();
    let count = values.len() * rows.len();
    // a curve is told at the offset 0
    let predicted = model.predict_with_offset(count, &moved, Some(&vec![0.0; count]), Fitted::Refit).ok()?;
    let heights = predicted.heights(model.needles[at].class);
    let mean = |heights: &[f64]| heights.iter().sum::<f64>() / heights.len() as f64;
    let curve: Vec<f64> = heights.chunks(rows.len()).map(mean).collect();
    curve.iter().all(|v| v.is_finite()).then_some(curve)
}
