//! Text tables: CSV and TSV, read record by record.
//!
//! Cells are parsed from the bytes of the record directly into a block of rows; strings are only made for the
//! outcome. Cost: O(bytes). Tested in `tests/text_tables.rs` and `tests/round_trip.rs`.

use std::collections::BTreeMap;
use std::io::{Cursor, ErrorKind, Read};

use csv::{ByteRecord, Reader, ReaderBuilder};

use crate::blocks::Rows;
use crate::commas;
use crate::delimiter::{Head, LineEnd};
use crate::draft::Draft;
use crate::error::shown;
use crate::memory::{Lines, Room};
use crate::outcome::Outcome;
use crate::plan::{Plan, Slot, filled_names, numbered_names};
use crate::source::read_error;
use crate::words::{Words, means_missing};
use crate::{ColumnRef, Decimal, Error, Format, ReadOptions, Table};

pub(crate) fn read(file: &str, mut input: impl Read, options: &ReadOptions) -> Result<Table, Error> {
    let mut head = Head::read(&mut input).map_err(|source| read_error(file, source))?;
    head.check(file)?;
    let delimiter = match (options.delimiter, options.format) {
        (Some(delimiter), _) => delimiter,
        (None, Some(Format::Tsv)) => b'\t',
        _ => head.delimiter(file),
    };
    let titles = if options.header { head.titles(delimiter) } else { 0 };
    let mut decimal = options.decimal;
    let mut notes = Vec::new();
    if let Some(found) = head.decimal(delimiter).filter(|_| decimal.is_none()) {
        decimal = Some(found);
        notes.push(note_of_decimal(found));
    }
    let options = &ReadOptions { decimal, ..options.clone() };
    let start = Cursor::new(std::mem::take(&mut head.bytes));
    let reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .buffer_capacity(1 << 16)
        .from_reader(Lines::new(start.chain(input), Room::new(file, options).longest_line()));
    let line_end = head.line_end;
    Text { file, options, reader, line_end, record: ByteRecord::new(), row: 0 }.read(titles, notes)
}

struct Text<'a, R> {
    file: &'a str,
    options: &'a ReadOptions,
    reader: Reader<Lines<R>>,
    line_end: LineEnd,
    record: ByteRecord,
    /// The data row in `record`, counted from 1.
    row: usize,
}

