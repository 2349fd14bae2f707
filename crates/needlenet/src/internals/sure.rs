//! The test of a single input, selected or not, so that its level can be measured.

use crate::error::Result;
use crate::fit::in_threads;
use crate::model::Model;
use crate::settings::Settings;
use crate::sure::distil::OutcomeLeft;
use crate::sure::haystack::Haystack;
use crate::sure::intervals::{Sizes, sizes_only};
use crate::sure::law::InputLeft;
use crate::sure::traces::{self, Shown};
use crate::table::Data;

pub use crate::sure::law::LawPlan;

/// The residuals of the outcome without an input.
pub struct Left<'a> {
    data: &'a Data,
    settings: &'a Settings,
    dropped: Vec<usize>,
    columns: Vec<usize>,
    outcome: OutcomeLeft,
}

impl<'a> Left<'a> {
    /// Fits the outcome without the input that a column belongs to.
    pub fn new(data: &'a Data, column: usize, settings: &'a Settings) -> Result<Self> {
        let haystack = Haystack::of(data);
        let dropped = haystack.whole([column].into_iter());
        let columns = haystack.telling(haystack.input_of(column), data);
        let outcome = in_threads(settings.threads, || OutcomeLeft::of(data, &dropped, settings, &()))?;
        Ok(Left { data, settings, dropped, columns, outcome })
    }

    /// The p-value with an estimated law of the input.
    pub fn estimated(&self, plan: &LawPlan) -> Result<(f64, Shown)> {
        in_threads(self.settings.threads, || {
            let (plan, found) = ((self.settings, plan), &self.outcome.found);
            let left = |j: &usize| InputLeft::of(self.data, *j, &self.dropped, found, plan, &());
            Ok(self.tested(&self.columns.iter().map(left).collect::<Result<Vec<_>>>()?))
        })
    }

    /// The p-value with the known mean of the input given the others; for a 0/1 column this is the probability
    /// of 1.
    pub fn known(&self, mean: &[f64]) -> (f64, Shown) {
        let column = self.data.column(self.columns[0]);
        self.tested(&[InputLeft::known(&column, mean, &self.data.samples())])
    }

    fn tested(&self, columns: &[InputLeft]) -> (f64, Shown) {
        let tested = traces::test(self.data, &self.dropped, &self.outcome, columns);
        (tested.p_value, tested.shown)
    }
}

/// The interval and the band of each needle without the searches of the halves.
pub fn sizes(data: &Data, model: &Model, pairs: usize) -> Result<Sizes> {
    in_threads(model.settings.threads, || sizes_only(data, model, pairs))
}
