//! Categories: the levels of a column of words, and the code of each row.
//!
//! Levels are sorted by name, or by value if all are numbers. All levels with fewer than [`RARE`] rows are pooled into one
//! level, `(other)`. Cost: O(n + words log words). Tested in `tests/categories.rs`.

use std::collections::HashMap;

use crate::error::listed;
use crate::looks::RARE;
use crate::outcome::shortest;
use crate::words::{Dictionary, code, quoted};
use crate::{Coding, Error, Known, MISSING_LEVEL, OTHER, ReadOptions, Unseen};

/// The levels of a category, and those that were pooled.
#[derive(Debug)]
pub(crate) struct Levels {
    pub(crate) levels: Vec<String>,
    pub(crate) pooled: Vec<String>,
}

/// Replaces each cell, word or number, by its index in the returned list of texts; a missing cell stays NaN.
pub(crate) fn texts(cells: &mut [f64], dictionary: &Dictionary) -> Vec<String> {
    let mut names: Vec<String> = dictionary.words.iter().map(|word| word.text.clone()).collect();
    let mut index: HashMap<String, usize> = names.iter().cloned().zip(0..).collect();
    for cell in cells {
        let at = match code(*cell) {
            Some(at) => at,
            None if cell.is_nan() => continue,
            None => {
                let text = shortest(*cell);
                *index.entry(text.clone()).or_insert_with(|| {
                    names.push(text);
                    names.len() - 1
                })
            }
        };
        *cell = at as f64;
    }
    names
}

/// Replaces indices into `names` by codes of sorted levels, with rare levels pooled.
pub(crate) fn pool(cells: &mut [f64], names: &[String]) -> Levels {
    let mut counts = vec![0_usize; names.len()];
    cells.iter().filter(|cell| !cell.is_nan()).for_each(|cell| counts[*cell as usize] += 1);
    let is_rare = |at: &usize| counts[*at] < RARE;
    let mut kept: Vec<usize> = (0..names.len()).filter(|at| !is_rare(at)).collect();
    let mut pooled: Vec<usize> = (0..names.len()).filter(|at| is_rare(at) && counts[*at] > 0).collect();
    sort(&mut kept, names);
    sort(&mut pooled, names);
    let mut to = vec![kept.len(); names.len()];
    kept.iter().enumerate().for_each(|(new, &old)| to[old] = new);
    cells.iter_mut().filter(|cell| !cell.is_nan()).for_each(|cell| *cell = to[*cell as usize] as f64);
    let mut levels: Vec<String> = kept.iter().map(|&at| names[at].clone()).collect();
    if !pooled.is_empty() {
        levels.push(OTHER.to_owned());
    }
    Levels { levels, pooled: pooled.iter().map(|&at| names[at].clone()).collect() }
}

/// By value if all names are numbers, otherwise by name.
fn sort(order: &mut [usize], names: &[String]) {
    let number = |at: usize| names[at].parse::<f64>().ok().filter(|value| value.is_finite());
    match order.iter().map(|&at| number(at)).collect::<Option<Vec<f64>>>() {
        Some(_) => order.sort_by(|a, b| {
            f64::total_cmp(&number(*a).unwrap_or_default(), &number(*b).unwrap_or_default())
                .then_with(|| names[*a].cmp(&names[*b]))
        }),
        None => order.sort_by(|a, b| names[*a].cmp(&names[*b])),
    }
}

/// Replaces the cells by codes of the given levels; other levels are reported with their rows.
pub(crate) fn apply(cells: &mut [f64], dictionary: &Dictionary, levels: &[String]) -> Vec<NewLevel> {
    let names = texts(cells, dictionary);
    let position: HashMap<&str, usize> = levels.iter().map(String::as_str).zip(0..).collect();
    let to: Vec<Option<usize>> = names.iter().map(|name| position.get(name.as_str()).copied()).collect();
    let mut unseen: Vec<NewLevel> = Vec::new();
    let mut first: HashMap<usize, usize> = HashMap::new();
    for (row, cell) in cells.iter_mut().enumerate().filter(|(_, cell)| !cell.is_nan()) {
        let name = *cell as usize;
        match to[name] {
            Some(level) => *cell = level as f64,
            None => {
                let at = *first.entry(name).or_insert_with(|| {
                    unseen.push(NewLevel { level: names[name].clone(), rows: Vec::new() });
                    unseen.len() - 1
                });
                unseen[at].rows.push(row);
            }
        }
    }
    unseen
}

