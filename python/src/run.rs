//! Runs a long computation on its own thread, while the calling thread waits without the GIL, checks for Ctrl-C
//! and reports the progress.
//!
//! The thread ends before the function returns, in every case, so nothing outlives the call, and a process may
//! fork afterwards. Tested in `python/tests/test_processes.py`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use needlenet::{Observer, Progress};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::failure::of_learner;

/// The time between two checks of the signals.
const TICK: Duration = Duration::from_millis(50);

/// The state that the two threads share.
#[derive(Default)]
pub struct Watch {
    stop: AtomicBool,
    latest: Mutex<Option<Progress>>,
}

impl Observer for Watch {
    fn step(&self, progress: Progress) -> bool {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
        true
    }

    fn go_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }
}

impl Watch {
    /// Calls `told` with the last progress, if it is new.
    fn tell(&self, told: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (Some(told), Some(progress)) = (told, latest) else { return Ok(()) };
        match progress {
            Progress::Threshold { draws } => told.call1(("threshold", 0, 0, draws)),
            Progress::Path { done, of, lambda: _, n_selected } => told.call1(("path", done, of, n_selected)),
            Progress::Sure { done, of } => told.call1(("sure", done, of, 0)),
            _ => told.call1(("refit", 0, 0, 0)),
        }
        .map(|_| ())
    }
}

/// Runs `work` to its end, or until a signal handler or `told` raises.
pub fn watched<T: Send>(
    py: Python<'_>,
    told: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> needlenet::Result<T> + Send,
) -> PyResult<T> {
    let watch = Watch::default();
    std::thread::scope(|scope| {
        let (running, mut ended) = channel::<()>();
        let shared = &watch;
        let worker = scope.spawn(move || {
            // dropped at the end, also by a panic: that wakes the waiting thread
            let _running = running;
            work(shared)
        });
        let mut raised = None;
        while is_running(py, &mut ended) {
            let news = py.check_signals().and_then(|()| watch.tell(told));
            if let Err(error) = news {
                watch.stop.store(true, Ordering::Relaxed);
                raised.get_or_insert(error);
            }
        }
        let done = py.detach(|| worker.join());
        match (raised, done) {
            (Some(error), _) => Err(error),
            (None, Ok(result)) => result.map_err(of_learner),
            (None, Err(_)) => Err(PyRuntimeError::new_err("needlenet has a fault; please report it")),
        }
    })
}

/// Waits for one tick, or less if the work ends.
fn is_running(py: Python<'_>, ended: &mut Receiver<()>) -> bool {
    py.detach(move || ended.recv_timeout(TICK)) == Err(RecvTimeoutError::Timeout)
}
