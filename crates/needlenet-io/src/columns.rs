//! Tables that another library holds in memory, column by column. Tested in `tests/columns_in_memory.rs`.

use std::collections::BTreeMap;

use crate::blocks::Columns;
use crate::draft::{Declared, Draft};
use crate::outcome::Outcome;
use crate::plan::{Plan, Slot, filled_names};
use crate::words::{Words, finite_number, means_missing};
use crate::{Error, ReadOptions, Table};

/// The cells of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Numbers; NaN is missing.
    Numbers(Vec<f64>),
    /// Words; none is missing.
    Words(Vec<Option<String>>),
    /// A category: its levels, the level of each row (any other code is missing), and whether the levels have an order.
    Category {
        /// The levels.
        levels: Vec<String>,
        /// The level of each row.
        codes: Vec<i64>,
        /// Whether they are in order, from low to high.
        ordered: bool,
    },
    /// Days since 1970-01-01; NaN is missing.
    Dates(Vec<f64>),
    /// Another type, described in words.
    Other(String),
}

/// Builds a table from named columns; `name` stands for it in errors.
pub fn read_columns(
    name: &str,
    columns: Vec<(String, Cells)>,
    options: &ReadOptions,
) -> Result<Table, Error> {
    let n_rows = columns.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
    let (names, columns): (Vec<String>, Vec<Cells>) = columns.into_iter().unzip();
    let mut notes = Vec::new();
    let names = filled_names(names, &mut notes);
    let plan = Plan::new(name, names, options.target.as_ref(), options)?;
    let (mut outcome, mut beside) = plan.outcomes();
    let mut inputs = Columns::new(plan.inputs.len());
    let categories = plan.categories(options);
    let (mut words, mut declared) = (Words::default(), BTreeMap::new());
    for (cells, slot) in columns.into_iter().zip(&plan.slots) {
        if cells.len() != n_rows && !matches!(cells, Cells::Other(_)) {
            let found = format!("its columns have {} and {n_rows} rows", cells.len());
            return Err(Error::Shape {
                file: name.to_owned(),
                found,
                expected: "columns of the same length",
            });
        }
        match *slot {
            Slot::Skip => {}
            Slot::Input(input) => {
                declared.extend(cells.declared().map(|of| (input, of)));
                let is_category = categories.contains(&input) || matches!(cells, Cells::Category { .. });
                inputs.put(input, &cells.numbers(input, is_category, &mut words, n_rows));
            }
            Slot::Target => outcome = outcome.map(|column| cells.aside(name, column)).transpose()?,
            Slot::Beside(at) => beside[at] = cells.aside(name, std::mem::take(&mut beside[at]))?,
        }
    }
    let (file, values) = (name.to_owned(), inputs.into_values());
    Draft {
        file,
        names: plan.inputs,
        n_rows,
        values,
        words,
        declared,
        from_text: false,
        outcome,
        beside,
        notes,
    }
    .settle(options)
}

/// Builds a table from column-major numbers, where NaN is missing; every column is an input.
pub fn read_values(
    name: &str,
    names: Vec<String>,
    n_rows: usize,
    values: Vec<f64>,
    options: &ReadOptions,
) -> Result<Table, Error> {
    let mut notes = Vec::new();
    let names = filled_names(names, &mut notes);
    if values.len() != n_rows * names.len() {
        let found = format!("it has {} cells", values.len());
        return Err(Error::Shape { file: name.to_owned(), found, expected: "as many as rows times columns" });
    }
    let plan = Plan::new(name, names, None, &ReadOptions::default())?;
    Draft {
        file: name.to_owned(),
        names: plan.inputs,
        n_rows,
        values,
        words: Words::default(),
        declared: BTreeMap::new(),
        from_text: false,
        outcome: None,
        beside: Vec::new(),
        notes,
    }
    .settle(options)
}

impl Cells {
    /// The number of rows; 0 for columns that are neither numbers nor words.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(cells) | Self::Dates(cells) => cells.len(),
            Self::Words(cells) => cells.len(),
            Self::Category { codes, .. } => codes.len(),
            Self::Other(_) => 0,
        }
    }

    fn declared(&self) -> Option<Declared> {
        match self {
            Self::Numbers(_) | Self::Words(_) => None,
            Self::Category { ordered: false, .. } => Some(Declared::Category),
            Self::Category { levels, .. } => Some(Declared::Ordered(levels.clone())),
            Self::Dates(_) => Some(Declared::Dates),
            Self::Other(kind) => Some(Declared::Other(kind.clone())),
        }
    }

    /// The text of a row of words or of a category.
    fn text(&self, row: usize) -> Option<&str> {
        let text = match self {
            Self::Words(cells) => cells[row].as_deref(),
            Self::Category { levels, codes, .. } => {
                usize::try_from(codes[row]).ok().and_then(|at| levels.get(at)).map(String::as_str)
            }
            _ => None,
        };
        text.map(str::trim).filter(|text| !means_missing(text.as_bytes()))
    }

    /// The cells as numbers and words; texts that are numbers are numbers, except in a category.
    fn numbers(self, input: usize, is_category: bool, words: &mut Words, n_rows: usize) -> Vec<f64> {
        match self {
            Self::Numbers(cells) | Self::Dates(cells) => cells,
            Self::Other(_) => vec![f64::NAN; n_rows],
            of_words => {
                let cell = |row: usize| {
                    let Some(word) = of_words.text(row).map(str::as_bytes) else { return f64::NAN };
                    let number = finite_number(word).filter(|_| !is_category);
                    number.unwrap_or_else(|| words.cell(input, word, row + 1, || None))
                };
                (0..n_rows).map(cell).collect()
            }
        }
    }

    fn aside(self, file: &str, column: Outcome) -> Result<Outcome, Error> {
        match self {
            Self::Numbers(cells) | Self::Dates(cells) => Outcome::from_numbers(file, column.name, cells),
            Self::Other(kind) => Err(Error::NotNumeric { file: file.to_owned(), column: column.name, kind }),
            of_words => {
                let text = (0..of_words.len()).map(|row| of_words.text(row).map(str::to_owned)).collect();
                Ok(Outcome { text, ..column })
            }
        }
    }
}
