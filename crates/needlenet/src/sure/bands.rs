//! Confidence bands for the effect curves of the needles, given which inputs are needles.
//!
//! At a value `v` of needle `j` the curve is the mean over some samples of the refitted function and its correction by splines
//! (`splines.rs`), with `x_j = v` and the other inputs as they are in the table,
//!
//! $$ f_j(v) = \frac1m \sum_{i=1}^m (\hat f + g)(v, x_{i,-j}), $$
//!
//! in units of the outcome, of the log odds of the needle's class, of a mean count, or of a log hazard. Its standard error comes
//! from the refits of halves, each with a correction of its own, as that of a strength does (`intervals.rs`). The band is `f_j(v)`
//! minus and plus 1.96 of it: each value by itself, not the whole curve at once.
//! Cost: 21 values times at most 100 samples for each needle and half. Tested in `tests/sure.rs`; coverage in `docs/how-sure.md`.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::intervals::standard_error;
use super::splines::{Correction, Splines};
use crate::model::{Fitted, Model};
use crate::table::Samples;

/// Values along a curve.
const VALUES: usize = 21;
/// Samples over which a curve is averaged.
const MOST_SAMPLES: usize = 100;
/// Needles that get a band, the strongest first.
const MOST_BANDS: usize = 20;
/// A curve goes from this quantile of its input to the opposite one.
const LOWEST: f64 = 0.01;

/// The effect curve of a needle with its nominal 95% confidence interval at each value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EffectBand {
    /// Values of the input, ascending.
    pub values: Vec<f64>,
    /// The mean of the refitted function at each, with what splines add.
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

/// A refitted model, and what splines add to it.
pub(super) type Half = (Model, Correction);

/// Where the curves of the needles are evaluated.
pub(super) struct Curves<'a> {
    /// The values of the model's inputs.
    columns: &'a [&'a [f64]],
    /// For each needle the values at which its curve is evaluated.
    values: Vec<Vec<f64>>,
    splines: Option<Splines>,
    /// The samples over which a curve is averaged.
    rows: Vec<usize>,
}

impl<'a> Curves<'a> {
    /// Of the needles of a model, whose inputs have these values; `size` is the number of samples that count.
    pub fn of(model: &Model, columns: &'a [&'a [f64]], samples: &Samples, size: f64) -> Self {
        let count = model.needles.len();
        let values: Vec<Vec<f64>> = columns[..count].iter().map(|column| values(column)).collect();
        let n = columns[0].len();
        let splines = Splines::of(&columns[..count], &values, &joined(model), samples, size);
        let rows = (0..n).step_by(n.div_ceil(MOST_SAMPLES).max(1)).collect();
        Curves { columns, values, splines, rows }
    }

    pub fn splines(&self) -> Option<&Splines> {
        self.splines.as_ref()
    }

    /// The band of each needle, from pairs of halves.
    pub fn bands(&self, whole: &Half, pairs: &[[Half; 2]], quantile: f64) -> Vec<Option<EffectBand>> {
        let band = |at: usize| {
            if at >= MOST_BANDS {
                return None;
            }
            let effect = self.curve(whole, at)?;
            let of_pair = |pair: &[Half; 2]| -> Option<[Vec<f64>; 2]> {
                let [a, b] = pair.each_ref().map(|half| self.curve(half, at));
                Some([a?, b?])
            };
            let pairs: Vec<[Vec<f64>; 2]> = pairs.iter().map(of_pair).collect::<Option<_>>()?;
            let reach = |k: usize| quantile * standard_error(pairs.iter().map(|[a, b]| [a[k], b[k]]));
            let reach: Vec<f64> = (0..effect.len()).map(reach).collect();
            let band = EffectBand {
                values: self.values[at].clone(),
                low: effect.iter().zip(&reach).map(|(v, r)| v - r).collect(),
                high: effect.iter().zip(&reach).map(|(v, r)| v + r).collect(),
                effect,
            };
            band.is_sound().then_some(band)
        };
        (0..self.values.len()).into_par_iter().map(band).collect()
    }

    /// The mean of the corrected function at each value of the needle at a position of the list.
    fn curve(&self, (model, correction): &Half, at: usize) -> Option<Vec<f64>> {
        let (values, rows) = (&self.values[at], &self.rows);
        let moved = |(input, column): (usize, &&[f64])| -> Vec<f64> {
            let cell = |v: f64, i: usize| if input == at { v } else { column[i] };
            values.iter().flat_map(|&v| rows.iter().map(move |&i| cell(v, i))).collect()
        };
        let moved: Vec<Vec<f64>> = self.columns.iter().enumerate().map(moved).collect();
        let moved: Vec<&[f64]> = moved.iter().map(Vec::as_slice).collect();
        let count = values.len() * rows.len();
        let mut outputs = model.outputs(count, &moved, Fitted::Refit).ok()?;
        let added = self.splines.as_ref()?.along(at, values.len(), rows, correction);
        outputs.iter_mut().zip(&added).for_each(|(o, a)| *o += a);
        // a curve is that of the offset 0
        let heights = model.prediction(&outputs, count, None).heights(model.needles[at].class);
        let mean = |heights: &[f64]| heights.iter().sum::<f64>() / heights.len() as f64;
        let curve: Vec<f64> = heights.chunks(rows.len()).map(mean).collect();
        curve.iter().all(|v| v.is_finite()).then_some(curve)
    }
}

/// The pairs of needles that a neuron joins, each once.
fn joined(model: &Model) -> Vec<[usize; 2]> {
    let mut pairs = Vec::new();
    for neuron in &model.neurons {
        let needles: Vec<usize> =
            neuron.inputs.iter().map(|(at, _)| *at).filter(|at| *at < model.needles.len()).collect();
        let of_first = |(k, a): (usize, &usize)| {
            needles[k + 1..].iter().map(|b| [*a.min(b), *a.max(b)]).collect::<Vec<_>>()
        };
        pairs.extend(needles.iter().enumerate().flat_map(of_first));
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The values of a curve: both values of an input that has two.
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
