//! One error for everything that keeps a table from being read: columns that cannot be inputs, missing cells, and values of the
//! outcome. Whoever follows all its advice meets no second error of this kind. Cost: O(n p). Tested in `tests/first_contact.rs`.

use std::collections::BTreeMap;

use crate::draft::{Declared, Draft};
use crate::looks::Look;
use crate::outcome::shortest;
use crate::words::{Dictionary, code};
use crate::{Error, Missing, ReadOptions, Unusable};

impl Draft {
    /// Columns with an infinite cell; a text table has none, because there such a cell is a word.
    pub(crate) fn refuse_infinite(&self, bad: &mut BTreeMap<usize, Unusable>, options: &ReadOptions) {
        for input in 0..if self.from_text { 0 } else { self.names.len() } {
            let cells = self.cells(input);
            let Some(row) = cells.iter().position(|cell| cell.is_infinite()) else { continue };
            let looks =
                format!("has {} in row {}, which is not a finite number", shortest(cells[row]), row + 1);
            let leave_out = options.front.leave_out(&self.names[input]);
            let remedy = format!("put NaN where it means missing, or {leave_out}");
            bad.entry(input).or_insert(Unusable { column: self.names[input].clone(), looks, remedy });
        }
    }

    /// Columns without any value. Only `drop-columns` can do without them, and prediction, which has the means of the fit.
    pub(crate) fn refuse_empty(&self, bad: &mut BTreeMap<usize, Unusable>, options: &ReadOptions) {
        if options.missing == Missing::DropColumns || options.exactly.is_some() {
            return;
        }
        for input in 0..self.names.len() {
            let is_declared = matches!(self.declared.get(&input), Some(Declared::Other(_)));
            if !is_declared && self.cells(input).iter().all(|cell| cell.is_nan() && code(*cell).is_none()) {
                let (column, looks) =
                    (self.names[input].clone(), "is empty: every cell is missing".to_owned());
                bad.entry(input).or_insert(Unusable {
                    remedy: options.front.leave_out(&column),
                    column,
                    looks,
                });
            }
        }
    }

    /// The error with all columns in `bad`, and with missing cells and values of the outcome that would be refused next.
    pub(crate) fn refusal(
        &mut self,
        bad: BTreeMap<usize, Unusable>,
        dictionaries: &BTreeMap<usize, Dictionary>,
        looks: &BTreeMap<usize, Look>,
        of_outcome: Option<Error>,
        options: &ReadOptions,
    ) -> Error {
        // the table is refused, so its cells may be overwritten: only cells that stay missing after the advice are counted
        for &input in bad.keys() {
            let has_words = dictionaries.contains_key(&input);
            let is_left_out = looks.get(&input) == Some(&Look::Identifier)
                || matches!(self.declared.get(&input), Some(Declared::Other(_)))
                || (!has_words && self.cells(input).iter().all(|cell| cell.is_nan()));
            let cells = &mut self.values[input * self.n_rows..(input + 1) * self.n_rows];
            let is_value = |cell: &f64| is_left_out || (has_words && code(*cell).is_some());
            cells.iter_mut().filter(|cell| is_value(cell)).for_each(|cell| *cell = 0.0);
        }
        let of_cells = self.refuse_missing(options).err();
        let prefix = format!("{}: ", self.file);
        let told = |error: Error| {
            let text = error.to_string();
            text.strip_prefix(&prefix).unwrap_or(&text).to_owned()
        };
        Error::Unusable {
            file: self.file.clone(),
            columns: bad.into_values().collect(),
            also: of_outcome.into_iter().chain(of_cells).map(told).collect(),
        }
    }
}
