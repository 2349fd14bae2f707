//! The rules for missing cells, which are NaN until here.
//!
//! `mean` fills a missing cell with the mean of the observed cells of its column, in a category with the share of each level.
//! `indicator` does the same and adds a column that marks the missing cells. `drop-rows` keeps the rows without missing cells,
//! `drop-columns` the inputs without. For prediction, the mean is that of the fit. Cost: O(n p), in place. Tested in
//! `tests/missing_cells.rs`.

use std::collections::BTreeMap;

use needlenet::plural;

use crate::draft::Draft;
use crate::error::listed;
use crate::interpret::Kind;
use crate::looks::RARE;
use crate::{Coding, Error, Known, Missing, ReadOptions};

impl Draft {
    /// Applies the rule; returns the numbers, from 1, of the rows that are kept.
    pub(crate) fn deal_with_missing(
        &mut self,
        options: &ReadOptions,
        kinds: &mut BTreeMap<usize, Kind>,
    ) -> Result<Vec<usize>, Error> {
        self.refuse_missing(options)?;
        let mut rows: Vec<usize> = (1..=self.n_rows).collect();
        match (options.missing, options.exactly.as_deref()) {
            (Missing::Error, _) | (Missing::DropColumns, Some(_)) => {}
            (Missing::Mean | Missing::Indicator, Some(known)) => self.note_known(known),
            (Missing::Mean, None) => self.fill_with_means(kinds, false),
            (Missing::Indicator, None) => self.fill_with_means(kinds, true),
            (Missing::DropRows, _) => rows = self.drop_rows(options)?,
            (Missing::DropColumns, None) => self.drop_columns(options, kinds)?,
        }
        Ok(rows)
    }

    /// Refuses missing values of the outcome and missing cells that the rule does not deal with.
    pub(crate) fn refuse_missing(&self, options: &ReadOptions) -> Result<(), Error> {
        if options.missing != Missing::DropRows {
            self.refuse_missing_outcome(options)?;
        }
        match (options.missing, options.exactly.as_deref()) {
            (Missing::Error, None) => self.refuse_missing_cells(options, &self.possible_rules(), |_| true),
            // the inputs are fixed: leaving some out would give another table than the requested one
            (Missing::Error | Missing::DropColumns, Some(known)) => {
                let unmarked = |input: usize| !marks_missing(&known[input]);
                self.refuse_missing_cells(options, &[Missing::Mean, Missing::DropRows], unmarked)
            }
            _ => Ok(()),
        }
    }

    /// The rules for missing cells that leave a table.
    fn possible_rules(&self) -> Vec<Missing> {
        let mut rules = vec![Missing::Mean, Missing::Indicator];
        let is_whole = |cells: &[f64]| !cells.iter().any(|cell| cell.is_nan());
        rules.extend(self.whole_rows().contains(&true).then_some(Missing::DropRows));
        let some_column = self.values.chunks_exact(self.n_rows).any(is_whole);
        rules.extend(some_column.then_some(Missing::DropColumns));
        rules
    }

    /// Which rows have no missing value, of the outcome and of the inputs.
    fn whole_rows(&self) -> Vec<bool> {
        let mut whole = vec![true; self.n_rows];
        for column in self.outcome.iter().chain(&self.beside) {
            whole.iter_mut().zip(&column.text).for_each(|(whole, text)| *whole &= text.is_some());
        }
        for cells in self.values.chunks_exact(self.n_rows) {
            whole.iter_mut().zip(cells).for_each(|(whole, cell)| *whole &= !cell.is_nan());
        }
        whole
    }

    fn refuse_missing_outcome(&self, options: &ReadOptions) -> Result<(), Error> {
        for (at, column) in self.outcome.iter().chain(&self.beside).enumerate() {
            let Some(first) = column.text.iter().position(Option::is_none) else { continue };
            return Err(Error::MissingTarget {
                file: self.file.clone(),
                count: column.text.iter().filter(|text| text.is_none()).count(),
                what: if at == 0 && self.outcome.is_some() { "the outcome" } else { "the column" },
                row: first + 1,
                column: column.name.clone(),
                remedy: self.remedy_of_outcome(options),
            });
        }
        Ok(())
    }

