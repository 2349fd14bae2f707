//! Spreadsheets: the rows of one sheet, which `xlsx` or `ods` reads, become a table.
//!
//! The first row that is not a title has the names. Empty rows are skipped. A cell is a number, a truth value, a date or a
//! word; `#N/A` is missing. Rows are read one by one and counted before they are stored, so a sheet that claims to be larger
//! than it is costs nothing. Tested in `tests/spreadsheets.rs` and `tests/memory.rs`.

use std::collections::BTreeMap;

use calamine::{CellErrorType, Data};

use crate::blocks::Rows;
use crate::commas;
use crate::draft::Draft;
use crate::memory::Room;
use crate::options::nearest;
use crate::outcome::{Outcome, shortest};
use crate::plan::{Plan, Slot, filled_names, numbered_names};
use crate::text::note_of_title;
use crate::words::{Words, means_missing};
use crate::{ColumnRef, Error, ReadOptions, Table};

/// Number of rows inspected to find the names.
const HEAD: usize = 8;

/// The filled cells of one row: its number in the sheet, from 1, and column and value of each cell.
pub(crate) type Row = (usize, Vec<(usize, Data)>);

/// A row may take this part of the memory bound: the first rows are stored until the names are found.
const ROWS_KEPT: u64 = 2 * HEAD as u64;

/// The largest number of bytes of the cells of a row.
pub(crate) fn row_bound(room: &Room) -> u64 {
    room.limit() / ROWS_KEPT
}

/// Bytes of a cell while its row is read.
pub(crate) fn bytes_of_cell(cell: &Data) -> u64 {
    let letters = match cell {
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => text.len(),
        _ => 0,
    };
    (size_of::<(usize, Data)>() + letters) as u64
}

pub(crate) fn is_filled(cell: &Data) -> bool {
    match cell {
        Data::Empty => false,
        Data::String(text) => !text.trim().is_empty(),
        _ => true,
    }
}

/// The requested sheet, or the first.
pub(crate) fn choose(
    file: &str,
    sheets: Vec<String>,
    options: &ReadOptions,
) -> Result<(String, Vec<String>), Error> {
    if let Some(wanted) = &options.sheet {
        if sheets.contains(wanted) {
            return Ok((wanted.clone(), Vec::new()));
        }
        let nearest = nearest(wanted, &sheets);
        return Err(Error::NoSuchSheet { file: file.to_owned(), wanted: wanted.clone(), sheets, nearest });
    }
    let Some(first) = sheets.first().cloned() else { return Err(Error::Empty { file: file.to_owned() }) };
    let others = sheets.len() - 1;
    let note = format!("the sheet \"{first}\" is read, not the {others} others; --sheet NAME reads another");
    Ok((first, if others > 0 { vec![note] } else { Vec::new() }))
}

/// Builds the table from the rows of a sheet.
pub(crate) fn table(
    file: &str,
    rows: impl Iterator<Item = Result<Row, Error>>,
    options: &ReadOptions,
    mut notes: Vec<String>,
) -> Result<Table, Error> {
    let mut rows = rows.fuse().filter(|row| row.as_ref().map_or(true, |(_, cells)| !cells.is_empty()));
    let mut head = rows.by_ref().take(HEAD).collect::<Result<Vec<Row>, Error>>()?;
    let titles = if options.header { titles(&head) } else { 0 };
    notes.extend(head.drain(..titles).map(|(_, cells)| note_of_title(&text_of(&cells[0].1))));
    let Some((_, first)) = head.first() else { return Err(Error::Empty { file: file.to_owned() }) };
    // a table may begin at any column of the sheet
    let left = first.iter().map(|(column, _)| *column).min().unwrap_or(0);
    let width = first.iter().map(|(column, _)| column + 1 - left).max().unwrap_or(0);
    let mut room = Room::new(file, options);
    room.take_columns(width, first.iter().map(|(_, cell)| bytes_of_cell(cell) as usize).sum())?;
    let names = if options.header {
        let mut names = vec![String::new(); width];
        for (column, cell) in head.remove(0).1 {
            names[column - left] = text_of(&cell).trim().to_owned();
        }
        filled_names(names, &mut notes)
    } else {
        numbered_names(width)
    };
    let all = || head.iter().cloned().map(Ok);
    let plan = match Plan::new(file, names, options.target.as_ref(), options) {
        Err(error @ Error::NoSuchColumn { .. }) => {
            return Err(or_transposed(file, all().chain(rows), left, options, error)?);
        }
        plan => plan?,
    };
    let mut sheet = Sheet { file, options, plan, words: Words::default(), left };
    let (mut outcome, mut beside) = sheet.plan.outcomes();
    let mut filled = Rows::new(sheet.plan.inputs.len());
    for row in all().chain(rows) {
        let row = row?;
        let number = filled.n_rows() + 1;
        room.take_cells(1, sheet.plan.inputs.len())?;
        filled.push(|places| sheet.parse(&row, number, places, outcome.as_mut(), &mut beside))?;
        for column in outcome.iter().chain(&beside) {
            room.take_text(column.text.last().and_then(Option::as_ref).map_or(0, String::len))?;
        }
    }
    let n_rows = filled.n_rows();
    Draft {
        file: file.to_owned(),
        names: sheet.plan.inputs,
        n_rows,
        values: filled.into_columns(),
        words: sheet.words,
        declared: BTreeMap::new(),
        from_text: false,
        outcome,
        beside,
        notes,
    }
    .settle(options)
}

