//! The options of reading a table: which columns, what a missing cell is, which format. Tested in
//! `tests/columns.rs`.

use std::convert::Infallible;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use globset::GlobBuilder;

use crate::error::LONGEST_NAME;
use crate::{Decimal, Error, Known};

/// A column by its name or, when no column has that name, by its position.
///
/// Positions count from 1; negative ones from the end, so that `-1` is the last column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnRef(pub String);

impl ColumnRef {
    /// The index, from 0, of the column meant among `names`.
    pub fn resolve(&self, names: &[String]) -> Result<usize, Error> {
        self.resolve_in("the table", names)
    }

    pub(crate) fn resolve_in(&self, file: &str, names: &[String]) -> Result<usize, Error> {
        let mut named = (0..names.len()).filter(|&at| names[at] == self.0);
        if let Some(index) = named.next() {
            return match named.next() {
                None => Ok(index),
                Some(second) => Err(Error::DuplicateName {
                    file: file.to_owned(),
                    name: self.0.clone(),
                    first: index + 1,
                    second: second + 1,
                    others: vec![second + 1],
                }),
            };
        }
        let count = i64::try_from(names.len()).unwrap_or(i64::MAX);
        let index = match self.0.trim().parse::<i64>() {
            Ok(position) if position >= 1 && position <= count => Some(position - 1),
            Ok(position) if position <= -1 && position >= -count => Some(count + position),
            _ => None,
        };
        index.and_then(|index| usize::try_from(index).ok()).ok_or_else(|| Error::NoSuchColumn {
            file: file.to_owned(),
            wanted: self.0.clone(),
            columns: names.len(),
            first: names.iter().take(5).cloned().collect(),
            nearest: nearest(&self.0, names),
        })
    }
}

impl ColumnRef {
    /// The indices of all columns meant: those of the name, the position, or the pattern (`*`, `?`, `[a-z]`).
    pub(crate) fn resolve_all(&self, file: &str, names: &[String]) -> Result<Vec<usize>, Error> {
        let bad = |reason: String| Error::Pattern { file: file.to_owned(), pattern: self.0.clone(), reason };
        match self.matched(names) {
            Ok(named) if !named.is_empty() => Ok(named),
            Ok(_) if !self.is_pattern() => self.resolve_in(file, names).map(|index| vec![index]),
            Ok(_) => Err(bad("no column matches it".to_owned())),
            Err(reason) => Err(bad(reason)),
        }
    }

    /// The indices of the inputs of this name or pattern. An input has no position: those of the file count other columns too.
    pub(crate) fn resolve_inputs(
        &self,
        file: &str,
        what: &'static str,
        names: &[String],
    ) -> Result<Vec<usize>, Error> {
        let named = self.named(names);
        if named.is_empty() && self.is_pattern() {
            return self.resolve_all(file, names);
        }
        if named.is_empty() {
            let (wanted, nearest) = (self.0.clone(), nearest(&self.0, names));
            return Err(Error::NoSuchInput { file: file.to_owned(), what, wanted, nearest });
        }
        Ok(named)
    }

    /// The indices of the names that are this name or match this pattern.
    pub fn named(&self, names: &[String]) -> Vec<usize> {
        self.matched(names).unwrap_or_default()
    }

    fn is_pattern(&self) -> bool {
        self.0.contains(['*', '?', '['])
    }

    fn matched(&self, names: &[String]) -> Result<Vec<usize>, String> {
        let named: Vec<usize> = (0..names.len()).filter(|&at| names[at] == self.0).collect();
        if !named.is_empty() || !self.is_pattern() {
            return Ok(named);
        }
        let glob = GlobBuilder::new(&self.0).literal_separator(false).build();
        let matcher = glob.map_err(|error| error.kind().to_string())?.compile_matcher();
        Ok((0..names.len()).filter(|&at| matcher.is_match(&names[at])).collect())
    }
}

