//! The options of a table: its columns, its samples, and how it is read.

use std::path::PathBuf;

use bytesize::ByteSize;
use clap::{Args, ValueEnum};

use crate::names::Names;

/// A table with an outcome.
#[derive(Debug, Args)]
pub struct TableArgs {
    /// The table: CSV, TSV, xlsx, ods, Parquet, Arrow, npy, npz or Matrix Market, also gzip; - is standard input; or a folder of
    /// shards
    pub file: String,
    /// The outcome: a column's name, or its number (from 1; -1 is the last)
    #[arg(short, long, value_name = "NAME", allow_hyphen_values = true, required_unless_present = "time")]
    pub target: Option<String>,
    /// Survival: the column with the time of the event, or of the last observation without event
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with = "target",
        requires = "event",
        help_heading = "Survival"
    )]
    pub time: Option<String>,
    /// Survival: the column with 1 if the event was observed and 0 if the time is censored
    #[arg(long, value_name = "NAME", requires = "time", help_heading = "Survival")]
    pub event: Option<String>,
    /// Survival: the column with the stratum; each stratum has its own baseline hazard
    #[arg(long, value_name = "NAME", requires = "time", help_heading = "Survival")]
    pub strata: Option<String>,
    /// The column with the weight of each row; 0 means no row. Whole numbers are counts: 2 means the row twice. Other weights,
    /// and all with --null permutation, are importances
    #[arg(long, value_name = "NAME", help_heading = "Samples")]
    pub weights: Option<String>,
    /// The column with a known part of the output; for counts, the log of the exposure
    #[arg(long, value_name = "NAME", help_heading = "Samples")]
    pub offset: Option<String>,
    /// Leave out these columns: names, numbers or patterns such as 'gene_*', separated by commas
    #[arg(long, value_name = "NAMES", allow_hyphen_values = true, help_heading = "Reading")]
    pub exclude: Vec<Names>,
    /// Use only these columns as inputs: names, numbers or patterns, separated by commas
    #[arg(long, value_name = "NAMES", allow_hyphen_values = true, help_heading = "Reading")]
    pub only: Vec<Names>,
    /// Read these columns as categories although they hold numbers: names or patterns, separated by commas
    #[arg(long, value_name = "NAMES", help_heading = "Reading")]
    pub category: Vec<Names>,
    /// Inputs that are always in the model: names or patterns, separated by commas; the search looks for inputs that matter
    /// beyond them
    #[arg(long, value_name = "NAMES", help_heading = "Inputs")]
    pub always: Vec<Names>,
    /// A CSV file with the columns input and group: the inputs of a group enter or leave together
    #[arg(long, value_name = "FILE", help_heading = "Inputs")]
    pub groups: Option<PathBuf>,
    /// The samples of a sparse table.
    #[command(flatten)]
    pub samples: SamplesArgs,
    /// How to read the table.
    #[command(flatten)]
    pub read: ReadArgs,
}

/// The samples of a sparse table.
#[derive(Debug, Args)]
#[command(next_help_heading = "Samples")]
pub struct SamplesArgs {
    /// For a Matrix Market or PLINK file: a table with a row for each sample, which has the outcome and inputs that are always in
    #[arg(long, value_name = "FILE")]
    pub samples: Option<String>,
    /// The column of --samples with the barcode of each sample [default: barcode, if there is one]; for a PLINK file, the id of the .fam file
    #[arg(long, value_name = "NAME")]
    pub id: Option<String>,
}

/// How to read a table.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadArgs {
    /// The first line is a sample, not names; columns are called x1, x2, ...
    #[arg(long)]
    pub no_header: bool,
    /// The separator of a text table: one character, or "tab"; detected if not given
    #[arg(long, value_name = "CHARACTER", allow_hyphen_values = true)]
    pub delimiter: Option<String>,
    /// What to do with missing cells
    #[arg(long, value_name = "RULE", default_value_t = MissingRule::Error, value_enum)]
    pub missing: MissingRule,
    /// A text that means a missing cell, in addition to the empty cell, NA, NaN, n/a, null, "." and "?"; may be repeated
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub missing_marker: Vec<String>,
    /// A category with ordered levels, such as grade=low,mid,high: they count as 0, 1, 2; a pattern means several columns; may
    /// be repeated
    #[arg(long, value_name = "NAME=LEVELS")]
    pub ordered: Vec<String>,
    /// What to do with dates
    #[arg(long, value_name = "RULE", default_value_t = DateRule::Error, value_enum)]
    pub dates: DateRule,
    /// The decimal mark of a text table: with comma, points separate thousands; detected if not given and if it is clear
    #[arg(long, value_name = "MARK", value_enum)]
    pub decimal: Option<DecimalMark>,
    /// The sheet of a spreadsheet; the first if not given
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// The format of the table; detected from its first bytes if not given
    #[arg(long, value_enum)]
    pub format: Option<FileFormat>,
    /// Refuse a table that takes more memory, such as 8GB or 500MB [default: half of the memory that is free]
    #[arg(long, value_name = "SIZE")]
    pub max_memory: Option<ByteSize>,
}

/// `--missing`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MissingRule {
    /// Refuse the table.
    Error,
    /// Fill with the mean of the column; at prediction, with its mean in the fit.
    Mean,
    /// The mean, and a second column that marks the missing cells; both are one input.
    Indicator,
    /// Leave out rows with a missing cell.
    DropRows,
    /// Leave out inputs with a missing cell.
    DropColumns,
}

/// `--dates`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DateRule {
    /// Refuse the column.
    Error,
    /// Read dates as days since 1970-01-01.
    Days,
}

/// `--decimal`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DecimalMark {
    /// 1.5; commas separate thousands.
    Point,
    /// 1,5; points separate thousands.
    Comma,
}

/// `--unseen`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum UnseenRule {
    /// Refuse the table.
    Error,
    /// Read it as the most frequent level of the fit.
    Mode,
    /// Read it as a missing cell: the share of each level in the fit.
    Mean,
}

/// `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FileFormat {
    /// Text with a separator.
    Csv,
    /// Text separated by tabs.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC, also Feather.
    Arrow,
    /// One NumPy array.
    Npy,
    /// Several NumPy arrays.
    Npz,
    /// A sheet of an Excel workbook.
    Xlsx,
    /// A sheet of an OpenDocument spreadsheet.
    Ods,
}
