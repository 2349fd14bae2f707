//! The rules for missing cells, which are NaN until here.
//!
//! `mean` puts, in column j, the mean of its observed cells; `drop-rows` keeps the rows, and `drop-columns`
//! the inputs, that are whole. Cost: O(n p), in place. Tested in `tests/missing_cells.rs`.

use crate::error::listed;
use crate::outcome::Outcome;
use crate::{Error, Missing, ReadOptions, Table, Target};

/// A table as read, before its missing cells are dealt with.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) file: String,
    pub(crate) names: Vec<String>,
    pub(crate) n_rows: usize,
    pub(crate) values: Vec<f64>,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) notes: Vec<String>,
}

impl Draft {
    pub(crate) fn settle(mut self, options: &ReadOptions) -> Result<Table, Error> {
        if self.n_rows == 0 {
            return Err(Error::NoRows { file: self.file });
        }
        if options.missing != Missing::DropRows {
            self.refuse_missing_outcome()?;
        }
        let mut rows: Vec<usize> = (1..=self.n_rows).collect();
        match options.missing {
            Missing::Error => self.refuse_missing_cells("mean, drop-rows or drop-columns")?,
            Missing::Mean => self.fill_with_means()?,
            Missing::DropRows => rows = self.drop_rows()?,
            // the inputs are fixed beforehand: leaving some out would make another table than the one asked
            // for
            Missing::DropColumns if options.only.is_some() => {
                self.refuse_missing_cells("mean or drop-rows")?
            }
            Missing::DropColumns => self.drop_columns()?,
        }
        let target = self.outcome.map(|outcome| Target {
            name: outcome.name,
            text: outcome.text.into_iter().map(Option::unwrap_or_default).collect(),
            numbers: outcome.numbers,
        });
        Ok(Table {
            names: self.names,
            n_rows: self.n_rows,
            values: self.values,
            target,
            rows,
            notes: self.notes,
        })
    }

    fn refuse_missing_outcome(&self) -> Result<(), Error> {
        let Some(outcome) = &self.outcome else { return Ok(()) };
        let Some(first) = outcome.text.iter().position(Option::is_none) else { return Ok(()) };
        let count = outcome.text.iter().filter(|text| text.is_none()).count();
        Err(Error::MissingTarget {
            file: self.file.clone(),
            count,
            row: first + 1,
            column: outcome.name.clone(),
        })
    }

    fn refuse_missing_cells(&self, remedy: &'static str) -> Result<(), Error> {
        let mut count = 0;
        let mut first: Option<(usize, usize)> = None;
        for (column, cells) in self.values.chunks_exact(self.n_rows).enumerate() {
            let Some(row) = cells.iter().position(|cell| cell.is_nan()) else { continue };
            count += cells.iter().filter(|cell| cell.is_nan()).count();
            if first.is_none_or(|(earliest, _)| row < earliest) {
                first = Some((row, column));
            }
        }
        let Some((row, column)) = first else { return Ok(()) };
        let (file, column) = (self.file.clone(), self.names[column].clone());
        Err(Error::MissingCells { file, count, row: row + 1, column, remedy })
    }

    fn fill_with_means(&mut self) -> Result<(), Error> {
        let (mut cells_filled, mut columns) = (0, Vec::new());
        for (column, cells) in self.values.chunks_exact_mut(self.n_rows).enumerate() {
            let missing = cells.iter().filter(|cell| cell.is_nan()).count();
            if missing == 0 {
                continue;
            }
            let name = &self.names[column];
            let Some(mean) = observed_mean(cells) else {
                return Err(Error::EmptyColumn { file: self.file.clone(), column: name.clone() });
            };
            cells.iter_mut().filter(|cell| cell.is_nan()).for_each(|cell| *cell = mean);
            cells_filled += missing;
            columns.push(name);
        }
        if cells_filled > 0 {
            let list = listed(&columns, columns.len());
            self.notes.push(format!(
                "{cells_filled} missing cells filled with the mean of their column, in {} columns: {list}",
                columns.len()
            ));
        }
        Ok(())
    }

    fn drop_rows(&mut self) -> Result<Vec<usize>, Error> {
        let n = self.n_rows;
        let mut whole = vec![true; n];
        if let Some(outcome) = &self.outcome {
            whole.iter_mut().zip(&outcome.text).for_each(|(whole, text)| *whole = text.is_some());
        }
        for cells in self.values.chunks_exact(n) {
            whole.iter_mut().zip(cells).for_each(|(whole, cell)| *whole &= !cell.is_nan());
        }
        let rows: Vec<usize> = (1..=n).filter(|&row| whole[row - 1]).collect();
        if rows.is_empty() {
            return Err(Error::NoRowsLeft { file: self.file.clone(), rows: n });
        }
        if rows.len() < n {
            let mut cell = 0;
            self.values.retain(|_| {
                cell += 1;
                whole[(cell - 1) % n]
            });
            if let Some(outcome) = &mut self.outcome {
                keep(&mut outcome.text, &whole);
                if let Some(numbers) = &mut outcome.numbers {
                    keep(numbers, &whole);
                }
            }
            self.n_rows = rows.len();
            self.notes.push(format!("{} of {n} rows dropped because a cell is missing", n - rows.len()));
        }
        Ok(rows)
    }

    fn drop_columns(&mut self) -> Result<(), Error> {
        let n = self.n_rows;
        let whole: Vec<bool> =
            self.values.chunks_exact(n).map(|cells| !cells.iter().any(|c| c.is_nan())).collect();
        let dropped: Vec<&String> =
            self.names.iter().zip(&whole).filter(|(_, w)| !**w).map(|(name, _)| name).collect();
        if dropped.is_empty() {
            return Ok(());
        }
        if dropped.len() == self.names.len() {
            return Err(Error::NoColumnsLeft { file: self.file.clone(), columns: dropped.len() });
        }
        let list = listed(&dropped, dropped.len());
        self.notes.push(format!(
            "{} of {} inputs dropped because a cell is missing: {list}",
            dropped.len(),
            self.names.len()
        ));
        let mut kept = 0;
        for (column, _) in whole.iter().enumerate().filter(|(_, whole)| **whole) {
            self.values.copy_within(column * n..(column + 1) * n, kept * n);
            kept += 1;
        }
        self.values.truncate(kept * n);
        keep(&mut self.names, &whole);
        Ok(())
    }
}

/// Mean of the cells that are not NaN.
fn observed_mean(cells: &[f64]) -> Option<f64> {
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
