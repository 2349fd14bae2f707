//! How far the work is, what of it is finished, and whether to go on.
//!
//! An observer is given each piece of work (`work.rs`) as it ends ([`Finished`]), and what it has kept is not done again. Tested in
//! `tests/sure_resume.rs`.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use super::answer::Distillation;
use super::traces::Shown;
use super::work::Piece;
use crate::error::Result;
use crate::progress::{Observer, Progress, tell};

/// A piece of work that has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finished {
    /// The test of an input.
    Test(Box<TestEnd>),
    /// The search of a half of the samples.
    Half(HalfEnd),
}

/// How a test ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestEnd {
    /// The columns that were left out.
    pub dropped: Vec<usize>,
    /// The columns whose traces were looked at.
    pub columns: Vec<usize>,
    /// The p-value.
    pub p_value: f64,
    /// The trace that it comes from.
    pub shown: Shown,
    /// How the fit of the outcome ended.
    pub outcome_fit: Option<Distillation>,
    /// How the fit of the first column ended.
    pub input_fit: Option<Distillation>,
}

/// How the search of a half ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HalfEnd {
    /// The half: the first of the first pair is 0, the second 1.
    pub half: usize,
    /// The columns that were found.
    pub found: Vec<usize>,
    /// Whether the fit converged.
    pub converged: bool,
}

/// Counts what is done, and knows what was finished before.
pub(super) struct Steps<'a> {
    pub observer: &'a dyn Observer,
    finished: HashMap<Piece, &'a Finished>,
    done: AtomicUsize,
    of: usize,
}

impl<'a> Steps<'a> {
    pub fn new(observer: &'a dyn Observer, finished: &'a [Finished], of: usize) -> Self {
        let finished = finished.iter().map(|end| (end.piece(), end)).collect();
        Steps { observer, finished, done: 0.into(), of }
    }

    /// A piece: as it was kept, or done now.
    pub fn done(&self, piece: &Piece, now: impl FnOnce() -> Result<Finished>) -> Result<Finished> {
        let end = match self.finished.get(piece) {
            Some(kept) => (*kept).clone(),
            None => {
                let end = now()?;
                self.observer.finished(&end);
                end
            }
        };
        let done = 1 + self.done.fetch_add(1, Ordering::Relaxed);
        tell(self.observer, Progress::Sure { done, of: self.of })?;
        Ok(end)
    }
}

/// An observer that is asked whether to go on, and not told the steps of inner fits.
pub(super) struct Quiet<'a>(pub &'a dyn Observer);

impl Observer for Quiet<'_> {
    fn step(&self, _: Progress) -> bool {
        self.0.go_on()
    }

    fn go_on(&self) -> bool {
        self.0.go_on()
    }
}
