//! A table as read, before words and missing cells are processed, and the steps to the returned table:
//!
//! ```text
//! words -> numbers or categories (`interpret`) -> missing cells (`missing`) -> levels -> columns and groups (`layout`)
//! ```

use std::collections::BTreeMap;

use crate::interpret::Kind;
use crate::outcome::Outcome;
use crate::words::Words;
use crate::{Coding, Error, Missing, ReadOptions, Table, Target, category, layout};

/// A table as read.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) file: String,
    pub(crate) names: Vec<String>,
    pub(crate) n_rows: usize,
    /// The cells, column-major: numbers, missing (NaN), or words (see [`Words`]).
    pub(crate) values: Vec<f64>,
    pub(crate) words: Words,
    /// Inputs whose type is given by the file itself.
    pub(crate) declared: BTreeMap<usize, Declared>,
    /// Whether every number was read from a text.
    pub(crate) from_text: bool,
    /// The outcome, if there is one, and the additional columns.
    pub(crate) outcome: Option<Outcome>,
    pub(crate) beside: Vec<Outcome>,
    pub(crate) notes: Vec<String>,
}

/// The type of a column according to the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Declared {
    /// A category, by its type.
    Category,
    /// A category whose levels have this order.
    Ordered(Vec<String>),
    /// Days since 1970-01-01.
    Dates,
    /// Neither numbers nor words; described in words.
    Other(String),
}

impl Draft {
    pub(crate) fn settle(mut self, options: &ReadOptions) -> Result<Table, Error> {
        if self.n_rows == 0 {
            return Err(Error::NoRows { file: self.file });
        }
        let mut kinds = self.interpret(options)?;
        let rows = self.deal_with_missing(options, &mut kinds)?;
        let codings = match &options.exactly {
            Some(known) => known.iter().map(|known| known.coding.clone()).enumerate().collect(),
            None => self.codings(options, kinds),
        };
        let (names, groups) = layout::expand(&mut self.values, self.names, self.n_rows, &codings);
        Ok(Table {
            names,
            n_rows: self.n_rows,
            values: self.values,
            groups,
            target: self.outcome.map(Target::from),
            beside: self.beside.into_iter().map(Target::from).collect(),
            rows,
            notes: self.notes,
        })
    }

    /// The coding of every input that is not a plain number.
    fn codings(&mut self, options: &ReadOptions, kinds: BTreeMap<usize, Kind>) -> BTreeMap<usize, Coding> {
        let n = self.n_rows;
        let mut codings = BTreeMap::new();
        let mut told = Vec::new();
        for (input, kind) in kinds {
            let cells = &mut self.values[input * n..(input + 1) * n];
            let coding = match kind {
                Kind::WithIndicator { mean } => Coding::WithIndicator { mean },
                Kind::Ordered(levels) => {
                    let mean = crate::missing::observed_mean(cells).unwrap_or_default();
                    Coding::Ordered { levels, mean, mode: None }
                }
                Kind::Words(texts) => {
                    let category::Levels { mut levels, pooled } = category::pool(cells, &texts);
                    if options.missing == Missing::Indicator {
                        category::level_of_missing(cells, &mut levels);
                    }
                    told.push(format!("\"{}\" ({})", self.names[input], category::counted(levels.len())));
                    self.notes.extend(category::note_of_pooled(&self.names[input], &pooled));
                    let shares = category::shares(cells, levels.len());
                    if levels.len() < 2 {
                        cells.fill(0.0);
                        continue;
                    }
                    Coding::Category { levels, shares, mode: None }
                }
            };
            codings.insert(input, coding);
        }
        if !told.is_empty() {
            let columns = if told.len() == 1 { "column is" } else { "columns are" };
            let list = listed_plain(&told);
            self.notes.push(format!("{} {columns} read as a category: {list}", told.len()));
        }
        codings
    }

    /// The cells of one input.
    pub(crate) fn cells(&self, input: usize) -> &[f64] {
        &self.values[input * self.n_rows..(input + 1) * self.n_rows]
    }
}

/// The first of some phrases.
fn listed_plain(phrases: &[String]) -> String {
    const SHOWN: usize = 8;
    let rest = phrases.len().saturating_sub(SHOWN);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{}{more}", phrases.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", "))
}