/// The smallest similarity of a misspelt name: 1 is equal, 0 has nothing in common. Two letters swapped in a name of
/// three give 0.67.
const ALIKE: f64 = 0.65;

/// The name most similar to `wanted`, ignoring case, if one is similar enough.
pub(crate) fn nearest(wanted: &str, names: &[String]) -> Option<String> {
    // very long names are not misspellings, and comparing them takes the square of their length
    const LONGEST: usize = 300;
    if wanted.len() > LONGEST {
        return None;
    }
    let wanted = wanted.to_lowercase();
    let names = || names.iter().filter(|name| name.len() <= LONGEST);
    let alike = |name: &String| strsim::normalized_damerau_levenshtein(&wanted, &name.to_lowercase());
    let scored = names().map(|name| (alike(name), name)).filter(|(score, _)| *score >= ALIKE);
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name.clone())
}

impl From<&str> for ColumnRef {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<String> for ColumnRef {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl FromStr for ColumnRef {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self::from(text))
    }
}

impl fmt::Display for ColumnRef {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What to do with missing cells. Written `error`, `mean`, `indicator`, `drop-rows`, `drop-columns`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// Refuse the table.
    #[default]
    Error,
    /// Fill with the mean of the observed cells of the column, in a category with the share of each
    /// level.
    Mean,
    /// The same, with an extra column that marks the missing cells; in a category an extra level.
    Indicator,
    /// Leave out every row with a missing input or outcome.
    DropRows,
    /// Leave out every input with a missing cell.
    DropColumns,
}

impl FromStr for Missing {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "error" => Ok(Self::Error),
            "mean" => Ok(Self::Mean),
            "indicator" => Ok(Self::Indicator),
            "drop-rows" => Ok(Self::DropRows),
            "drop-columns" => Ok(Self::DropColumns),
            _ => Err(Error::UnknownWord {
                text: text.to_owned(),
                what: "a rule for missing cells",
                accepted: "error, mean, indicator, drop-rows or drop-columns",
            }),
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Error => "error",
            Self::Mean => "mean",
            Self::Indicator => "indicator",
            Self::DropRows => "drop-rows",
            Self::DropColumns => "drop-columns",
        })
    }
}

/// What to do, at prediction, with a level of a category that the model does not know. Written `error`, `mode`, `mean`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unseen {
    /// Refuse the table.
    #[default]
    Error,
    /// Read it as the most frequent level of the fit.
    Mode,
    /// Read it as the mean of all levels, like a missing cell.
    Mean,
}

impl FromStr for Unseen {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "error" => Ok(Self::Error),
            "mode" => Ok(Self::Mode),
            "mean" => Ok(Self::Mean),
            _ => Err(Error::UnknownWord {
                text: text.to_owned(),
                what: "a rule for levels that the model does not know",
                accepted: "error, mode or mean",
            }),
        }
    }
}

/// The formats that can be read, each also inside gzip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text with a separator.
    Csv,
    /// Text separated by tabs.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC, file or stream (Feather version 2).
    Arrow,
    /// One NumPy array.
    Npy,
    /// Several NumPy arrays in a zip.
    Npz,
    /// A sheet of an Excel workbook.
    Xlsx,
    /// A sheet of an OpenDocument spreadsheet.
    Ods,
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Csv => "CSV",
            Self::Tsv => "TSV",
            Self::Parquet => "Parquet",
            Self::Arrow => "Arrow",
            Self::Npy => "npy",
            Self::Npz => "npz",
            Self::Xlsx => "xlsx",
            Self::Ods => "ods",
        })
    }
}

/// The front end: a remedy is an option of the program or an argument in Python.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Front {
    /// The program.
    #[default]
    Program,
    /// The Python package.
    Python,
}

