//! Problems of single columns: constant, copies, near copies, row numbers, and columns that determine the outcome (leaks).
//!
//! Cost: O(n p log n). Near copies take O(n p^2), so they are only searched among at most [`MOST_COMPARED`]
//! inputs.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use needlenet::Data;
use needlenet_report::{NEAR_COPY, correlation, gives_away};

use super::Finding;

/// The largest number of inputs among which near copies are searched.
const MOST_COMPARED: usize = 1000;

/// Names in a message; the field `columns` of the JSON has all.
const MOST_NAMED: usize = 5;

/// Everything found.
pub fn examine(data: &Data) -> Vec<Finding> {
    let p = data.n_features();
    let constant: Vec<usize> = (0..p).filter(|&j| is_constant(&data.column(j))).collect();
    let varying: Vec<usize> = (0..p).filter(|j| constant.binary_search(j).is_err()).collect();
    let (copies, distinct) = copies(data, &varying);
    let near = if distinct.len() <= MOST_COMPARED { near_copies(data, &distinct) } else { Vec::new() };
    let numbered: Vec<usize> = varying.iter().copied().filter(|&j| is_row_number(&data.column(j))).collect();
    let leaking: Vec<usize> =
        varying.iter().copied().filter(|&j| gives_away(&data.column(j), data.outcome())).collect();
    let mut findings = Vec::new();
    let mut add = |check, columns: &[usize], what: &str| {
        if !columns.is_empty() {
            findings.push(finding(data, check, columns, what));
        }
    };
    add("leak", &leaking, "alone determines the outcome: exclude it if it is known only after the outcome");
    add("constant", &constant, "has one value only and will be left out");
    add("copy", &copies, "has the values of an earlier column: only one of them can be found");
    add("near copy", &near, "is nearly equal to an earlier column: either of the two may be found");
    add("row number", &numbered, "counts the rows: exclude it unless the order of the rows has a meaning");
    if distinct.len() > MOST_COMPARED {
        let message =
            format!("near copies were not looked for, because there are more than {MOST_COMPARED} inputs");
        findings.push(Finding::new("near copy", Vec::new(), message));
    }
    findings
}

fn finding(data: &Data, check: &'static str, columns: &[usize], what: &str) -> Finding {
    let names: Vec<String> = columns.iter().map(|&j| data.names()[j].clone()).collect();
    let shown: Vec<String> =
        names.iter().take(MOST_NAMED).map(|n| format!("\"{}\"", needlenet_report::shown(n, 40))).collect();
    let more = names.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more (each of them)") } else { String::new() };
    let message = format!("{}{more} {what}", shown.join(", "));
    Finding::new(check, names, message)
}

fn is_constant(x: &[f64]) -> bool {
    x.iter().all(|v| *v == x[0])
}

/// Columns equal to an earlier one, and all others.
fn copies(data: &Data, columns: &[usize]) -> (Vec<usize>, Vec<usize>) {
    // only a hash of each column is kept: a sparse table must not become a dense one
    let mut seen: HashMap<u64, Vec<usize>> = HashMap::new();
    columns.iter().partition(|&&j| {
        let column = data.column(j);
        let mut hasher = DefaultHasher::new();
        column.iter().for_each(|v| hasher.write_u64((v + 0.0).to_bits()));
        let alike = seen.entry(hasher.finish()).or_default();
        let is_copy = alike.iter().any(|&k| data.column(k) == column);
        if !is_copy {
            alike.push(j);
        }
        is_copy
    })
}

fn near_copies(data: &Data, columns: &[usize]) -> Vec<usize> {
    // the levels of a category exclude each other, so their correlation is no finding
    let group_of = |j: usize| data.groups().iter().position(|group| group.columns.contains(&j));
    let is_near = |(at, j): (usize, &usize)| {
        let group = group_of(*j);
        let apart = |k: usize| group.is_none() || group != group_of(k);
        let near =
            |k: &usize| apart(*k) && correlation(&data.column(*j), &data.column(*k)).abs() >= NEAR_COPY;
        columns[..at].iter().any(near).then_some(*j)
    };
    columns.iter().enumerate().filter_map(is_near).collect()
}

fn is_row_number(x: &[f64]) -> bool {
    x.len() > 2 && x.windows(2).all(|pair| pair[1] - pair[0] == 1.0)
}
