//! Complementary pairs: the samples are split in two halves many times, and each half is searched by itself.
//!
//! The share of the `2 B` halves that select an input says how often other samples of this size would, and bounds
//! what chance selects (`bound.rs`). On the same halves the network of the model is refitted with its needles held. With the
//! strengths `a_b` and `b_b` of a needle in the halves of pair `b`, the standard error of its strength `s` in all samples is
//!
//! $$ \mathrm{se}^2 = \frac{1}{4B} \sum_b (a_b - b_b)^2, $$
//!
//! as the mean of two independent halves has it, and the interval is `s` minus or plus 1.96 of it.
//! Each pair has a stream of its own of the generator, so the result does not depend on the threads.
//! Cost: `2 B` searches of half the samples. Tested in `tests/sure.rs`; coverage in `docs/how-sure.md`.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bound::{SelectionBounds, selection_bounds};
use super::{Quiet, Steps};
use crate::error::{Error, Result};
use crate::local::active::Live;
use crate::local::descent::Limits;
use crate::local::working_set::Setting;
use crate::model::{Model, Task, strengths};
use crate::network::Inputs;
use crate::prepared::Prepared;
use crate::refit::refit;
use crate::search::plan::Plan;
use crate::settings::Settings;
use crate::table::Data;

/// Streams from here on are those of the pairs.
const FIRST_STREAM: u64 = 1 << 40;
/// The normal quantile of a two-sided level of .05.
const QUANTILE: f64 = 1.959963984540054;
/// No interval if the network has more parameters than this part of a half.
const MOST_PARAMETERS: f64 = 0.25;
/// No interval if a larger part of the refits did not converge.
const MOST_STOPPED: f64 = 0.1;

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
    /// How many inputs that are seldom selected are expected at or above the cut.
    pub bounds: SelectionBounds,
}

/// How often an input was selected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frequency {
    /// Its name.
    pub name: String,
    /// Its position among the inputs, from 0.
    pub index: usize,
    /// The share of halves that selected it.
    pub share: f64,
}

/// From where to where the strength of a needle is, given which inputs are needles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrengthInterval {
    /// The lower end, at least 0.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The standard error of the strength.
    pub standard_error: f64,
    /// The mean strength over the halves: far above the strength where a half is too small for the network.
    pub mean_of_halves: f64,
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
            // the odd rows of strata take turns
            let first = (rows.len() + at % 2) / 2;
            halves[0].extend_from_slice(&rows[..first]);
            halves[1].extend_from_slice(&rows[first..]);
        }
        halves.iter_mut().for_each(|rows| rows.sort_unstable());
        halves
    };
    Ok((0..pairs).flat_map(pair).collect())
}

/// Searches every half.
pub(super) fn select(
    data: &Data,
    settings: &Settings,
    halves: &[Vec<usize>],
    cut: f64,
    steps: &Steps,
) -> Result<Halves> {
    let found: Vec<(Vec<usize>, bool)> = halves
        .par_iter()
        .map(|rows| {
            let found = search(data, settings, rows, steps)?;
            steps.next()?;
            Ok(found)
        })
        .collect::<Result<_>>()?;
    let mut counts = vec![0usize; data.n_features()];
    found.iter().flat_map(|(inputs, _)| inputs).for_each(|&j| counts[j] += 1);
    let share = |count: usize| count as f64 / halves.len() as f64;
    let frequency = |j: usize| Frequency { name: data.names()[j].clone(), index: j, share: share(counts[j]) };
    let mut selected: Vec<Frequency> = (0..counts.len()).filter(|j| counts[*j] > 0).map(frequency).collect();
    selected.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.index.cmp(&b.index)));
    let q = share(counts.iter().sum());
    Ok(Halves {
        pairs: halves.len() / 2,
        n_converged: found.iter().filter(|(_, converged)| *converged).count(),
        selected,
        bounds: selection_bounds(q, data.n_features(), cut, halves.len() / 2)?,
    })
}

/// The inputs found in some rows, and whether the fit converged.
fn search(data: &Data, settings: &Settings, rows: &[usize], steps: &Steps) -> Result<(Vec<usize>, bool)> {
    let unfit = |error: Error| Error::Conflict {
        what: format!("a half of the samples cannot be fitted by itself ({error})"),
        remedy: "ask for no halves (0 pairs)",
    };
    let mut problem = data.of_rows(rows).and_then(|half| Prepared::new(half, settings)).map_err(unfit)?;
    match problem.chosen(settings, &Plan::default(), &Quiet(steps.observer)) {
        Ok(chosen) => {
            let solution = &chosen.found.solution;
            let inputs = solution.live.support().iter().map(|&column| problem.table.inputs[column]).collect();
            Ok((inputs, solution.stop.is_converged()))
        }
        // so few samples can find nothing, which is an answer
        Err(Error::BeyondReach { .. }) => Ok((Vec::new(), true)),
        Err(error) => Err(error),
    }
}

