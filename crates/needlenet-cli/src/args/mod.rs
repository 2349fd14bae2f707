//! The command line as typed: one definition, from which help, completions and man page are made.
//!
//! Defaults are those of [`Settings::default`], so that help cannot differ from the learner. `choices.rs` converts the
//! arguments to settings.

mod problem;
mod table;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use needlenet::{Settings, SureOptions};

pub use self::problem::{LinkChoice, NullRule, Preset, ProblemArgs, TaskChoice, TiesRule};
pub use self::table::{
    DateRule, DecimalMark, FileFormat, MissingRule, ReadArgs, SamplesArgs, TableArgs, UnseenRule,
};
use crate::lab::args::LabCommand;

// The commands in these texts are run, in this order, by `tests/cli/help.rs`.

const EXAMPLE: &str = "\
Example:
  needlenet lab make nonlinear --s 4 --seed 3 --out haystack.csv
  needlenet fit haystack.csv --target target --out model.json
  needlenet predict model.json haystack.csv

Exit codes: 0 done, 1 bad input or usage, 2 the fit did not converge (its result
is still printed), 130 ended by Ctrl-C. `needlenet help fit` explains every
option of a fit.";

const FIT: &str = "\
Examples:
  needlenet fit haystack.csv --target target --report page.html
  needlenet fit haystack.csv --target target --hidden none --sure --pairs 0

With --task auto the task is classification if the target is text, or has only
two distinct values in four rows or more, or has at most 10 distinct values
that are all whole numbers, with 5 rows each on average; otherwise it is
regression. The report says which was chosen and why.

NAMES are names of columns separated by commas, such as age,sex, or patterns,
such as 'gene_*'; an option may be repeated. Put a name that contains a comma
into double quotes, inside those of the shell: '\"dose, mg\",age'.

Exit codes: 0 fitted, 1 bad input or usage, 2 the fit did not converge (its
result is still printed, and says so), 130 ended by Ctrl-C.";

const PREDICT: &str = "\
Example:
  needlenet predict model.json haystack.csv --out predicted.csv

Only the columns of the model's needles are read, by name; other columns are
ignored. A model of a table without header identifies its columns by position
(x1, x2, ...), so the new table must have the same positions.";

const THRESHOLD: &str = "\
Example:
  needlenet threshold haystack.csv --target target";

const SHARD: &str = "\
Example:
  needlenet shard haystack.csv --target target --columns 20 --out haystack
  needlenet fit haystack --target target

The table itself is read into memory here. `docs/scale.md` explains how to make
a folder of arrays that do not fit into memory.";

const SHOW: &str = "\
Example:
  needlenet show model.json --report page.html";

const DOCTOR: &str = "\
Example:
  needlenet doctor haystack.csv --target target";

const COMPARE: &str = "\
Example:
  needlenet fit haystack.csv --target target --hidden none --out linear.json
  needlenet compare model.json linear.json";

/// Finds the few inputs that matter in a table.
///
/// needlenet fits a neural network with a penalty that makes its first layer sparse. The penalty is not tuned: it is the
/// smallest one that selects nothing, with probability 1 - alpha, if no input matters.
#[derive(Debug, Parser)]
#[command(name = "needlenet", version, after_help = EXAMPLE, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find the inputs of a table that matter, and fit a model on them
    Fit(FitArgs),
    /// Predict the outcome of the rows of a table
    Predict(PredictArgs),
    /// Compute lambda_QUT of the level alpha and lambda_0 of the table, without a fit
    Threshold(ThresholdArgs),
    /// Cut a table into shards of columns, for a fit with little memory
    Shard(ShardArgs),
    /// Print the report of a saved model
    Show(ShowArgs),
    /// Say what would go wrong with a table, before a fit
    Doctor(DoctorArgs),
    /// Print two saved models side by side
    Compare(CompareArgs),
    /// Make tables with known needles, run the studies of the paper, compare learners
    #[command(subcommand)]
    Lab(LabCommand),
    /// Print the completion script of a shell
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the man page, or write all of them
    Man {
        /// Write one page per command into this folder instead.
        #[arg(long, value_name = "FOLDER")]
        out_dir: Option<PathBuf>,
    },
}

