//! A fitted model: what was found, how sure it is, and the weights to predict with.
//!
//! It contains only data (numbers, text, lists), so reading a model file of unknown origin is safe;
//! [`Model::check`] refuses one that is inconsistent.

mod check;
mod compose;
mod effects;
mod groups;
mod predictor;
mod task;

use serde::{Deserialize, Serialize};

pub(crate) use compose::{Ingredients, compose, of_descent, of_solution};
pub(crate) use effects::strengths;
pub use effects::{Exchangeable, Needle, Neuron, Shape};
pub use groups::GroupFound;
pub use predictor::{HeldOut, PathEnd, Predictor};
pub use task::{Baseline, Task};

use crate::error::{Error, Result};
use crate::local::Stop;
use crate::network::{Inputs, Link, Network, Sweep};
use crate::penalty::Penalty;
use crate::search::Stage;
use crate::settings::Settings;
use crate::sure::Sure;
use crate::threshold::Threshold;

/// The model that was chosen among those that the settings allow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Used {
    /// Widths of the hidden layers; none for the linear model.
    pub hidden: Vec<usize>,
    /// The penalty.
    pub penalty: Penalty,
}

/// How a solver ended, with its certificate; loss and objective are in the units of the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// Loss plus penalty.
    pub objective: f64,
    /// The loss alone.
    pub loss: f64,
    /// Distance from stationarity on all inputs, relative to lambda.
    pub kkt_violation: f64,
    /// Iterations of the last solve.
    pub iterations: usize,
    /// Why it stopped.
    pub stop: Stop,
}

/// The weights of the needles and of the layers above, in the order `W_1, b_1, W_2, ..., c`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// For each layer the powers of its neurons (none in the last).
    pub(crate) powers: Vec<Vec<f64>>,
    pub(crate) n_outputs: usize,
    pub(crate) penalised: Vec<f64>,
    pub(crate) refitted: Vec<f64>,
}

/// Which weights to predict with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fitted {
    /// Those that predict held-out samples best: of the predictor if the model has one, otherwise of the refit.
    #[default]
    Predictor,
    /// Those of the sparse network, refitted on the needles without shrinkage.
    Refit,
    /// Those of the penalised problem, as in the paper.
    Penalised,
}

/// A nonlinear function holds an input constant beyond its range in the fit plus this part of the
/// range.
const INPUT_MARGIN: f64 = 0.25;
/// A nonlinear function holds an output constant beyond its range in the fit plus this part of the
/// range.
const OUTPUT_MARGIN: f64 = 0.5;
/// A value is flagged if it is outside the range by this many standard deviations: the fit has rounded its
/// values.
const ROUNDING: f64 = 1e-6;

/// Predictions for some samples.
#[derive(Debug, Clone, PartialEq)]
pub enum Prediction {
    /// One number per sample: a mean, a mean count, or the log risk of survival.
    Numbers(Vec<f64>),
    /// Class probabilities, sample after sample, and the likeliest class of each.
    Classes {
        /// `n_samples x n_classes`, row-major.
        probabilities: Vec<f64>,
        /// The likeliest class.
        labels: Vec<usize>,
    },
}

/// Probabilities are clipped to the range from this to one minus this before log odds are taken.
const CERTAIN: f64 = 1e-12;

impl Prediction {
    /// The values of an effect curve: the predicted numbers, or the log odds of a class, in the unit of
    /// the strengths.
    pub fn heights(&self, class: Option<usize>) -> Vec<f64> {
        match self {
            Prediction::Numbers(numbers) => numbers.clone(),
            Prediction::Classes { probabilities, labels } => {
                let classes = probabilities.len().checked_div(labels.len()).unwrap_or(1).max(1);
                let of_class = probabilities.iter().skip(class.unwrap_or(0)).step_by(classes);
                of_class.map(|p| libm::log(p.max(CERTAIN) / (1.0 - p).max(CERTAIN))).collect()
            }
        }
    }
}

