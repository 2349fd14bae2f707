//! Text tables: CSV and TSV, read record by record.
//!
//! Cells are parsed from the bytes of the record straight into a block of rows: no string is made but for the
//! outcome. Cost: O(bytes). Tested in `tests/text_tables.rs` and `tests/round_trip.rs`.

use std::io::{Cursor, ErrorKind, Read};

use csv::{ByteRecord, Reader, ReaderBuilder};

use crate::blocks::Rows;
use crate::delimiter::{Head, LineEnd};
use crate::error::shown;
use crate::memory::{Lines, Room};
use crate::missing::Draft;
use crate::outcome::Outcome;
use crate::plan::{Plan, Slot, numbered_names, unique_names};
use crate::source::read_error;
use crate::{Error, Format, Place, ReadOptions, Table};

pub(crate) fn read(file: &str, mut input: impl Read, options: &ReadOptions) -> Result<Table, Error> {
    let mut head = Head::read(&mut input).map_err(|source| read_error(file, source))?;
    head.check(file)?;
    let delimiter = match (options.delimiter, options.format) {
        (Some(delimiter), _) => delimiter,
        (None, Some(Format::Tsv)) => b'\t',
        _ => head.delimiter(file),
    };
    let start = Cursor::new(std::mem::take(&mut head.bytes));
    let reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .buffer_capacity(1 << 16)
        .from_reader(Lines::new(start.chain(input), Room::new(file, options).longest_line()));
    Text { file, options, reader, line_end: head.line_end, record: ByteRecord::new(), row: 0 }.read()
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
    fn read(mut self) -> Result<Table, Error> {
        if !self.next_record(usize::MAX)? {
            return Err(Error::Empty { file: self.file.to_owned() });
        }
        let mut notes = Vec::new();
        let width = self.record.len();
        let mut room = Room::new(self.file, self.options);
        room.take_columns(width, self.record.as_slice().len())?;
        let names = if self.options.header {
            unique_names(self.header()?, &mut notes)
        } else {
            numbered_names(width)
        };
        let plan = Plan::new(self.file, names, self.options.target.as_ref(), self.options)?;
        let mut rows = Rows::new(plan.inputs.len());
        let mut outcome = plan.target.clone().map(Outcome::new);
        let mut in_hand = !self.options.header;
        while in_hand || self.next_record(width)? {
            in_hand = false;
            self.row += 1;
            if self.record.len() != width {
                return Err(self.wrong_length(width));
            }
            room.take_cells(1, plan.inputs.len())?;
            rows.push(|row| self.parse_row(&plan, row, outcome.as_mut()))?;
            if let Some(Some(text)) = outcome.as_ref().and_then(|outcome| outcome.text.last()) {
                room.take_text(text.len())?;
            }
        }
        if let Some(outcome) = &mut outcome {
            outcome.settle_text(self.file, &mut notes)?;
        }
        let n_rows = rows.n_rows();
        Draft {
            file: self.file.to_owned(),
            names: plan.inputs,
            n_rows,
            values: rows.into_columns(),
            outcome,
            notes,
        }
        .settle(self.options)
    }

    /// The next record that is not a line of white space.
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
        mut outcome: Option<&mut Outcome>,
    ) -> Result<(), Error> {
        for (cell, slot) in self.record.iter().zip(&plan.slots) {
            match (*slot, &mut outcome) {
                (Slot::Input(input), _) => row[input] = self.parse_cell(cell, &plan.inputs[input])?,
                (Slot::Target, Some(outcome)) => {
                    let cell = cell.trim_ascii();
                    let text = String::from_utf8_lossy(cell).into_owned();
                    outcome.text.push((!self.is_missing(cell)).then_some(text));
                }
                _ => {}
            }
        }
        Ok(())
    }

    #[inline]
    fn parse_cell(&self, cell: &[u8], name: &str) -> Result<f64, Error> {
        let cell = cell.trim_ascii();
        // a marker may look like a number: -999
        if self.is_missing(cell) {
            return Ok(f64::NAN);
        }
        match fast_float2::parse::<f64, _>(cell) {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(value) => Err(self.bad_cell(cell, name, value.is_infinite())),
            Err(_) => Err(self.bad_cell(cell, name, false)),
        }
    }

    #[inline]
    fn is_missing(&self, cell: &[u8]) -> bool {
        cell.is_empty() || self.options.missing_markers.iter().any(|marker| marker.trim().as_bytes() == cell)
    }

    #[cold]
    fn bad_cell(&self, cell: &[u8], column: &str, infinite: bool) -> Error {
        let place =
            Place { file: self.file.to_owned(), row: self.row, line: self.line(), column: column.to_owned() };
        let text = shown(cell);
        let with_point: Vec<u8> = cell.iter().map(|&byte| if byte == b',' { b'.' } else { byte }).collect();
        if infinite {
            Error::NotFinite { place, text }
        } else if cell.contains(&b',') && fast_float2::parse::<f64, _>(&with_point).is_ok() {
            Error::DecimalComma { place, text }
        } else {
            Error::NotANumber { place, text }
        }
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

    /// The line on which the record in hand starts.
    ///
    /// The parser counts line feeds. It notes where it was before the record, blank lines included, and stops
    /// before the line feed of a CRLF.
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
