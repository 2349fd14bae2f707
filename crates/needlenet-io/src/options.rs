//! What the caller may ask of a table: which columns, what a missing cell is, which format.
//! Tested in `tests/columns.rs`.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use crate::Error;

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
        if let Some(index) = names.iter().position(|name| *name == self.0) {
            return Ok(index);
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

/// Names less alike than this are no slip of the finger: 1 is equal, 0 has nothing in common. Two letters swapped in
/// a name of three are 0.67.
const ALIKE: f64 = 0.65;

/// The name that is most like `wanted`, in whatever case, if one is like it at all.
pub(crate) fn nearest(wanted: &str, names: &[String]) -> Option<String> {
    // names as long as a page are no slip of the finger, and comparing them takes the square of their length
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

/// What to do with missing cells. Written `error`, `mean`, `drop-rows`, `drop-columns`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// Refuse the table.
    #[default]
    Error,
    /// Put the mean of the observed cells of the column.
    Mean,
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
            "drop-rows" => Ok(Self::DropRows),
            "drop-columns" => Ok(Self::DropColumns),
            _ => Err(Error::UnknownMissing { text: text.to_owned() }),
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Error => "error",
            Self::Mean => "mean",
            Self::DropRows => "drop-rows",
            Self::DropColumns => "drop-columns",
        })
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
        })
    }
}

/// How to read a table. The default reads every column as an input and refuses missing cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// The outcome column; it is taken out of the inputs.
    pub target: Option<ColumnRef>,
    /// Columns that are not inputs, such as identifiers; they are not parsed at all.
    pub exclude: Vec<ColumnRef>,
    /// Exactly these inputs in this order (for prediction); other columns, and `exclude`, are ignored.
    pub only: Option<Vec<String>>,
    /// What to do with missing cells.
    pub missing: Missing,
    /// Texts that mean "missing" besides the empty cell, compared after trimming white space.
    pub missing_markers: Vec<String>,
    /// Whether the first line of a text table has the names; if not, they are `x1`, `x2`, ... by position.
    pub header: bool,
    /// The separator of a text table; decided from the name and the first two lines when absent.
    pub delimiter: Option<u8>,
    /// The format; decided from the first bytes when absent.
    pub format: Option<Format>,
    /// The bytes that the table may take; half of the machine's memory when absent.
    pub max_memory: Option<u64>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            target: None,
            exclude: Vec::new(),
            only: None,
            missing: Missing::Error,
            missing_markers: Vec::new(),
            header: true,
            delimiter: None,
            format: None,
            max_memory: None,
        }
    }
}
