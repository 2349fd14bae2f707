//! Annealing for concave penalties.
//!
//! A concave penalty has units: a weight that is small against the noise is pulled to zero, a large one
//! is left alone. The noise is unknown until the needles are known. So the noise `tau` itself is
//! raised, from far below to where it agrees with the residual:
//!
//! 1. *Explore.* From random neurons, at a small `tau` and little concavity.
//! 2. *Raise* `tau`, and the concavity with it. For each `tau` the problem is
//!    `||r||^2 / (2 tau sqrt(n)) + lambda P`, of which the residual norm is the envelope over `tau`.
//!    False inputs fall away; true ones stay, because a concave penalty does not shrink them. It ends
//!    where `tau` reaches the noise of the residual. Without signal that is at the empty model. Of all
//!    points on the way the one of the best score (`found.rs`) is kept.
//! 3. *Afresh.* If the rise lost everything before it met the noise, the neurons may have been in the way of
//!    each other, not the inputs: it is repeated from new random neurons on the inputs that survived longest.
//! 4. *Reheat.* What was found is kept, dead neurons are born again on the inputs that are left, `tau`
//!    falls back to part of the noise and is raised again, as long as the score falls.
//! 5. *Settle.* The residual norm replaces the square; solve and measure the noise in turn until it is
//!    stable, or until inputs are lost that had paid their price.
//!
//! The best score of these wins:
//!
//! - the empty model;
//! - the linear model, which needs no search; it is reported as what it is, without hidden layers;
//! - networks that start on the inputs that leave a trace (`trace.rs`) in what is not yet explained;
//! - networks that start on all inputs, if a trace is left or nothing was found; again and again as long as next to
//!   nothing is found, or what was seen on the way is lost at the end.
//!
//! At the end near copies are exchanged (`exchange.rs`).
//!
//! All this is done on a part of the samples of a tall table (`part.rs`), and the point settled on more of them.
//!
//! In classification there is no noise scale: penalty and concavity are raised together.
//! `docs/solver.md` has the measurements behind the constants.

use super::descent::Limits;
use super::found::Found;
use super::live::Live;
use super::path::{Path, STAGE_ROUNDS, Stage};
use super::solve::Setting;
use super::start::{promising_inputs, random_start, reheated};
use crate::error::Result;

/// The first noise, in units of the outcome's standard deviation, and the factor from stage to stage.
const LOWEST_NOISE: f64 = 0.005;
const RISE: f64 = 1.6;
/// Concavity of the first two stages, and its growth from stage to stage after them.
const FIRST_CONCAVITY: f64 = 0.3;
const CONCAVITY_STEP: f64 = 0.25;
/// The noise is measured only where no more than this part of the degrees of freedom is in use.
pub(super) const MEASURABLE: f64 = 0.5;
/// Raising is given up when the measured noise is this many times that of the best point.
const GIVEN_UP: f64 = 2.0;
/// A reheat starts at this part of the measured noise, and must lower the score by so much a sample (one
/// fiftieth of the noise).
const REHEAT_AT: f64 = 0.25;
const REHEAT_GAIN: f64 = 0.04;
const MAX_REHEATS: u64 = 3;
/// A signal is lost when the noise ends at this many times the noise seen on the way.
const LOST: f64 = 1.4;
/// A noise above this part of the outcome's standard deviation leaves nearly everything to be found.
const FAINT: f64 = 0.95;
const MAX_STARTS: u64 = 3;
const MAX_FOLLOWED: u64 = 3;
/// Inputs whose traces are looked at.
const MOST_TRACED: usize = 400;
/// Samples up to which traces are followed; in taller tables inputs join by their gradient only.
const MOST_EXPLORED: usize = 1 << 16;
const SETTLE: Limits = Limits { tolerance: 1e-4, max_iterations: 2000 };
const MAX_SETTLES: usize = 10;
/// A score is clearly worse by this part of the price of a weight.
const CLEARLY_WORSE: f64 = 0.5;
/// Units tried where inputs are lost, as parts of the measured noise.
const SMALLER_UNITS: [f64; 2] = [0.85, 0.7];
/// The noise is stable when a round changes it by less, and may at most double in a round.
const STABLE: f64 = 0.01;
const MOST_RISE: f64 = 2.0;
/// Stages of one rise, for the progress bar.
const TYPICAL_STAGES: usize = 12;

/// The unit of a weight in classification, where log odds have no other scale.
pub(super) const CLASS_UNIT: f64 = 0.5;
/// Penalty and concavity in classification, as parts of their final values.
const CLASS_STAGES: [(f64, f64); 8] =
    [(0.02, 0.01), (0.05, 0.01), (0.1, 0.01), (0.2, 0.1), (0.35, 0.2), (0.5, 0.4), (0.73, 0.6), (0.88, 0.8)];

