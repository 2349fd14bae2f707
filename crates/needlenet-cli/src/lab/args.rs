//! The words of `needlenet lab`, as typed.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use needlenet_lab::ABLATION_DESIGNS;

const RESUME: &str = "\
Every replicate is appended to FOLDER/rows.csv as it finishes. The same command
started again does what is missing, whatever ended it before. The rows do not
depend on the number of threads.";

/// The laboratory.
#[derive(Debug, Subcommand)]
pub enum LabCommand {
    /// Make a table from a design whose needles are known
    Make(MakeArgs),
    /// Print the truth of a made table beside what a model found
    Compare {
        /// The file NAME.truth.json that `lab make` wrote.
        truth: PathBuf,
        /// The model fitted to the table.
        model: PathBuf,
    },
    /// List the studies, their points and the learners
    Studies {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Run a study, or resume it
    #[command(after_help = RESUME)]
    Run(RunArgs),
    /// Run one replicate of a study and print its row
    Replicate(ReplicateArgs),
    /// Compare learners on random 70/30 splits of every table of a folder
    #[command(after_help = RESUME)]
    Real(RealArgs),
    /// Add shuffled columns to every table of a folder and count how many of them are selected
    #[command(after_help = RESUME)]
    Hay(HayArgs),
    /// Fit whole tables with several learners and print what each finds
    Whole(WholeArgs),
    /// Print the rows of the random splits of a table as JSON
    Splits(SplitsArgs),
    /// Switch off each part of the search in turn and print what it contributes
    Ablate(AblateArgs),
    /// Write summary.csv and summary.md from the rows of a folder
    Summary {
        /// The folder that `lab run` or `lab real` wrote, with any files rows*.csv.
        folder: PathBuf,
    },
}

/// Arguments of `lab make`.
#[derive(Debug, Args)]
pub struct MakeArgs {
    /// The design, such as nonlinear, linear or class-mixed; a wrong name prints them all
    pub design: String,
    /// Needles; if not given, as usual for the design
    #[arg(long, value_name = "COUNT")]
    pub s: Option<usize>,
    /// Samples; if not given, as usual for the design
    #[arg(long, value_name = "COUNT")]
    pub n: Option<usize>,
    /// Inputs; if not given, as usual for the design
    #[arg(long, value_name = "COUNT")]
    pub p: Option<usize>,
    /// Standard deviation of the noise, where the design has one
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub noise: Option<f64>,
    /// The number of the replicate
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Also write this many fresh samples of the same law to NAME.test.csv, with the noiseless mean
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub test: usize,
    /// The CSV file to write; the truth goes to NAME.truth.json beside it
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
}

/// What `lab run`, `lab real` and `lab hay` have in common.
#[derive(Debug, Args)]
pub struct LongRun {
    /// The folder for the rows; it is made if it is not there
    #[arg(short, long, value_name = "FOLDER")]
    pub out: PathBuf,
    /// Learners, separated by commas; see `needlenet lab studies`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub learners: Vec<String>,
    /// The seed: other seeds give other tables and splits
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Replicates at a time, 0 for one per core; it does not change the rows
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub threads: usize,
    /// Keep rows that another version of a learner made beside the new ones
    #[arg(long)]
    pub mix_versions: bool,
    /// No progress bar or notes
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `lab run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The study; see `needlenet lab studies`
    pub study: String,
    /// Only these points: values of s, of n, or names of designs, whichever varies, separated by commas
    #[arg(long, value_name = "VALUES", value_delimiter = ',')]
    pub points: Vec<String>,
    /// Replicates per point and learner; if not given, those of the full study
    #[arg(long, value_name = "COUNT")]
    pub replicates: Option<u64>,
    /// Also run our default with p-values (needlenet-sure): sure_tpr and sure_fdr count the needles with an adjusted p-value
    /// below .05
    #[arg(long)]
    pub sure: bool,
    /// Where, how and how long.
    #[command(flatten)]
    pub long: LongRun,
}

/// Arguments of `lab replicate`.
#[derive(Debug, Args)]
pub struct ReplicateArgs {
    /// The study
    pub study: String,
    /// The value of s, of n, or the name of the design, whichever varies
    #[arg(long, value_name = "VALUE")]
    pub point: String,
    /// The learner
    #[arg(long, value_name = "NAME")]
    pub learner: String,
    /// The number of the replicate, from 0
    #[arg(long, value_name = "NUMBER")]
    pub replicate: u64,
    /// The seed of the study
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
}

/// Which tables of a folder.
#[derive(Debug, Args)]
pub struct FolderArgs {
    /// A folder of tables whose outcome is in the column "target"
    pub folder: PathBuf,
    /// Only these tables, by the names of their files without endings, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub sets: Vec<String>,
    /// Where, how and how long.
    #[command(flatten)]
    pub long: LongRun,
}

/// Arguments of `lab real`.
#[derive(Debug, Args)]
pub struct RealArgs {
    /// Which tables.
    #[command(flatten)]
    pub on: FolderArgs,
    /// Splits per table and learner
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    pub replicates: u64,
}

/// Arguments of `lab hay`.
#[derive(Debug, Args)]
pub struct HayArgs {
    /// Which tables.
    #[command(flatten)]
    pub on: FolderArgs,
    /// Shuffled columns to add
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    pub columns: usize,
    /// The most samples of a table to use
    #[arg(long, value_name = "COUNT", default_value_t = 2000)]
    pub rows: usize,
    /// Shuffles per table and learner
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    pub replicates: u64,
}

/// Arguments of `lab whole`.
#[derive(Debug, Args)]
pub struct WholeArgs {
    /// Tables whose outcome is in the column "target"
    #[arg(required = true)]
    pub tables: Vec<PathBuf>,
    /// Learners, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values = ["needlenet", "lasso-ann-2", "sqrt-lasso-qut"])]
    pub learners: Vec<String>,
    /// Inputs to look for, separated by commas: the report says which of them each learner found
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub watch: Vec<String>,
    /// Also write the rows to this CSV file
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Arguments of `lab splits`.
#[derive(Debug, Args)]
pub struct SplitsArgs {
    /// A table whose outcome is in the column "target"
    pub table: PathBuf,
    /// How many splits
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    pub replicates: u64,
    /// Their seed
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
}

/// Arguments of `lab ablate`.
#[derive(Debug, Args)]
pub struct AblateArgs {
    /// Designs with sizes, such as nonlinear:s=8 or deep:n=300, separated by commas
    #[arg(long, value_name = "DESIGNS", value_delimiter = ',', default_values = ABLATION_DESIGNS)]
    pub designs: Vec<String>,
    /// Draws of each design
    #[arg(long, value_name = "COUNT", default_value_t = 5)]
    pub replicates: u64,
    /// The seed: other seeds give other draws
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Fits at a time, 0 for one per core; it does not change what is found
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub threads: usize,
    /// Also write rows.csv, summary.md and the command to this folder, after each idea
    #[arg(short, long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}
