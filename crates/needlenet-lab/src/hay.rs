//! Hay among real inputs: shuffled copies of the columns of a real table are added to it, and the selected ones are
//! counted.
//!
//! A shuffled column has the values of a real input and no information on the outcome, so any that is selected is a false
//! input, whatever the law of the table. Missing cells get the mean of their column; a table without a column `target`,
//! such as survival times, is skipped and named. Tested in `tests/hay.rs`.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use needlenet::Outcome;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::error::{LabError, Result};
use crate::learners::learner;
use crate::over_tables::{OverTables, TableRow, TablesEnded};
use crate::real::RealTable;
use crate::replicate::{VERSION, draw_seed};
use crate::run::{Watcher, guarded};
use crate::sample::Sample;

/// The prefix of the names of shuffled columns.
const HAY: &str = "hay";

/// Learners on tables with hay; `needlenet` if none are named.
#[derive(Debug, Clone, PartialEq)]
pub struct HayExperiment {
    /// Learners and tables; a replicate is a shuffle.
    pub over: OverTables,
    /// Shuffled columns that are added.
    pub hay: usize,
    /// The most samples of a table that are used.
    pub rows: usize,
}

/// One learner on one table with one set of shuffled columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HayRow {
    /// The table.
    pub set: String,
    /// Samples used.
    pub n: usize,
    /// Inputs of the table.
    pub p: usize,
    /// Classes; 0 in regression.
    pub classes: usize,
    /// Shuffled columns.
    pub hay: usize,
    /// The learner.
    pub learner: String,
    /// The version that made the row.
    pub version: String,
    /// The number of the shuffle, from 0.
    pub replicate: u64,
    /// Its seed.
    pub seed: u64,
    /// Real inputs selected; empty if the learner does not select or failed.
    pub selected: Option<usize>,
    /// Shuffled columns selected.
    pub selected_hay: Option<usize>,
    /// Distance from stationarity, relative to lambda.
    pub kkt: Option<f64>,
    /// Why the learner stopped.
    pub stop: String,
    /// How long it took.
    pub seconds: f64,
    /// All inputs that were selected, separated by blanks.
    pub names: String,
}

impl TableRow for HayRow {
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
        (self.replicate, self.seed)
    }
}

impl HayExperiment {
    /// Runs the rows that the folder `out` does not have yet, table after table.
    pub fn run(&self, out: &Path, watcher: &dyn Watcher<HayRow>) -> Result<TablesEnded> {
        let row = |table: &RealTable, sample: &Sample, name: &str, at| self.row(table, sample, name, at);
        self.over.run(out, &["needlenet"], |rows| self.refuse_other_hay(out, rows), row, watcher)
    }

    fn refuse_other_hay(&self, out: &Path, rows: &[HayRow]) -> Result<()> {
        let Some(row) = rows.iter().find(|row| row.hay != self.hay) else { return Ok(()) };
        let (found, wanted) = (format!("{} shuffled columns", row.hay), self.hay.to_string());
        Err(LabError::Mixed { path: out.to_owned(), found, wanted, remedy: "" })
    }

    fn row(&self, table: &RealTable, sample: &Sample, name: &str, replicate: u64) -> HayRow {
        let seed = draw_seed(self.over.seed, replicate);
        let mixed = with_hay(sample, self.hay, self.rows, seed);
        let start = Instant::now();
        let learned = match learner(name) {
            Ok(learner) => guarded(|| learner.learn(&mixed, &mixed, seed)),
            Err(unknown) => Err(format!("failed: {unknown}")),
        };
        let seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        let row = HayRow {
            set: table.name.clone(),
            n: mixed.n(),
            p: sample.p(),
            classes: sample.outcome.classes().len(),
            hay: self.hay,
            learner: name.into(),
            version: VERSION.into(),
            replicate,
            seed,
            selected: None,
            selected_hay: None,
            kkt: None,
            stop: String::new(),
            seconds,
            names: String::new(),
        };
        match learned {
            Ok(learned) => {
                let of_hay = |hay: bool| {
                    let all = learned.selected.as_ref().map(|all| all.iter());
                    all.map(|all| all.filter(|j| (**j >= sample.p()) == hay).count())
                };
                let names: Vec<&str> =
                    learned.selected.iter().flatten().map(|&j| mixed.names[j].as_str()).collect();
                HayRow {
                    selected: of_hay(false),
                    selected_hay: of_hay(true),
                    kkt: learned.kkt,
                    stop: learned.stop.clone(),
                    names: names.join(" "),
                    ..row
                }
            }
            Err(reason) => HayRow { stop: reason, ..row },
        }
    }
}

