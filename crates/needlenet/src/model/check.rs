//! Checks that the parts of a model are consistent: a model file may be damaged or forged. Tested in
//! `needlenet-io`, `tests/model_files.rs`.

use super::{Exchangeable, Model};
use crate::error::{Error, Result};
use crate::table::Scaling;

/// The largest number of neurons of a predictor that a file may have.
const MOST_PREDICTING: usize = 10_000;

impl Model {
    /// Refuses a model whose parts are inconsistent, as in a damaged or forged file.
    pub fn check(&self) -> Result<()> {
        let bad = |reason: &str| Err(Error::Model { reason: reason.into() });
        self.settings.check().map_err(|e| Error::Model { reason: e.to_string() })?;
        self.used.penalty.check().map_err(|e| Error::Model { reason: e.to_string() })?;
        if !self.used.hidden.is_empty() && self.prefers_linear() {
            return bad("it used other hidden layers than it was asked for");
        }
        let (Some((last, hidden)), outputs) = (self.weights.powers.split_last(), self.weights.n_outputs)
        else {
            return bad("it has no layer");
        };
        if !last.is_empty() || hidden.len() != self.used.hidden.len() {
            return bad("its layers are not those of its settings");
        }
        let powers = &self.settings.activation.powers;
        if hidden.iter().flatten().any(|k| !powers.contains(k)) {
            return bad("a neuron has a power that its activation does not have");
        }
        for (layer, width) in hidden.iter().zip(&self.used.hidden) {
            if layer.is_empty() || layer.len() > *width {
                return bad("a layer has more neurons than its settings, or none");
            }
        }
        let expected = match self.task.check() {
            Ok(expected) => expected,
            Err(reason) => return bad(reason),
        };
        if outputs != expected {
            return bad("the number of outputs does not fit the task");
        }
        let n_params = self.network().n_params();
        for theta in [&self.weights.penalised, &self.weights.refitted] {
            if theta.len() != n_params {
                return bad("the number of weights does not fit the layers");
            }
            if theta.iter().any(|w| !w.is_finite()) {
                return bad("a weight is not a finite number");
            }
        }
        if let Some(predictor) = &self.predictor {
            if predictor.neurons == 0 || predictor.neurons > MOST_PREDICTING {
                return bad("its predictor has no neuron, or too many");
            }
            if predictor.weights.len() != predictor.network(self.n_inputs(), outputs).n_params() {
                return bad("the number of weights of its predictor does not fit its layers");
            }
            if predictor.weights.iter().any(|w| !w.is_finite()) {
                return bad("a weight of its predictor is not a finite number");
            }
            if !predictor.coding.is_valid(self.n_inputs()) {
                return bad(
                    "the inputs of its predictor are coded by values that do not ascend, or are too few",
                );
            }
        }
        let ranges = self.inputs().filter_map(|input| input.range).chain(self.output_ranges.iter().copied());
        if ranges.into_iter().any(|(low, high)| !(low.is_finite() && high.is_finite() && low <= high)) {
            return bad("a range is not one of finite numbers");
        }
        let may_lack_ranges = self.predictor.is_none();
        if self.output_ranges.len() != outputs && !(self.output_ranges.is_empty() && may_lack_ranges) {
            return bad("the number of its output ranges does not fit the task");
        }
        for needle in self.inputs() {
            let Scaling { mean, scale } = needle.scaling;
            if !(mean.is_finite() && scale.is_finite() && scale > 0.0) || needle.index >= self.n_features {
                return bad("an input has no valid position or scale");
            }
            let invalid = |e: &Exchangeable| {
                e.index >= self.n_features || !(e.correlation.abs() <= 1.0 && e.cost.is_finite())
            };
            if needle.exchangeable.iter().any(invalid) {
                return bad("an exchangeable input has no valid position, correlation or cost");
            }
            if needle.class.is_some_and(|t| t >= self.task.classes().len()) {
                return bad("an input names a class that does not exist");
            }
        }
        if self.neurons.iter().flat_map(|n| &n.inputs).any(|(at, _)| *at >= self.needles.len()) {
            return bad("a neuron joins a needle that does not exist");
        }
        if !(self.lambda > 0.0 && self.lambda.is_finite()) {
            return bad("lambda is not a finite number above 0");
        }
        if self.groups.iter().any(|group| group.mode.is_some_and(|mode| mode >= group.kind.levels().len())) {
            return bad("the most frequent level of a category is none of its levels");
        }
        if let Some(Err(reason)) = self.sure.as_ref().map(|sure| sure.check(&self.needles)) {
            return bad(reason);
        }
        Ok(())
    }
}
