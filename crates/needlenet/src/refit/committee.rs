//! The committee: the smooth networks on the needles that predict.
//!
//! Selection charges a high price for every neuron; prediction needs a lower price, which depends on the table. The samples are
//! split into `FOLDS` folds. For each fold some smooth networks are trained on the other folds, along a path of ridge penalties
//! from strong to weak, each warm-started from the last. The loss of their mean on the held-out fold, summed over the
//! folds, chooses the ridge penalty. The mean of all networks at that penalty predicts. Together they have seen all samples, and
//! a mean of networks with one hidden layer is again such a network.
//!
//! It replaces the refit of the sparse network if the held-out deviance is lower by more than a standard error. The bends
//! of the sparse network were chosen on all samples, so its held-out deviance is too low. It is therefore charged the price, as
//! in the score of the search, of every parameter beyond those of the linear model of the same inputs. If the first two folds
//! show no gain, the others are not trained.
//!
//! The inputs are standardised and saturated, or coded by their ranks (`network/coding.rs`). The networks of the first two folds are trained
//! with both codings, and the coding with the lower held-out loss is used. One network for each of these folds is trained first; if they are far
//! behind the sparse network, the committee is given up.
//! Losses are only computed for whole folds, so the samples of an outcome may be coupled.
//! Cost: see `levenberg.rs`, times `FOLDS`, ridges and `STEPS`. Tested in `src/tests/predictor.rs` and `tests/predictor.rs`.

use std::ops::Range;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::levenberg::Training;
use super::{Refitted, refit};
use crate::local::active::Live;
use crate::local::descent::Limits;
use crate::local::working_set::Setting;
use crate::model::{HeldOut, PathEnd, Predictor};
use crate::network::{Coding, Inputs, Smooth, SmoothRoom, Sweep};
use crate::outcome::Loss;
use crate::progress::Observer;
use crate::table::Design;

const FOLDS: usize = 5;
/// The largest number of networks trained on the same folds from different starts, and the limit on the samples that they
/// use together. The mean of a few starts is better than one, and costs little if there are few samples.
const MOST_STARTS: usize = 3;
const STARTS_TIMES_SAMPLES: usize = 1500;
/// Teams that are trained first.
const SCOUTS: usize = 2;
/// A committee whose scouts lose more deviance than this for each held-out sample is given up. Other starts gain less: the largest
/// gain of three starts over one was .2 (concrete, row "starts for each fold" of `docs/solver.md`).
const HOPELESS: f64 = 0.5;
/// Ridges, in units of the curvature of one sample's loss, and the factor from one to the next.
const STRONGEST: f64 = 10.0;
const FACTOR: f64 = 0.316_227_766_016_837_94;
const RIDGES: usize = 9;
/// Levenberg-Marquardt steps at a ridge.
const STEPS: usize = 6;
/// The path ends after this many ridges in a row at which the held-out loss does not fall.
const PATIENCE: usize = 2;
/// Neurons of a member, or fewer so that it has at most `PARAMETERS` parameters.
const NEURONS: usize = 20;
const FEWEST_NEURONS: usize = 4;
const PARAMETERS: usize = 240;
/// If `FEWEST_NEURONS` neurons have more parameters than this, because there are many inputs, the
/// refit predicts.
const MOST_PARAMETERS: usize = 600;
/// The fewest samples (in survival: events) for a committee. With fewer, held-out loss cannot tell two predictors apart: on
/// gene tables of 40 to 50 samples the committee has a lower held-out loss, but a higher loss on new samples. Row "fewest
/// samples" of `docs/solver.md`.
const FEWEST_SAMPLES: f64 = 100.0;
/// The largest number of samples that the committee is trained on.
const MOST_SAMPLES: usize = 10_000;
/// Precision of the refits of the sparse network on folds.
const OF_FOLD: Limits =
    Limits { tolerance: 1e-4, max_iterations: 200, max_newton: usize::MAX, least_gain: 0.0 };

