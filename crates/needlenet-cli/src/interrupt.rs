//! Ctrl-C: prints one line on what is kept, and exits with code 130. This is for Unix; elsewhere Ctrl-C ends the program
//! without a message. Tested in `tests/cli/faults.rs`.

use std::sync::{Mutex, PoisonError};

/// While a table is read and fitted.
pub const FIT: &str = "interrupted before the fit was complete; no file was written";

/// While a table in shards is fitted, and its finished answers are kept.
pub const SHARDS: &str =
    "interrupted; what the shards answered is kept, and the same command continues after it";

/// While results are written, each under a temporary name first.
pub const WRITING: &str = "interrupted while results were written; each file is complete or was not changed";

/// While a study runs.
pub const STUDY: &str = "interrupted; the finished rows are kept, and the same command continues after them";

static KEPT: Mutex<Option<&str>> = Mutex::new(None);

/// Sets the message for Ctrl-C from now on.
pub fn says(kept: &'static str) {
    let first = KEPT.lock().unwrap_or_else(PoisonError::into_inner).replace(kept).is_none();
    if first {
        listen();
    }
}

/// Waits for the signal on its own thread. Without a handler, the system ends the program as usual.
#[cfg(unix)]
fn listen() {
    use signal_hook::{consts::SIGINT, iterator::Signals};

    /// The exit code that shells give to a program ended by Ctrl-C.
    const INTERRUPTED: i32 = 130;

    if let Ok(mut signals) = Signals::new([SIGINT]) {
        // where no thread can be started, the fit says so
        let _ = std::thread::Builder::new().spawn(move || {
            if signals.forever().next().is_some() {
                let kept = *KEPT.lock().unwrap_or_else(PoisonError::into_inner);
                crate::output::complain(kept.unwrap_or_default());
                std::process::exit(INTERRUPTED);
            }
        });
    }
}

#[cfg(not(unix))]
fn listen() {}
