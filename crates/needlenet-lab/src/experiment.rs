//! Runs a study, or continues it after an interruption.

use std::collections::HashSet;
use std::path::Path;

use crate::error::{LabError, Result};
use crate::learners::learner;
use crate::ledger::Ledger;
use crate::replicate::{Row, VERSION, replicate};
use crate::run::{Watcher, each};
use crate::study::{Point, SEEDS_APART, Study};

/// What to run of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// The study.
    pub study: Study,
    /// The learners, by name; those of the study if empty.
    pub learners: Vec<String>,
    /// Values of the study's axis; all points if empty.
    pub points: Vec<String>,
    /// Replicates per point and learner.
    pub replicates: u64,
    /// The seed of the study.
    pub seed: u64,
    /// Threads; 0 for all cores.
    pub threads: usize,
    /// Whether rows of another version of a learner may be mixed with new ones.
    pub mix_versions: bool,
}

/// One row to make.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The setting.
    pub point: Point,
    /// The learner.
    pub learner: String,
    /// The replicate.
    pub replicate: u64,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Number of rows that existed before.
    pub before: usize,
    /// Rows made now.
    pub made: usize,
}

impl Experiment {
    /// Every row of the experiment, replicate after replicate, so that an interrupted run has about equally
    /// many rows of each point and learner.
    pub fn tasks(&self) -> Result<Vec<Task>> {
        let study = &self.study;
        let learners: Vec<String> = match self.learners.is_empty() {
            true => study.learners.iter().map(|name| (*name).to_owned()).collect(),
            false => self.learners.clone(),
        };
        for name in &learners {
            learner(name)?;
        }
        for value in &self.points {
            if !study.points.iter().any(|point| study.value(point) == *value) {
                let known = study.points.iter().map(|point| study.value(point)).collect();
                return Err(LabError::Point { value: value.clone(), study: study.name, known });
            }
        }
        let wanted = |point: &&Point| self.points.is_empty() || self.points.contains(&study.value(point));
        let points: Vec<&Point> = study.points.iter().filter(wanted).collect();
        let mut tasks = Vec::new();
        for replicate in 0..self.replicates {
            for point in &points {
                for learner in &learners {
                    tasks.push(Task { point: (*point).clone(), learner: learner.clone(), replicate });
                }
            }
        }
        Ok(tasks)
    }

    /// Runs the rows that the folder does not have yet.
    pub fn run(&self, folder: &Path, watcher: &dyn Watcher<Row>) -> Result<Ended> {
        let tasks = self.tasks()?;
        let (mut ledger, rows) = Ledger::open::<Row>(folder)?;
        self.refuse_other_rows(folder, &tasks, &rows)?;
        let key = |point: (&str, usize, usize, usize), learner: &str, replicate: u64| {
            format!("{point:?} {learner} {replicate}")
        };
        let there: HashSet<String> = rows
            .iter()
            .map(|row| key((&row.design, row.n, row.p, row.s), &row.learner, row.replicate))
            .collect();
        let missing: Vec<Task> = tasks
            .into_iter()
            .filter(|task| {
                let Point { design, n, p, s } = task.point;
                !there.contains(&key((design, n, p, s), &task.learner, task.replicate))
            })
            .collect();
        each(
            &missing,
            self.threads,
            |task| replicate(&self.study, &task.point, &task.learner, self.seed, task.replicate),
            |row| match row {
                Ok(row) => ledger.append(row),
                // names were checked before the first replicate
                Err(error) => Err(LabError::Row { reason: error.to_string() }),
            },
            &Unwrapping(watcher),
        )?;
        Ok(Ended { before: rows.len(), made: missing.len() })
    }

    fn refuse_other_rows(&self, folder: &Path, tasks: &[Task], rows: &[Row]) -> Result<()> {
        let mixed = |found: String, wanted: String, remedy| {
            Err(LabError::Mixed { path: folder.to_owned(), found, wanted, remedy })
        };
        if let Some(row) = rows.iter().find(|row| row.study != self.study.name) {
            return mixed(row.study.clone(), self.study.name.into(), "");
        }
        let seed_of = |row: &Row| row.seed.wrapping_sub(row.replicate) / SEEDS_APART;
        if let Some(row) = rows.iter().find(|row| seed_of(row) != self.seed) {
            return mixed(format!("seed {}", seed_of(row)), format!("seed {}", self.seed), "");
        }
        let running: HashSet<&str> = tasks.iter().map(|task| task.learner.as_str()).collect();
        let other = |row: &&Row| row.version != VERSION && running.contains(row.learner.as_str());
        if let Some(row) = rows.iter().find(other).filter(|_| !self.mix_versions) {
            let found = format!("{} made by version {}", row.learner, row.version);
            return mixed(found, format!("version {VERSION}"), ", or --mix-versions to keep both");
        }
        Ok(())
    }
}

/// Shows a watcher the existing rows.
struct Unwrapping<'a>(&'a dyn Watcher<Row>);

impl Watcher<Result<Row>> for Unwrapping<'_> {
    fn kept(&self, row: &Result<Row>, done: usize, of: usize) {
        if let Ok(row) = row {
            self.0.kept(row, done, of);
        }
    }
}
