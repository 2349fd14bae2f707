//! Progress of a long fit, and how the caller stops it.

use crate::error::{Error, Result};
use crate::sure::Finished;

/// A step of a fit, as reported to the observer.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// The null draws of the threshold begin.
    Threshold {
        /// Number of draws.
        draws: usize,
    },
    /// A stage of the path has ended.
    Path {
        /// Number of stages done.
        done: usize,
        /// Number of stages in all, as far as known.
        of: usize,
        /// The penalty of the stage.
        lambda: f64,
        /// Inputs in use after it.
        n_selected: usize,
    },
    /// The refit on the needles begins.
    Refit,
    /// A test or a fit on half of the samples, for how sure the needles are, has ended.
    Sure {
        /// Number of tests and fits done.
        done: usize,
        /// Number of tests and fits in all.
        of: usize,
    },
}

/// Receives the steps of a fit. Return `false` to stop it with [`Error::Interrupted`](crate::Error).
pub trait Observer: Sync {
    /// Called after each step.
    fn step(&self, progress: Progress) -> bool;

    /// Called in every iteration and every block of null draws, from any thread. Once it has returned
    /// `false` it must keep doing so: the fit then ends within moments with
    /// [`Error::Interrupted`](crate::Error).
    fn go_on(&self) -> bool {
        true
    }

    /// Receives each piece of [`sure`](crate::sure()) as it ends, from any thread; [`sure_resumed`](crate::sure_resumed) skips
    /// the pieces that were kept.
    fn finished(&self, _: &Finished) {}
}

/// An observer that ignores everything.
impl Observer for () {
    fn step(&self, _: Progress) -> bool {
        true
    }
}

/// Tells the observer, and returns an error if it asks to stop.
pub(crate) fn tell(observer: &dyn Observer, progress: Progress) -> Result<()> {
    if observer.go_on() && observer.step(progress) { Ok(()) } else { Err(Error::Interrupted) }
}
