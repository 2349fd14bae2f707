//! How sure each needle is.
//!
//! For needle `j` the hypothesis is that the outcome does not depend on input `j` given all the others,
//!
//! $$ H_j : \quad Y \perp X_j \mid X_{-j}, $$
//!
//! tested by distilled conditional randomisation (Liu, Katsevich, Janson and Ramdas, 2022) on all samples: the outcome and
//! `x_j` are each fitted without input `j` (`distil.rs`), and the largest trace of what is left of `x_j` in what is left
//! of the outcome is compared with redraws of `x_j` (`traces.rs`, `tail.rs`). An input that was not selected has p = 1. So each
//! p-value is valid whatever the selection did, and Holm's correction runs over all inputs of the table.
//! Near copies cannot be told apart, so a needle that has any is also tested with them, as a group.
//! How often halves of the samples select a needle, and an interval for its strength, are in `halves.rs`.
//! Cost: two searches for each needle, two more for each group, and two of half the samples for each pair. Tested in `tests/sure.rs`, measured in `docs/how-sure.md`.

mod bound;
mod copies;
pub(crate) mod distil;
pub(crate) mod halves;
mod tail;
pub(crate) mod traces;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use bound::{SelectionBounds, selection_bounds};
pub use copies::Copy;
pub use halves::{Frequency, Halves, StrengthInterval};
pub use traces::Shown;

use self::distil::{InputLeft, LawPlan, OutcomeLeft};
use crate::error::{Error, Result};
use crate::fit::in_threads;
use crate::model::{Certificate, Model, Needle};
use crate::progress::{Observer, Progress, tell};
use crate::settings::Settings;
use crate::table::Data;

/// How sure the needles of a model are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Sure {
    /// The hypotheses that the adjusted p-values account for: one for each input of the table.
    pub n_hypotheses: usize,
    /// One for each needle, in the order of the model.
    pub needles: Vec<SureNeedle>,
    /// What halves of the samples select, if that was asked.
    pub halves: Option<Halves>,
}

impl Sure {
    /// What is wrong with its numbers, if anything.
    pub(crate) fn check(&self, needles: &[Needle]) -> std::result::Result<(), &'static str> {
        let same = self.needles.len() == needles.len()
            && self.needles.iter().zip(needles).all(|(own, needle)| own.name == needle.name);
        let chance = |p: f64| (0.0..=1.0).contains(&p);
        let ordered = |i: StrengthInterval| i.low >= 0.0 && i.low <= i.high && i.high.is_finite();
        let sound = |needle: &SureNeedle| {
            let of_group = needle.group.iter().flat_map(|group| [group.p_value, group.p_adjusted]);
            [needle.p_value, needle.p_adjusted]
                .into_iter()
                .chain(of_group)
                .chain(needle.frequency)
                .all(chance)
                && needle.strength_interval.is_none_or(ordered)
        };
        if !same {
            return Err("what is said of how sure its needles are is not of its needles");
        }
        let shares = self.halves.iter().flat_map(|halves| &halves.selected).all(|input| chance(input.share));
        if !(shares && self.needles.iter().all(sound)) {
            return Err("a p-value or a share is not a number from 0 to 1, or an interval has no order");
        }
        Ok(())
    }
}

/// How sure a needle is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SureNeedle {
    /// Its name.
    pub name: String,
    /// That the outcome does not depend on it given all other inputs.
    pub p_value: f64,
    /// The same by Holm over all inputs: the chance that any needle without effect has a value this small.
    pub p_adjusted: f64,
    /// The trace that the p-value comes from.
    pub shown: Shown,
    /// The share of halves that select it, if that was asked.
    pub frequency: Option<f64>,
    /// From where to where its strength is, if that was asked and can be told.
    pub strength_interval: Option<StrengthInterval>,
    /// The needle with its near copies, if it has any.
    pub group: Option<SureGroup>,
    /// How the fit of the outcome without it ended; none if there is no other input.
    pub outcome_fit: Option<Distillation>,
    /// How the fit of its values by the other inputs ended; none if there is no other input.
    pub input_fit: Option<Distillation>,
}

/// A needle with its near copies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SureGroup {
    /// The near copies, nearest first.
    pub copies: Vec<Copy>,
    /// That the outcome depends neither on the needle nor on its copies, given all other inputs.
    pub p_value: f64,
    /// The same by Holm over the groups of all inputs.
    pub p_adjusted: f64,
    /// How the fit of the outcome without the group ended.
    pub outcome_fit: Option<Distillation>,
    /// How the fit of the needle by the inputs outside the group ended.
    pub input_fit: Option<Distillation>,
}

/// How a fit without the tested inputs ended. The p-value does not depend on its quality where the law of the input is right;
/// its power does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distillation {
    /// Inputs in use.
    pub n_selected: usize,
    /// The penalised fit, in units of the problem as solved.
    pub fit: Certificate,
    /// The refit.
    pub refit: Certificate,
}