/// Number of title rows above the names: a title has one cell, the row of names has several words, and the row below it
/// differs.
fn titles(head: &[Row]) -> usize {
    let above = head.iter().take_while(|(_, cells)| cells.len() == 1).count();
    let is_word = |cell: &Data| matches!(cell, Data::String(text) if text.trim().parse::<f64>().is_err());
    let names = head.get(above).is_some_and(|(_, cells)| cells.iter().all(|(_, cell)| is_word(cell)));
    let below = head.get(above + 1).is_some_and(|(_, cells)| cells.iter().any(|(_, cell)| !is_word(cell)));
    if names && below { above } else { 0 }
}

fn or_transposed(
    file: &str,
    rows: impl Iterator<Item = Result<Row, Error>>,
    left: usize,
    options: &ReadOptions,
    error: Error,
) -> Result<Error, Error> {
    let Some(ColumnRef(wanted)) = &options.target else { return Ok(error) };
    for (at, row) in rows.enumerate() {
        let (_, cells) = row?;
        if cells.iter().any(|(column, cell)| *column == left && text_of(cell).trim() == wanted) {
            return Ok(Error::Transposed { file: file.to_owned(), wanted: wanted.clone(), row: at + 1 });
        }
    }
    Ok(error)
}

struct Sheet<'a> {
    file: &'a str,
    options: &'a ReadOptions,
    plan: Plan,
    words: Words,
    left: usize,
}

impl Sheet<'_> {
    /// Adds the cells of one row; absent cells are missing.
    fn parse(
        &mut self,
        (line, cells): &Row,
        row: usize,
        places: &mut [f64],
        mut outcome: Option<&mut Outcome>,
        beside: &mut [Outcome],
    ) -> Result<(), Error> {
        outcome.iter_mut().for_each(|column| column.text.push(None));
        beside.iter_mut().for_each(|column| column.text.push(None));
        for (column, cell) in cells {
            let slot = column.checked_sub(self.left).and_then(|at| self.plan.slots.get(at));
            let Some(slot) = slot else { return Err(self.outside(*line, row, cells)) };
            let text = || Some(text_of(cell)).filter(|text| !self.is_missing(text));
            match *slot {
                Slot::Skip => {}
                Slot::Input(input) => places[input] = self.number(cell, input, row, *line),
                Slot::Target => {
                    if let Some(last) = outcome.as_mut().and_then(|column| column.text.last_mut()) {
                        *last = text();
                    }
                }
                Slot::Beside(at) => {
                    if let Some(last) = beside[at].text.last_mut() {
                        *last = text();
                    }
                }
            }
        }
        Ok(())
    }

    fn number(&mut self, cell: &Data, input: usize, row: usize, line: usize) -> f64 {
        let number = match cell {
            Data::Int(value) => Some(*value as f64),
            Data::Float(value) => Some(*value),
            Data::DateTime(time) if time.is_duration() => Some(time.as_f64()),
            Data::String(text) => match self.options.decimal {
                Some(decimal) => commas::parse(text.trim(), decimal),
                None => fast_float2::parse(text.trim()).ok(),
            },
            _ => None,
        };
        if !self.options.missing_markers.is_empty() && self.is_missing(&text_of(cell)) {
            return f64::NAN;
        }
        if let Some(value) = number.filter(|value| value.is_finite()) {
            return value;
        }
        let text = text_of(cell);
        if self.is_missing(&text) {
            return f64::NAN;
        }
        self.words.cell(input, text.trim().as_bytes(), row, || u64::try_from(line).ok())
    }

    fn is_missing(&self, text: &str) -> bool {
        let text = text.trim();
        means_missing(text.as_bytes())
            || self.options.missing_markers.iter().any(|marker| marker.trim() == text)
    }

    fn outside(&self, line: usize, row: usize, cells: &[(usize, Data)]) -> Error {
        let last = cells.iter().map(|(column, _)| column + 1).max().unwrap_or(0);
        Error::WrongLength {
            file: self.file.to_owned(),
            row,
            line: u64::try_from(line).ok(),
            found: last.saturating_sub(self.left.min(last)),
            expected: self.plan.slots.len(),
            remedy: "name every column of the sheet, and keep notes outside of the table on another sheet",
        }
    }
}

/// A cell as text.
fn text_of(cell: &Data) -> String {
    match cell {
        Data::Int(value) => value.to_string(),
        Data::Float(value) => shortest(*value),
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => text.trim().to_owned(),
        Data::Bool(value) => value.to_string(),
        Data::DateTime(time) if time.is_duration() => shortest(time.as_f64()),
        Data::DateTime(time) => {
            let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
            let date = format!("{year:04}-{month:02}-{day:02}");
            if (hour, minute, second) == (0, 0, 0) {
                date
            } else {
                format!("{date} {hour:02}:{minute:02}:{second:02}")
            }
        }
        Data::Error(CellErrorType::NA) => "NA".to_owned(),
        Data::Error(error) => error.to_string(),
        Data::Empty => String::new(),
    }
}
