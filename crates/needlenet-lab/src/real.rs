//! Real tables: accuracy and number of needles on random splits (paper, figures 3 and 4).
//!
//! A folder has tables with the outcome in the column `target`. Missing cells get the mean of their column;
//! a table without `target`, such as survival times, is skipped and named.

use std::path::{Path, PathBuf};
use std::time::Instant;

use needlenet::{Outcome, Prediction, metrics};
use needlenet_io::{Missing, ReadOptions, read_table};
use serde::{Deserialize, Serialize};

use crate::error::{LabError, Result};
use crate::learners::{Learned, learner};
use crate::over_tables::{OverTables, TableRow, TablesEnded};
use crate::replicate::{VERSION, draw_seed};
use crate::run::{Watcher, guarded};
use crate::sample::Sample;
use crate::splits::Split;

/// The column of the outcome.
pub const TARGET: &str = "target";

/// The learners that are compared on real tables if none are named.
pub const REAL_LEARNERS: [&str; 3] = ["needlenet", "lasso-ann-40", "linear-l1"];

/// A table of the folder.
#[derive(Debug, Clone)]
pub struct RealTable {
    /// The name of the file without its endings.
    pub name: String,
    /// The file.
    pub path: PathBuf,
}

/// The tables of a folder, by name.
pub fn tables(folder: &Path) -> Result<Vec<RealTable>> {
    let mut tables = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(LabError::file(folder))? {
        let path = entry.map_err(LabError::file(folder))?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = [".csv.gz", ".csv", ".parquet", ".arrow"].iter().find_map(|end| file.strip_suffix(end));
        if let Some(stem) = stem {
            tables.push(RealTable { name: stem.to_owned(), path });
        }
    }
    tables.sort_by(|a, b| a.name.cmp(&b.name));
    if tables.is_empty() {
        let what = "has no table; give a folder with files .csv, .csv.gz, .parquet or .arrow";
        return Err(LabError::Nothing { path: folder.to_owned(), what });
    }
    Ok(tables)
}

/// Reads a table with its outcome: classes, or a quantity if there are many distinct numbers.
pub fn read(path: &Path) -> Result<Sample> {
    let options =
        ReadOptions { target: Some(TARGET.into()), missing: Missing::Mean, ..ReadOptions::default() };
    let table = read_table(&path.to_string_lossy(), &options)?;
    let Some(target) = table.target else {
        return Err(LabError::Nothing { path: path.to_owned(), what: "has no column \"target\"" });
    };
    let outcome = match target.numbers.as_ref().filter(|_| !target.is_classes().0) {
        Some(numbers) => Outcome::Regression(numbers.clone()),
        None => Outcome::from_labels(&target.labels()),
    };
    Ok(Sample { x: table.values, names: table.names, outcome })
}

/// One learner on one split of one table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RealRow {
    /// The table.
    pub set: String,
    /// Samples of the table.
    pub n: usize,
    /// Inputs.
    pub p: usize,
    /// Classes; 0 in regression.
    pub classes: usize,
    /// The learner.
    pub learner: String,
    /// The version that made the row.
    pub version: String,
    /// The number of the split, from 0.
    pub split: u64,
    /// The seed of the split, as `lab splits` numbers them.
    pub seed: u64,
    /// Inputs it predicts with, stand-ins too; empty if the learner does not select.
    pub selected: Option<usize>,
    /// Share of the test samples whose class was predicted correctly; for survival the concordance.
    pub accuracy: Option<f64>,
    /// The accuracy of always predicting the most frequent class of the training part.
    pub majority: Option<f64>,
    /// Root mean square error on the test samples, in regression.
    pub rmse: Option<f64>,
    /// First-layer neurons in use.
    pub neurons: Option<usize>,
    /// The objective reached.
    pub objective: Option<f64>,
    /// Distance from stationarity, relative to lambda.
    pub kkt: Option<f64>,
    /// Why the learner stopped.
    pub stop: String,
    /// 1 if at a stationary point, empty if unknown.
    pub converged: Option<u8>,
    /// How long it took.
    pub seconds: f64,
    /// These inputs, separated by blanks.
    pub names: String,
}

impl TableRow for RealRow {
    fn set(&self) -> &str {
        &self.set
    }

