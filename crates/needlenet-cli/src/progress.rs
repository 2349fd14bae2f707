//! A progress bar on standard error, when that is a terminal.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};
use needlenet::{Observer, Progress};

/// Shows the steps of a fit.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar; hidden if `quiet`, or if standard error is no terminal.
    pub fn new(quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Bar(ProgressBar::hidden());
        }
        let bar = ProgressBar::new(0);
        let bar = Bar(bar);
        bar.style("{bar:30} {elapsed} {msg}");
        bar
    }

    fn style(&self, template: &str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.0.set_style(style);
        }
    }

    /// Removes the bar.
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
                self.0.set_message(format!("search: lambda {lambda:.4}, inputs in use {n_selected}"));
            }
            Progress::Sure { done, of } => {
                // these fits take about equal time, so the time left can be estimated; that of a
                // search cannot
                self.style("{bar:30} {elapsed}, about {eta} left {msg}");
                self.0.set_length(of as u64);
                self.0.set_position(done as u64);
                self.0.set_message(format!("how sure: {done} of {of} fits"));
            }
            Progress::Refit => self.0.set_message("refit on the needles"),
            _ => {}
        }
        self.0.tick();
        true
    }
}