/// A fold: its samples, the other samples, and the outcome of both.
struct Fold {
    inside: Vec<usize>,
    outside: Vec<usize>,
    held_out: Box<dyn Loss>,
    learnt: Box<dyn Loss>,
}

/// The networks trained on all folds but one, and the fold on which their mean is tested.
struct Team {
    members: Vec<Member>,
    x: Vec<f64>,
    held_out: Box<dyn Loss>,
    room: SmoothRoom,
}

/// A network along the path: its parameters and its outputs on the held-out fold at each ridge so far.
struct Member {
    training: Training,
    path: Vec<(Vec<f64>, Vec<f64>)>,
}

/// The result of the comparison.
#[derive(Debug, Default)]
pub(crate) struct Committee {
    /// The committee, if it predicts better than the refit.
    pub predictor: Option<Predictor>,
    /// The held-out losses of both, if there are enough samples and not too many inputs.
    pub held_out: Option<HeldOut>,
}

/// Trains the committee on the inputs of `refitted`, and compares both.
///
/// Inputs that are always in keep their weights of the refit; the networks learn the rest. `unit` is that of an input, in
/// standard deviations.
pub(crate) fn committee(
    setting: &Setting,
    refitted: &Refitted,
    unit: &dyn Fn(usize) -> f64,
    price: f64,
    seed: u64,
) -> Committee {
    let Refitted { live, end, .. } = refitted;
    let loss = setting.loss;
    let (inputs, outputs) = (live.columns.len(), loss.n_outputs());
    let neurons = (PARAMETERS / (inputs + 1 + outputs)).clamp(FEWEST_NEURONS, NEURONS);
    let network = Smooth { inputs, neurons, outputs };
    if inputs == 0 || network.n_params() > MOST_PARAMETERS || loss.size() < FEWEST_SAMPLES {
        return Committee::default();
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // random streams: the null draws use those from zero upwards, the starts of the search the last
    // ones
    rng.set_stream(u64::MAX - 1);
    let folds = deal(loss, &mut rng);
    let start = Live { theta: end.point.theta.clone(), ..live.clone() };
    let refits: Vec<(f64, Vec<f64>)> =
        folds.par_iter().map(|fold| held_out_refit(setting, &start, fold)).collect();
    let sparse: Vec<f64> = refits.iter().map(|(loss, _)| *loss).collect();
    let null: Vec<f64> = folds.iter().map(|fold| constant_loss(loss, &*fold.held_out)).collect();
    let members = (STARTS_TIMES_SAMPLES / loss.n()).clamp(1, MOST_STARTS);
    let starts: Vec<Vec<f64>> = (0..FOLDS * members).map(|_| random(network, loss, &mut rng)).collect();
    let noise = loss.noise(end.point.loss, loss.size());
    let ridges = ridges(&*loss.at_noise(noise));
    let mut x = setting.x.gathered(&live.columns);
    for (column, j) in x.chunks_mut(loss.n()).zip(&live.columns) {
        column.iter_mut().for_each(|v| *v *= unit(*j));
    }
    // the networks of a fold that begin at some of its starts
    let team = |coding: &Coding, k: usize, of: Range<usize>| {
        let x = coding.apply(&x, loss.n());
        let of_always = &refits[k].1[live.network.always()];
        Team::new(network, loss, &folds[k], &x, of_always, &starts[k * members..][of], noise)
    };
    let scouted = |coding: Coding, members: usize| {
        let mut scouts: Vec<Team> = (0..SCOUTS).map(|k| team(&coding, k, 0..members)).collect();
        let stop = walk_path(&mut scouts, &ridges, setting.observer);
        (coding, scouts, stop)
    };
    // as far along the path as others
    let catch_up = |mut teams: Vec<Team>, with: &[Team]| {
        ridges[..walked(with)].iter().for_each(|ridge| walk(&mut teams, *ridge, setting.observer));
        teams
    };

    let part_of_null = |losses: &[f64]| losses.iter().sum::<f64>() / null[..losses.len()].iter().sum::<f64>();
    let held_out = |of_teams: &[f64]| HeldOut {
        predictor: part_of_null(of_teams),
        sparse: part_of_null(&sparse[..of_teams.len()]),
    };
    // parameters beyond the linear model of the same inputs were chosen on all samples
    let chosen = if live.network.is_linear() {
        0.0
    } else {
        let linear = (inputs + 1) * loss.n_contrasts() + live.network.always().len();
        (live.parameters_in_use() - linear as f64).max(0.0)
    };
    let charge = price * chosen / FOLDS as f64;
    // the gain in deviance of each team on its fold
    let gains = |of_teams: &[f64]| -> Vec<f64> {
        let both = sparse.iter().zip(of_teams).zip(&folds);
        let gain = |((sparse, team), fold): ((&f64, &f64), &Fold)| {
            fold.held_out.deviance(*sparse) + charge - fold.held_out.deviance(*team)
        };
        both.map(gain).collect()
    };
    let lowest = |teams: &[Team]| losses(teams, best(teams));
    let hopeless = |scouts: &[Team]| {
        let held_out: f64 = scouts.iter().map(|scout| scout.held_out.size()).sum();
        gains(&lowest(scouts)).iter().sum::<f64>() < -HOPELESS * held_out
    };
    let none = |scouts: &[Team]| Committee { predictor: None, held_out: Some(held_out(&lowest(scouts))) };
    let (mut coding, mut scouts, _) = scouted(Coding::Saturated, 1);
    if hopeless(&scouts) {
        return none(&scouts);
    }
    let joining = catch_up((0..SCOUTS).map(|k| team(&coding, k, 1..members)).collect(), &scouts);
    scouts.iter_mut().zip(joining).for_each(|(scout, team)| scout.members.extend(team.members));
    let mut stop = walk_path(&mut scouts, &ridges, setting.observer);
    let ranked = scouted(Coding::ranks(&x, loss.samples(), loss.n()), members);
    if lowest(&ranked.1).iter().sum::<f64>() < lowest(&scouts).iter().sum() {
        (coding, scouts, stop) = ranked;
    }
    if gains(&lowest(&scouts)).iter().sum::<f64>() <= 0.0 {
        return none(&scouts);
    }
    let others = catch_up((SCOUTS..FOLDS).map(|k| team(&coding, k, 0..members)).collect(), &scouts);
    let teams: Vec<Team> = scouts.into_iter().chain(others).collect();
    let at = best(&teams);
    let of_teams = losses(&teams, at);
    let predictor = exceeds_its_error(&gains(&of_teams)).then(|| {
        let thetas: Vec<&[f64]> =
            teams.iter().flat_map(|team| &team.members).map(|member| member.path[at].0.as_slice()).collect();
        Predictor {
            neurons: thetas.len() * neurons,
            weights: mean_of(network, &thetas),
            ridge: ridges[at],
            coding,
            stop,
        }
    });
    Committee { predictor, held_out: Some(held_out(&of_teams)) }
}

/// Deals the samples into folds that have the same share of every stratum.
fn deal(loss: &dyn Loss, rng: &mut ChaCha8Rng) -> Vec<Fold> {
    let (strata, count) = loss.strata();
    let mut of_strata = vec![Vec::new(); count];
    strata.iter().enumerate().for_each(|(i, stratum)| of_strata[*stratum].push(i));
    let mut rows: Vec<usize> = Vec::with_capacity(loss.n());
    for mut stratum in of_strata {
        stratum.shuffle(rng);
        // of a tall table, the same share of each stratum
        stratum.truncate((stratum.len() * MOST_SAMPLES).div_ceil(loss.n().max(MOST_SAMPLES)));
        rows.extend(stratum);
    }
    let fold = |k: usize| {
        let of_fold = |inside: bool| {
            let picked = rows.iter().enumerate().filter(|(at, _)| (at % FOLDS == k) == inside);
            let mut picked: Vec<usize> = picked.map(|(_, row)| *row).collect();
            picked.sort_unstable();
            picked
        };
        let (inside, outside) = (of_fold(true), of_fold(false));
        Fold { held_out: loss.of_rows(&inside), learnt: loss.of_rows(&outside), inside, outside }
    };
    (0..FOLDS).map(fold).collect()
}

/// Some rows of columns of length `n`, side by side.
fn rows_of(x: &[f64], n: usize, rows: &[usize]) -> Vec<f64> {
    x.chunks(n).flat_map(|column| rows.iter().map(|&i| column[i])).collect()
}

/// The loss with the contribution of the inputs that are always in as an offset; none if there are
/// no such inputs.
fn beside(loss: &dyn Loss, of_always: &[f64]) -> Option<Box<dyn Loss>> {
    let always = loss.samples().always.as_ref()?;
    loss.shifted(&always.outputs(of_always))
}

/// Refits the sparse network on the other folds; returns its loss on this fold, and the refit.
fn held_out_refit(setting: &Setting, start: &Live, fold: &Fold) -> (f64, Vec<f64>) {
    let columns = setting.x.gathered(&start.columns);
    let rows = |rows: &[usize]| rows_of(&columns, setting.loss.n(), rows);
    let x = Design::dense(rows(&fold.outside), fold.outside.len());
    let live = Live { columns: (0..start.columns.len()).collect(), ..start.clone() };
    let end = refit(&Setting { x: &x, loss: &*fold.learnt, ..*setting }, &live, OF_FOLD);
    let mut x = rows(&fold.inside);
    if let Some(always) = &fold.held_out.samples().always {
        x.extend_from_slice(always.values());
    }
    let n = fold.inside.len();
    let mut sweep = Sweep::new(&live.network, n);
    sweep.forward(&live.network, &end.point.theta, &Inputs::all(&x, n));
    (fold.held_out.evaluate(&sweep.out, &mut sweep.d_out), end.point.theta)
}

/// The loss on a fold of the empty model of all samples.
fn constant_loss(loss: &dyn Loss, held_out: &dyn Loss) -> f64 {
    let out: Vec<f64> = loss.null_intercept().iter().flat_map(|c| vec![*c; held_out.n()]).collect();
    held_out.evaluate(&out, &mut vec![0.0; out.len()])
}

/// The path of ridges. At ridge 1 the ridge of a parameter equals the curvature of one sample at the
/// empty model.
fn ridges(loss: &dyn Loss) -> Vec<f64> {
    let out = loss.null_outputs();
    let outputs = loss.n_outputs();
    let mut hessians = vec![0.0; out.len() * outputs];
    loss.curvature(loss.null_loss(), &out).of_rows(0..loss.n(), &mut hessians);
    let diagonals: f64 = hessians.chunks(outputs * outputs).flat_map(|h| h.iter().step_by(outputs + 1)).sum();
    let unit = diagonals / out.len() as f64 * loss.spread() * loss.spread();
    (0..RIDGES).map(|at| STRONGEST * FACTOR.powi(at as i32) * unit).collect()
}

/// A random start: neurons that bend within the data, and a function that is nearly constant.
fn random(network: Smooth, loss: &dyn Loss, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut theta = vec![0.0; network.n_params()];
    let mut draw = |range: Range<usize>, size: f64| {
        theta[range].iter_mut().for_each(|w| *w = size * rng.sample::<f64, _>(StandardNormal));
    };
    draw(network.weights(), 1.0 / (network.inputs as f64).sqrt());
    draw(network.biases(), 1.0);
    draw(network.upper(), 0.1 * loss.spread() / (network.neurons as f64).sqrt());
    theta[network.intercepts()].copy_from_slice(&loss.null_intercept());
    theta
}

impl Team {
    /// `x` has the coded inputs of all samples; `starts` has the initial parameters of the members.
    fn new(
        network: Smooth,
        loss: &dyn Loss,
        fold: &Fold,
        x: &[f64],
        of_always: &[f64],
        starts: &[Vec<f64>],
        noise: f64,
    ) -> Self {
        let learnt = beside(&*fold.learnt, of_always).unwrap_or_else(|| loss.of_rows(&fold.outside));
        let member = |theta: &Vec<f64>| {
            let x = rows_of(x, loss.n(), &fold.outside);
            let training = Training::new(network, theta.clone(), x, learnt.at_noise(noise));
            Member { training, path: Vec::with_capacity(RIDGES) }
        };
        Team {
            members: starts.iter().map(member).collect(),
            x: rows_of(x, loss.n(), &fold.inside),
            held_out: beside(&*fold.held_out, of_always).unwrap_or_else(|| loss.of_rows(&fold.inside)),
            room: SmoothRoom::new(network, fold.inside.len()),
        }
    }

    /// The held-out loss of the mean of its members at a ridge.
    fn loss(&self, at: usize) -> f64 {
        let share = 1.0 / self.members.len() as f64;
        let mut mean = vec![0.0; self.room.out.len()];
        for member in &self.members {
            mean.iter_mut().zip(&member.path[at].1).for_each(|(sum, out)| *sum += share * out);
        }
        self.held_out.evaluate(&mean, &mut vec![0.0; mean.len()])
    }
}

/// Trains the teams along the rest of the path of ridges, until the held-out loss rises.
fn walk_path(teams: &mut [Team], ridges: &[f64], observer: &dyn Observer) -> PathEnd {
    loop {
        let walked = walked(teams);
        if walked > 0 && walked > best(teams) + PATIENCE {
            return PathEnd::HeldOutLossRose;
        }
        match ridges.get(walked) {
            Some(ridge) => walk(teams, *ridge, observer),
            None => return PathEnd::WeakestRidge,
        }
    }
}

/// The number of ridges so far.
fn walked(teams: &[Team]) -> usize {
    teams[0].members[0].path.len()
}

/// Trains every team at the next ridge.
fn walk(teams: &mut [Team], ridge: f64, observer: &dyn Observer) {
    teams.par_iter_mut().for_each(|Team { members, x, room, .. }| {
        members.par_iter_mut().for_each(|member| member.training.descend(ridge, STEPS, observer));
        for Member { training, path } in members {
            training.network.forward(&training.theta, x, room);
            path.push((training.theta.clone(), room.out.clone()));
        }
    });
}

/// The held-out loss of each team at a ridge.
fn losses(teams: &[Team], at: usize) -> Vec<f64> {
    teams.iter().map(|team| team.loss(at)).collect()
}

/// The ridge with the lowest total held-out loss of the teams.
fn best(teams: &[Team]) -> usize {
    let totals: Vec<f64> = (0..walked(teams)).map(|at| losses(teams, at).iter().sum()).collect();
    (0..totals.len()).fold(0, |best, at| if totals[at] < totals[best] { at } else { best })
}

/// Whether the mean exceeds its standard error.
fn exceeds_its_error(gains: &[f64]) -> bool {
    let n = gains.len() as f64;
    let mean = gains.iter().sum::<f64>() / n;
    let variance = gains.iter().map(|g| (g - mean) * (g - mean)).sum::<f64>() / (n - 1.0);
    mean > (variance / n).sqrt()
}

/// The mean of some networks as one network: it has the neurons of all of them.
pub(crate) fn mean_of(network: Smooth, members: &[&[f64]]) -> Vec<f64> {
    let share = 1.0 / members.len() as f64;
    let Smooth { inputs, neurons, outputs } = network;
    let mut theta = Vec::with_capacity(members.len() * network.n_params());
    for input in 0..inputs {
        let of_input = input * neurons..(input + 1) * neurons;
        members.iter().for_each(|member| theta.extend_from_slice(&member[of_input.clone()]));
    }
    members.iter().for_each(|member| theta.extend_from_slice(&member[network.biases()]));
    members.iter().for_each(|member| theta.extend(member[network.upper()].iter().map(|a| share * a)));
    for t in 0..outputs {
        theta.push(members.iter().map(|member| share * member[network.intercepts().start + t]).sum());
    }
    theta
}