/// What a rise of the noise found.
struct Rise {
    best: Found,
    /// Whether `tau` met the noise of the residual.
    met: bool,
    /// The inputs left on the way, each list at most half as long as the one before.
    survivors: Vec<Vec<usize>>,
}

impl Path<'_> {
    pub(super) fn anneal_penalty(&self, stages: &mut Vec<Stage>) -> Result<Live> {
        let mut live = self.start(self.seed);
        for (part, concavity) in CLASS_STAGES {
            let setting =
                self.setting(part * self.lambda, self.penalty.with_concavity(concavity), CLASS_UNIT);
            live = self.stage(&setting, &live, stages, CLASS_STAGES.len() + 1)?.live.compact();
        }
        Ok(live)
    }

    /// The point to solve from, and its noise; it may be one of the linear model.
    pub(super) fn anneal_noise(&self, stages: &mut Vec<Stage>) -> Result<Found> {
        let linear = self.linear_network();
        let linear = self.of_linear_model(&linear);
        let line = linear.settle(linear.anneal_from(linear.start(self.seed), self.seed, stages)?);
        let line = linear.exchange(line);
        let empty = self.empty_model();
        let best = if line.live.columns.is_empty() { empty } else { empty.or(line) };
        if self.network.is_linear() {
            return Ok(best);
        }
        let best = self.follow_traces(best, stages)?;
        let best = self.search(best, stages)?;
        Ok(if best.live.network.is_linear() { best } else { self.exchange(best) })
    }

    /// A point found on a part of the samples, settled on all of them. If it leaves traces of other inputs here, they
    /// are followed.
    pub(super) fn widen(&self, live: Live, stages: &mut Vec<Stage>) -> Result<Found> {
        let linear = self.linear_network();
        let linear = self.of_linear_model(&linear);
        let path = if live.network.is_linear() { &linear } else { self };
        let settled = path.exchange(path.settle(path.measured(live)));
        let empty = self.empty_model();
        let best = if settled.live.columns.is_empty() { empty } else { empty.or(settled) };
        let follow = self.loss.n() <= MOST_EXPLORED && !self.network.is_linear() && self.overlooks(&best);
        if follow { self.follow_traces(best, stages) } else { Ok(best) }
    }

    /// Whether inputs that are not in use leave a clear trace, or any inputs in what a linear model leaves. The part was
    /// searched already, and a second search wherever chance leaves a trace would double the level.
    fn overlooks(&self, found: &Found) -> bool {
        let known = if found.live.network.is_linear() { &[][..] } else { &found.live.columns };
        let promising = promising_inputs(self.x, self.loss, MOST_TRACED);
        self.traces(found, &promising).is_some_and(|traces| traces.clearly_any_but(known))
    }

    pub(super) fn empty_model(&self) -> Found {
        let empty = self.setting(self.lambda, self.penalty, 1.0).empty(self.network);
        self.found(empty, self.loss.null_loss())
    }

    /// Starts on the inputs that leave a trace in what is not yet explained, as long as it helps.
    fn follow_traces(&self, mut best: Found, stages: &mut Vec<Stage>) -> Result<Found> {
        let promising = promising_inputs(self.x, self.loss, MOST_TRACED);
        for round in 0..MAX_FOLLOWED {
            let Some(traces) = self.traces(&best, &promising).filter(|t| round == 0 || t.any()) else {
                break;
            };
            let mut columns = traces.leading();
            columns.extend(&best.live.columns);
            columns.sort_unstable();
            columns.dedup();
            let seed = self.seed.wrapping_add(round << 52);
            let start = random_start(self.loss, self.network, &columns, seed);
            let next = self.settle(self.anneal_from(start, seed, stages)?);
            if next.score >= best.score {
                break;
            }
            best = next;
        }
        Ok(best)
    }

    /// Starts on all inputs, unless what was found leaves no trace of anything else.
    fn search(&self, mut best: Found, stages: &mut Vec<Stage>) -> Result<Found> {
        let promising = promising_inputs(self.x, self.loss, MOST_TRACED);
        for start in 0..MAX_STARTS {
            let nothing_left = self.traces(&best, &promising).is_some_and(|traces| !traces.any());
            if nothing_left && (start > 0 || !best.live.columns.is_empty()) {
                break;
            }
            let seed = self.seed.wrapping_add(start << 48);
            let seen = self.anneal_from(self.start(seed), seed, stages)?;
            let seen_noise = seen.noise;
            best = best.or(self.settle(seen));
            if best.noise < FAINT && best.noise < LOST * seen_noise {
                break;
            }
        }
        Ok(best)
    }

    /// One start, afresh and reheated as long as it helps: the best point seen.
    fn anneal_from(&self, start: Live, seed: u64, stages: &mut Vec<Stage>) -> Result<Found> {
        let explore = |start: Live, stages: &mut Vec<Stage>| {
            self.raise_noise(start, LOWEST_NOISE, FIRST_CONCAVITY, stages)
        };
        let Rise { mut best, met, survivors } = explore(start, stages)?;
        let neurons_to_blame = !met && !self.network.is_linear();
        for (round, columns) in (1..).zip(survivors).filter(|_| neurons_to_blame) {
            let start = random_start(self.loss, self.network, &columns, seed.wrapping_add(round << 40));
            let afresh = explore(start, stages)?;
            best = best.or(afresh.best);
            if afresh.met {
                break;
            }
        }
        for round in 1..=MAX_REHEATS {
            let fits = || self.traces(&best, &best.live.columns).is_some_and(|traces| !traces.any());
            if best.live.columns.is_empty() || (!self.network.is_linear() && fits()) {
                break;
            }
            let start = reheated(&best.live, self.network, seed.wrapping_add(round << 32));
            let from = (REHEAT_AT * best.noise).max(LOWEST_NOISE);
            let next = self.raise_noise(start, from, 1.0, stages)?.best;
            if next.score > best.score - REHEAT_GAIN * self.loss.n() as f64 {
                break;
            }
            best = next;
        }
        Ok(best)
    }

    fn raise_noise(&self, start: Live, from: f64, concavity: f64, stages: &mut Vec<Stage>) -> Result<Rise> {
        let (mut live, mut tau, mut concavity) = (start, from, concavity);
        let mut best: Option<Found> = None;
        let (mut most, mut survivors) = (live.columns.len() / 2, Vec::new());
        let first = stages.len();
        loop {
            let loss = self.loss.at_noise(tau);
            let penalty = self.penalty.with_concavity(concavity);
            let setting = Setting { loss: &loss, ..self.setting(self.lambda, penalty, tau) };
            let solution = self.stage(&setting, &live, stages, first + TYPICAL_STAGES)?;
            live = solution.live.revived();
            let found = self.found(solution.live.compact(), setting.residual_norm(solution.loss));
            let readable = concavity >= 1.0 && live.degrees_of_freedom() < MEASURABLE * self.loss.n() as f64;
            if readable && (1..=most).contains(&live.columns.len()) {
                most = live.columns.len() / 2;
                survivors.push(live.columns.clone());
            }
            let (met, noise) = (readable && tau >= found.noise, found.noise);
            if readable {
                best = Some(match best {
                    Some(best) => best.or(found),
                    None => found,
                });
            } else if tau >= 1.0 {
                best = best.or(Some(found));
            }
            if let Some(best) =
                best.take_if(|b| met || tau >= 1.0 || (readable && noise > GIVEN_UP * b.noise))
            {
                return Ok(Rise { best, met, survivors });
            }
            tau = (RISE * tau).min(1.0);
            if stages.len() > first + 1 {
                concavity = (concavity + CONCAVITY_STEP).min(1.0);
            }
        }
    }

    /// The residual norm in place of the square, at the noise that was measured. If the score gets clearly worse
    /// because inputs are lost, the unit of the penalty was too large for them, and a smaller one is tried.
    pub(super) fn settle(&self, found: Found) -> Found {
        let mut best = self.settle_from(&found, found.noise);
        for part in SMALLER_UNITS {
            if !self.lost(&best, &found) {
                break;
            }
            best = best.or(self.settle_from(&found, part * found.noise));
        }
        best
    }

    /// Whether inputs of `before` were lost at a price that they had paid.
    fn lost(&self, after: &Found, before: &Found) -> bool {
        let clearly = after.score > before.score + CLEARLY_WORSE * self.price();
        clearly && after.live.columns.len() < before.live.columns.len()
    }

    /// Solves and measures the noise in turn until it is stable; the best point on the way where inputs were
    /// lost.
    fn settle_from(&self, found: &Found, mut tau: f64) -> Found {
        let mut live = found.live.clone();
        let mut seen: Vec<Found> = Vec::new();
        loop {
            let solution = self.setting(self.lambda, self.penalty, tau).solve(&live, SETTLE, STAGE_ROUNDS);
            let next = Found { tau, ..self.found(solution.live.compact(), solution.loss) };
            let noise = next.noise.min(MOST_RISE * tau);
            if (noise / tau - 1.0).abs() < STABLE || seen.len() == MAX_SETTLES {
                return match seen.into_iter().reduce(Found::or) {
                    Some(best) if self.lost(&next, &best) => best,
                    _ => next,
                };
            }
            live = next.live.clone();
            seen.push(next);
            tau = noise;
        }
    }
}
