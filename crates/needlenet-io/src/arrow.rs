//! Arrow: record batches, from IPC files, from Parquet and from other libraries, become blocks of columns.
//!
//! Integers, floats, decimals and truth values are numbers; text is words, and a dictionary of text is a category. Tested
//! in `tests/binary_tables.rs`.

use std::collections::{BTreeMap, HashSet};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Schema};

use crate::arrow_values::{days, numbers, texts};
use crate::blocks::Columns;
use crate::draft::{Declared, Draft};
use crate::memory::{Room, bytes_of_cells};
use crate::outcome::{Outcome, shortest};
use crate::plan::{Plan, Slot, filled_names};
use crate::words::{Words, finite_number, means_missing};
use crate::{Error, Place, ReadOptions, Table};

pub(crate) fn damaged(file: &str, error: &ArrowError) -> Error {
    Error::Damaged { file: file.to_owned(), format: "Arrow", reason: error.to_string() }
}

/// Builds a table from record batches that another library holds; `name` stands for it in errors. Columns are copied one
/// after the other, so the memory is that of the table and one column.
pub fn read_batches(
    name: &str,
    schema: &Schema,
    batches: &[RecordBatch],
    options: &ReadOptions,
) -> Result<Table, Error> {
    let mut table = Batches::of_schema(name, schema, options)?;
    for column in table.used() {
        for batch in batches {
            let of_one = batch.project(&[column]).map_err(|error| damaged(name, &error))?;
            table.push(&of_one, &[column])?;
        }
        table.close(&[column])?;
    }
    if table.n_rows.is_none() {
        table.n_rows = Some(batches.iter().map(RecordBatch::num_rows).sum());
    }
    table.finish(options)
}

/// A table that is built from record batches, which hold the needed columns in the order of the file. When all
/// rows of some columns are read, [`Batches::close`] moves them into the table.
pub(crate) struct Batches {
    file: String,
    plan: Plan,
    inputs: Columns,
    /// The number of rows of the closed columns.
    n_rows: Option<usize>,
    /// The open columns, in the order of the batches; the outcome is kept apart.
    open: Vec<Vec<f64>>,
    open_rows: usize,
    words: Words,
    declared: BTreeMap<usize, Declared>,
    /// Inputs whose words stay words.
    categories: HashSet<usize>,
    outcome: Option<Outcome>,
    beside: Vec<Outcome>,
    notes: Vec<String>,
    room: Room,
}

