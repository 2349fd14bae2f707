//! Arrow: record batches, from IPC files and streams here and from Parquet, become blocks of columns.
//!
//! Integers, floats, decimals and truth values are numbers; dates and text are not, but text may be the
//! outcome. Tested in `tests/binary_tables.rs`.

use std::io::{BufRead, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_cast::cast;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Schema};

use crate::arrow_lengths::check_lengths;
use crate::blocks::Columns;
use crate::memory::{Room, bytes_of_cells};
use crate::missing::Draft;
use crate::outcome::{Outcome, shortest};
use crate::plan::{Plan, Slot, unique_names};
use crate::{Error, Place, ReadOptions, Table};

/// Reads an IPC file or stream, whichever its first bytes say.
pub(crate) fn read(file: &str, input: impl BufRead + Seek, options: &ReadOptions) -> Result<Table, Error> {
    guarded(file, "Arrow", || decode(file, input, options))
}

/// The decoders panic on some damaged files, for example when a buffer lies outside its message: here that is
/// an error.
pub(crate) fn guarded(
    file: &str,
    format: &'static str,
    decode: impl FnOnce() -> Result<Table, Error>,
) -> Result<Table, Error> {
    // what the decoder leaves half-done is dropped with it
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|panic| {
        let text =
            panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        let reason = text.unwrap_or("the decoder failed").to_owned();
        Err(Error::Damaged { file: file.to_owned(), format, reason })
    })
}

fn decode(file: &str, mut input: impl BufRead + Seek, options: &ReadOptions) -> Result<Table, Error> {
    let damaged = |error: ArrowError| damaged(file, &error);
    let is_file = input.fill_buf().is_ok_and(|bytes| bytes.starts_with(b"ARROW1"));
    check_lengths(file, &mut input, is_file, &Room::new(file, options))?;
    // the schema comes first, since what is then read depends on the names
    let schema = if is_file {
        FileReader::try_new(&mut input, None).map_err(damaged)?.schema()
    } else {
        StreamReader::try_new(&mut input, None).map_err(damaged)?.schema()
    };
    input.rewind().map_err(|source| Error::Read { file: file.to_owned(), source })?;
    let (names, kinds) = names_and_kinds(&schema);
    let batches = Batches::new(file, names, &kinds, options)?;
    let columns = Some(batches.used());
    if is_file {
        read_all(batches, FileReader::try_new(input, columns).map_err(damaged)?, options)
    } else {
        read_all(batches, StreamReader::try_new(input, columns).map_err(damaged)?, options)
    }
}

fn read_all(
    mut batches: Batches,
    reader: impl RecordBatchReader,
    options: &ReadOptions,
) -> Result<Table, Error> {
    let columns = batches.used();
    for batch in reader {
        batches.push(&batch.map_err(|error| damaged(&batches.file, &error))?, &columns)?;
    }
    batches.close(&columns)?;
    batches.finish(options)
}

fn damaged(file: &str, error: &ArrowError) -> Error {
    Error::Damaged { file: file.to_owned(), format: "Arrow", reason: error.to_string() }
}

/// A table that grows by record batches, which hold some columns of use in the order of the file. Once all their
/// rows are there, [`Batches::close`] puts them into the table.
pub(crate) struct Batches {
    file: String,
    plan: Plan,
    inputs: Columns,
    /// The rows of the columns that were closed.
    n_rows: Option<usize>,
    /// The columns that grow, in the order of the batches; the outcome grows by itself.
    open: Vec<Vec<f64>>,
    open_rows: usize,
    outcome: Option<Outcome>,
    notes: Vec<String>,
    room: Room,
}

impl Batches {
    /// A table without rows; the columns of the file have `names`, which may repeat, and types `kinds`.
    pub(crate) fn new(
        file: &str,
        names: Vec<String>,
        kinds: &[DataType],
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        let mut room = Room::new(file, options);
        room.take_columns(names.len(), names.iter().map(String::len).sum())?;
        let mut notes = Vec::new();
        let names = unique_names(names, &mut notes);
        let plan = Plan::new(file, names, options.target.as_ref(), options)?;
        for (kind, slot) in kinds.iter().zip(&plan.slots) {
            let fits = match slot {
                Slot::Skip => true,
                Slot::Input(_) => is_number(kind),
                Slot::Target => is_number(kind) || is_text(kind),
            };
            if !fits {
                let kind =
                    if is_text(kind) { format!("text ({kind})") } else { format!("values of type {kind}") };
                let column = plan.name(*slot).to_owned();
                return Err(Error::NotNumeric { file: file.to_owned(), column, kind });
            }
        }
        let mut outcome = plan.target.clone().map(Outcome::new);
        let target = plan.slots.iter().position(|slot| *slot == Slot::Target);
        if let (Some(outcome), Some(column)) = (&mut outcome, target) {
            let kind = value_type(&kinds[column]);
            outcome.numbers = (is_number(kind) && *kind != DataType::Boolean).then(Vec::new);
        }
        let (file, inputs, open) = (file.to_owned(), Columns::new(plan.inputs.len()), Vec::new());
        Ok(Self { file, plan, inputs, n_rows: None, open, open_rows: 0, outcome, notes, room })
    }

    /// The columns of the file that the batches must hold.
    pub(crate) fn used(&self) -> Vec<usize> {
        self.plan.used()
    }