impl<R: Read> Text<'_, R> {
    fn read(mut self, titles: usize, mut notes: Vec<String>) -> Result<Table, Error> {
        for _ in 0..titles {
            self.next_record(usize::MAX)?;
            let title = self.record.iter().map(<[u8]>::trim_ascii).find(|cell| !cell.is_empty());
            notes.extend(title.map(|title| note_of_title(&shown(title))));
        }
        if !self.next_record(usize::MAX)? {
            return Err(Error::Empty { file: self.file.to_owned() });
        }
        let width = self.record.len();
        let mut room = Room::new(self.file, self.options);
        room.take_columns(width, self.record.as_slice().len())?;
        let names = if self.options.header {
            filled_names(self.header()?, &mut notes)
        } else {
            numbered_names(width)
        };
        let plan = match Plan::new(self.file, names, self.options.target.as_ref(), self.options) {
            Err(error @ Error::NoSuchColumn { .. }) => return Err(self.or_transposed(error)?),
            plan => plan?,
        };
        let mut rows = Rows::new(plan.inputs.len());
        let mut words = Words::default();
        let (mut outcome, mut beside) = plan.outcomes();
        let mut in_hand = !self.options.header;
        while in_hand || self.next_record(width)? {
            in_hand = false;
            self.row += 1;
            if self.record.len() != width {
                return Err(self.wrong_length(width));
            }
            room.take_cells(1, plan.inputs.len())?;
            rows.push(|row| {
                self.parse_row(&plan, row, &mut words, outcome.as_mut(), &mut beside);
                Ok::<(), Error>(())
            })?;
            for column in outcome.iter().chain(&beside) {
                if let Some(Some(text)) = column.text.last() {
                    room.take_text(text.len())?;
                }
            }
        }
        let n_rows = rows.n_rows();
        Draft {
            file: self.file.to_owned(),
            names: plan.inputs,
            n_rows,
            values: rows.into_columns(),
            words,
            declared: BTreeMap::new(),
            from_text: true,
            outcome,
            beside,
            notes,
        }
        .settle(self.options)
    }

    /// The error for a missing outcome; another one if its name is in the first column.
    #[cold]
    fn or_transposed(mut self, error: Error) -> Result<Error, Error> {
        let Some(ColumnRef(wanted)) = &self.options.target else { return Ok(error) };
        let mut row = 0;
        while self.next_record(usize::MAX)? {
            row += 1;
            if self.record.get(0).is_some_and(|cell| cell.trim_ascii() == wanted.as_bytes()) {
                return Ok(Error::Transposed { file: self.file.to_owned(), wanted: wanted.clone(), row });
            }
        }
        Ok(error)
    }

    /// The next record that is not blank.
    fn next_record(&mut self, width: usize) -> Result<bool, Error> {
        loop {
            let found =
                self.reader.read_byte_record(&mut self.record).map_err(|error| match error.into_kind() {
                    csv::ErrorKind::Io(source) if source.kind() == ErrorKind::FileTooLarge => {
                        Room::new(self.file, self.options).too_large()
                    }
                    csv::ErrorKind::Io(source) => read_error(self.file, source),
                    other => Error::NotATable { file: self.file.to_owned(), reason: format!("{other:?}") },
                })?;
            self.reader.get_mut().next_line();
            let blank = width != 1 && self.record.len() == 1 && self.record[0].trim_ascii().is_empty();
            if !(found && blank) {
                return Ok(found);
            }
        }
    }

    fn header(&self) -> Result<Vec<String>, Error> {
        let name = |(column, bytes): (usize, &[u8])| match std::str::from_utf8(bytes) {
            Ok(name) => Ok(name.trim().to_owned()),
            Err(_) => {
                Err(Error::Encoding { file: self.file.to_owned(), column: column + 1, text: shown(bytes) })
            }
        };
        self.record.iter().enumerate().map(name).collect()
    }

    fn parse_row(
        &self,
        plan: &Plan,
        row: &mut [f64],
        words: &mut Words,
        mut outcome: Option<&mut Outcome>,
        beside: &mut [Outcome],
    ) {
        for (cell, slot) in self.record.iter().zip(&plan.slots) {
            match (*slot, &mut outcome) {
                (Slot::Input(input), _) => row[input] = self.parse_cell(cell, input, words),
                (Slot::Target, Some(outcome)) => self.push_text(cell, outcome),
                (Slot::Beside(at), _) => self.push_text(cell, &mut beside[at]),
                _ => {}
            }
        }
    }

    fn push_text(&self, cell: &[u8], column: &mut Outcome) {
        let cell = cell.trim_ascii();
        let text = String::from_utf8_lossy(cell).into_owned();
        column.text.push((!self.is_missing(cell)).then_some(text));
    }

    /// The cell as a number, a missing cell or a word.
    #[inline]
    fn parse_cell(&self, cell: &[u8], input: usize, words: &mut Words) -> f64 {
        let cell = cell.trim_ascii();
        // a marker of missing cells may look like a number: -999
        if self.is_marker(cell) {
            return f64::NAN;
        }
        if self.options.decimal.is_some() {
            return self.parse_with_commas(cell, input, words);
        }
        match fast_float2::parse::<f64, _>(cell) {
            Ok(value) if value.is_finite() => value,
            _ => self.word(cell, input, words),
        }
    }

    /// The same with a given decimal mark.
    fn parse_with_commas(&self, cell: &[u8], input: usize, words: &mut Words) -> f64 {
        let decimal = self.options.decimal.unwrap_or(Decimal::Point);
        let number = std::str::from_utf8(cell).ok().and_then(|text| commas::parse(text, decimal));
        number.unwrap_or_else(|| self.word(cell, input, words))
    }

    fn word(&self, cell: &[u8], input: usize, words: &mut Words) -> f64 {
        if means_missing(cell) { f64::NAN } else { words.cell(input, cell, self.row, || self.line()) }
    }

    #[inline]
    fn is_marker(&self, cell: &[u8]) -> bool {
        self.options.missing_markers.iter().any(|marker| marker.trim().as_bytes() == cell)
    }

    fn is_missing(&self, cell: &[u8]) -> bool {
        means_missing(cell) || self.is_marker(cell)
    }

    #[cold]
    fn wrong_length(&self, expected: usize) -> Error {
        let found = self.record.len();
        let remedy = if self.row == 1 && found == expected + 1 && self.options.header {
            "name every column in the header, also that of the row names"
        } else if expected == 1 || found == 1 {
            "check the separator (--delimiter), or mend the row"
        } else {
            "mend the row, and put quotes around cells that contain the separator"
        };
        Error::WrongLength {
            file: self.file.to_owned(),
            row: self.row,
            line: self.line(),
            found,
            expected,
            remedy,
        }
    }

    /// The line on which the current record starts.
    ///
    /// The parser counts line feeds. It records its position before the record, including blank lines, and
    /// stops before the line feed of a CRLF.
    fn line(&self) -> Option<u64> {
        let before = self.record.position()?.line();
        let inside = self.record.as_slice().iter().filter(|&&byte| byte == b'\n').count() as u64;
        let blank = self.reader.position().line().saturating_sub(before + inside + 1);
        match self.line_end {
            LineEnd::Lf => Some(before + blank),
            LineEnd::CrLf if self.record.position()?.byte() == 0 => Some(before),
            LineEnd::CrLf => Some(before + 1 + blank),
            LineEnd::Cr => None,
        }
    }
}

/// The note about a title line above the names.
pub(crate) fn note_of_title(title: &str) -> String {
    format!("\"{title}\" stands above the names of the columns and is taken for a title")
}

fn note_of_decimal(decimal: Decimal) -> String {
    match decimal {
        Decimal::Comma => "numbers have decimal commas, and points separate thousands".to_owned(),
        Decimal::Point => "commas separate thousands in numbers".to_owned(),
    }
}