/// A level that is not among the given ones, and the rows that have it, from 0.
#[derive(Debug)]
pub(crate) struct NewLevel {
    pub(crate) level: String,
    pub(crate) rows: Vec<usize>,
}

/// The code of an unknown level that is read as the mean of all levels.
pub(crate) const UNSEEN: f64 = -1.0;

/// Codes the cells of an input of a model. A level that the model does not know becomes `(other)` if the model has that
/// level, else the rule for unknown levels applies.
pub(crate) fn apply_known(
    file: &str,
    known: &Known,
    cells: &mut [f64],
    dictionary: &Dictionary,
    options: &ReadOptions,
    notes: &mut Vec<String>,
) -> Result<(), Error> {
    let (levels, mean, mode) = match &known.coding {
        Coding::Category { levels, mode, .. } => (levels, UNSEEN, *mode),
        Coding::Ordered { levels, mean, mode } => (levels, *mean, *mode),
        Coding::Number { .. } | Coding::WithIndicator { .. } => return Ok(()),
    };
    let unseen = apply(cells, dictionary, levels);
    let Some(first) = unseen.first() else { return Ok(()) };
    let other = levels.iter().position(|level| level == OTHER);
    let (stand_in, told) = match (other, options.unseen, mode) {
        (Some(other), ..) => (other as f64, OTHER.to_owned()),
        (None, Unseen::Mean, _) => (mean, "the mean of all levels".to_owned()),
        (None, Unseen::Mode, Some(mode)) => {
            (mode as f64, format!("{}, the most frequent level of the fit", quoted(&levels[mode])))
        }
        (None, Unseen::Error | Unseen::Mode, _) => {
            let remedy = match options.unseen {
                Unseen::Mode => options.front.choose(
                    "the model file is too old to know the most frequent level: pass --unseen mean, or fit again",
                    "the model file is too old to know the most frequent level: give unseen='mean', or fit again",
                ),
                _ => options.front.choose(
                    "pass --unseen mode (the most frequent level) or --unseen mean (the mean of all levels), or mend the table",
                    "set unseen='mode' (the most frequent level) or unseen='mean' (the mean of all levels), or mend the table",
                ),
            };
            return Err(Error::UnseenLevel {
                file: file.to_owned(),
                row: first.rows[0] + 1,
                column: known.name.clone(),
                level: first.level.clone(),
                levels: levels.clone().into(),
                remedy,
            });
        }
    };
    unseen.iter().flat_map(|level| &level.rows).for_each(|&row| cells[row] = stand_in);
    let names: Vec<&str> = unseen.iter().map(|level| level.level.as_str()).collect();
    notes.push(format!(
        "\"{}\": levels that the model does not know are read as {told}: {}",
        known.name,
        listed(&names, names.len())
    ));
    Ok(())
}

/// Gives missing cells their own level if there are enough of them.
pub(crate) fn level_of_missing(cells: &mut [f64], levels: &mut Vec<String>) {
    if cells.iter().filter(|cell| cell.is_nan()).count() < RARE {
        return;
    }
    cells.iter_mut().filter(|cell| cell.is_nan()).for_each(|cell| *cell = levels.len() as f64);
    levels.push(MISSING_LEVEL.to_owned());
}

/// The share of each level among the rows that have one.
pub(crate) fn shares(cells: &[f64], levels: usize) -> Vec<f64> {
    let mut shares = vec![0.0; levels];
    let mut observed = 0.0;
    for cell in cells.iter().filter(|cell| !cell.is_nan()) {
        shares[*cell as usize] += 1.0;
        observed += 1.0;
    }
    shares.iter_mut().for_each(|share| *share /= f64::max(observed, 1.0));
    shares
}

pub(crate) fn counted(levels: usize) -> String {
    if levels == 1 { "1 level".to_owned() } else { format!("{levels} levels") }
}

pub(crate) fn note_of_pooled(column: &str, pooled: &[String]) -> Option<String> {
    if pooled.is_empty() {
        return None;
    }
    Some(format!(
        "\"{column}\": {} with fewer than {RARE} rows {} read as \"{OTHER}\": {}",
        counted(pooled.len()),
        if pooled.len() == 1 { "is" } else { "are" },
        listed(pooled, pooled.len())
    ))
}
