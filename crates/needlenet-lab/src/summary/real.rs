//! Accuracy and number of needles of each learner on each table (paper, section 4).

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Band, median, rank};
use crate::real::RealRow;

/// One learner on one table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RealSummary {
    /// The table.
    pub set: String,
    /// Samples.
    pub n: usize,
    /// Inputs.
    pub p: usize,
    /// Classes; 0 in regression.
    pub classes: usize,
    /// The learner.
    pub learner: String,
    /// Splits.
    pub splits: usize,
    /// Of these, without a result.
    pub failed: usize,
    /// Of these, not at a stationary point.
    pub not_converged: usize,
    /// Mean share of classes predicted.
    pub accuracy: Option<f64>,
    /// Its lower end.
    pub accuracy_low: Option<f64>,
    /// Its upper end.
    pub accuracy_high: Option<f64>,
    /// The same for the most frequent class.
    pub majority: Option<f64>,
    /// Root mean square error, in regression.
    pub rmse: Option<f64>,
    /// Mean number of inputs selected.
    pub selected: Option<f64>,
    /// Its lower end.
    pub selected_low: Option<f64>,
    /// Its upper end.
    pub selected_high: Option<f64>,
    /// Median number of inputs selected.
    pub selected_median: Option<f64>,
    /// Median seconds of a fit.
    pub seconds: Option<f64>,
    /// Inputs selected in at least half the splits, the most frequent first.
    pub often: String,
}

/// Summarises rows, table after table, the learners in the order of the list.
pub fn summarise_real(rows: &[RealRow]) -> Vec<RealSummary> {
    let mut groups: BTreeMap<_, Vec<&RealRow>> = BTreeMap::new();
    for row in rows {
        groups.entry((&row.set, rank(&row.learner))).or_default().push(row);
    }
    groups.values().map(|rows| summary(rows)).collect()
}

fn summary(rows: &[&RealRow]) -> RealSummary {
    let values = |of: &dyn Fn(&RealRow) -> Option<f64>| -> Vec<f64> {
        rows.iter().filter_map(|row| of(row)).collect()
    };
    let accuracy = Band::rate(&values(&|row| row.accuracy));
    let counts = values(&|row| row.selected.map(|count| count as f64));
    let selected = Band::mean(&counts);
    let first = rows[0];
    RealSummary {
        set: first.set.clone(),
        n: first.n,
        p: first.p,
        classes: first.classes,
        learner: first.learner.clone(),
        splits: rows.len(),
        failed: rows.iter().filter(|row| row.stop.starts_with("failed")).count(),
        not_converged: rows.iter().filter(|row| row.converged == Some(0)).count(),
        accuracy: accuracy.map(|b| b.value),
        accuracy_low: accuracy.map(|b| b.low),
        accuracy_high: accuracy.map(|b| b.high),
        majority: Band::mean(&values(&|row| row.majority)).map(|b| b.value),
        rmse: Band::root_mean_square(&values(&|row| row.rmse)).map(|b| b.value),
        selected: selected.map(|b| b.value),
        selected_low: selected.map(|b| b.low.max(0.0)),
        selected_high: selected.map(|b| b.high),
        selected_median: median(counts),
        seconds: median(rows.iter().map(|row| row.seconds).collect()),
        often: often(rows),
    }
}

fn often(rows: &[&RealRow]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in rows.iter().flat_map(|row| row.names.split_whitespace()) {
        *counts.entry(name).or_default() += 1;
    }
    let mut often: Vec<(&str, usize)> =
        counts.into_iter().filter(|(_, count)| 2 * count >= rows.len()).collect();
    often.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    often.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
}
