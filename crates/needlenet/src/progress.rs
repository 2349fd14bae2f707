//! What a long fit tells its caller, and how the caller stops it.

use crate::error::{Error, Result};
use crate::sure::Finished;

/// A step of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// The null draws of the threshold begin.
    Threshold {
        /// How many draws.
        draws: usize,
    },
    /// A stage of the path has ended.
    Path {
        /// Stages done.
        done: usize,
        /// Stages in all, as far as known.
        of: usize,
        /// The penalty of the stage.
        lambda: f64,
        /// Inputs in use after it.
        n_selected: usize,
    },
    /// The refit on the needles begins.
    Refit,
    /// A test of how sure a needle is has ended, or a fit of a half of the samples.
    Sure {
        /// Tests and fits done.
        done: usize,
        /// Of how many.
        of: usize,
    },
}

/// Receives the steps of a fit. Return `false` to stop it with [`Error::Interrupted`](crate::Error).
pub trait Observer: Sync {
    /// Called after each step.
    fn step(&self, progress: Progress) -> bool;

    /// Asked in every iteration and every block of null draws, from any thread. Once `false` it must stay
    /// so: the fit then ends within moments with [`Error::Interrupted`](crate::Error).
    fn go_on(&self) -> bool {
        true
    }

    /// Given each piece of [`sure`](crate::sure()) as it ends, from any thread: [`sure_resumed`](crate::sure_resumed) does not do
    /// again what was kept.
    fn finished(&self, _: &Finished) {}
}

/// Looks away.
impl Observer for () {
    fn step(&self, _: Progress) -> bool {
        true
    }
}

/// Tells the observer, and ends the work if it wishes.
pub(crate) fn tell(observer: &dyn Observer, progress: Progress) -> Result<()> {
    if observer.go_on() && observer.step(progress) { Ok(()) } else { Err(Error::Interrupted) }
}
