//! Inputs of several columns, as found: which they are, and how each level of a category acts.
//!
//! The effect of a level is the mean, over the samples, of the refitted function with every sample at that level, minus the mean
//! with the samples as they are.

use serde::{Deserialize, Serialize};

use crate::local::active::Live;
use crate::network::{Inputs, Link, Sweep};
use crate::table::{Canonical, Group, GroupKind};

/// An input of several columns that matters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupFound {
    /// The name of the input.
    pub name: String,
    /// What it stands for.
    pub kind: GroupKind,
    /// The names of all its columns; those with a weight are among the needles.
    pub columns: Vec<String>,
    /// The effect of each level of a category in units of the outcome, of a log mean or log risk, or of the log odds of each
    /// class (of two classes, of the second).
    pub effects: Vec<Vec<f64>>,
}

/// The groups that have a column among the inputs of the refit.
pub(super) fn groups_found(
    table: &Canonical,
    link: Link,
    live: &Live,
    theta: &[f64],
    unit: f64,
) -> Vec<GroupFound> {
    let is_live = |group: &&Group| live.columns.iter().any(|&c| group.columns.contains(&table.inputs[c]));
    let found = |group: &Group| GroupFound {
        name: group.name.clone(),
        kind: group.kind.clone(),
        columns: group.columns.iter().map(|&j| table.names[j].clone()).collect(),
        effects: match &group.kind {
            GroupKind::Category { .. } => effects(table, link, live, theta, unit, group),
            _ => Vec::new(),
        },
    };
    table.groups.iter().filter(is_live).map(found).collect()
}

fn effects(
    table: &Canonical,
    link: Link,
    live: &Live,
    theta: &[f64],
    unit: f64,
    group: &Group,
) -> Vec<Vec<f64>> {
    let n = table.n;
    // what inputs that are always in add is the same at every level
    let alone = live.network.clone().beside(0);
    let mean = |x: &[f64]| {
        let mut sweep = Sweep::new(&alone, n);
        sweep.forward(&alone, theta, &Inputs::all(x, n));
        let of = |out: &[f64]| table.samples.sum(n, |i| out[i]) / table.samples.total(n);
        contrasts(sweep.out.chunks(n).map(of).collect(), link)
    };
    let mut x = table.x.gathered(&live.columns);
    let usual = mean(&x);
    let of_level = |level: &usize| {
        for (values, &column) in x.chunks_mut(n).zip(&live.columns) {
            let input = table.inputs[column];
            if group.columns.contains(&input) {
                let cell = if input == *level { 1.0 } else { 0.0 };
                let cell = table.scalings[column].apply(cell) / table.unit(column);
                values.fill(table.signs[column] * cell);
            }
        }
        mean(&x).iter().zip(&usual).map(|(at, usual)| unit * (at - usual)).collect()
    };
    group.columns.iter().map(of_level).collect()
}

/// The outputs as effects are told: of classes the log odds against their geometric mean, of two that of the second against the
/// first.
fn contrasts(mut out: Vec<f64>, link: Link) -> Vec<f64> {
    if link == Link::Identity {
        return out;
    }
    if link == Link::Logit {
        out.push(0.0);
    }
    if let [first, second] = out[..] {
        return vec![second - first];
    }
    let mean = out.iter().sum::<f64>() / out.len() as f64;
    out.iter().map(|v| v - mean).collect()
}
