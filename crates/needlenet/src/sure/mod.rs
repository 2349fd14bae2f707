//! How sure each needle is.
//!
//! For needle `j` the hypothesis is that the outcome does not depend on input `j` given all the others,
//!
//! $$ H_j : \quad Y \perp X_j \mid X_{-j}, $$
//!
//! tested by distilled conditional randomisation (Liu, Katsevich, Janson and Ramdas, 2022) on all samples: the outcome
//! (`distil.rs`) and `x_j` (`law.rs`) are each fitted without input `j`, and the largest trace of what is left of `x_j` in what is
//! left of the outcome is compared with redraws of `x_j` (`traces.rs`, `tail.rs`). An input of several columns is left out
//! with all of them (`haystack.rs`). An input that was not selected has p = 1. So each
//! p-value is valid whatever the selection did, and Holm's correction runs over all inputs of the table.
//! Near copies cannot be told apart, so a needle that has any is also tested with them, as a group.
//! How often halves of the samples select a needle is in `halves.rs`, an interval for its strength in `intervals.rs`, a band for
//! its effect curve in `bands.rs`.
//! Cost: two searches for each needle, two more for each group, and two of half the samples for each pair. Tested in
//! `tests/sure.rs`, measured in `docs/how-sure.md`.

mod answer;
mod bands;
mod bound;
mod conditional;
mod copies;
pub(crate) mod distil;
pub(crate) mod halves;
pub(crate) mod haystack;
mod holm;
pub(crate) mod intervals;
pub(crate) mod law;
mod options;
mod steps;
mod tail;
pub(crate) mod traces;

use rayon::prelude::*;

pub use answer::{Distillation, Sure, SureGroup, SureNeedle};
pub use bands::EffectBand;
pub use bound::{SelectionBounds, selection_bounds};
pub use copies::Copy;
pub use halves::{Frequency, Halves};
pub use intervals::StrengthInterval;
pub use options::SureOptions;
pub use steps::{Finished, HalfEnd, TestEnd};
pub use traces::Shown;

use self::conditional::{Table, Tests};
use self::haystack::Haystack;
use self::holm::holm;
use self::steps::Steps;
use crate::error::{Error, Result};
use crate::fit::in_threads;
use crate::model::{Model, Needle};
use crate::progress::Observer;
use crate::table::Data;

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
    sure_resumed(data, model, options, &[], observer)
}

/// [`sure`], without doing again what is `finished`: the pieces that an observer was given by an earlier run on the same table and
/// model. The answer is the same, bit for bit.
pub fn sure_resumed(
    data: &Data,
    model: &Model,
    options: &SureOptions,
    finished: &[Finished],
    observer: &dyn Observer,
) -> Result<Sure> {
    options.check()?;
    check_table(data, model)?;
    let settings = &model.settings;
    let data = &*data.as_weighed(settings);
    in_threads(settings.threads, || {
        let haystack = Haystack::of(data);
        // the tested input of each needle, and each input once
        let of_needle: Vec<usize> =
            model.needles.iter().map(|needle| haystack.input_of(needle.index)).collect();
        let mut inputs = of_needle.clone();
        inputs.sort_unstable();
        inputs.dedup();
        let copies = copies::near_copies(data, &haystack, &inputs, options.near_copy);
        let groups = copies.iter().filter(|copies| !copies.is_empty()).count();
        let steps = Steps::new(observer, finished, inputs.len() + groups + 2 * options.pairs);
        let table = Table { data, haystack: &haystack, settings };
        let tests: Vec<Tests> = inputs
            .par_iter()
            .zip(&copies)
            .map(|(&input, copies)| table.tests(input, copies, &steps))
            .collect::<Result<_>>()?;
        let mut sure = composed(model, &of_needle, &inputs, &tests, haystack.n_searched());
        if options.pairs > 0 {
            let rows = halves::split(data, settings, options.pairs)?;
            let (intervals, bands) = intervals::of_halves(data, model, &rows, &steps)?;
            for (needle, (interval, band)) in sure.needles.iter_mut().zip(intervals.into_iter().zip(bands)) {
                needle.strength_interval = interval;
                needle.effect_band = band;
            }
            let halves = halves::select(&table, &rows, options.cut, &steps)?;
            for (needle, &input) in sure.needles.iter_mut().zip(&of_needle) {
                needle.frequency = Some(halves.share(haystack.inputs[input].columns[0]));
            }
            sure.halves = Some(halves);
        }
        Ok(sure)
    })
}

/// Refuses a table that the model was not fitted on, as far as that can be told.
fn check_table(data: &Data, model: &Model) -> Result<()> {
    let always = (data.always().len(), model.always.len());
    let sizes = [
        ("samples", data.n_samples(), model.n_samples),
        ("inputs", data.n_features(), model.n_features),
        ("inputs that are always in", always.0, always.1),
    ];
    for (what, found, expected) in sizes {
        if found != expected {
            return Err(Error::Shape { what, found, expected });
        }
    }
    let of_group = |j: usize| data.groups().iter().find(|group| group.columns.contains(&j));
    let same = |needle: &&Needle| {
        let own = data.names().get(needle.index) == Some(&needle.name);
        own && of_group(needle.index).map(|group| &group.name) == needle.group.as_ref()
    };
    match model.inputs().find(|needle| !same(needle)) {
        Some(needle) => Err(Error::MissingInput { column: needle.name.clone() }),
        None => Ok(()),
    }
}

/// The answer without what halves say; `tests` are those of `inputs`, of which each needle has one.
fn composed(model: &Model, of_needle: &[usize], inputs: &[usize], tests: &[Tests], m: usize) -> Sure {
    let adjusted = holm(&tests.iter().map(|tests| tests.alone.p_value).collect::<Vec<_>>(), m);
    let adjusted_groups = holm(&tests.iter().map(Tests::of_group).collect::<Vec<_>>(), m);
    let needle = |(needle, input): (&Needle, &usize)| {
        let at = inputs.partition_point(|other| other < input);
        let TestEnd { p_value, shown, outcome_fit, input_fit, .. } = tests[at].alone.clone();
        SureNeedle {
            name: needle.name.clone(),
            p_value,
            p_adjusted: adjusted[at],
            shown,
            frequency: None,
            strength_interval: None,
            effect_band: None,
            group: tests[at].group(adjusted_groups[at]),
            outcome_fit,
            input_fit,
        }
    };
    Sure { n_hypotheses: m, needles: model.needles.iter().zip(of_needle).map(needle).collect(), halves: None }
}
