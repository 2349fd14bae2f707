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
mod splines;
mod steps;
mod tail;
pub(crate) mod traces;
mod work;

use std::collections::HashSet;

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

use self::haystack::Haystack;
use self::holm::holm;
use self::steps::Steps;
use self::work::{Piece, Work};
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
    let data = &*data.as_weighed(&model.settings);
    in_threads(model.settings.threads, || {
        let haystack = Haystack::of(data);
        let work = Work::of(data, &haystack, model, options)?;
        let steps = Steps::new(observer, finished, work.pieces.len());
        let done = |piece: &Piece| steps.done(piece, || work.done(piece, observer));
        let ends = work.pieces.par_iter().map(done).collect::<Result<_>>()?;
        let (tests, halves) = work.sorted(ends);
        let mut sure = composed(model, &work, &tests);
        if options.pairs > 0 {
            let (intervals, bands) = intervals::of_halves(data, model, &work.halves, &steps)?;
            let halves = halves::counted(&work.table, &halves, options.cut)?;
            let sizes = intervals.into_iter().zip(bands);
            for ((needle, input), (interval, band)) in sure.needles.iter_mut().zip(&work.of_needle).zip(sizes)
            {
                needle.strength_interval = interval;
                needle.effect_band = band;
                needle.frequency = Some(halves.share(haystack.inputs[*input].columns[0]));
            }
            sure.halves = Some(halves);
        }
        Ok(sure)
    })
}

/// Which pieces of work [`sure`] still needs, as positions, where some are `finished`.
pub fn sure_missing(
    data: &Data,
    model: &Model,
    options: &SureOptions,
    finished: &[Finished],
) -> Result<Vec<usize>> {
    options.check()?;
    check_table(data, model)?;
    let data = &*data.as_weighed(&model.settings);
    let haystack = Haystack::of(data);
    let pieces = Work::of(data, &haystack, model, options)?.pieces;
    let finished: HashSet<Piece> = finished.iter().map(Finished::piece).collect();
    Ok((0..pieces.len()).filter(|at| !finished.contains(&pieces[*at])).collect())
}

/// Does the piece of work at a position of [`sure_missing`], on one thread: other machines may do others, and [`sure_resumed`] makes
/// the answer of them all.
pub fn sure_piece(
    data: &Data,
    model: &Model,
    options: &SureOptions,
    at: usize,
    observer: &dyn Observer,
) -> Result<Finished> {
    options.check()?;
    check_table(data, model)?;
    let data = &*data.as_weighed(&model.settings);
    in_threads(1, || {
        let haystack = Haystack::of(data);
        let work = Work::of(data, &haystack, model, options)?;
        let count = work.pieces.len();
        let piece =
            work.pieces.get(at).ok_or(Error::Shape { what: "pieces of work", found: at, expected: count })?;
        work.done(piece, observer)
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

/// The answer without what halves say; `tests` are those of the inputs of the work, alone and with their near copies.
fn composed(model: &Model, work: &Work, tests: &[(TestEnd, Option<TestEnd>)]) -> Sure {
    let m = work.table.haystack.n_searched();
    let alone: Vec<f64> = tests.iter().map(|(alone, _)| alone.p_value).collect();
    // an input without copies is a group of its own
    let of_groups: Vec<f64> =
        tests.iter().map(|(alone, together)| together.as_ref().unwrap_or(alone).p_value).collect();
    let (adjusted, adjusted_groups) = (holm(&alone, m), holm(&of_groups, m));
    let needle = |(needle, input): (&Needle, &usize)| {
        let at = work.inputs.partition_point(|other| other < input);
        let (alone, together) = &tests[at];
        let TestEnd { p_value, shown, outcome_fit, input_fit, .. } = alone.clone();
        let group = |end: &TestEnd| SureGroup {
            copies: work.copies[at].clone(),
            p_value: end.p_value,
            p_adjusted: adjusted_groups[at],
            outcome_fit: end.outcome_fit,
            input_fit: end.input_fit,
        };
        SureNeedle {
            name: needle.name.clone(),
            p_value,
            p_adjusted: adjusted[at],
            shown,
            frequency: None,
            strength_interval: None,
            effect_band: None,
            group: together.as_ref().map(group),
            outcome_fit,
            input_fit,
        }
    };
    let needles = model.needles.iter().zip(&work.of_needle).map(needle).collect();
    Sure { n_hypotheses: m, needles, halves: None }
}
