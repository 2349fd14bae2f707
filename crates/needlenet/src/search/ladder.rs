//! The noise path, which finds candidates, and the final solve, which chooses the unit of the penalty.
//!
//! A concave penalty has a unit: it shrinks a weight that is small against the unit, and hardly shrinks a large one. The
//! natural unit is the noise, which is unknown until the needles are known.
//!
//! *Noise path* (raise). At noise `tau` the problem is the loss at that noise plus `lambda P` in units of `tau`. A low noise keeps
//! every input, a high noise keeps none. `tau` is raised, each solve warm-started from the last, until it equals the residual
//! noise. Hay drops out; needles stay, because a concave penalty does not shrink them. After a stage without progress `tau`
//! jumps to a part of the residual noise. The point with the best score is kept.
//!
//! *Final solve* (settle). The loss itself replaces the loss at fixed noise. Solving and measuring the noise alternate until the
//! noise is stable. If inputs are lost whose gain exceeds their price, the unit was too large for them: a weight then costs
//! several times its price. The point is solved again from a small unit, which is raised as long as no such input is lost.
//! The linear model is also solved from the points of the path with more inputs than the best one, and the score judges.

use super::Search;
use super::candidate::Candidate;
use crate::error::Result;
use crate::local::active::Live;
use crate::local::working_set::Setting;
use crate::search::Stage;

/// Stages of one rise, for the progress bar.
const TYPICAL_STAGES: usize = 12;
/// The noise at most doubles in one round of the final solve.
const MOST_RISE: f64 = 2.0;

/// The result of a noise path.
pub(super) struct Rise {
    pub best: Candidate,
    /// Whether `tau` reached the residual noise.
    pub met: bool,
    /// Points along the path; each has at most half as many inputs as the one before.
    pub survivors: Vec<Live>,
}

impl Search<'_> {
    /// The noise at which to start exploring.
    pub(super) fn lowest_noise(&self) -> f64 {
        if self.loss.knows_noise() {
            self.plan.lowest_known_noise / self.loss.unit()
        } else {
            self.plan.lowest_noise
        }
    }

    pub(super) fn raise_noise(
        &self,
        start: Live,
        from: f64,
        concavity: f64,
        stages: &mut Vec<Stage>,
    ) -> Result<Rise> {
        let (mut live, mut tau, mut concavity) = (start, from, concavity);
        let mut best: Option<Candidate> = None;
        let (mut most, mut survivors) = (live.columns.len() / 2, Vec::new());
        let (first, mut before) = (stages.len(), f64::INFINITY);
        loop {
            let loss = self.loss.at_noise(tau);
            let penalty = self.penalty.with_concavity(concavity);
            let setting = Setting { loss: &*loss, ..self.setting(self.lambda, penalty, tau) };
            let solution = self.stage(&setting, &live, stages, first + TYPICAL_STAGES)?;
            live = solution.live.revived();
            let value = loss.released(solution.loss);
            let found = self.candidate(solution.live.compact(), value);
            let free = self.plan.measurable * self.loss.size();
            let readable = concavity >= 1.0 && live.parameters_in_use() < free;
            if readable && (1..=most).contains(&live.columns.len()) {
                most = live.columns.len() / 2;
                survivors.push(solution.live.compact());
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
            let lost = |best: &mut Candidate| readable && noise > self.plan.given_up * best.noise;
            if let Some(best) = best.take_if(|best| met || tau >= 1.0 || lost(best)) {
                return Ok(Rise { best, met, survivors });
            }
            let left = self.loss.noise(value, self.loss.size());
            let stalled = !self.loss.knows_noise() && left > self.plan.stalled * before;
            before = left;
            let jump = if stalled { self.plan.jump * left } else { 0.0 };
            tau = (self.plan.rise * tau).max(jump).min(1.0);
            if stages.len() > first + 1 {
                concavity = (concavity + self.plan.concavity_step).min(1.0);
            }
        }
    }

    /// The final solve. If it loses inputs whose gain exceeds their price, it is repeated from the smallest
    /// unit.
    pub(super) fn settle(&self, found: Candidate) -> Candidate {
        let at_noise = self.settle_from(&found, found.noise, MOST_RISE);
        let fewer = at_noise.live.columns.len() < found.live.columns.len();
        if !fewer || at_noise.score <= found.score {
            return at_noise;
        }
        at_noise.or(self.settle_from_smallest_unit(&found))
    }

    fn settle_from_smallest_unit(&self, found: &Candidate) -> Candidate {
        self.settle_from(found, self.plan.smallest_unit * found.noise, self.plan.unit_step)
    }

    /// The best of a candidate and of the final solves, from the smallest unit, of points with more inputs. A path may lose needles
    /// that pay together, because it loses them one by one.
    pub(super) fn or_from_more_inputs(&self, best: Candidate, points: &[Live]) -> Candidate {
        let inputs = best.live.columns.len();
        let more = points.iter().filter(|live| live.columns.len() > inputs);
        more.map(|live| self.settle_from_smallest_unit(&self.measured(live.clone())))
            .fold(best, Candidate::or)
    }

    /// Whether inputs of `before` were lost although their gain exceeded their price.
    pub(super) fn lost(&self, after: &Candidate, before: &Candidate) -> bool {
        self.is_clearly_worse(after, before) && after.live.columns.len() < before.live.columns.len()
    }

    /// Alternates solving and measuring the noise until it is stable. The unit grows by at most `step` in a round.
    /// If inputs were lost, returns the best point on the way.
    fn settle_from(&self, found: &Candidate, mut tau: f64, step: f64) -> Candidate {
        let mut live = found.live.clone();
        let mut best: Option<Candidate> = None;
        let mut rounds = 0;
        loop {
            let next = self.settled_in_unit(&live, tau);
            let noise = next.noise.min(step * tau);
            let stable = (noise / tau - 1.0).abs() < self.plan.stable;
            rounds += usize::from(tau >= next.noise / step);
            let lost = best.as_ref().is_some_and(|best| self.lost(&next, best));
            if stable || rounds > self.plan.max_settles || (lost && tau < next.noise / step) {
                return match best {
                    Some(best) if lost => best,
                    _ => next,
                };
            }
            live = next.live.clone();
            best = Some(match best {
                Some(best) => best.or(next),
                None => next,
            });
            tau = noise;
        }
    }
}
