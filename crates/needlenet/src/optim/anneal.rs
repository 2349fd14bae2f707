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
//!    where `tau` reaches the noise measured on the residual, with the degrees of freedom in use taken
//!    off. Without signal that is at the empty model.
//! 3. *Reheat.* What was found is kept, dead neurons are born again on the inputs that are left, `tau`
//!    falls back to part of the noise and is raised again, as long as the measured noise falls.
//! 4. *Settle.* The residual norm replaces the square; solve and measure the noise in turn until it is
//!    stable.
//!
//! In classification there is no noise scale: penalty and concavity are raised together.
//! `docs/solver.md` has the measurements behind the constants.

use super::descent::Limits;
use super::live::Live;
use super::path::{Path, STAGE_ROUNDS, Stage};
use super::solve::Setting;
use super::start::reheated;
use crate::error::Result;

/// The first noise, in units of the outcome's standard deviation, and the factor from stage to stage.
const LOWEST_NOISE: f64 = 0.005;
const RISE: f64 = 1.6;
/// Concavity of the first two stages, and its growth from stage to stage after them.
const FIRST_CONCAVITY: f64 = 0.3;
const CONCAVITY_STEP: f64 = 0.25;
/// The noise is measured only where no more than this part of the degrees of freedom is in use.
const MEASURABLE: f64 = 0.25;
/// Raising is given up when the measured noise is this many times the lowest seen.
const LOST: f64 = 2.0;
/// A reheat starts at this part of the measured noise, and must lower it by this factor.
const REHEAT_AT: f64 = 0.25;
const REHEAT_GAIN: f64 = 0.98;
const MAX_REHEATS: u64 = 3;
/// A measured noise below this part of the outcome's standard deviation is a signal.
const SIGNAL: f64 = 0.7;
const MAX_STARTS: u64 = 3;
const SETTLE: Limits = Limits { tolerance: 1e-4, max_iterations: 2000 };
const MAX_SETTLES: usize = 10;
/// The noise is stable when a round changes it by less, and may at most double in a round.
const STABLE: f64 = 0.01;
const MOST_RISE: f64 = 2.0;
/// Less noise than this part of the outcome's standard deviation is none. The data stand on a grid of
/// 2^-26, and a unit below it would leave the penalty's slope to rounding errors.
pub(super) const LEAST_NOISE: f64 = 1e-6;
/// Stages of one rise, for the progress bar.
const TYPICAL_STAGES: usize = 12;

/// The unit of a weight in classification, where log odds have no other scale.
pub(super) const CLASS_UNIT: f64 = 0.5;
/// Penalty and concavity in classification, as parts of their final values.
const CLASS_STAGES: [(f64, f64); 8] =
    [(0.02, 0.01), (0.05, 0.01), (0.1, 0.01), (0.2, 0.1), (0.35, 0.2), (0.5, 0.4), (0.73, 0.6), (0.88, 0.8)];

/// Where a rise of the noise ended.
struct Risen {
    live: Live,
    noise: f64,
    /// Whether `tau` reached the measured noise.
    consistent: bool,
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

    /// Returns the point to solve from and the noise. Another start is made when one has seen a signal,
    /// a noise far below the outcome's spread, and lost it on the way.
    pub(super) fn anneal_noise(&self, stages: &mut Vec<Stage>) -> Result<(Live, f64)> {
        let mut best: Option<(Live, f64)> = None;
        for start in 0..MAX_STARTS {
            let (seen, live, noise) = self.anneal_from(self.seed.wrapping_add(start << 48), stages)?;
            if best.as_ref().is_none_or(|b| noise < b.1) {
                best = Some((live, noise));
            }
            let lost = seen < SIGNAL && best.as_ref().is_some_and(|b| b.1 > LOST * seen);
            if !lost {
                break;
            }
        }
        Ok(best.unwrap_or_else(|| (self.setting(self.lambda, self.penalty, 1.0).empty(self.network), 1.0)))
    }

    /// One start: the lowest noise measured on the way, the point it ended at, and the noise there.
    fn anneal_from(&self, seed: u64, stages: &mut Vec<Stage>) -> Result<(f64, Live, f64)> {
        let mut best = self.raise_noise(self.start(seed), LOWEST_NOISE, FIRST_CONCAVITY, stages)?;
        for round in 1..=MAX_REHEATS {
            if best.live.columns.is_empty() || self.network.is_linear() {
                break;
            }
            let start = reheated(&best.live, self.network, seed.wrapping_add(round << 32));
            let from = (REHEAT_AT * best.noise).max(LOWEST_NOISE);
            let next = self.raise_noise(start, from, 1.0, stages)?;
            let gained = next.noise < REHEAT_GAIN * best.noise
                || (next.consistent && !best.consistent && next.noise * REHEAT_GAIN < best.noise);
            if !gained {
                break;
            }
            best = next;
        }
        let seen = best.noise;
        let (live, noise) = self.settle(best);
        Ok((seen, live, noise))
    }

    fn raise_noise(&self, start: Live, from: f64, concavity: f64, stages: &mut Vec<Stage>) -> Result<Risen> {
        let n = self.loss.n() as f64;
        let (mut live, mut tau, mut concavity) = (start, from, concavity);
        let mut best: Option<Risen> = None;
        let first = stages.len();
        loop {
            let loss = self.loss.at_noise(tau);
            let penalty = self.penalty.with_concavity(concavity);
            let setting = Setting { loss: &loss, ..self.setting(self.lambda, penalty, tau) };
            let solution = self.stage(&setting, &live, stages, first + TYPICAL_STAGES)?;
            live = solution.live.compact();
            let noise = self.noise(setting.residual_norm(solution.loss), &live);
            let measurable = degrees_of_freedom(&live) < MEASURABLE * n;
            if measurable && concavity >= 1.0 && tau >= noise {
                return Ok(Risen { live, noise, consistent: true });
            }
            let lowest = best.as_ref().map_or(f64::INFINITY, |b| b.noise);
            if measurable && noise < lowest {
                best = Some(Risen { live: live.clone(), noise, consistent: false });
            }
            if (measurable && noise > LOST * lowest) || tau >= 1.0 {
                return Ok(best.unwrap_or(Risen { live, noise, consistent: false }));
            }
            tau = (RISE * tau).min(1.0);
            if stages.len() > first + 1 {
                concavity = (concavity + CONCAVITY_STEP).min(1.0);
            }
        }
    }

    fn settle(&self, risen: Risen) -> (Live, f64) {
        let Risen { mut live, noise: mut tau, .. } = risen;
        for _ in 0..MAX_SETTLES {
            let setting = self.setting(self.lambda, self.penalty, tau);
            let solution = setting.solve(&live, SETTLE, STAGE_ROUNDS);
            live = solution.live.compact();
            let noise = self.noise(solution.loss, &live).min(MOST_RISE * tau);
            let stable = (noise / tau - 1.0).abs() < STABLE;
            tau = noise;
            if stable {
                break;
            }
        }
        (live, tau)
    }

    /// Residual norm over the square root of the degrees of freedom left.
    fn noise(&self, residual: f64, live: &Live) -> f64 {
        let n = self.loss.n() as f64;
        let left = (n - degrees_of_freedom(live)).max(0.1 * n);
        (residual / left.sqrt()).max(LEAST_NOISE)
    }
}

/// Weights and biases in use, and one weight above each neuron.
fn degrees_of_freedom(live: &Live) -> f64 {
    (live.weights_in_use() + live.network.width()) as f64
}
