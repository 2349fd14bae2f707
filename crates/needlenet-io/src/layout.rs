//! Converts inputs to the columns of the learner: a category becomes one 0/1 column for each level, a number with an indicator
//! two columns. A missing cell gets the mean of its column.
//!
//! Columns are moved from the last to the first, within the memory of the table. Cost: O(n columns). Tested in
//! `tests/categories.rs`.

use std::collections::BTreeMap;

use crate::category::UNSEEN;
use crate::{Coding, Group, MISSING_LEVEL};

/// Expands the inputs with a coding; the others are numbers without missing cells.
pub(crate) fn expand(
    values: &mut Vec<f64>,
    names: Vec<String>,
    n: usize,
    codings: &BTreeMap<usize, Coding>,
) -> (Vec<String>, Vec<Group>) {
    let width = |input: &usize| codings.get(input).map_or(1, Coding::width);
    let total: usize = (0..names.len()).map(|input| width(&input)).sum();
    values.resize(total * n, 0.0);
    let mut end = total;
    for input in (0..names.len()).rev() {
        let start = end - width(&input);
        let from = input * n..(input + 1) * n;
        match codings.get(&input) {
            Some(coding) => {
                let cells = values[from].to_vec();
                write(coding, &cells, &mut values[start * n..end * n]);
            }
            None => values.copy_within(from, start * n),
        }
        end = start;
    }
    let mut columns = Vec::with_capacity(total);
    let mut groups = Vec::new();
    for (input, name) in names.into_iter().enumerate() {
        let Some(coding) = codings.get(&input) else {
            columns.push(name);
            continue;
        };
        let start = columns.len();
        columns.extend(coding.column_names(&name));
        if let Some(kind) = coding.group() {
            groups.push(Group { name, kind, columns: start..columns.len() });
        }
    }
    (columns, groups)
}

/// Writes the columns of one input.
fn write(coding: &Coding, cells: &[f64], columns: &mut [f64]) {
    let n = cells.len().max(1);
    let or = |cell: f64, mean: f64| if cell.is_nan() { mean } else { cell };
    match coding {
        Coding::Number { mean } | Coding::Ordered { mean, .. } => {
            columns.iter_mut().zip(cells).for_each(|(to, cell)| *to = or(*cell, *mean));
        }
        Coding::WithIndicator { mean } => {
            let (values, indicator) = columns.split_at_mut(n);
            values.iter_mut().zip(cells).for_each(|(to, cell)| *to = or(*cell, *mean));
            indicator.iter_mut().zip(cells).for_each(|(to, cell)| *to = f64::from(u8::from(cell.is_nan())));
        }
        Coding::Category { levels, shares, .. } => {
            let missing = levels.iter().position(|level| level == MISSING_LEVEL);
            for ((level, column), share) in columns.chunks_mut(n).enumerate().zip(shares) {
                let is = |yes: bool| f64::from(u8::from(yes));
                let of_missing = missing.map_or(*share, |missing| is(missing == level));
                let of = |cell: f64| match cell {
                    _ if cell.is_nan() => of_missing,
                    UNSEEN => *share,
                    _ => is(cell == level as f64),
                };
                column.iter_mut().zip(cells).for_each(|(to, cell)| *to = of(*cell));
            }
        }
    }
}
