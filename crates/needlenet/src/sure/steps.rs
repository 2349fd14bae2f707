//! How far the work is, what of it is finished, and whether to go on.
//!
//! Every test and every half is a piece of work by itself. An observer is given each as it ends ([`Finished`]), and what it has kept
//! is not done again: the answer is the same, bit for bit. Tested in `tests/sure_resume.rs`.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use super::answer::Distillation;
use super::traces::Shown;
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
    tests: HashMap<(&'a [usize], &'a [usize]), &'a TestEnd>,
    halves: HashMap<usize, &'a HalfEnd>,
    done: AtomicUsize,
    of: usize,
}

impl<'a> Steps<'a> {
    pub fn new(observer: &'a dyn Observer, finished: &'a [Finished], of: usize) -> Self {
        let (mut tests, mut halves) = (HashMap::new(), HashMap::new());
        for piece in finished {
            match piece {
                Finished::Test(end) => drop(tests.insert((&end.dropped[..], &end.columns[..]), &**end)),
                Finished::Half(end) => drop(halves.insert(end.half, end)),
            }
        }
        Steps { observer, tests, halves, done: 0.into(), of }
    }

    /// The test of `columns` without `dropped`: as it was kept, or done now.
    pub fn test(
        &self,
        dropped: &[usize],
        columns: &[usize],
        now: impl FnOnce() -> Result<TestEnd>,
    ) -> Result<TestEnd> {
        self.piece(self.tests.get(&(dropped, columns)).copied(), now, |end| Finished::Test(Box::new(end)))
    }

    /// A half: as it was kept, or done now.
    pub fn half(&self, half: usize, now: impl FnOnce() -> Result<HalfEnd>) -> Result<HalfEnd> {
        self.piece(self.halves.get(&half).copied(), now, Finished::Half)
    }

    fn piece<T: Clone>(
        &self,
        kept: Option<&T>,
        now: impl FnOnce() -> Result<T>,
        finished: fn(T) -> Finished,
    ) -> Result<T> {
        let end = match kept {
            Some(kept) => kept.clone(),
            None => {
                let end = now()?;
                self.observer.finished(&finished(end.clone()));
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
