//! The command line as typed: one definition, from which help, completions and man page are made.
//!
//! Defaults are those of [`Settings::default`], so that help cannot drift from the learner. What the words
//! mean is decided in `choices.rs`.

use std::path::PathBuf;

use bytesize::ByteSize;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use needlenet::{Activation, Penalty, Settings, SureOptions};

use crate::choices::Hidden;
use crate::lab::args::LabCommand;

const EXAMPLE: &str = "\
Example:
  needlenet lab make nonlinear --s 4 --seed 3 --out haystack.csv
  needlenet fit haystack.csv --target target --out model.json
  needlenet predict model.json haystack.csv

Exit codes: 0 fitted, 1 bad input or usage, 2 the fit did not converge (its
result is still printed). `needlenet help fit` explains every option.";

const AUTO: &str = "\
With --task auto the task is classification if the target is text, or has only
two distinct values in four rows or more, or has at most 10 distinct values
that are all whole numbers, with 5 rows each on average; otherwise it is
regression. The report says which was chosen and why.

Exit codes: 0 fitted, 1 bad input or usage, 2 the fit did not converge (its
result is still printed, and says so).";

const COLUMNS: &str = "\
Only the columns of the model's needles are read, by name; other columns are
ignored. A model of a table without header knows its columns by position (x1,
x2, ...), so the new table must have the same positions.";

const SHARDS: &str = "\
Example:
  needlenet shard genes.parquet --target y --columns 10000 --out genes
  needlenet fit genes --target y

The table itself is read into memory here. `docs/scale.md` says how to make a
folder of arrays that do not fit into memory.";

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
#[command(after_help = AUTO)]
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
    /// --out, a run that was stopped goes on where it was
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
#[command(after_help = COLUMNS)]
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
#[command(after_help = SHARDS)]
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
pub struct CompareArgs {
    /// A model saved by `needlenet fit --out`
    pub first: PathBuf,
    /// Another saved model
    pub second: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

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
    /// Leave out this column, by name, number or pattern such as "gene_*"; may be repeated
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, help_heading = "Reading")]
    pub exclude: Vec<String>,
    /// Use only this column as an input, by name, number or pattern; may be repeated
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, help_heading = "Reading")]
    pub only: Vec<String>,
    /// Read this column as a category although it holds numbers, by name or pattern; may be repeated
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    pub category: Vec<String>,
    /// Inputs that are always in the model, separated by commas; the search looks for inputs that matter beyond them
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Inputs")]
    pub always: Vec<String>,
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
    /// The column of --samples with the barcode of each sample [default: barcode, if there]; of a PLINK file the id of the .fam file
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
    /// A category with ordered levels, such as grade=low,mid,high: they count as 0, 1, 2; may be repeated
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
    /// Refuse a table that takes more memory, such as 8GB or 500MB [default: half of the machine's memory]
    #[arg(long, value_name = "SIZE")]
    pub max_memory: Option<ByteSize>,
}

/// What is asked of the data: task, network, penalty, level.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fit")]
pub struct ProblemArgs {
    /// What kind of outcome it is
    #[arg(long, default_value_t = TaskChoice::Auto, value_enum)]
    pub task: TaskChoice,
    /// A set of defaults; each can be changed by its own option
    #[arg(long, value_name = "NAME", default_value_t = Preset::Default, value_enum)]
    pub preset: Preset,
    #[arg(long, value_name = "WIDTHS", help = help_of_hidden())]
    pub hidden: Option<Hidden>,
    #[arg(long, value_parser = PossibleValuesParser::new(Penalty::NAMES), help = help_of_penalty())]
    pub penalty: Option<String>,
    /// Whether to divide a numerical outcome by its standard deviation [default: true; paper: false]
    ///
    /// With false it is centred only and keeps its unit, as in the paper. The fit then depends on the unit. The
    /// penalties harder, scad and mcp need true.
    #[arg(long, value_name = "BOOL")]
    pub scale_outcome: Option<bool>,
    /// The level: the probability of finding anything if no input matters
    #[arg(long, value_name = "NUMBER", default_value_t = Settings::default().alpha, allow_negative_numbers = true)]
    pub alpha: f64,
    /// The weight of the penalty; derived from alpha if not given
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub lambda: Option<f64>,
    /// The activation of the neurons: default, softplus, smooth-relu, interactions, or M,u0,k (k may be k1:k2)
    #[arg(long, value_name = "NAME", default_value_t = Settings::default().activation)]
    pub activation: Activation,
    /// How network outputs become class probabilities
    #[arg(long, default_value_t = LinkChoice::of(&Settings::default()), value_enum)]
    pub link: LinkChoice,
    /// How null outcomes are drawn: from their law, or by permuting the outcome, which is valid for any noise and any weights
    #[arg(long, value_name = "HOW", default_value_t = NullRule::Law, value_enum)]
    pub null: NullRule,
    /// Survival: how ties (events at the same time) are treated
    #[arg(long, value_name = "RULE", default_value_t = TiesRule::Efron, value_enum)]
    pub ties: TiesRule,
    /// Seed of the random starts; the same seed gives the same result
    #[arg(long, value_name = "NUMBER", default_value_t = Settings::default().seed)]
    pub seed: u64,
    /// Number of threads, 0 for all cores and never more than these; it does not change the result
    #[arg(long, value_name = "COUNT", default_value_t = Settings::default().threads)]
    pub threads: usize,
    /// Number of null draws for the threshold
    #[arg(long, value_name = "COUNT", default_value_t = Settings::default().draws)]
    pub draws: usize,
}

/// The widths of each preset are those of the learner.
fn help_of_hidden() -> String {
    let [default, paper] = [Settings::default(), Settings::paper()].map(|settings| Hidden(settings.hidden));
    format!(
        "Widths of the hidden layers, such as 20,10; \"none\" is the linear model [default: {default}; paper: {paper}]"
    )
}

/// The penalties of each preset are those of the learner.
fn help_of_penalty() -> String {
    let [default, paper] = [Settings::default(), Settings::paper()].map(|settings| settings.penalty.name());
    format!("The penalty on the first layer [default: {default}; paper: {paper}]")
}

/// `--preset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Preset {
    /// Our own estimator.
    Default,
    /// The paper's own estimator, LASSO ANN: 20 neurons, the l1 penalty, a numerical outcome in its own unit.
    Paper,
}

/// `--task`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TaskChoice {
    /// Chosen from the target.
    Auto,
    /// A number per row.
    Regression,
    /// A class per row.
    Classification,
    /// A count per row.
    Counts,
    /// A time until an event per row: give --time and --event.
    Survival,
}

/// `--null`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NullRule {
    /// Gaussian noise, classes of the observed shares, Poisson counts; survival is permuted. With weights that are no whole
    /// numbers: permutation.
    Law,
    /// Permutations of the outcome, which takes its weight with it.
    Permutation,
}

/// `--ties`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TiesRule {
    /// Efron's approximation.
    Efron,
    /// Breslow's.
    Breslow,
}

/// `--link`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LinkChoice {
    /// One output per class.
    Softmax,
    /// One output per class but the last.
    Logit,
}

impl LinkChoice {
    fn of(settings: &Settings) -> Self {
        if settings.link == needlenet::Link::Logit { Self::Logit } else { Self::Softmax }
    }
}

/// `--missing`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MissingRule {
    /// Refuse the table.
    Error,
    /// Put the mean of the column; at prediction, its mean in the fit.
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