    /// What to do about rows without outcome: a row cannot be left out and another filled in one go.
    fn remedy_of_outcome(&self, options: &ReadOptions) -> String {
        let cells = self.values.iter().filter(|cell| cell.is_nan()).count();
        let kept = self.whole_rows().iter().filter(|whole| **whole).count();
        let drop_rows = options.front.missing(&[Missing::DropRows]);
        if cells == 0 {
            return format!("{drop_rows}, or clean the table");
        }
        let others: Vec<Missing> =
            self.possible_rules().into_iter().filter(|rule| *rule != Missing::DropRows).collect();
        let fill = format!("remove the rows without this value and {}", options.front.missing(&others));
        let also = format!(
            "{} of the inputs {} missing too",
            plural(cells, "cell"),
            if cells == 1 { "is" } else { "are" }
        );
        match kept {
            0 => format!("{also}, in every row that has one: {fill}"),
            _ => format!("{also}: {drop_rows}, which keeps {kept} of {} rows, or {fill}", self.n_rows),
        }
    }

    fn refuse_missing_cells(
        &self,
        options: &ReadOptions,
        rules: &[Missing],
        refused: impl Fn(usize) -> bool,
    ) -> Result<(), Error> {
        let mut count = 0;
        let mut first: Option<(usize, usize)> = None;
        for (column, cells) in
            self.values.chunks_exact(self.n_rows).enumerate().filter(|(at, _)| refused(*at))
        {
            let Some(row) = cells.iter().position(|cell| cell.is_nan()) else { continue };
            count += cells.iter().filter(|cell| cell.is_nan()).count();
            if first.is_none_or(|(earliest, _)| row < earliest) {
                first = Some((row, column));
            }
        }
        let Some((row, column)) = first else { return Ok(()) };
        let (file, column, remedy) =
            (self.file.clone(), self.names[column].clone(), options.front.missing(rules));
        Err(Error::MissingCells { file, count, row: row + 1, column, remedy })
    }

    /// Fills numbers; categories are filled later, when their shares are known.
    fn fill_with_means(&mut self, kinds: &mut BTreeMap<usize, Kind>, with_indicator: bool) {
        let (mut filled, mut columns, mut marked) = (0, Vec::new(), Vec::new());
        for (column, cells) in self.values.chunks_exact_mut(self.n_rows).enumerate() {
            let missing = cells.iter().filter(|cell| cell.is_nan()).count();
            if missing == 0 {
                continue;
            }
            let name = &self.names[column];
            // a column without any value was refused before
            let mean = observed_mean(cells).unwrap_or_default();
            let is_words = matches!(kinds.get(&column), Some(Kind::Words(_)));
            if with_indicator && missing >= RARE && !matches!(kinds.get(&column), Some(Kind::Ordered(_))) {
                marked.push(name);
                if !is_words {
                    kinds.insert(column, Kind::WithIndicator { mean });
                }
                continue;
            }
            filled += missing;
            columns.push(name);
            if !kinds.contains_key(&column) {
                cells.iter_mut().filter(|cell| cell.is_nan()).for_each(|cell| *cell = mean);
            }
        }
        if !marked.is_empty() {
            self.notes.push(format!(
                "missing cells are filled with the column mean, and marked, in {}: {}",
                plural(marked.len(), "column"),
                listed(&marked, marked.len())
            ));
        }
        if filled > 0 {
            let few = if with_indicator {
                format!(" (fewer than {RARE} in each are not marked)")
            } else {
                String::new()
            };
            self.notes.push(format!(
                "{} filled with the column mean, in {}: {}{few}",
                plural(filled, "missing cell"),
                plural(columns.len(), "column"),
                listed(&columns, columns.len())
            ));
        }
    }

