//! Arrow: record batches, from IPC files and streams here and from Parquet, become blocks of columns.
//!
//! Integers, floats, decimals and truth values are numbers; dates and text are not, but text may be the
//! outcome. Tested in `tests/binary_tables.rs`.

use std::io::{BufRead, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_cast::cast;
use arrow_ipc::reader::{FileReader, StreamReader, read_footer_length};
use arrow_ipc::root_as_footer;
use arrow_schema::{ArrowError, DataType, Schema};

use crate::blocks::Blocks;
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
    // the schema comes first, since what is then read depends on the names
    let schema = if is_file {
        check_blocks(&mut input).map_err(damaged)?;
        FileReader::try_new(&mut input, None).map_err(damaged)?.schema()
    } else {
        StreamReader::try_new(&mut input, None).map_err(damaged)?.schema()
    };
    input.rewind().map_err(|source| Error::Read { file: file.to_owned(), source })?;
    let batches = Batches::new(file, &schema, options)?;
    let columns = Some(batches.used());
    if is_file {
        read_all(batches, FileReader::try_new(input, columns).map_err(damaged)?, options)
    } else {
        read_all(batches, StreamReader::try_new(input, columns).map_err(damaged)?, options)
    }
}

/// Refuses a footer whose blocks do not lie inside the file: the reader would ask for their memory first.
fn check_blocks(input: &mut (impl Read + Seek)) -> Result<(), ArrowError> {
    let outside = || ArrowError::ParseError("a block lies outside the file".to_owned());
    let length = input.seek(SeekFrom::End(0))?;
    let mut tail = [0; 10];
    input.seek(SeekFrom::Start(length.checked_sub(10).ok_or_else(outside)?))?;
    input.read_exact(&mut tail)?;
    let footer_length = read_footer_length(tail)?;
    let start = length.checked_sub(10 + footer_length as u64).ok_or_else(outside)?;
    input.seek(SeekFrom::Start(start))?;
    let mut bytes = vec![0; footer_length];
    input.read_exact(&mut bytes)?;
    let footer = root_as_footer(&bytes).map_err(|error| ArrowError::ParseError(error.to_string()))?;
    let blocks =
        footer.recordBatches().into_iter().flatten().chain(footer.dictionaries().into_iter().flatten());
    for block in blocks {
        let parts = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()];
        let end = parts.into_iter().try_fold(0_u64, |end, part| end.checked_add(u64::try_from(part).ok()?));
        if end.is_none_or(|end| end > length) {
            return Err(outside());
        }
    }
    input.rewind()?;
    Ok(())
}

fn read_all(
    mut batches: Batches,
    reader: impl RecordBatchReader,
    options: &ReadOptions,
) -> Result<Table, Error> {
    for batch in reader {
        batches.push(&batch.map_err(|error| damaged(&batches.file, &error))?)?;
    }
    batches.finish(options)
}

fn damaged(file: &str, error: &ArrowError) -> Error {
    Error::Damaged { file: file.to_owned(), format: "Arrow", reason: error.to_string() }
}

/// A table that grows by record batches, which hold just the columns of use in the order of the file.
pub(crate) struct Batches {
    file: String,
    plan: Plan,
    blocks: Blocks,
    outcome: Option<Outcome>,
    notes: Vec<String>,
}

impl Batches {
    pub(crate) fn new(file: &str, schema: &Schema, options: &ReadOptions) -> Result<Self, Error> {
        let mut notes = Vec::new();
        let raw = schema.fields().iter().map(|field| field.name().clone()).collect();
        let names = unique_names(raw, &mut notes);
        let plan = Plan::new(file, &names, options.target.as_ref(), options)?;
        for ((field, slot), name) in schema.fields().iter().zip(&plan.slots).zip(&names) {
            let kind = field.data_type();
            let fits = match slot {
                Slot::Skip => true,
                Slot::Input(_) => is_number(kind),
                Slot::Target => is_number(kind) || is_text(kind),
            };
            if !fits {
                let kind =
                    if is_text(kind) { format!("text ({kind})") } else { format!("values of type {kind}") };
                return Err(Error::NotNumeric { file: file.to_owned(), column: name.clone(), kind });
            }
        }
        let mut outcome = plan.target.clone().map(Outcome::new);
        let target = plan.slots.iter().position(|slot| *slot == Slot::Target);
        if let (Some(outcome), Some(column)) = (&mut outcome, target) {
            let kind = value_type(schema.field(column).data_type());
            outcome.numbers = (is_number(kind) && *kind != DataType::Boolean).then(Vec::new);
        }
        Ok(Self { file: file.to_owned(), blocks: Blocks::new(plan.inputs.len()), plan, outcome, notes })
    }

    /// The columns of the file that the batches must hold.
    pub(crate) fn used(&self) -> Vec<usize> {
        self.plan.used()
    }

    pub(crate) fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let n_rows = batch.num_rows();
        let used = self.used();
        if batch.num_columns() != used.len() {
            let reason = format!("a batch has {} columns, not {}", batch.num_columns(), used.len());
            return Err(Error::Damaged { file: self.file.clone(), format: "Arrow", reason });
        }
        let mut data = vec![f64::NAN; n_rows * self.plan.inputs.len()];
        for (array, column) in batch.columns().iter().zip(used) {
            match self.plan.slots[column] {
                Slot::Input(input) => {
                    self.numbers(array, input, &mut data[input * n_rows..(input + 1) * n_rows])?;
                }
                Slot::Target => self.push_outcome(array)?,
                Slot::Skip => {}
            }
        }
        self.blocks.push_columns(n_rows, data);
        Ok(())
    }

    pub(crate) fn finish(mut self, options: &ReadOptions) -> Result<Table, Error> {
        if let Some(outcome) = self.outcome.as_mut().filter(|outcome| outcome.numbers.is_none()) {
            outcome.settle_text(&self.file, &mut self.notes)?;
        }
        let n_rows = self.blocks.n_rows();
        let values = self.blocks.into_columns();
        let (file, names, outcome, notes) = (self.file, self.plan.inputs, self.outcome, self.notes);
        Draft { file, names, n_rows, values, outcome, notes }.settle(options)
    }

    fn numbers(&self, array: &ArrayRef, input: usize, out: &mut [f64]) -> Result<(), Error> {
        for (row, (place, value)) in out.iter_mut().zip(self.floats(array)?).enumerate() {
            if value.is_infinite() {
                return Err(self.not_finite(row, &self.plan.inputs[input], value));
            }
            *place = value;
        }
        Ok(())
    }

    fn floats(&self, array: &ArrayRef) -> Result<Vec<f64>, Error> {
        let cast = cast(array, &DataType::Float64).map_err(|error| damaged(&self.file, &error))?;
        let cast = cast.as_primitive::<Float64Type>();
        Ok(if cast.null_count() == 0 {
            cast.values().to_vec()
        } else {
            cast.iter().map(|value| value.unwrap_or(f64::NAN)).collect()
        })
    }

    fn push_outcome(&mut self, array: &ArrayRef) -> Result<(), Error> {
        let Some(mut outcome) = self.outcome.take() else { return Ok(()) };
        if let Some(numbers) = &mut outcome.numbers {
            let floats = self.floats(array)?;
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
        let row = self.blocks.n_rows() + row + 1;
        let place = Place { file: self.file.clone(), row, line: None, column: column.to_owned() };
        Error::NotFinite { place, text: shortest(value) }
    }
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