/// At most `rows` samples of a table, chosen at random, with `hay` shuffled columns added. If `hay` is a multiple of the
/// number of columns, every column is shuffled equally often.
pub fn with_hay(sample: &Sample, hay: usize, rows: usize, seed: u64) -> Sample {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..sample.n()).collect();
    order.shuffle(&mut rng);
    order.truncate(rows);
    order.sort_unstable();
    let mut mixed = sample.rows(&order);
    if let Outcome::Classification { labels, classes } = &mut mixed.outcome {
        drop_absent_classes(labels, classes);
    }
    let (n, p) = (mixed.n(), mixed.p());
    let mut givers: Vec<usize> = (0..p).collect();
    for at in 0..hay {
        if at % p == 0 {
            givers.shuffle(&mut rng);
        }
        let giver = givers[at % p];
        let mut column = mixed.x[giver * n..(giver + 1) * n].to_vec();
        column.shuffle(&mut rng);
        mixed.x.extend(column);
        mixed.names.push(format!("{HAY}{}:{}", at + 1, mixed.names[giver]));
    }
    mixed
}

/// Removes classes without chosen samples.
fn drop_absent_classes(labels: &mut [usize], classes: &mut Vec<String>) {
    let present: HashSet<usize> = labels.iter().copied().collect();
    let mut next = 0..;
    let places: Vec<Option<usize>> =
        (0..classes.len()).map(|class| present.contains(&class).then(|| next.next()).flatten()).collect();
    labels.iter_mut().for_each(|label| *label = places[*label].unwrap_or_default());
    let mut class = 0..;
    classes.retain(|_| class.next().is_some_and(|at| places[at].is_some()));
}

/// A table in Markdown: a row per table and learner, and a last one over all tables of each learner.
pub fn hay_table(rows: &[HayRow]) -> String {
    let mut text = String::from(
        "| table | samples | inputs | classes | learner | fits | real inputs selected, mean | shuffled columns | of them selected | failed |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut learners: Vec<&str> = rows.iter().map(|row| row.learner.as_str()).collect();
    learners.sort_unstable();
    learners.dedup();
    for learner in learners {
        let own: Vec<&HayRow> = rows.iter().filter(|row| row.learner == learner).collect();
        let mut sets: Vec<&str> = own.iter().map(|row| row.set.as_str()).collect();
        sets.sort_unstable();
        sets.dedup();
        for set in &sets {
            let of_set: Vec<&HayRow> = own.iter().copied().filter(|row| row.set == *set).collect();
            let first = of_set[0];
            let _ = write!(text, "| {set} | {} | {} | {} ", first.n, first.p, first.classes);
            line(&mut text, learner, &of_set);
        }
        let _ = write!(text, "| all {} tables | | | ", sets.len());
        line(&mut text, learner, &own);
    }
    text
}

fn line(text: &mut String, learner: &str, rows: &[&HayRow]) {
    let done: Vec<&&HayRow> = rows.iter().filter(|row| row.selected_hay.is_some()).collect();
    let real: usize = done.iter().filter_map(|row| row.selected).sum();
    let hay: usize = done.iter().map(|row| row.hay).sum();
    let taken: usize = done.iter().filter_map(|row| row.selected_hay).sum();
    let mean = real as f64 / done.len().max(1) as f64;
    let failed = rows.iter().filter(|row| row.stop.starts_with("failed")).count();
    let _ = writeln!(text, "| {learner} | {} | {mean:.1} | {hay} | {taken} | {failed} |", rows.len());
}
