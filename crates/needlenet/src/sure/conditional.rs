//! One hypothesis, tested: the outcome does not depend on an input given all others.
//!
//! Cost: one search for the outcome, and one for each column of the input. Tested in `tests/sure.rs`.

use super::answer::SureGroup;
use super::copies::Copy;
use super::distil::OutcomeLeft;
use super::haystack::Haystack;
use super::law::{InputLeft, LawPlan};
use super::steps::{Quiet, Steps, TestEnd};
use super::traces;
use crate::error::Result;
use crate::settings::Settings;
use crate::table::Data;

/// An input by itself, and with its near copies if it has any.
#[derive(Clone)]
pub(super) struct Tests {
    pub alone: TestEnd,
    with_copies: Option<(Vec<Copy>, TestEnd)>,
}

impl Tests {
    /// The p-value of the input or its copies: an input without copies is a group of its own.
    pub fn of_group(&self) -> f64 {
        self.with_copies.as_ref().map_or(self.alone.p_value, |(_, end)| end.p_value)
    }

    pub fn group(&self, p_adjusted: f64) -> Option<SureGroup> {
        self.with_copies.as_ref().map(|(copies, end)| SureGroup {
            copies: copies.clone(),
            p_value: end.p_value,
            p_adjusted,
            outcome_fit: end.outcome_fit,
            input_fit: end.input_fit,
        })
    }
}

/// What a test looks at.
pub(super) struct Table<'a> {
    pub data: &'a Data,
    pub haystack: &'a Haystack,
    pub settings: &'a Settings,
}

impl Table<'_> {
    /// An input by itself and, if it has near copies, with these.
    pub fn tests(&self, input: usize, copies: &[Copy], steps: &Steps) -> Result<Tests> {
        let columns = &self.haystack.inputs[input].columns;
        let alone = self.tested(input, self.haystack.whole(columns.iter().copied()), steps)?;
        if copies.is_empty() {
            return Ok(Tests { alone, with_copies: None });
        }
        let group = copies.iter().map(|copy| copy.index).chain(columns.iter().copied());
        let together = self.tested(input, self.haystack.whole(group), steps)?;
        Ok(Tests { alone, with_copies: Some((copies.to_vec(), together)) })
    }

    /// That the outcome does not depend on `dropped`, seen by its traces of an input.
    fn tested(&self, input: usize, dropped: Vec<usize>, steps: &Steps) -> Result<TestEnd> {
        let columns = self.haystack.telling(input, self.data);
        steps.test(&dropped, &columns, || {
            let quiet = Quiet(steps.observer);
            let outcome = OutcomeLeft::of(self.data, &dropped, self.settings, &quiet)?;
            let plan = (self.settings, &LawPlan::default());
            let left = |j: &usize| InputLeft::of(self.data, *j, &dropped, &outcome.found, plan, &quiet);
            let inputs: Vec<InputLeft> = columns.iter().map(left).collect::<Result<_>>()?;
            let tested = traces::test(self.data, &dropped, &outcome, &inputs);
            Ok(TestEnd {
                p_value: tested.p_value,
                shown: tested.shown,
                outcome_fit: outcome.end,
                input_fit: inputs.first().and_then(|input| input.end),
                dropped: dropped.clone(),
                columns: columns.clone(),
            })
        })
    }
}