    fn learner(&self) -> &str {
        &self.learner
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn repetition(&self) -> (u64, u64) {
        (self.split, self.seed)
    }
}

impl OverTables {
    /// Runs the splits that the folder `out` does not have yet, table after table; with [`REAL_LEARNERS`] if no learners
    /// are named.
    pub fn run_splits(&self, out: &Path, watcher: &dyn Watcher<RealRow>) -> Result<TablesEnded> {
        let row =
            |table: &RealTable, sample: &Sample, name: &str, at| real_row(table, sample, name, self.seed, at);
        self.run(out, &REAL_LEARNERS, |_| Ok(()), row, watcher)
    }
}

/// A learner on one split of a table.
fn real_row(table: &RealTable, sample: &Sample, name: &str, seed: u64, split: u64) -> RealRow {
    let seed = draw_seed(seed, split);
    let parts = Split::new(&sample.outcome, seed);
    let (train, test) = (sample.rows(&parts.train), sample.rows(&parts.test));
    let start = Instant::now();
    let learned = match learner(name) {
        Ok(learner) => guarded(|| learner.learn(&train, &test, seed)),
        Err(unknown) => Err(format!("failed: {unknown}")),
    };
    let seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    judged(table.name.clone(), sample, name, (seed, split), &test, majority(&train, &test), learned, seconds)
}

/// A learner on a whole table, which is also its test set: this shows which inputs it selects, not
/// how well it predicts.
pub fn whole_table(table: &RealTable, sample: &Sample, name: &str) -> Result<RealRow> {
    let learner = learner(name)?;
    let start = Instant::now();
    let learned = guarded(|| learner.learn(sample, sample, 1));
    let seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    Ok(judged(table.name.clone(), sample, name, (1, 0), sample, majority(sample, sample), learned, seconds))
}

#[allow(clippy::too_many_arguments, reason = "the columns of a row come from as many places")]
fn judged(
    set: String,
    sample: &Sample,
    name: &str,
    (seed, split): (u64, u64),
    test: &Sample,
    majority: Option<f64>,
    learned: std::result::Result<Learned, String>,
    seconds: f64,
) -> RealRow {
    let row = RealRow {
        set,
        n: sample.n(),
        p: sample.p(),
        classes: sample.outcome.classes().len(),
        learner: name.into(),
        version: VERSION.into(),
        split,
        seed,
        selected: None,
        accuracy: None,
        majority,
        rmse: None,
        neurons: None,
        objective: None,
        kkt: None,
        stop: String::new(),
        converged: Some(0),
        seconds,
        names: String::new(),
    };
    let learned = match learned {
        Ok(learned) => learned,
        Err(reason) => return RealRow { stop: reason, ..row },
    };
    let (mut accuracy, mut rmse) = (None, None);
    match (&learned.predicted, &test.outcome) {
        (Prediction::Classes { labels, .. }, Outcome::Classification { labels: truth, .. }) => {
            accuracy = Some(metrics::accuracy(labels, truth));
        }
        (Prediction::Numbers(risk), Outcome::Survival { times, events, .. }) => {
            accuracy = Some(metrics::concordance(times, events, risk));
        }
        (Prediction::Numbers(mean), Outcome::Regression(y) | Outcome::Counts(y)) => {
            rmse = Some(metrics::mean_squared_error(mean, y).sqrt());
        }
        _ => {}
    }
    let inputs = learned.selected.iter().flatten().chain(&learned.stand_ins);
    let names: Vec<&str> = inputs.map(|&j| sample.names[j].as_str()).collect();
    RealRow {
        selected: learned.selected.is_some().then_some(names.len()),
        accuracy,
        rmse,
        neurons: learned.neurons,
        objective: Some(learned.objective),
        kkt: learned.kkt,
        stop: learned.stop.clone(),
        converged: learned.converged.map(u8::from),
        names: names.join(" "),
        ..row
    }
}

/// The accuracy of always predicting the most frequent class of the training part.
fn majority(train: &Sample, test: &Sample) -> Option<f64> {
    let (Outcome::Classification { labels, classes }, Outcome::Classification { labels: truth, .. }) =
        (&train.outcome, &test.outcome)
    else {
        return None;
    };
    let count = |class: usize| labels.iter().filter(|label| **label == class).count();
    let top = (0..classes.len()).max_by_key(|&class| (count(class), std::cmp::Reverse(class)))?;
    Some(metrics::accuracy(&vec![top; truth.len()], truth))
}
