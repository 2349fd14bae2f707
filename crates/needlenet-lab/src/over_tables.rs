//! Runs learners on the tables of a folder, several times each; rows that the ledger has are skipped.
//!
//! Rows of another seed, and of another version of a learner that runs, are not mixed with new ones. Tested in
//! `tests/resume.rs` and `tests/hay.rs`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{LabError, Result};
use crate::learners::learner;
use crate::ledger::Ledger;
use crate::real::{RealTable, read, tables};
use crate::replicate::VERSION;
use crate::run::{Watcher, each};
use crate::sample::Sample;
use crate::study::SEEDS_APART;

/// How a run over tables ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TablesEnded {
    /// Number of rows that existed before.
    pub before: usize,
    /// Rows made now.
    pub made: usize,
    /// Skipped tables, and why.
    pub left_out: Vec<String>,
}

/// A row of such a run.
pub(crate) trait TableRow: Serialize + DeserializeOwned + Send {
    fn set(&self) -> &str;
    fn learner(&self) -> &str;
    fn version(&self) -> &str;
    /// The number of the repetition, and the seed of its draws.
    fn repetition(&self) -> (u64, u64);
}

/// Which learners to run on which tables, and how often.
#[derive(Debug, Clone, PartialEq)]
pub struct OverTables {
    /// The folder of tables.
    pub tables: PathBuf,
    /// Names of tables; all if empty.
    pub sets: Vec<String>,
    /// Learners by name; the usual ones if empty.
    pub learners: Vec<String>,
    /// Splits or shuffles per table and learner.
    pub replicates: u64,
    /// The seed of the splits or shuffles.
    pub seed: u64,
    /// Threads; 0 for all cores.
    pub threads: usize,
    /// Whether rows of another version may be mixed with new ones.
    pub mix_versions: bool,
}

impl OverTables {
    /// Runs the rows that the folder `out` does not have yet, with the learners `usual` if none are named; `check` may
    /// refuse the existing rows.
    pub(crate) fn run<R: TableRow>(
        &self,
        out: &Path,
        usual: &[&str],
        check: impl Fn(&[R]) -> Result<()>,
        row: impl Fn(&RealTable, &Sample, &str, u64) -> R + Sync,
        watcher: &dyn Watcher<R>,
    ) -> Result<TablesEnded> {
        let named: Vec<&str> = self.learners.iter().map(String::as_str).collect();
        let learners = if named.is_empty() { usual } else { &named };
        for name in learners {
            learner(name)?;
        }
        let tables = self.tables()?;
        let (mut ledger, rows) = Ledger::open::<R>(out)?;
        self.refuse_other_rows(out, learners, &rows)?;
        check(&rows)?;
        let there: HashSet<(&str, &str, u64)> =
            rows.iter().map(|row| (row.set(), row.learner(), row.repetition().0)).collect();
        let mut ended = TablesEnded { before: rows.len(), made: 0, left_out: Vec::new() };
        for table in &tables {
            let tasks: Vec<(u64, &str)> = (0..self.replicates)
                .flat_map(|at| learners.iter().map(move |name| (at, *name)))
                .filter(|(at, name)| !there.contains(&(table.name.as_str(), name, *at)))
                .collect();
            if tasks.is_empty() {
                continue;
            }
            let sample = match read(&table.path) {
                Ok(sample) => sample,
                Err(error) => {
                    ended.left_out.push(error.to_string());
                    continue;
                }
            };
            each(
                &tasks,
                self.threads,
                |(at, name)| row(table, &sample, name, *at),
                |row| ledger.append(row),
                watcher,
            )?;
            ended.made += tasks.len();
        }
        Ok(ended)
    }

    fn tables(&self) -> Result<Vec<RealTable>> {
        let is_meant = |table: &RealTable| self.sets.is_empty() || self.sets.contains(&table.name);
        let tables: Vec<RealTable> = tables(&self.tables)?.into_iter().filter(is_meant).collect();
        if let Some(name) = self.sets.iter().find(|name| tables.iter().all(|table| table.name != **name)) {
            let path = self.tables.join(format!("{name}.csv.gz"));
            return Err(LabError::Nothing { path, what: "there is no such table in the folder" });
        }
        Ok(tables)
    }

    fn refuse_other_rows<R: TableRow>(&self, out: &Path, learners: &[&str], rows: &[R]) -> Result<()> {
        let mixed =
            |found, wanted, remedy| Err(LabError::Mixed { path: out.to_owned(), found, wanted, remedy });
        let seed_of = |row: &R| {
            let (at, seed) = row.repetition();
            seed.wrapping_sub(at) / SEEDS_APART
        };
        if let Some(row) = rows.iter().find(|row| seed_of(row) != self.seed) {
            return mixed(format!("seed {}", seed_of(row)), format!("seed {}", self.seed), "");
        }
        let other = |row: &&R| row.version() != VERSION && learners.contains(&row.learner());
        if let Some(row) = rows.iter().find(other).filter(|_| !self.mix_versions) {
            let found = format!("{} made by version {}", row.learner(), row.version());
            return mixed(found, format!("version {VERSION}"), ", or --mix-versions to keep both");
        }
        Ok(())
    }
}
