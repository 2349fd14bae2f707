//! One test of an input by itself, whether it was selected or not, so that its level can be measured.

use crate::error::Result;
use crate::fit::in_threads;
use crate::model::Model;
use crate::settings::Settings;
use crate::sure::distil::{InputLeft, OutcomeLeft, standardised};
use crate::sure::halves::{StrengthInterval, intervals_only};
use crate::sure::traces::{self, Shown};
use crate::table::Data;

pub use crate::sure::distil::LawPlan;

/// What is left of the outcome without an input.
pub struct Left<'a> {
    data: &'a Data,
    settings: &'a Settings,
    input: usize,
    outcome: OutcomeLeft,
}

impl<'a> Left<'a> {
    /// Fits the outcome without `input`.
    pub fn new(data: &'a Data, input: usize, settings: &'a Settings) -> Result<Self> {
        let outcome = in_threads(settings.threads, || OutcomeLeft::of(data, &[input], settings, &()))?;
        Ok(Left { data, settings, input, outcome })
    }

    /// The p-value with a law of the input that is estimated.
    pub fn estimated(&self, plan: &LawPlan) -> Result<(f64, Shown)> {
        in_threads(self.settings.threads, || {
            let plan = (self.settings, plan);
            let input = InputLeft::of(self.data, self.input, &[self.input], &self.outcome.found, plan, &())?;
            Ok(self.tested(&input))
        })
    }

    /// The p-value with the known mean of the input given the others.
    pub fn known(&self, mean: &[f64]) -> (f64, Shown) {
        let (column, samples) = (self.data.column(self.input), self.data.samples());
        let x = standardised(&column, &samples);
        // the same shift and unit for the mean
        let (n, total) = (column.len() as f64, column.iter().sum::<f64>());
        let sd = (column.iter().map(|v| (v - total / n).powi(2)).sum::<f64>() / n).sqrt();
        let mean: Vec<f64> = mean.iter().map(|m| (m - total / n) / sd).collect();
        let residual = x.iter().zip(&mean).map(|(x, m)| x - m).collect();
        self.tested(&InputLeft { mean, residual, end: None })
    }

    fn tested(&self, input: &InputLeft) -> (f64, Shown) {
        let tested = traces::test(self.data, &[self.input], &self.outcome, input);
        (tested.p_value, tested.shown)
    }
}

/// The interval of each needle without the searches of the halves.
pub fn intervals(data: &Data, model: &Model, pairs: usize) -> Result<Vec<Option<StrengthInterval>>> {
    in_threads(model.settings.threads, || intervals_only(data, model, pairs))
}
