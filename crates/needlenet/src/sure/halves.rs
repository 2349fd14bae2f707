//! Complementary pairs: the samples are split in two halves many times, and each half is searched by itself.
//!
//! The share of the `2 B` halves that select an input estimates how often a new sample of this size would select it. It also bounds
//! how many inputs are selected by chance (`bound.rs`).
//! Each pair has a stream of its own of the generator, so the result does not depend on the threads.
//! Cost: `2 B` searches of half the samples. Tested in `tests/sure.rs`.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::bound::{SelectionBounds, selection_bounds};
use super::conditional::Table;
use super::steps::{HalfEnd, Quiet};
use crate::error::{Error, Result};
use crate::prepared::Prepared;
use crate::progress::Observer;
use crate::search::plan::Plan;
use crate::settings::Settings;
use crate::table::Data;

/// The random stream of the first pair; each pair has its own.
const FIRST_STREAM: u64 = 1 << 40;

/// What the halves selected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Halves {
    /// Pairs of halves.
    pub pairs: usize,
    /// Halves whose fit converged.
    pub n_converged: usize,
    /// Inputs selected at least once, most frequent first.
    pub selected: Vec<Frequency>,
    /// Bounds on the number of inputs selected by chance.
    pub bounds: SelectionBounds,
}

/// How often an input was selected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frequency {
    /// Its name.
    pub name: String,
    /// Its position among the columns, from 0; of an input of several columns that of the first.
    pub index: usize,
    /// The share of halves that selected it.
    pub share: f64,
    /// The columns of an input of several; empty if it has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<usize>,
}

impl Halves {
    /// The share of halves that selected the input whose first column is `column`.
    pub(super) fn share(&self, column: usize) -> f64 {
        self.selected.iter().find(|input| input.index == column).map_or(0.0, |input| input.share)
    }
}

/// The rows of the halves: those of a pair stand one after the other.
pub(super) fn split(data: &Data, settings: &Settings, pairs: usize) -> Result<Vec<Vec<usize>>> {
    let problem = Prepared::new(data.clone(), settings)?;
    let (of_row, count) = problem.loss.strata();
    let mut strata = vec![Vec::new(); count];
    of_row.iter().zip(&problem.table.rows).for_each(|(&stratum, &row)| strata[stratum].push(row));
    strata.iter_mut().for_each(|rows| rows.sort_unstable());
    let pair = |b: usize| {
        let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
        rng.set_stream(FIRST_STREAM + b as u64);
        let mut halves = [Vec::new(), Vec::new()];
        for (at, rows) in strata.iter().enumerate() {
            let mut rows = rows.clone();
            rows.shuffle(&mut rng);
            // the extra row of a stratum of odd size goes to each half in turn
            let first = (rows.len() + at % 2) / 2;
            halves[0].extend_from_slice(&rows[..first]);
            halves[1].extend_from_slice(&rows[first..]);
        }
        halves.iter_mut().for_each(|rows| rows.sort_unstable());
        halves
    };
    Ok((0..pairs).flat_map(pair).collect())
}

/// Counts what the halves found.
pub(super) fn counted(table: &Table, ends: &[HalfEnd], cut: f64) -> Result<Halves> {
    let inputs = &table.haystack.inputs;
    let mut counts = vec![0usize; inputs.len()];
    for end in ends {
        let mut found: Vec<usize> = end.found.iter().map(|&j| table.haystack.input_of(j)).collect();
        found.sort_unstable();
        found.dedup();
        found.into_iter().for_each(|input| counts[input] += 1);
    }
    let share = |count: usize| count as f64 / ends.len() as f64;
    let frequency = |at: usize| Frequency {
        name: inputs[at].name.clone(),
        index: inputs[at].columns[0],
        share: share(counts[at]),
        columns: if inputs[at].columns.len() > 1 { inputs[at].columns.clone() } else { Vec::new() },
    };
    let mut selected: Vec<Frequency> =
        (0..counts.len()).filter(|at| counts[*at] > 0).map(frequency).collect();
    selected.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.index.cmp(&b.index)));
    let q = share(counts.iter().sum());
    Ok(Halves {
        pairs: ends.len() / 2,
        n_converged: ends.iter().filter(|end| end.converged).count(),
        selected,
        bounds: selection_bounds(q, table.haystack.n_searched(), cut, ends.len() / 2)?,
    })
}

/// The columns found in some rows, and whether the fit converged.
pub(super) fn search(table: &Table, rows: &[usize], observer: &dyn Observer) -> Result<(Vec<usize>, bool)> {
    let unfit = |error: Error| Error::Conflict {
        what: format!("a half of the samples cannot be fitted by itself ({error})"),
        remedy: "ask for no halves (0 pairs)",
    };
    let half = table.data.of_rows(rows);
    let mut problem = half.and_then(|half| Prepared::new(half, table.settings)).map_err(unfit)?;
    match problem.chosen(table.settings, &Plan::default(), &Quiet(observer)) {
        Ok(chosen) => {
            let solution = &chosen.found.solution;
            let inputs = solution.live.support().iter().map(|&column| problem.table.inputs[column]).collect();
            Ok((inputs, solution.stop.is_converged()))
        }
        // a half that is too small to find anything selects nothing
        Err(Error::BeyondReach { .. }) => Ok((Vec::new(), true)),
        Err(error) => Err(error),
    }
}