/// A fitted model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Model {
    /// Number of samples of the fit.
    pub n_samples: usize,
    /// Number of columns of the table.
    pub n_features: usize,
    /// Numbers, classes, counts or survival.
    pub task: Task,
    /// Whether it was fitted with an offset; a prediction then needs one too.
    #[serde(default)]
    pub offset: bool,
    /// Whether it was fitted with weights.
    #[serde(default)]
    pub weighted: bool,
    /// The settings that were requested.
    pub settings: Settings,
    /// The model that was used: without hidden layers if the linear model was preferred to a
    /// network.
    pub used: Used,
    /// The weight of the penalty.
    pub lambda: f64,
    /// The threshold and its null draws.
    pub threshold: Threshold,
    /// How the penalised problem ended.
    pub certificate: Certificate,
    /// How the refit ended.
    pub refit: Certificate,
    /// The noise scale, in units of the outcome; none for outcomes without a noise scale.
    pub noise: Option<f64>,
    /// Whether the fit is a linear function of the needles on the data.
    pub linear: bool,
    /// The inputs that matter, strongest first.
    pub needles: Vec<Needle>,
    /// The inputs that would have been found without the needles, strongest first, if they improve prediction;
    /// only in linear models of outcomes other than numbers.
    #[serde(default)]
    pub stand_ins: Vec<Needle>,
    /// The inputs that are always in, in the order of the table: adjusted for, not searched. They enter linearly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub always: Vec<Needle>,
    /// The inputs of several columns that have a column among the needles or stand-ins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupFound>,
    /// The number of inputs of the table if some have several columns; none if every column is an
    /// input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_grouped: Option<usize>,
    /// The neurons in use and the needles that enter them.
    pub neurons: Vec<Neuron>,
    /// The weights.
    pub weights: Weights,
    /// The predictor, if it predicts better than the refit of the sparse network.
    #[serde(default)]
    pub predictor: Option<Predictor>,
    /// The held-out losses of both; none if they were not compared.
    #[serde(default)]
    pub held_out: Option<HeldOut>,
    /// The smallest and largest value of each output of the predicting function on the samples of the fit, before the link.
    #[serde(default)]
    pub(crate) output_ranges: Vec<(f64, f64)>,
    /// The stages of the path.
    pub path: Vec<Stage>,
    /// Constant inputs, which were left out.
    pub constant_inputs: Vec<String>,
    /// Number of passes over all columns, for a table in shards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<usize>,
    /// How sure each needle is, if this was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sure: Option<Sure>,
}