    /// Adds rows of `columns` of the file.
    pub(crate) fn push(&mut self, batch: &RecordBatch, columns: &[usize]) -> Result<(), Error> {
        if batch.num_columns() != columns.len() {
            return Err(self.torn(format!(
                "a batch has {} columns, not {}",
                batch.num_columns(),
                columns.len()
            )));
        }
        // a batch of nulls has any number of rows and no bytes; an open column is there twice when it is closed
        self.room.take_cells(2 * batch.num_rows(), columns.len())?;
        self.open.resize(columns.len(), Vec::new());
        let mut open = std::mem::take(&mut self.open);
        for ((array, column), cells) in batch.columns().iter().zip(columns).zip(&mut open) {
            match self.plan.slots[*column] {
                Slot::Input(input) => self.numbers(array, input, cells)?,
                Slot::Target => self.push_outcome(array)?,
                Slot::Skip => {}
            }
        }
        self.open = open;
        self.open_rows += batch.num_rows();
        Ok(())
    }

    /// Ends `columns`: there are no more rows of them.
    pub(crate) fn close(&mut self, columns: &[usize]) -> Result<(), Error> {
        let n_rows = std::mem::take(&mut self.open_rows);
        if self.n_rows.is_some_and(|before| before != n_rows) {
            return Err(self.torn("its columns have different lengths".to_owned()));
        }
        self.n_rows = Some(n_rows);
        self.room.give_back(bytes_of_cells(n_rows as u64, columns.len() as u64));
        for (column, cells) in columns.iter().zip(std::mem::take(&mut self.open)) {
            if let Slot::Input(input) = self.plan.slots[*column] {
                self.inputs.put(input, &cells);
            }
        }
        Ok(())
    }

    pub(crate) fn finish(mut self, options: &ReadOptions) -> Result<Table, Error> {
        if let Some(outcome) = self.outcome.as_mut().filter(|outcome| outcome.numbers.is_none()) {
            outcome.settle_text(&self.file, &mut self.notes)?;
        }
        let (n_rows, values) = (self.n_rows.unwrap_or(0), self.inputs.into_values());
        let (file, names, outcome, notes) = (self.file, self.plan.inputs, self.outcome, self.notes);
        Draft { file, names, n_rows, values, outcome, notes }.settle(options)
    }

    fn torn(&self, reason: String) -> Error {
        Error::Damaged { file: self.file.clone(), format: "Arrow", reason }
    }

    fn numbers(&self, array: &ArrayRef, input: usize, cells: &mut Vec<f64>) -> Result<(), Error> {
        let start = cells.len();
        self.floats(array, cells)?;
        match cells[start..].iter().position(|value| value.is_infinite()) {
            Some(row) => Err(self.not_finite(row, &self.plan.inputs[input], cells[start + row])),
            None => Ok(()),
        }
    }

    /// Appends the values of an array; one that is missing is NaN.
    fn floats(&self, array: &ArrayRef, cells: &mut Vec<f64>) -> Result<(), Error> {
        let cast = cast(array, &DataType::Float64).map_err(|error| damaged(&self.file, &error))?;
        let cast = cast.as_primitive::<Float64Type>();
        if cast.null_count() == 0 {
            cells.extend_from_slice(cast.values());
        } else {
            cells.extend(cast.iter().map(|value| value.unwrap_or(f64::NAN)));
        }
        Ok(())
    }

    fn push_outcome(&mut self, array: &ArrayRef) -> Result<(), Error> {
        let Some(mut outcome) = self.outcome.take() else { return Ok(()) };
        if let Some(numbers) = &mut outcome.numbers {
            let mut floats = Vec::new();
            self.floats(array, &mut floats)?;
            if let Some(row) = floats.iter().position(|value| value.is_infinite()) {
                return Err(self.not_finite(row, &outcome.name, floats[row]));
            }
            if value_type(array.data_type()).is_integer() {
                // integers beyond 2^53 keep their own digits
                self.push_text(array, &mut outcome.text)?;
            } else {
                outcome.text.extend(floats.iter().map(|&value| (!value.is_nan()).then(|| shortest(value))));
            }
            numbers.extend(floats);
        } else {
            self.push_text(array, &mut outcome.text)?;
        }
        let added = &outcome.text[outcome.text.len().saturating_sub(array.len())..];
        added.iter().try_for_each(|text| self.room.take_text(text.as_ref().map_or(0, String::len)))?;
        self.outcome = Some(outcome);
        Ok(())
    }

    fn push_text(&self, array: &ArrayRef, text: &mut Vec<Option<String>>) -> Result<(), Error> {
        let cast = cast(array, &DataType::Utf8).map_err(|error| damaged(&self.file, &error))?;
        // as in a text table, an empty text is a missing one
        let trimmed = |value: Option<&str>| value.map(str::trim).filter(|v| !v.is_empty()).map(str::to_owned);
        text.extend(cast.as_string::<i32>().iter().map(trimmed));
        Ok(())
    }

    fn not_finite(&self, row: usize, column: &str, value: f64) -> Error {
        let row = self.open_rows + row + 1;
        let place = Place { file: self.file.clone(), row, line: None, column: column.to_owned() };
        Error::NotFinite { place, text: shortest(value) }
    }
}

/// The names and types of the columns: a fraction of what the schema takes.
pub(crate) fn names_and_kinds(schema: &Schema) -> (Vec<String>, Vec<DataType>) {
    schema.fields().iter().map(|field| (field.name().clone(), field.data_type().clone())).unzip()
}

/// The type of the values behind a dictionary.
fn value_type(kind: &DataType) -> &DataType {
    match kind {
        DataType::Dictionary(_, values) => values,
        other => other,
    }
}

fn is_number(kind: &DataType) -> bool {
    let kind = value_type(kind);
    kind.is_numeric() || matches!(kind, DataType::Boolean | DataType::Null)
}

fn is_text(kind: &DataType) -> bool {
    matches!(value_type(kind), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}
