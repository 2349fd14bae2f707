//! The selected inputs of several columns, and the effect of each level of a category.
//!
//! The effect of a level of a category, ordered or not, is the mean over the samples of the refitted function with every sample
//! set to that level, minus its mean with the samples as they are.

use serde::{Deserialize, Serialize};

use crate::local::active::Live;
use crate::network::{Inputs, Link, Sweep};
use crate::table::{AlwaysIn, Canonical, Group, GroupKind, Scaling};

/// An input of several columns that matters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupFound {
    /// The name of the input.
    pub name: String,
    /// Its kind.
    pub kind: GroupKind,
    /// The names of all its columns; those with a weight are among the needles.
    pub columns: Vec<String>,
    /// The index of the most frequent level of a category; none in old model files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<usize>,
    /// The effect of each level of a category, in units of the outcome, of a log mean or log risk, or of the log odds of
    /// each class (of two classes, of the second only).
    pub effects: Vec<Vec<f64>>,
}

/// The groups that have a column in the refit, or that are always in with the weights `of_always`.
pub(super) fn groups_found(
    table: &Canonical,
    link: Link,
    live: &Live,
    theta: &[f64],
    of_always: &[f64],
    unit: f64,
) -> Vec<GroupFound> {
    let is_live = |group: &Group| live.columns.iter().any(|&c| group.columns.contains(&table.inputs[c]));
    let found = |group: &Group| GroupFound {
        name: group.name.clone(),
        kind: group.kind.clone(),
        columns: group.columns.iter().map(|&j| table.names[j].clone()).collect(),
        mode: mode(table, group),
        effects: match group.kind.levels() {
            [] => Vec::new(),
            _ if is_always(table, group) => effects_of_always(table, link, of_always, unit, group),
            _ => effects(table, link, live, theta, unit, group),
        },
    };
    table.groups.iter().filter(|group| is_live(group) || is_always(table, group)).map(found).collect()
}

fn is_always(table: &Canonical, group: &Group) -> bool {
    table.always.iter().any(|(j, _)| group.columns.contains(j))
}

/// The value of a column of a group for samples of one level.
fn cell(group: &Group, column: usize, level: usize) -> f64 {
    match &group.kind {
        GroupKind::Ordered { .. } => level as f64,
        _ if group.columns.get(level) == Some(&column) => 1.0,
        _ => 0.0,
    }
}

/// The most frequent level of a category; the first one of a tie.
fn mode(table: &Canonical, group: &Group) -> Option<usize> {
    let levels = group.kind.levels().len();
    let mut weights = vec![0.0; levels];
    let mut add = |column: usize, scaling: &Scaling, values: &mut dyn Iterator<Item = f64>| {
        for (i, v) in values.enumerate() {
            let value = (scaling.mean + scaling.scale * v).round();
            let at = match group.kind {
                GroupKind::Ordered { .. } => Some(value as usize),
                _ if value == 1.0 => group.columns.iter().position(|&j| j == column),
                _ => None,
            };
            if let Some(weight) = at.and_then(|at| weights.get_mut(at)) {
                *weight += table.samples.weight(i);
            }
        }
    };
    for (at, &column) in table.inputs.iter().enumerate().filter(|(_, j)| group.columns.contains(j)) {
        let (sign, unit) = (table.signs[at], table.unit(at));
        add(column, &table.scalings[at], &mut table.x.column(at).iter().map(|v| sign * unit * v));
    }
    let always = table.samples.always.iter().flat_map(AlwaysIn::columns);
    for ((column, scaling), values) in
        table.always.iter().zip(always).filter(|((j, _), _)| group.columns.contains(j))
    {
        add(*column, scaling, &mut values.iter().copied());
    }
    if matches!(group.kind, GroupKind::Category { .. }) && is_always(table, group) {
        // the first level has no column
        weights[0] = table.samples.total(table.n) - weights[1..].iter().sum::<f64>();
    }
    (0..levels).reduce(|best, level| if weights[level] > weights[best] { level } else { best })
}

/// The effects of a category that is always in: its columns enter linearly and have mean zero.
fn effects_of_always(
    table: &Canonical,
    link: Link,
    weights: &[f64],
    unit: f64,
    group: &Group,
) -> Vec<Vec<f64>> {
    let n_outputs = weights.len() / table.always.len();
    let of_level = |level: usize| {
        let mut out = vec![0.0; n_outputs];
        let inputs = table.always.iter().zip(weights.chunks(n_outputs));
        for ((index, scaling), weights) in inputs.filter(|((j, _), _)| group.columns.contains(j)) {
            let cell = scaling.apply(cell(group, *index, level));
            out.iter_mut().zip(weights).for_each(|(out, w)| *out += w * cell);
        }
        contrasts(out, link).iter().map(|v| unit * v).collect()
    };
    (0..group.kind.levels().len()).map(of_level).collect()
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
    // the contribution of inputs that are always in is the same at every level
    let alone = live.network.clone().beside(0);
    let mean = |x: &[f64]| {
        let mut sweep = Sweep::new(&alone, n);
        sweep.forward(&alone, theta, &Inputs::all(x, n));
        let of = |out: &[f64]| table.samples.sum(n, |i| out[i]) / table.samples.total(n);
        contrasts(sweep.out.chunks(n).map(of).collect(), link)
    };
    let mut x = table.x.gathered(&live.columns);
    let usual = mean(&x);
    let of_level = |level: usize| {
        for (values, &column) in x.chunks_mut(n).zip(&live.columns) {
            let input = table.inputs[column];
            if group.columns.contains(&input) {
                let cell = table.scalings[column].apply(cell(group, input, level)) / table.unit(column);
                values.fill(table.signs[column] * cell);
            }
        }
        mean(&x).iter().zip(&usual).map(|(at, usual)| unit * (at - usual)).collect()
    };
    (0..group.kind.levels().len()).map(of_level).collect()
}

/// The outputs in the form of effects: for classes the log odds against their geometric mean, for two classes those of the
/// second against the first.
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