impl Model {
    /// The names of the inputs that matter, strongest first; an input of several columns is named
    /// once.
    pub fn selected(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::with_capacity(self.needles.len());
        for needle in &self.needles {
            let name = needle.group.as_ref().unwrap_or(&needle.name);
            if needle.group.is_none() || !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// The number of inputs of the table; an input of several columns counts once.
    pub fn n_haystack(&self) -> usize {
        self.n_grouped.unwrap_or(self.n_features)
    }

    /// Whether both solvers ended at a stationary point.
    pub fn converged(&self) -> bool {
        self.certificate.stop.is_converged() && self.refit.stop.is_converged()
    }

    /// Whether the linear model is reported although a network was requested.
    pub fn prefers_linear(&self) -> bool {
        self.used.hidden != self.settings.hidden
    }

    /// The inputs that predictions need: the needles, then the stand-ins, then those that are always in.
    pub fn inputs(&self) -> impl Iterator<Item = &Needle> {
        self.needles.iter().chain(&self.stand_ins).chain(&self.always)
    }

    fn n_inputs(&self) -> usize {
        self.needles.len() + self.stand_ins.len()
    }

    /// Predicts `n_samples` samples from the values of each input, in the order of `self.inputs()`.
    ///
    /// Outside the data, a linear model extrapolates linearly. A nonlinear function is held constant: each input beyond its
    /// range in the fit plus a quarter of it, each output beyond its range plus a half. [`Model::outside`] tells which
    /// samples are outside.
    pub fn predict(&self, n_samples: usize, columns: &[&[f64]], fitted: Fitted) -> Result<Prediction> {
        self.predict_with_offset(n_samples, columns, None, fitted)
    }

    /// [`Model::predict`] with an offset for each sample, required if the model was fitted with one.
    pub fn predict_with_offset(
        &self,
        n_samples: usize,
        columns: &[&[f64]],
        offset: Option<&[f64]>,
        fitted: Fitted,
    ) -> Result<Prediction> {
        if offset.is_none() && self.offset {
            return Err(Error::OffsetNeeded);
        }
        if let Some(offset) = offset.filter(|offset| offset.len() != n_samples) {
            return Err(Error::Shape { what: "offsets", found: offset.len(), expected: n_samples });
        }
        let outputs = self.outputs(n_samples, columns, fitted)?;
        Ok(self.prediction(&outputs, n_samples, offset))
    }

    /// What outputs of the network say, with an offset for each sample.
    pub(crate) fn prediction(&self, outputs: &[f64], n_samples: usize, offset: Option<&[f64]>) -> Prediction {
        let offset_of = |i: usize| offset.map_or(0.0, |offset| offset[i]);
        let numbers = |of: &dyn Fn(usize, f64) -> f64| {
            Prediction::Numbers(outputs.iter().enumerate().map(|(i, v)| of(i, *v)).collect())
        };
        match &self.task {
            Task::Regression { scaling } => numbers(&|i, v| scaling.mean + scaling.scale * v + offset_of(i)),
            Task::Counts { .. } => numbers(&|i, v| libm::exp(v + offset_of(i))),
            Task::Survival { .. } => numbers(&|i, v| v + offset_of(i)),
            Task::Classification { classes, link } => {
                let m = classes.len();
                let mut probabilities = vec![0.0; n_samples * m];
                for (i, p) in probabilities.chunks_mut(m).enumerate() {
                    let mut out: Vec<f64> =
                        outputs.iter().skip(i).step_by(n_samples.max(1)).copied().collect();
                    match link {
                        Link::Logit => out[0] -= offset_of(i),
                        _ => out[1] += offset_of(i),
                    }
                    link.probabilities(&out, p);
                }
                let labels = probabilities.chunks(m).map(likeliest).collect();
                Prediction::Classes { probabilities, labels }
            }
        }
    }

    /// Whether any input of each sample lies outside its range in the fit; such a prediction is unreliable. None for old
    /// model files without ranges.
    pub fn outside(&self, n_samples: usize, columns: &[&[f64]]) -> Result<Option<Vec<bool>>> {
        self.check_columns(n_samples, columns)?;
        let mut outside = vec![false; n_samples];
        for (column, input) in columns.iter().zip(self.inputs()) {
            let Some((low, high)) = input.range else { return Ok(None) };
            let margin = ROUNDING * input.scaling.scale;
            let is_out = |v: f64| v < low - margin || v > high + margin;
            outside.iter_mut().zip(*column).for_each(|(outside, v)| *outside |= is_out(*v));
        }
        Ok(Some(outside))
    }

    fn check_columns(&self, n: usize, columns: &[&[f64]]) -> Result<()> {
        let expected = self.inputs().count();
        if columns.len() != expected {
            return Err(Error::Shape {
                what: "input columns for prediction",
                found: columns.len(),
                expected,
            });
        }
        for (column, needle) in columns.iter().zip(self.inputs()) {
            if column.len() != n {
                return Err(Error::Shape { what: "values of an input", found: column.len(), expected: n });
            }
            if let Some(i) = column.iter().position(|v| !v.is_finite()) {
                let column_name = needle.name.clone();
                return Err(Error::InputNotFinite { row: i + 1, column: column_name, value: column[i] });
            }
        }
        Ok(())
    }

    pub(crate) fn outputs(&self, n: usize, columns: &[&[f64]], fitted: Fitted) -> Result<Vec<f64>> {
        self.check_columns(n, columns)?;
        if n == 0 {
            return Ok(Vec::new());
        }
        let penalised = fitted == Fitted::Penalised;
        let theta = if penalised { &self.weights.penalised } else { &self.weights.refitted };
        let network = self.network();
        let (theta, of_always) = theta.split_at(network.always().start);
        let network = network.beside(0);
        let predictor = self.predictor.as_ref().filter(|_| fitted == Fitted::Predictor);
        let is_linear = predictor.is_none() && network.is_linear();
        let (columns, always) = columns.split_at(self.n_inputs());
        let mut x = Vec::with_capacity(n * columns.len());
        for (column, input) in columns.iter().zip(self.inputs()) {
            let (low, high) = match input.range {
                Some(range) if !is_linear => widened(range, INPUT_MARGIN),
                _ => (f64::NEG_INFINITY, f64::INFINITY),
            };
            x.extend(column.iter().map(|v| input.scaling.apply(v.clamp(low, high))));
        }
        let mut out = match predictor {
            Some(predictor) => predictor.outputs(&Inputs::all(&x, n), columns.len(), self.weights.n_outputs),
            None => {
                let mut sweep = Sweep::new(&network, n);
                sweep.forward(&network, theta, &Inputs::all(&x, n));
                sweep.out
            }
        };
        if !is_linear {
            for (column, range) in out.chunks_mut(n).zip(&self.output_ranges) {
                let (low, high) = widened(*range, OUTPUT_MARGIN);
                column.iter_mut().for_each(|o| *o = o.clamp(low, high));
            }
        }
        let weights = of_always.chunks(self.weights.n_outputs);
        for ((column, input), weights) in always.iter().zip(&self.always).zip(weights) {
            for (out, weight) in out.chunks_mut(n).zip(weights) {
                out.iter_mut().zip(*column).for_each(|(o, v)| *o += weight * input.scaling.apply(*v));
            }
        }
        Ok(out)
    }

    pub(crate) fn network(&self) -> Network {
        let hidden = self.weights.powers.len() - 1;
        Network::with_powers(
            self.n_inputs(),
            self.weights.powers[..hidden].to_vec(),
            self.weights.n_outputs,
            &self.settings.activation,
        )
        .beside(self.always.len())
    }

    /// Sorts the needles by strength, and renumbers everything that refers to them. Inputs without a weight in
    /// the penalised fit are stand-ins.
    pub(crate) fn ranked(mut self) -> Self {
        let width = self.network().width();
        let stands_in =
            |i: &usize| self.weights.penalised[i * width..(i + 1) * width].iter().all(|w| *w == 0.0);
        let strength = |i: &usize| self.needles[*i].strength;
        let mut order: Vec<usize> = (0..self.needles.len()).collect();
        order.sort_by(|a, b| {
            stands_in(a).cmp(&stands_in(b)).then(strength(b).total_cmp(&strength(a))).then(a.cmp(b))
        });
        let n_needles = order.iter().filter(|i| !stands_in(i)).count();
        let sort = |theta: &mut [f64], width: usize| {
            let old = theta.to_vec();
            for (to, &from) in order.iter().enumerate() {
                theta[to * width..(to + 1) * width].copy_from_slice(&old[from * width..(from + 1) * width]);
            }
        };
        sort(&mut self.weights.penalised, width);
        sort(&mut self.weights.refitted, width);
        if let Some(predictor) = &mut self.predictor {
            sort(&mut predictor.weights, predictor.neurons);
            predictor.coding.reordered(&order);
        }
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(to, &from)| place[from] = to);
        for neuron in &mut self.neurons {
            neuron.inputs.iter_mut().for_each(|(at, _)| *at = place[*at]);
            neuron.inputs.sort_by_key(|(at, _)| *at);
        }
        self.needles = order.iter().map(|&i| self.needles[i].clone()).collect();
        self.stand_ins = self.needles.split_off(n_needles);
        self
    }
}

/// A range with a part of its width added on either side.
fn widened((low, high): (f64, f64), part: f64) -> (f64, f64) {
    let margin = part * (high - low);
    (low - margin, high + margin)
}

fn likeliest(probabilities: &[f64]) -> usize {
    probabilities.iter().enumerate().fold(0, |best, (t, p)| if *p > probabilities[best] { t } else { best })
}