impl Batches {
    /// A table without rows, with the columns of a schema.
    pub(crate) fn of_schema(file: &str, schema: &Schema, options: &ReadOptions) -> Result<Self, Error> {
        let (names, kinds) = names_and_kinds(schema);
        let mut batches = Self::new(file, names, &kinds, options)?;
        for (field, slot) in schema.fields().iter().zip(&batches.plan.slots) {
            // polars calls every Enum ordered, whether or not its levels are
            let is_enum = field.metadata().keys().any(|key| key.starts_with("_PL_ENUM_VALUES"));
            if let (Slot::Input(input), Some(true), false) = (*slot, field.dict_is_ordered(), is_enum) {
                batches.declared.insert(input, Declared::Ordered(Vec::new()));
            }
        }
        Ok(batches)
    }

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
        let names = filled_names(names, &mut notes);
        let plan = Plan::new(file, names, options.target.as_ref(), options)?;
        let (mut outcome, mut beside) = plan.outcomes();
        let mut declared = BTreeMap::new();
        for (kind, slot) in kinds.iter().zip(&plan.slots) {
            let column = match *slot {
                Slot::Skip => continue,
                Slot::Input(input) => {
                    declared.extend(declaration(kind).map(|of| (input, of)));
                    continue;
                }
                Slot::Target => outcome.as_mut(),
                Slot::Beside(at) => beside.get_mut(at),
            };
            let value = value_type(kind);
            if !(is_number(kind) || is_text(kind)) {
                let (column, kind) =
                    (column.map_or_else(String::new, |column| column.name.clone()), kind.to_string());
                return Err(Error::NotNumeric { file: file.to_owned(), column, kind });
            }
            if let Some(column) = column {
                column.numbers = (is_number(kind) && *value != DataType::Boolean).then(Vec::new);
            }
        }
        let (file, inputs, open) = (file.to_owned(), Columns::new(plan.inputs.len()), Vec::new());
        let (words, categories) = (Words::default(), plan.categories(options));
        Ok(Self {
            file,
            plan,
            inputs,
            n_rows: None,
            open,
            open_rows: 0,
            words,
            declared,
            categories,
            outcome,
            beside,
            notes,
            room,
        })
    }

    /// The name of the file in errors.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// The columns of the file that the batches must contain.
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
        // a batch of nulls has any number of rows and no bytes; closing a column needs a second copy of it
        self.room.take_cells(2 * batch.num_rows(), columns.len())?;
        self.open.resize(columns.len(), Vec::new());
        let mut open = std::mem::take(&mut self.open);
        for ((array, column), cells) in batch.columns().iter().zip(columns).zip(&mut open) {
            match self.plan.slots[*column] {
                Slot::Input(input) => self.input(array, input, cells)?,
                Slot::Target => {
                    if let Some(mut outcome) = self.outcome.take() {
                        self.push_aside(array, &mut outcome)?;
                        self.count_text(&outcome, array.len())?;
                        self.outcome = Some(outcome);
                    }
                }
                Slot::Beside(at) => {
                    let mut column = std::mem::take(&mut self.beside[at]);
                    self.push_aside(array, &mut column)?;
                    self.count_text(&column, array.len())?;
                    self.beside[at] = column;
                }
                Slot::Skip => {}
            }
        }
        self.open = open;
        self.open_rows += batch.num_rows();
        Ok(())
    }

    /// Closes `columns`: all their rows were read.
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

    pub(crate) fn finish(self, options: &ReadOptions) -> Result<Table, Error> {
        Draft {
            file: self.file,
            names: self.plan.inputs,
            n_rows: self.n_rows.unwrap_or(0),
            values: self.inputs.into_values(),
            words: self.words,
            declared: self.declared,
            from_text: false,
            outcome: self.outcome,
            beside: self.beside,
            notes: self.notes,
        }
        .settle(options)
    }

    fn torn(&self, reason: String) -> Error {
        Error::Damaged { file: self.file.clone(), format: "Arrow", reason }
    }

    /// Appends the cells of an input.
    fn input(&mut self, array: &ArrayRef, input: usize, cells: &mut Vec<f64>) -> Result<(), Error> {
        if is_text(array.data_type()) {
            self.note_order(array, input)?;
            return self.words(array, input, cells);
        }
        match self.declared.get(&input) {
            Some(Declared::Dates) => days(array, cells).map_err(|error| damaged(&self.file, &error)),
            Some(Declared::Other(_)) => {
                // the column will be refused later, in one message with all others
                cells.resize(cells.len() + array.len(), f64::NAN);
                Ok(())
            }
            _ => numbers(array, cells).map_err(|error| damaged(&self.file, &error)),
        }
    }

    /// Registers the levels of an ordered dictionary that are not known yet.
    fn note_order(&mut self, array: &ArrayRef, input: usize) -> Result<(), Error> {
        let Some(Declared::Ordered(levels)) = self.declared.get_mut(&input) else { return Ok(()) };
        let Some(dictionary) = array.as_any_dictionary_opt() else { return Ok(()) };
        let note = |level: Option<&str>| {
            let new = level.filter(|level| !levels.iter().any(|known| known == level)).map(str::to_owned);
            levels.extend(new);
        };
        texts(dictionary.values(), note).map_err(|error| damaged(&self.file, &error))
    }

    fn words(&mut self, array: &ArrayRef, input: usize, cells: &mut Vec<f64>) -> Result<(), Error> {
        let mut row = self.open_rows;
        let words = &mut self.words;
        let is_category = self.categories.contains(&input) || self.declared.contains_key(&input);
        let push = |word: Option<&str>| {
            let word = word.unwrap_or_default().trim().as_bytes();
            row += 1;
            cells.push(match finite_number(word) {
                _ if means_missing(word) => f64::NAN,
                Some(number) if !is_category => number,
                _ => words.cell(input, word, row, || None),
            });
        };
        texts(array, push).map_err(|error| damaged(&self.file, &error))
    }

    /// Counts the text that was appended last.
    fn count_text(&mut self, column: &Outcome, added: usize) -> Result<(), Error> {
        let added = &column.text[column.text.len().saturating_sub(added)..];
        added.iter().try_for_each(|text| self.room.take_text(text.as_ref().map_or(0, String::len)))
    }

    /// Appends to the outcome, or to a column beside it.
    fn push_aside(&self, array: &ArrayRef, column: &mut Outcome) -> Result<(), Error> {
        let Some(of_column) = &mut column.numbers else { return self.push_text(array, &mut column.text) };
        let mut floats = Vec::new();
        numbers(array, &mut floats).map_err(|error| damaged(&self.file, &error))?;
        if let Some(row) = floats.iter().position(|value| value.is_infinite()) {
            return Err(self.not_finite(row, &column.name, floats[row]));
        }
        if value_type(array.data_type()).is_integer() {
            // integers beyond 2^53 keep their own digits
            self.push_text(array, &mut column.text)?;
        } else {
            column.text.extend(floats.iter().map(|&value| (!value.is_nan()).then(|| shortest(value))));
        }
        of_column.extend(floats);
        Ok(())
    }

    fn push_text(&self, array: &ArrayRef, text: &mut Vec<Option<String>>) -> Result<(), Error> {
        // as in a text table, some texts mean missing
        let is_word = |text: &&str| !means_missing(text.as_bytes());
        let push = |value: Option<&str>| text.push(value.map(str::trim).filter(is_word).map(str::to_owned));
        texts(array, push).map_err(|error| damaged(&self.file, &error))
    }

    fn not_finite(&self, row: usize, column: &str, value: f64) -> Error {
        let row = self.open_rows + row + 1;
        let place = Place { file: self.file.clone(), row, line: None, column: column.to_owned() };
        Error::NotFinite { place, text: shortest(value) }
    }
}

/// The names and types of the columns, which take a fraction of the memory of the schema.
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

/// Information from a type about an input that is not numbers or words.
fn declaration(kind: &DataType) -> Option<Declared> {
    match kind {
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => Some(Declared::Dates),
        DataType::Dictionary(..) if is_text(kind) => Some(Declared::Category),
        _ if is_number(kind) || is_text(kind) => None,
        other => Some(Declared::Other(format!("values of type {other}"))),
    }
}

fn is_number(kind: &DataType) -> bool {
    let kind = value_type(kind);
    kind.is_numeric() || matches!(kind, DataType::Boolean | DataType::Null)
}

fn is_text(kind: &DataType) -> bool {
    matches!(value_type(kind), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}
