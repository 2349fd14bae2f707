//! One hypothesis, tested: the outcome does not depend on an input given all others.
//!
//! Cost: one search for the outcome, and one for each column of the input. Tested in `tests/sure.rs`.

use super::distil::OutcomeLeft;
use super::haystack::Haystack;
use super::law::{InputLeft, LawPlan};
use super::steps::{Quiet, TestEnd};
use super::traces;
use crate::error::Result;
use crate::progress::Observer;
use crate::settings::Settings;
use crate::table::Data;

/// What a test looks at.
pub(super) struct Table<'a> {
    pub data: &'a Data,
    pub haystack: &'a Haystack,
    pub settings: &'a Settings,
}

impl Table<'_> {
    /// Tests that the outcome does not depend on the columns `dropped`, by the traces of some of them.
    pub fn tested(&self, dropped: &[usize], columns: &[usize], observer: &dyn Observer) -> Result<TestEnd> {
        let quiet = Quiet(observer);
        let outcome = OutcomeLeft::of(self.data, dropped, self.settings, &quiet)?;
        let plan = (self.settings, &LawPlan::default());
        let left = |j: &usize| InputLeft::of(self.data, *j, dropped, &outcome.found, plan, &quiet);
        let inputs: Vec<InputLeft> = columns.iter().map(left).collect::<Result<_>>()?;
        let tested = traces::test(self.data, dropped, &outcome, &inputs);
        Ok(TestEnd {
            p_value: tested.p_value,
            shown: tested.shown,
            outcome_fit: outcome.end,
            input_fit: inputs.first().and_then(|input| input.end),
            dropped: dropped.to_vec(),
            columns: columns.to_vec(),
        })
    }
}