/// The interval of each needle; none where the halves are too small for the network of the model.
pub(super) fn intervals(
    data: &Data,
    model: &Model,
    halves: &[Vec<usize>],
    steps: &Steps,
) -> Result<Vec<Option<StrengthInterval>>> {
    let none = vec![None; model.needles.len()];
    if model.needles.is_empty() || halves.is_empty() {
        return Ok(none);
    }
    let inputs: Vec<usize> = model.inputs().map(|input| input.index).collect();
    let problem = Prepared::new(data.of_inputs(&inputs), &model.settings)?;
    let live = in_canonical_order(model, &problem);
    if live.parameters_in_use() > MOST_PARAMETERS * problem.loss.size() / 2.0 {
        return Ok(none);
    }
    let refits: Vec<Option<Vec<f64>>> =
        halves.par_iter().map(|rows| half_refit(&problem, model, &live, rows, steps)).collect();
    if !steps.observer.go_on() {
        return Err(Error::Interrupted);
    }
    let stopped = refits.iter().filter(|strengths| strengths.is_none()).count();
    if stopped as f64 > MOST_STOPPED * refits.len() as f64 {
        return Ok(none);
    }
    let unit = if let Task::Regression { scaling } = &model.task { scaling.scale } else { 1.0 };
    // needles come before stand-ins
    let interval = |at: usize| {
        let place = problem.table.inputs.iter().position(|input| *input == at)?;
        let pairs: Vec<[f64; 2]> = refits
            .chunks(2)
            .filter_map(|pair| match pair {
                [Some(a), Some(b)] => Some([unit * a[place], unit * b[place]]),
                _ => None,
            })
            .collect();
        interval_of(model.needles[at].strength, &pairs)
    };
    Ok((0..model.needles.len()).map(interval).collect())
}

/// The intervals by themselves.
#[cfg(feature = "internals")]
pub(crate) fn intervals_only(
    data: &Data,
    model: &Model,
    pairs: usize,
) -> Result<Vec<Option<StrengthInterval>>> {
    let halves = split(data, &model.settings, pairs)?;
    intervals(data, model, &halves, &Steps::new(&(), 2 * pairs))
}

fn interval_of(strength: f64, pairs: &[[f64; 2]]) -> Option<StrengthInterval> {
    let count = pairs.len() as f64;
    let squares: f64 = pairs.iter().map(|[a, b]| (a - b).powi(2)).sum();
    let standard_error = (squares / (4.0 * count)).sqrt();
    let mean_of_halves = pairs.iter().map(|[a, b]| (a + b) / 2.0).sum::<f64>() / count;
    let reach = QUANTILE * standard_error;
    let interval = StrengthInterval {
        low: (strength - reach).max(0.0),
        high: strength + reach,
        standard_error,
        mean_of_halves,
    };
    (standard_error.is_finite() && mean_of_halves.is_finite()).then_some(interval)
}

/// The refit of the model, on the columns of a table that has its inputs only.
fn in_canonical_order(model: &Model, problem: &Prepared) -> Live {
    let network = model.network();
    let width = network.width();
    let mut theta = model.weights.refitted.clone();
    for (column, (&input, sign)) in problem.table.inputs.iter().zip(&problem.table.signs).enumerate() {
        let own = &model.weights.refitted[input * width..(input + 1) * width];
        theta[column * width..(column + 1) * width].iter_mut().zip(own).for_each(|(w, own)| *w = sign * own);
    }
    Live { columns: (0..problem.table.p()).collect(), network, theta }
}

/// The strengths of all inputs, as columns of the table, in the refit of a half; none if it did not converge.
fn half_refit(
    problem: &Prepared,
    model: &Model,
    live: &Live,
    rows: &[usize],
    steps: &Steps,
) -> Option<Vec<f64>> {
    let table = &problem.table;
    let mut is_in = vec![false; table.n];
    rows.iter().for_each(|&row| is_in[row] = true);
    let rows: Vec<usize> = (0..table.n).filter(|i| is_in[table.rows[*i]]).collect();
    let loss = problem.loss.of_rows(&rows);
    let x = table.x.of_rows(&rows);
    let setting = Setting {
        x: &x,
        loss: &*loss,
        penalty: model.used.penalty,
        lambda: model.lambda,
        tau: 1.0,
        without: &[],
        observer: steps.observer,
    };
    let Settings { tolerance, max_iterations, .. } = model.settings;
    let end = refit(&setting, live, Limits { tolerance, max_iterations });
    let inputs = Inputs::of(&x, &live.columns, None);
    let strengths = strengths(&live.network, &end.point.theta, &inputs, loss.samples(), problem.link);
    end.stop.is_converged().then_some(strengths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_is_that_of_the_mean_of_two_halves() {
        // halves that differ by 2 or 4: squares 4 and 16, over 8
        let interval = interval_of(5.0, &[[4.0, 6.0], [7.0, 3.0]]).unwrap();
        assert!((interval.standard_error - 2.5f64.sqrt()).abs() < 1e-12);
        assert!((interval.high - (5.0 + QUANTILE * 2.5f64.sqrt())).abs() < 1e-12);
        assert_eq!(interval.mean_of_halves, 5.0);
        assert_eq!(interval_of(1.0, &[[4.0, 6.0], [7.0, 3.0]]).unwrap().low, 0.0);
        assert_eq!(interval_of(1.0, &[]), None);
    }
}
