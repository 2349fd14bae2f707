//! Runs replicates on plain threads, and stores each row when it is finished.
//!
//! Threads of a pool would not do: one that waits for its fit starts another in the meantime, so fits could not
//! be timed. A task has its own seed, so neither the number of threads nor the order matters.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::error::Result;

/// Receives every row.
pub trait Watcher<Row>: Sync {
    /// A row was stored; `done` of `of` tasks are finished.
    fn kept(&self, row: &Row, done: usize, of: usize);
}

/// A watcher that ignores everything.
impl<Row> Watcher<Row> for () {
    fn kept(&self, _: &Row, _: usize, _: usize) {}
}

/// Runs every task on `threads` threads (0 for all cores, and never more), and passes each row to `keep`. Stops at the first
/// row that cannot be stored.
pub(crate) fn each<Task: Sync, Row: Send>(
    tasks: &[Task],
    threads: usize,
    work: impl Fn(&Task) -> Row + Sync,
    keep: impl FnMut(&Row) -> Result<()> + Send,
    watcher: &dyn Watcher<Row>,
) -> Result<()> {
    let threads = needlenet::threads(threads);
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let kept = Mutex::new((keep, 0, Ok(())));
    let walk = || {
        while !stop.load(Ordering::Relaxed) {
            let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            let row = work(task);
            let mut kept = kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let (keep, done, outcome) = &mut *kept;
            if let Err(error) = keep(&row) {
                stop.store(true, Ordering::Relaxed);
                *outcome = Err(error);
                return;
            }
            *done += 1;
            watcher.kept(&row, *done, tasks.len());
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.min(tasks.len().max(1)) {
            scope.spawn(walk);
        }
    });
    kept.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).2
}

/// Runs a learner; an error or a panic becomes the text of the row instead of ending the study.
pub(crate) fn guarded<T>(learn: impl FnOnce() -> needlenet::Result<T>) -> std::result::Result<T, String> {
    match catch_unwind(AssertUnwindSafe(learn)) {
        Ok(Ok(learned)) => Ok(learned),
        Ok(Err(error)) => Err(format!("failed: {error}")),
        Err(fault) => {
            let text = fault.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| fault.downcast_ref::<&str>().copied()).unwrap_or("unknown");
            Err(format!("failed: a fault of the program: {text}"))
        }
    }
}