/// Arguments of `fit`.
#[derive(Debug, Args)]
#[command(after_help = FIT)]
pub struct FitArgs {
    /// The table and its outcome.
    #[command(flatten)]
    pub table: TableArgs,
    /// The problem.
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// KKT violation, relative to lambda, at which the fit counts as converged
    #[arg(long, value_name = "NUMBER", default_value_t = Settings::default().tolerance, help_heading = "Fit", allow_negative_numbers = true)]
    pub tolerance: f64,
    /// Largest number of iterations of the last solve; a fit that reaches it did not converge
    #[arg(long, value_name = "COUNT", default_value_t = Settings::default().max_iterations, help_heading = "Fit")]
    pub max_iterations: usize,
    /// Also say how sure each needle is: p-value, share of halves of the samples that select it, interval of its strength; with
    /// --out, a run that was stopped continues where it ended
    #[arg(long, help_heading = "How sure")]
    pub sure: bool,
    /// With --sure: pairs of halves of the samples, each fitted by itself; 0 for the p-values only
    #[arg(long, value_name = "COUNT", default_value_t = SureOptions::default().pairs, requires = "sure", help_heading = "How sure")]
    pub pairs: usize,
    /// Save the model to this file
    #[arg(short, long, value_name = "MODEL", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Also write the report as a page for a browser: one file, with pictures, without scripts
    #[arg(long, value_name = "HTML", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Print the report as one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// No progress bar, notes or warnings on standard error
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// Arguments of `threshold`.
#[derive(Debug, Args)]
#[command(after_help = THRESHOLD)]
pub struct ThresholdArgs {
    /// The table and its outcome.
    #[command(flatten)]
    pub table: TableArgs,
    /// The problem.
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Print one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// No notes on standard error
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// Arguments of `predict`.
#[derive(Debug, Args)]
#[command(after_help = PREDICT)]
pub struct PredictArgs {
    /// A model saved by `needlenet fit --out`
    pub model: PathBuf,
    /// The table: CSV, TSV, xlsx, ods, Parquet, Arrow, npy, npz or Matrix Market, also gzip; - is standard input
    pub file: String,
    /// The samples of a sparse table.
    #[command(flatten)]
    pub samples: SamplesArgs,
    /// How to read the table.
    #[command(flatten)]
    pub read: ReadArgs,
    /// The column with the offset, for a model that was fitted with one
    #[arg(long, value_name = "NAME")]
    pub offset: Option<String>,
    /// Survival: also print the probability of no event until these times
    #[arg(long, value_name = "TIMES", value_delimiter = ',')]
    pub at: Vec<f64>,
    /// Survival: the column with the stratum, for a model that has strata
    #[arg(long, value_name = "NAME", requires = "at")]
    pub strata: Option<String>,
    /// What to do with a level of a category that the model does not know
    #[arg(long, value_name = "RULE", default_value_t = UnseenRule::Error, value_enum)]
    pub unseen: UnseenRule,
    /// Predict with the penalised weights instead of the refit
    #[arg(long)]
    pub penalised: bool,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Print one JSON object instead of CSV
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// No notes on standard error
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// Arguments of `shard`.
#[derive(Debug, Args)]
#[command(after_help = SHARD)]
pub struct ShardArgs {
    /// The table and its outcome; or a PLINK file, .bed with .bim and .fam beside it.
    #[command(flatten)]
    pub table: TableArgs,
    /// Columns of a shard
    #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub columns: u32,
    /// The folder to make
    #[arg(short, long, value_name = "FOLDER", help_heading = "Output")]
    pub out: PathBuf,
    /// No notes on standard error
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// Arguments of `show`.
#[derive(Debug, Args)]
#[command(after_help = SHOW)]
pub struct ShowArgs {
    /// A model saved by `needlenet fit --out`
    pub model: PathBuf,
    /// Also write the report as a page for a browser, without samples (a model file has no table)
    #[arg(long, value_name = "HTML")]
    pub report: Option<PathBuf>,
    /// Print the report as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `doctor`.
#[derive(Debug, Args)]
#[command(after_help = DOCTOR)]
pub struct DoctorArgs {
    /// The table and its outcome.
    #[command(flatten)]
    pub table: TableArgs,
    /// What kind of outcome it is
    #[arg(long, default_value_t = TaskChoice::Auto, value_enum)]
    pub task: TaskChoice,
    /// The level of the fit that will follow
    #[arg(long, value_name = "NUMBER", default_value_t = Settings::default().alpha, allow_negative_numbers = true)]
    pub alpha: f64,
    /// Print one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE)]
pub struct CompareArgs {
    /// A model saved by `needlenet fit --out`
    pub first: PathBuf,
    /// Another saved model
    pub second: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
