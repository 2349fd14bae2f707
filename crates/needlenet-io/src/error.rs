//! Errors of reading and writing: each says what, where, which value, and the remedy. `error/names.rs` prints names and
//! places. Tested in every file of `tests/`.

use std::io;

mod names;

#[cfg(feature = "columns")]
pub(crate) use names::shown;
use names::{Are, Columns, Line, Listed, MOST_REASONS, MoreTwice, Name, Nearest, Reasons, numbers};
pub(crate) use names::{LONGEST_NAME, listed};
pub use names::{Place, Unusable};

/// Why a table was not read or a file not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file could not be opened.
    #[error("{file}: cannot be opened: {source}")]
    Open {
        /// The file.
        file: String,
        /// The reason.
        source: io::Error,
    },
    /// The path is a directory.
    #[error("{file}: is a directory; give a file")]
    Directory {
        /// The path.
        file: String,
    },
    /// Reading stopped half-way.
    #[error("{file}: cannot be read: {source}")]
    Read {
        /// The file.
        file: String,
        /// The reason.
        source: io::Error,
    },
    /// A compressed or binary file is cut off or damaged.
    #[error("{file}: the {format} data is damaged or cut off ({reason}); copy or make the file again")]
    Damaged {
        /// The file.
        file: String,
        /// The format: gzip, Parquet, Arrow, npy or npz.
        format: &'static str,
        /// What the decoder said.
        reason: String,
    },
    /// The file is HDF5, such as the AnnData files of single cells.
    #[error(
        "{file}: is an HDF5 file (such as .h5ad), which the program does not read; in Python, fit takes the object of \
         anndata.read_h5ad; for the program, write matrix.mtx, features.tsv, barcodes.tsv and a table of samples as in \
         docs/tables.md, \"Single cells\""
    )]
    Hdf5 {
        /// The file.
        file: String,
    },
    /// The table takes more memory than it may.
    #[error(
        "{file}: the table needs more than {limit} of memory, which is its limit; give fewer rows or columns, or raise the \
         limit with --max-memory"
    )]
    TooLarge {
        /// The file.
        file: String,
        /// The bound.
        limit: String,
    },
    /// An output file would overwrite an input file.
    #[error("{option} {file} would replace {what}; give another file")]
    WouldReplace {
        /// The option that names the result.
        option: &'static str,
        /// The file.
        file: String,
        /// What the file is.
        what: &'static str,
    },
    /// A shard that cannot be used.
    #[error("{file}: {reason}")]
    Shard {
        /// The file.
        file: String,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// The file is empty.
    #[error("{file}: the file is empty; give a table with a header line and one line per sample")]
    Empty {
        /// The file.
        file: String,
    },
    /// There are names but no samples.
    #[error("{file}: the table has no data rows; give one row per sample")]
    NoRows {
        /// The file.
        file: String,
    },
    /// No input is left.
    #[error("{file}: no input column is left besides the outcome and the excluded columns; exclude fewer")]
    NoInputs {
        /// The file.
        file: String,
    },
    /// The bytes are not a text table.
    #[error(
        "{file}: this is not a table that can be read: {reason}; give CSV, TSV, xlsx, ods, Parquet, Arrow IPC, npy or npz"
    )]
    NotATable {
        /// The file.
        file: String,
        /// What was found.
        reason: String,
    },
    /// A name in the header is not UTF-8.
    #[error(
        "{file}: the name of column {column}, \"{text}\", is not UTF-8; convert the file, for example with \
         iconv -f latin1 -t utf-8"
    )]
    Encoding {
        /// The file.
        file: String,
        /// The position of the column, from 1.
        column: usize,
        /// The name with its bad bytes replaced.
        text: String,
    },
    /// A row has too few or too many cells.
    #[error("{file}: row {row}{} has {found} cells, {expected} were expected; {remedy}", Line(*line))]
    WrongLength {
        /// The file.
        file: String,
        /// The data row, counted from 1.
        row: usize,
        /// The line, where known.
        line: Option<u64>,
        /// The cells found.
        found: usize,
        /// The cells expected.
        expected: usize,
        /// What to do.
        remedy: &'static str,
    },
    /// Columns that cannot be inputs, each with its description and remedy, and what else would be refused.
    #[error("{}", Reasons(file, columns, also))]
    Unusable {
        /// The file.
        file: String,
        /// The columns, in the order of the table.
        columns: Vec<Unusable>,
        /// Missing cells and values of the outcome that would be refused next.
        also: Vec<String>,
    },
    /// A level that the model does not know.
    #[error(
        "{file}: row {row}, column \"{column}\": \"{level}\" is not among the levels that the model knows ({}); {remedy}",
        Listed(levels, levels.len()), column = Name(column), level = Name(level))]
    UnseenLevel {
        /// The file.
        file: String,
        /// The first row that has it, counted from 1.
        row: usize,
        /// The column.
        column: String,
        /// The level.
        level: String,
        /// The levels of the model.
        levels: Box<[String]>,
        /// What to do.
        remedy: &'static str,
    },
    /// Two columns have the same name, and perhaps others too.
    #[error(
        "{file}: columns {first} and {second} are both called \"{name}\"{}; rename one, or leave one out by its number, \
         such as --exclude {}", MoreTwice(others.len()), numbers(others), name = Name(name))]
    DuplicateName {
        /// The file.
        file: String,
        /// The name.
        name: String,
        /// The position of the first, from 1.
        first: usize,
        /// The position of the second.
        second: usize,
        /// The positions of all columns whose name an earlier column has.
        others: Vec<usize>,
    },
    /// A column must be given by its name.
    #[error("{file}: \"{text}\" is a position; give the name of the column")]
    NotAName {
        /// The file.
        file: String,
        /// The text.
        text: String,
    },
    /// A name that is not an input.
    #[error("{file}: {what}: there is no input \"{wanted}\"{}", Nearest(nearest.as_deref()), wanted = Name(wanted))]
    NoSuchInput {
        /// The file.
        file: String,
        /// What names it: groups or always.
        what: &'static str,
        /// What was asked for.
        wanted: String,
        /// The input that has nearly this name.
        nearest: Option<String>,
    },
    /// An invalid group.
    #[error("{file}: group \"{group}\": {reason}; put each input into one group", group = Name(group))]
    BadGroup {
        /// The file.
        file: String,
        /// The group.
        group: String,
        /// Why.
        reason: String,
    },
    /// Every input is always in.
    #[error("{file}: every input is always in, so there is nothing to find; leave some out of the list")]
    AllAlways {
        /// The file.
        file: String,
    },
    /// A pattern of column names cannot be used.
    #[error(
        "{file}: the pattern \"{pattern}\" cannot be used: {reason}; give a name, a position or a pattern such as \"gene_*\"", pattern = Name(pattern))]
    Pattern {
        /// The file.
        file: String,
        /// The pattern.
        pattern: String,
        /// Why.
        reason: String,
    },
    /// The outcome is not a column but a row: rows and columns are exchanged.
    #[error(
        "{file}: there is no column \"{wanted}\", but row {row} of the first column is \"{wanted}\": the table looks transposed; \
         exchange rows and columns, so that each row is a sample", wanted = Name(wanted))]
    Transposed {
        /// The file.
        file: String,
        /// The outcome.
        wanted: String,
        /// The data row that has its name, from 1.
        row: usize,
    },
    /// A workbook has no such sheet.
    #[error("{file}: there is no sheet \"{wanted}\"; its sheets are {}{}", Listed(sheets, sheets.len()), Nearest(nearest.as_deref()), wanted = Name(wanted))]
    NoSuchSheet {
        /// The file.
        file: String,
        /// What was asked for.
        wanted: String,
        /// The sheets.
        sheets: Vec<String>,
        /// The sheet that has nearly this name.
        nearest: Option<String>,
    },
    /// A word that usually means "missing" occurs among the numbers of the outcome.
    #[error("{place}: \"{text}\" stands among numbers; pass --missing-marker \"{text}\" or clean the file")]
    TargetWord {
        /// The cell.
        place: Place,
        /// What it holds.
        text: String,
    },
    /// A cell is infinite.
    #[error(
        "{place}: \"{text}\" is not a finite number; pass --missing-marker \"{text}\" if it stands for a missing cell \
         of a text table, or clean the file"
    )]
    NotFinite {
        /// The cell.
        place: Place,
        /// What it holds.
        text: String,
    },
    /// The outcome of a binary format holds neither numbers nor text.
    #[error(
        "{file}: column \"{column}\" holds values of type {kind}, neither numbers nor text; write it as numbers or text", column = Name(column))]
    NotNumeric {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// The type in the file.
        kind: String,
    },
    /// Cells are missing and no rule was given for them.
    #[error("{file}: {} missing, the first in row {row}, column \"{column}\"; {remedy}", Are(*count, "cell"), column = Name(column))]
    MissingCells {
        /// The file.
        file: String,
        /// How many.
        count: usize,
        /// The first row with one, counted from 1.
        row: usize,
        /// The first such column of that row.
        column: String,
        /// The rules that would do.
        remedy: String,
    },
    /// Values of the outcome are missing.
    #[error(
        "{file}: {what} \"{column}\": {} missing, the first in row {row}; {remedy}", Are(*count, "value"), column = Name(column))]
    MissingTarget {
        /// The file.
        file: String,
        /// How many.
        count: usize,
        /// What the column is.
        what: &'static str,
        /// The first row with one, counted from 1.
        row: usize,
        /// The outcome.
        column: String,
        /// The rule that would do.
        remedy: String,
    },
    /// Every row has a missing cell.
    #[error("{file}: each of the {rows} rows has a missing cell, so drop-rows leaves none; {remedy}")]
    NoRowsLeft {
        /// The file.
        file: String,
        /// The rows read.
        rows: usize,
        /// The rules that would do.
        remedy: String,
    },
    /// Every input has a missing cell.
    #[error("{file}: each of the {columns} inputs has a missing cell, so drop-columns leaves none; {remedy}")]
    NoColumnsLeft {
        /// The file.
        file: String,
        /// The inputs read.
        columns: usize,
        /// The rules that would do.
        remedy: String,
    },
    /// No column has this name or position.
    #[error(
        "{file}: there is no column \"{}\"; {}{}", Name(wanted), Columns(first, *columns), Nearest(nearest.as_deref())
    )]
    NoSuchColumn {
        /// The file.
        file: String,
        /// What was asked for.
        wanted: String,
        /// How many columns there are.
        columns: usize,
        /// The first names.
        first: Vec<String>,
        /// The name that is nearly what was asked for.
        nearest: Option<String>,
    },
    /// Inputs that are needed are not in the file.
    #[error(
        "{file}: the table lacks {} of the model: {}; give a table with these columns{}",
        needlenet::plural(*count, "input"), Listed(first, *count), Nearest(nearest.as_deref())
    )]
    AbsentColumns {
        /// The file.
        file: String,
        /// How many are absent.
        count: usize,
        /// The first of them.
        first: Vec<String>,
        /// The column that has nearly the name of the first.
        nearest: Option<String>,
    },
    /// A column was given two uses.
    #[error("{file}: column \"{}\" is asked for as {first} and as {second}; keep one", Name(column))]
    TwoUses {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// One use.
        first: &'static str,
        /// The other use.
        second: &'static str,
    },
    /// An array that is not a table.
    #[error("{file}: {found}; give {expected}")]
    Shape {
        /// The file.
        file: String,
        /// What was found.
        found: String,
        /// What would do.
        expected: &'static str,
    },
    /// An option with a value that is not accepted.
    #[error("\"{text}\" is not {what}; give {accepted}")]
    UnknownWord {
        /// The text.
        text: String,
        /// What it should be.
        what: &'static str,
        /// The words that are accepted.
        accepted: &'static str,
    },
    /// A file could not be written.
    #[error("{file}: cannot be written: {source}")]
    Write {
        /// The file.
        file: String,
        /// The reason.
        source: io::Error,
    },
}

impl Error {
    /// The message for prediction, where the columns are fixed and none can be left out.
    pub fn in_prediction(&self) -> String {
        match self {
            Self::NoRowsLeft { file, rows, .. } => {
                format!(
                    "{file}: each of the {rows} rows has a missing cell, so drop-rows leaves none; pass --missing mean"
                )
            }
            Self::Unusable { file, columns, also } => {
                let told = |of: &Unusable| format!("\"{}\" {}", Name(&of.column), of.looks);
                let all: Vec<String> = columns.iter().take(MOST_REASONS).map(told).collect();
                format!(
                    "{file}: the model needs numbers: column {}; clean the table, or pass --missing-marker TEXT if the text \
                     marks a missing cell{}",
                    all.join("; column "),
                    also.iter().map(|also| format!("; {also}")).collect::<String>()
                )
            }
            other => other.to_string(),
        }
    }
}