    /// The layout fills the missing cells of inputs of a model; here the user is told.
    fn note_known(&mut self, known: &[Known]) {
        let missing = |input: usize| self.cells(input).iter().filter(|cell| cell.is_nan()).count();
        let counts: Vec<(usize, &str)> = (0..known.len())
            .map(|input| (missing(input), known[input].name.as_str()))
            .filter(|(count, _)| *count > 0)
            .collect();
        if counts.is_empty() {
            return;
        }
        let names: Vec<&str> = counts.iter().map(|(_, name)| *name).collect();
        self.notes.push(format!(
            "{} filled with the column mean of the fit, in {}: {}",
            plural(counts.iter().map(|(count, _)| count).sum::<usize>(), "missing cell"),
            plural(names.len(), "column"),
            listed(&names, names.len())
        ));
    }

    fn drop_rows(&mut self, options: &ReadOptions) -> Result<Vec<usize>, Error> {
        let n = self.n_rows;
        let whole = self.whole_rows();
        let rows: Vec<usize> = (1..=n).filter(|&row| whole[row - 1]).collect();
        if rows.is_empty() {
            let remedy = options.front.missing(&[Missing::Mean, Missing::Indicator, Missing::DropColumns]);
            return Err(Error::NoRowsLeft { file: self.file.clone(), rows: n, remedy });
        }
        if rows.len() < n {
            let mut cell = 0;
            self.values.retain(|_| {
                cell += 1;
                whole[(cell - 1) % n]
            });
            for column in self.outcome.iter_mut().chain(&mut self.beside) {
                keep(&mut column.text, &whole);
                if let Some(numbers) = &mut column.numbers {
                    keep(numbers, &whole);
                }
            }
            self.n_rows = rows.len();
            self.notes.push(format!("{} of {n} rows dropped because a cell is missing", n - rows.len()));
        }
        Ok(rows)
    }

    fn drop_columns(
        &mut self,
        options: &ReadOptions,
        kinds: &mut BTreeMap<usize, Kind>,
    ) -> Result<(), Error> {
        let n = self.n_rows;
        let whole: Vec<bool> =
            self.values.chunks_exact(n).map(|cells| !cells.iter().any(|c| c.is_nan())).collect();
        let dropped: Vec<&String> =
            self.names.iter().zip(&whole).filter(|(_, w)| !**w).map(|(name, _)| name).collect();
        if dropped.is_empty() {
            return Ok(());
        }
        if dropped.len() == self.names.len() {
            let remedy = options.front.missing(&[Missing::Mean, Missing::Indicator, Missing::DropRows]);
            return Err(Error::NoColumnsLeft { file: self.file.clone(), columns: dropped.len(), remedy });
        }
        let list = listed(&dropped, dropped.len());
        self.notes.push(format!(
            "{} of {} inputs dropped because a cell is missing: {list}",
            dropped.len(),
            self.names.len()
        ));
        let mut kept = 0;
        let mut old = std::mem::take(kinds);
        for (column, _) in whole.iter().enumerate().filter(|(_, whole)| **whole) {
            self.values.copy_within(column * n..(column + 1) * n, kept * n);
            kinds.extend(old.remove(&column).map(|kind| (kept, kind)));
            kept += 1;
        }
        self.values.truncate(kept * n);
        keep(&mut self.names, &whole);
        Ok(())
    }
}

/// Whether a model has an indicator for the missing cells of an input.
fn marks_missing(known: &Known) -> bool {
    match &known.coding {
        Coding::WithIndicator { .. } => true,
        Coding::Category { levels, .. } => levels.iter().any(|level| level == crate::MISSING_LEVEL),
        Coding::Number { .. } | Coding::Ordered { .. } => false,
    }
}

/// Mean of the cells that are not NaN.
pub(crate) fn observed_mean(cells: &[f64]) -> Option<f64> {
    let observed = || cells.iter().filter(|cell| !cell.is_nan());
    let count = observed().count();
    if count == 0 {
        return None;
    }
    let mean = observed().sum::<f64>() / count as f64;
    // the sum of huge numbers may overflow although their mean does not
    Some(if mean.is_finite() { mean } else { observed().map(|cell| cell / count as f64).sum() })
}

fn keep<T>(items: &mut Vec<T>, whole: &[bool]) {
    let mut index = 0;
    items.retain(|_| {
        index += 1;
        whole[index - 1]
    });
}