impl Distillation {
    /// Whether both ended at a stationary point.
    pub fn converged(&self) -> bool {
        self.fit.stop.is_converged() && self.refit.stop.is_converged()
    }
}

/// Choices of [`sure`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SureOptions {
    /// An input that is correlated with a needle by as much is its near copy.
    pub near_copy: f64,
    /// Pairs of halves of the samples; 0 for none.
    pub pairs: usize,
    /// The share of halves to which the bounds on chance belong.
    pub cut: f64,
}

impl Default for SureOptions {
    /// At a correlation of .9 a fifth of the variance of an input is its own, so a test of it alone needs five times the
    /// samples. Pairs and cut are those of Shah and Samworth.
    fn default() -> Self {
        SureOptions { near_copy: 0.9, pairs: 50, cut: 0.9 }
    }
}

/// More pairs than anybody waits for.
const MOST_PAIRS: usize = 10_000;

impl SureOptions {
    fn check(&self) -> Result<()> {
        if !(self.near_copy > 0.0 && self.near_copy <= 1.0) {
            let (name, accepted) = ("correlation of a near copy", "above 0 and at most 1");
            return Err(Error::Parameter { name, value: self.near_copy.to_string(), accepted });
        }
        if self.pairs > MOST_PAIRS {
            let (name, accepted) = ("number of pairs", "0 to 10000");
            return Err(Error::Parameter { name, value: self.pairs.to_string(), accepted });
        }
        if !(self.cut > 0.5 && self.cut <= 1.0) {
            let (name, accepted) = ("cut", "above 0.5 and at most 1");
            return Err(Error::Parameter { name, value: self.cut.to_string(), accepted });
        }
        Ok(())
    }
}

/// How sure the needles of `model` are, which was fitted on `data`.
///
/// ```
/// use needlenet::{Data, Outcome, Settings, SureOptions, fit, sure};
/// # let x: Vec<f64> = (0..300).map(|i: usize| ((i * 7919 + i * i * 13) % 101) as f64).collect();
/// # let y: Vec<f64> = (0..100).map(|i: usize| x[i] + ((i * 31) % 17) as f64).collect();
/// # let names = ["a", "b", "c"].map(String::from).to_vec();
/// let data = Data::new(x, names, Outcome::Regression(y))?;
/// let model = fit(data.clone(), &Settings::default())?;
/// let sure = sure(&data, &model, &SureOptions::default(), &())?;
/// assert_eq!(sure.needles[0].name, "a");
/// assert!(sure.needles[0].p_adjusted < 0.001);
/// # Ok::<(), needlenet::Error>(())
/// ```
pub fn sure(data: &Data, model: &Model, options: &SureOptions, observer: &dyn Observer) -> Result<Sure> {
    options.check()?;
    check_table(data, model)?;
    let settings = &model.settings;
    in_threads(settings.threads, || {
        let inputs: Vec<usize> = model.needles.iter().map(|needle| needle.index).collect();
        let copies = copies::near_copies(data, &inputs, options.near_copy);
        let groups = copies.iter().filter(|copies| !copies.is_empty()).count();
        let steps = Steps::new(observer, inputs.len() + groups + 2 * options.pairs);
        let tests: Vec<(Test, Option<Test>)> = inputs
            .par_iter()
            .zip(&copies)
            .map(|(&j, copies)| {
                let alone = Test::of(data, j, &[j], settings, &steps)?;
                if copies.is_empty() {
                    return Ok((alone, None));
                }
                let mut group: Vec<usize> = copies.iter().map(|copy| copy.index).chain([j]).collect();
                group.sort_unstable();
                Ok((alone, Some(Test::of(data, j, &group, settings, &steps)?)))
            })
            .collect::<Result<_>>()?;
        let rows = if options.pairs > 0 { halves::split(data, settings, options.pairs)? } else { Vec::new() };
        let intervals = halves::intervals(data, model, &rows, &steps)?;
        let mut sure = composed(model, tests, copies);
        if options.pairs > 0 {
            sure.halves = Some(halves::select(data, settings, &rows, options.cut, &steps)?);
        }
        for (needle, (&index, interval)) in sure.needles.iter_mut().zip(inputs.iter().zip(intervals)) {
            needle.strength_interval = interval;
            let share = |halves: &Halves| {
                halves.selected.iter().find(|input| input.index == index).map_or(0.0, |input| input.share)
            };
            needle.frequency = sure.halves.as_ref().map(share);
        }
        Ok(sure)
    })
}

