//! From rows to tables and curves: shares with Wilson intervals, means with normal ones, 95% each.

mod band;
mod markdown;
mod real;
mod study;

pub use band::Band;
pub use markdown::markdown;
pub use real::{RealSummary, summarise_real};
pub use study::{StudySummary, summarise};

use crate::learners::LEARNERS;

/// Sorts learners in the order of the list, then those of other programs by name.
fn rank(learner: &str) -> (usize, String) {
    let place = LEARNERS.iter().position(|(name, _)| *name == learner).unwrap_or(LEARNERS.len());
    (place, learner.to_owned())
}

/// The middle value, or the mean of the middle two.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => None,
        count if count % 2 == 1 => Some(values[half]),
        _ => Some((values[half - 1] + values[half]) / 2.0),
    }
}
