//! What can go wrong: each error says what, where, which value, and the remedy. Tested in every file of
//! `tests/`.

use std::fmt;
use std::io;

/// A name in a message: escaped and cut.
struct Name<'a>(&'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&needlenet::shown(self.0, LONGEST_NAME))
    }
}

/// Letters of a name in a message; more are cut.
const LONGEST_NAME: usize = 60;

/// A cell of a file, printed as `genes.csv: row 17 (line 18), column "YXLD_at"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as the caller named it.
    pub file: String,
    /// The data row, counted from 1.
    pub row: usize,
    /// The line of a text file, where known.
    pub line: Option<u64>,
    /// The name of the column.
    pub column: String,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}: row {}{}, column \"{}\"",
            self.file,
            self.row,
            Line(self.line),
            Name(&self.column)
        )
    }
}

struct Line(Option<u64>);

impl fmt::Display for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |line| write!(formatter, " (line {line})"))
    }
}

struct Nearest<'a>(Option<&'a str>);

impl fmt::Display for Nearest<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |name| write!(formatter, "; did you mean \"{}\"?", Name(name)))
    }
}

/// What could have been asked for instead.
struct Columns<'a>(&'a [String], usize);

impl fmt::Display for Columns<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            0 => formatter.write_str("no column is left to be chosen"),
            1 => write!(formatter, "the only one is {}", Listed(self.0, 1)),
            columns => write!(
                formatter,
                "give one of its {columns} names ({}) or a position from 1 to {columns}",
                Listed(self.0, columns)
            ),
        }
    }
}

struct Listed<'a>(&'a [String], usize);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&listed(self.0, self.1))
    }
}

/// `"a", "b", "c" and 7 more`: the first names of `total`.
pub(crate) fn listed<S: AsRef<str>>(names: &[S], total: usize) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<String> =
        names.iter().take(SHOWN).map(|name| format!("\"{}\"", Name(name.as_ref()))).collect();
    let rest = total.saturating_sub(shown.len());
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// A cell's bytes as text for an error: at most 40 characters.
#[cfg(feature = "tables")]
pub(crate) fn shown(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    // a letter has at most 4 bytes
    let start = bytes.get(..4 * (LONGEST + 1)).unwrap_or(bytes);
    needlenet::shown(&String::from_utf8_lossy(start), LONGEST)
}

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
    /// The table takes more memory than it may.
    #[error(
        "{file}: the table takes more than {limit} of memory, the most it may; give fewer rows or columns, or allow \
         more with --max-memory"
    )]
    TooLarge {
        /// The file.
        file: String,
        /// The bound.
        limit: String,
    },
    /// A result would take the place of what it is made from.
    #[error("{option} {file} would replace {what}; give another file")]
    WouldReplace {
        /// The option that names the result.
        option: &'static str,
        /// The file.
        file: String,
        /// What the file is.
        what: &'static str,
    },
    /// There is nothing in the file.
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
        "{file}: this is not a table that can be read: {reason}; give CSV, TSV, Parquet, Arrow IPC, npy or npz"
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
    /// A cell of an input is text.
    #[error(
        "{place}: \"{text}\" is not a number; pass --missing-marker \"{text}\", drop the column with --exclude \
         \"{}\", or clean the file", Name(&place.column)
    )]
    NotANumber {
        /// The cell.
        place: Place,
        /// What it holds.
        text: String,
    },
    /// A word that usually means "missing" stands among the numbers of the outcome.
    #[error("{place}: \"{text}\" stands among numbers; pass --missing-marker \"{text}\" or clean the file")]
    TargetWord {
        /// The cell.
        place: Place,
        /// What it holds.
        text: String,
    },
    /// A number has a decimal comma.
    #[error("{place}: \"{text}\" has a decimal comma; write decimals with a point (1.5, not 1,5)")]
    DecimalComma {
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
    /// A column of a binary format does not hold numbers.
    #[error(
        "{file}: column \"{}\" holds {kind}, not numbers; drop the column with --exclude \"{}\", or \
         write it as numbers",
        Name(column),
        Name(column)
    )]
    NotNumeric {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// The type in the file.
        kind: String,
    },
    /// Cells are missing and no rule was given for them.
    #[error(
        "{file}: {count} cells are missing, the first in row {row}, column \"{}\"; pass --missing {remedy}",
        Name(column)
    )]
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
        remedy: &'static str,
    },
    /// Values of the outcome are missing.
    #[error(
        "{file}: {count} values of the outcome \"{}\" are missing, the first in row {row}; pass --missing \
         drop-rows, or clean the file",
        Name(column)
    )]
    MissingTarget {
        /// The file.
        file: String,
        /// How many.
        count: usize,
        /// The first row with one, counted from 1.
        row: usize,
        /// The outcome.
        column: String,
    },
    /// A column has no observed cell to take the mean of.
    #[error(
        "{file}: every cell of column \"{}\" is missing, so it has no mean; pass --exclude \"{}\"",
        Name(column),
        Name(column)
    )]
    EmptyColumn {
        /// The file.
        file: String,
        /// The column.
        column: String,
    },
    /// Every row has a missing cell.
    #[error(
        "{file}: each of the {rows} rows has a missing cell, so drop-rows leaves none; pass --missing mean or drop-columns"
    )]
    NoRowsLeft {
        /// The file.
        file: String,
        /// The rows read.
        rows: usize,
    },
    /// Every input has a missing cell.
    #[error(
        "{file}: each of the {columns} inputs has a missing cell, so drop-columns leaves none; pass --missing mean or drop-rows"
    )]
    NoColumnsLeft {
        /// The file.
        file: String,
        /// The inputs read.
        columns: usize,
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
        "{file}: {count} of the inputs needed are absent: {}; give a table with these columns{}",
        Listed(first, *count), Nearest(nearest.as_deref())
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
    /// An array has another shape than a table.
    #[error("{file}: {found}; give {expected}")]
    Shape {
        /// The file.
        file: String,
        /// What was found.
        found: String,
        /// What would do.
        expected: &'static str,
    },
    /// The text is not a rule for missing cells.
    #[error("\"{text}\" is not a rule for missing cells; give error, mean, drop-rows or drop-columns")]
    UnknownMissing {
        /// The text.
        text: String,
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
    /// The message for a table whose columns are fixed beforehand, as in prediction: none can be left out.
    pub fn in_prediction(&self) -> String {
        match self {
            Self::NotANumber { place, text } => {
                format!(
                    "{place}: \"{text}\" is not a number; pass --missing-marker \"{text}\", or clean the file"
                )
            }
            Self::NotNumeric { file, column, kind } => {
                format!("{file}: column \"{}\" holds {kind}, not numbers; write it as numbers", Name(column))
            }
            Self::EmptyColumn { file, column } => format!(
                "{file}: every cell of column \"{}\" is missing, and the model needs it; fill it, or give another table",
                Name(column)
            ),
            Self::NoRowsLeft { file, rows } => {
                format!(
                    "{file}: each of the {rows} rows has a missing cell, so drop-rows leaves none; pass --missing mean"
                )
            }
            other => other.to_string(),
        }
    }
}