/// Refuses a table that the model was not fitted on, as far as that can be told.
fn check_table(data: &Data, model: &Model) -> Result<()> {
    let kinds = [
        (data.is_sparse(), "a sparse table"),
        (data.groups().iter().any(|group| group.columns.len() > 1), "inputs of several columns"),
        (!data.always().is_empty(), "inputs that are always in"),
    ];
    if let Some((_, what)) = kinds.iter().find(|(is, _)| *is) {
        return Err(Error::Conflict {
            what: format!("how sure each needle is cannot be told yet for {what}"),
            remedy: "leave it out",
        });
    }
    let sizes =
        [("samples", data.n_samples(), model.n_samples), ("inputs", data.n_features(), model.n_features)];
    for (what, found, expected) in sizes {
        if found != expected {
            return Err(Error::Shape { what, found, expected });
        }
    }
    let named = |needle: &&Needle| data.names().get(needle.index) != Some(&needle.name);
    match model.needles.iter().find(named) {
        Some(needle) => Err(Error::MissingInput { column: needle.name.clone() }),
        None => Ok(()),
    }
}

/// One hypothesis, tested.
struct Test {
    tested: traces::Tested,
    outcome_fit: Option<Distillation>,
    input_fit: Option<Distillation>,
}

impl Test {
    /// That the outcome does not depend on `dropped`, seen by its trace of input `j`.
    fn of(data: &Data, j: usize, dropped: &[usize], settings: &Settings, steps: &Steps) -> Result<Self> {
        let quiet = Quiet(steps.observer);
        let outcome = OutcomeLeft::of(data, dropped, settings, &quiet)?;
        let plan = (settings, &LawPlan::default());
        let input = InputLeft::of(data, j, dropped, &outcome.found, plan, &quiet)?;
        let tested = traces::test(data, dropped, &outcome, &input);
        steps.next()?;
        Ok(Test { tested, outcome_fit: outcome.end, input_fit: input.end })
    }
}

fn composed(model: &Model, tests: Vec<(Test, Option<Test>)>, copies: Vec<Vec<Copy>>) -> Sure {
    let n = model.n_features;
    let adjusted = holm(&tests.iter().map(|(alone, _)| alone.tested.p_value).collect::<Vec<_>>(), n);
    // a needle without copies is a group of its own
    let of_groups: Vec<f64> =
        tests.iter().map(|(alone, group)| group.as_ref().unwrap_or(alone).tested.p_value).collect();
    let adjusted_groups = holm(&of_groups, n);
    let needles = tests
        .into_iter()
        .zip(copies)
        .zip(&model.needles)
        .enumerate()
        .map(|(at, (((alone, group), copies), needle))| SureNeedle {
            name: needle.name.clone(),
            p_value: alone.tested.p_value,
            p_adjusted: adjusted[at],
            shown: alone.tested.shown,
            frequency: None,
            strength_interval: None,
            group: group.map(|group| SureGroup {
                copies,
                p_value: group.tested.p_value,
                p_adjusted: adjusted_groups[at],
                outcome_fit: group.outcome_fit,
                input_fit: group.input_fit,
            }),
            outcome_fit: alone.outcome_fit,
            input_fit: alone.input_fit,
        })
        .collect();
    Sure { n_hypotheses: n, needles, halves: None }
}

/// Holm's adjusted p-values of the smallest of `m`; the others are 1.
fn holm(p_values: &[f64], m: usize) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]).then(a.cmp(b)));
    let (mut adjusted, mut largest) = (vec![1.0; p_values.len()], 0.0f64);
    for (rank, &at) in order.iter().enumerate() {
        largest = largest.max((m - rank) as f64 * p_values[at]).min(1.0);
        adjusted[at] = largest;
    }
    adjusted
}

/// Counts what is done.
struct Steps<'a> {
    observer: &'a dyn Observer,
    done: std::sync::atomic::AtomicUsize,
    of: usize,
}

impl<'a> Steps<'a> {
    fn new(observer: &'a dyn Observer, of: usize) -> Self {
        Steps { observer, done: 0.into(), of }
    }

    fn next(&self) -> Result<()> {
        let done = 1 + self.done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        tell(self.observer, Progress::Sure { done, of: self.of })
    }
}

/// An observer that is asked whether to go on, and not told the steps of inner fits.
struct Quiet<'a>(&'a dyn Observer);

impl Observer for Quiet<'_> {
    fn step(&self, _: Progress) -> bool {
        self.0.go_on()
    }

    fn go_on(&self) -> bool {
        self.0.go_on()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holm_counts_the_inputs_that_were_not_selected() {
        // by hand: 10 * .001, 9 * .004, then 8 * .003 would be smaller than the one before it
        assert_eq!(holm(&[0.004, 0.001, 0.5], 10), [9.0 * 0.004, 10.0 * 0.001, 1.0]);
        assert_eq!(holm(&[0.01, 0.01], 2), [0.02, 0.02]);
        assert!(holm(&[], 5).is_empty());
    }
}