impl Front {
    /// How to choose one of these rules for missing cells.
    pub(crate) fn missing(self, rules: &[Missing]) -> String {
        let or = |words: Vec<String>| match words.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        };
        match self {
            Self::Program => {
                format!("pass --missing {}", or(rules.iter().map(ToString::to_string).collect()))
            }
            Self::Python => {
                format!("give missing={}", or(rules.iter().map(|rule| format!("'{rule}'")).collect()))
            }
        }
    }

    /// How to leave a column out.
    pub(crate) fn leave_out(self, column: &str) -> String {
        let column = needlenet::shown(column, LONGEST_NAME);
        match self {
            Self::Program => format!("leave it out with --exclude {}", on_command_line(&column)),
            Self::Python => format!(
                "leave it out with X.drop(columns={column:?}) (pandas) or X.drop({column:?}) (polars)"
            ),
        }
    }

    /// The wording for one front end or the other.
    pub(crate) fn choose<'a>(self, program: &'a str, python: &'a str) -> &'a str {
        match self {
            Self::Program => program,
            Self::Python => python,
        }
    }
}

/// A name as an option of the program takes it: one with a comma is in quotes of its own.
pub(crate) fn on_command_line(name: &str) -> String {
    if name.contains(',') || name.starts_with('"') {
        format!("'\"{}\"'", name.replace('"', "\"\""))
    } else {
        format!("\"{name}\"")
    }
}

/// How to read a table. The default reads every column as an input and refuses missing cells.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// The outcome column; it is taken out of the inputs.
    pub target: Option<ColumnRef>,
    /// Columns, by name, that are read but are not inputs: weights, offset, event, strata.
    pub beside: Vec<String>,
    /// Columns that are not inputs, such as identifiers; they are not parsed at all. Patterns mean several.
    pub exclude: Vec<ColumnRef>,
    /// Only these are inputs, if any are given. Patterns mean several.
    pub only: Vec<ColumnRef>,
    /// Exactly these inputs in this order, with the coding of a model (for prediction); other columns, `only` and
    /// `exclude` are ignored.
    pub exactly: Option<Vec<Known>>,
    /// What to do with missing cells.
    pub missing: Missing,
    /// Texts that mean "missing" besides the usual ones, compared after trimming white space.
    pub missing_markers: Vec<String>,
    /// Inputs to be read as categories although they hold numbers.
    pub categories: Vec<ColumnRef>,
    /// Categories whose levels have an order, with the levels from low to high: they are scored 0, 1, 2, ...
    pub ordered: Vec<(ColumnRef, Vec<String>)>,
    /// Whether to read dates as days since 1970-01-01 instead of refusing them.
    pub dates_as_days: bool,
    /// What to do with a level that the model does not know (for prediction).
    pub unseen: Unseen,
    /// The decimal mark of a text table; found from its cells when absent.
    pub decimal: Option<Decimal>,
    /// Whether the first line of a text table has the names; if not, they are `x1`, `x2`, ... by position.
    pub header: bool,
    /// The separator of a text table; decided from the name and the first lines when absent.
    pub delimiter: Option<u8>,
    /// The sheet of a spreadsheet; the first when absent.
    pub sheet: Option<String>,
    /// The format; decided from the first bytes when absent.
    pub format: Option<Format>,
    /// The front end, for the wording of errors.
    pub front: Front,
    /// The memory bound of the table in bytes; half of the memory that is free when absent.
    pub max_memory: Option<u64>,
    /// Only these of the inputs, by their place among them: for a table that is read in parts.
    pub part: Option<Range<usize>>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            target: None,
            beside: Vec::new(),
            exclude: Vec::new(),
            only: Vec::new(),
            exactly: None,
            missing: Missing::Error,
            missing_markers: Vec::new(),
            categories: Vec::new(),
            ordered: Vec::new(),
            dates_as_days: false,
            unseen: Unseen::Error,
            decimal: None,
            header: true,
            delimiter: None,
            sheet: None,
            format: None,
            front: Front::Program,
            max_memory: None,
            part: None,
        }
    }
}
