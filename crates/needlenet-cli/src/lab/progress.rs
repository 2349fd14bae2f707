//! A progress bar with the time left for long runs, on standard error if that is a terminal.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};
use needlenet_lab::{HayRow, RealRow, Row, Watcher};

/// A bar with the time left.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar; hidden if `quiet`, or if standard error is no terminal.
    pub fn new(quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Bar(ProgressBar::hidden());
        }
        let bar = ProgressBar::new(0);
        let template = "{bar:30} {pos} of {len} rows, {elapsed} gone, {eta} left  {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Bar(bar)
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }

    fn show(&self, done: usize, of: usize, last: String) {
        self.0.set_length(of as u64);
        self.0.set_position(done as u64);
        self.0.set_message(last);
    }
}

impl Watcher<Row> for Bar {
    fn kept(&self, row: &Row, done: usize, of: usize) {
        self.show(done, of, format!("{} n={} s={} {:.1}s", row.learner, row.n, row.s, row.seconds));
    }
}

impl Watcher<RealRow> for Bar {
    fn kept(&self, row: &RealRow, done: usize, of: usize) {
        self.show(done, of, format!("{} {} {:.1}s", row.set, row.learner, row.seconds));
    }
}

impl Watcher<HayRow> for Bar {
    fn kept(&self, row: &HayRow, done: usize, of: usize) {
        self.show(done, of, format!("{} {} {:.1}s", row.set, row.learner, row.seconds));
    }
}
