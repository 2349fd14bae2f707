//! A progress bar on standard error, when that is a terminal.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};
use needlenet::{Observer, Progress};

/// Shows the steps of a fit.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar, or nothing when it is not wanted or nobody would see it.
    pub fn new(quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Bar(ProgressBar::hidden());
        }
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {elapsed} {msg}") {
            bar.set_style(style);
        }
        Bar(bar)
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl Observer for Bar {
    fn step(&self, progress: Progress) -> bool {
        match progress {
            Progress::Threshold { draws } => self.0.set_message(format!("threshold: {draws} null draws")),
            Progress::Path { done, of, lambda, n_selected } => {
                self.0.set_length(of as u64);
                self.0.set_position(done as u64);
                self.0.set_message(format!("lambda {lambda:.4}, inputs in use: {n_selected}"));
            }
            Progress::Sure { done, of } => {
                self.0.set_length(of as u64);
                self.0.set_position(done as u64);
                self.0.set_message("how sure");
            }
            Progress::Refit => self.0.set_message("refit on the needles"),
            _ => {}
        }
        self.0.tick();
        true
    }
}
