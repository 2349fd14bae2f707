//! The search for the best candidate, and its final solution with a certificate.
//!
//! *Concave penalties* are searched by `explore.rs`. *LASSO and group LASSO* follow the schedule of the paper, section 2.5
//! (`schedule.rs`).

mod candidate;
mod explore;
mod ladder;
mod perfect_fit;
pub(crate) mod plan;
mod prune;
mod schedule;
pub(crate) mod screening;
pub(crate) mod starts;
mod subsample;
mod swap;

use serde::{Deserialize, Serialize};

use self::candidate::Candidate;
use self::explore::Tried;
use self::plan::Plan;
use self::starts::{promising_inputs, random_start, way_out_of_zero};
use self::subsample::Subsample;
pub(crate) use self::swap::Exchange;
use crate::error::Result;
use crate::local::Stop;
use crate::local::active::Live;
use crate::local::descent::Limits;
use crate::local::working_set::{Setting, Solution};
use crate::network::Network;
use crate::outcome::Loss;
use crate::penalty::Penalty;
use crate::progress::{Observer, Progress, tell};
use crate::table::Design;
use crate::threshold::Across;

/// Rounds in which inputs may join the working set, within a stage.
const STAGE_ROUNDS: usize = 3;

/// One stage of the search, as reported. Loss, objective and noise are in standard deviations of the
/// outcome, or in its own unit if the outcome was not scaled.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The penalty.
    pub lambda: f64,
    /// The noise scale.
    pub tau: f64,
    /// The loss at its end.
    pub loss: f64,
    /// Loss plus penalty.
    pub objective: f64,
    /// Inputs in use.
    pub n_selected: usize,
    /// Iterations used.
    pub iterations: usize,
}

/// The problem that is searched.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    pub x: &'a Design,
    pub loss: &'a dyn Loss,
    pub network: &'a Network,
    pub penalty: Penalty,
    pub lambda: f64,
    pub lambda_zero: f64,
    /// `lambda` and `lambda_0` of the linear model at the same level.
    pub of_linear: (f64, f64),
    /// The null statistic that defines the price of a degree of freedom, without the factor of
    /// Theorem 3.
    pub statistic: f64,
    pub across: Across,
    pub plan: &'a Plan,
    pub limits: Limits,
    pub seed: u64,
    /// Inputs that may not join, ascending.
    pub without: &'a [usize],
    pub observer: &'a dyn Observer,
}

/// The solution, which may be a linear model, with its penalty, its unit and the stages of the search.
pub(crate) struct Found {
    pub solution: Solution,
    pub lambda: f64,
    pub tau: f64,
    pub stages: Vec<Stage>,
    /// Near copies that could replace inputs in use.
    pub exchangeable: Vec<Exchange>,
}

impl Search<'_> {
    pub fn run(&self) -> Result<Found> {
        let mut stages = Vec::new();
        let linear = self.linear_network();
        let (live, tau, _) = self.approach(&mut stages)?;
        if live.network.is_linear() {
            self.of_linear_model(&linear).solve(&live, tau, stages)
        } else {
            self.solve(&live, tau, stages)
        }
    }

    /// Continues from a solution after inputs have joined the searched ones.
    pub fn resume(&self, found: Found) -> Result<Found> {
        let linear = self.linear_network();
        let Found { solution, tau, stages, lambda, .. } = found;
        let live = solution.live.compact();
        let search = if live.network.is_linear() { self.of_linear_model(&linear) } else { *self };
        Search { lambda: lambda.max(search.lambda), ..search }.solve(&live, tau, stages)
    }

    /// The derivative of the loss by the pre-activations of the first layer at a solution, `n x
    /// width`.
    pub fn deltas(&self, found: &Found) -> Vec<f64> {
        let setting = self.setting(found.lambda, self.penalty, found.tau);
        match found.solution.stop {
            // the residual norm has no gradient at a perfect fit: its certificate is the problem at the last
            // noise
            Stop::PerfectFit => {
                let held = self.loss.at_noise(self.last_noise());
                Setting { loss: &*held, ..setting }.deltas(&found.solution.live)
            }
            _ => setting.deltas(&found.solution.live),
        }
    }

    /// The point to solve from, the unit of its weights, and what was tried. In tall tables it is found on a subsample.
    fn approach(&self, stages: &mut Vec<Stage>) -> Result<(Live, f64, Tried)> {
        let Some(part) = Subsample::of(self.x, self.loss) else { return self.look(stages) };
        let (live, tau, tried) = part.search(self).approach(stages)?;
        drop(part);
        if self.penalty.is_concave() {
            let (found, tried) = self.widen(live, tau, tried, stages)?;
            return Ok((found.live, found.tau, tried));
        }
        let setting = self.setting(self.lambda, self.penalty, tau);
        let of = stages.len() + 2;
        Ok((self.stage(&setting, &live, stages, of)?.live.compact(), tau, tried))
    }

    fn look(&self, stages: &mut Vec<Stage>) -> Result<(Live, f64, Tried)> {
        if self.penalty.is_concave() {
            let (found, tried) = self.explore(stages)?;
            Ok((found.live, found.tau, tried))
        } else {
            Ok((self.follow_schedule(stages)?, 1.0, Tried::default()))
        }
    }

    fn linear_network(&self) -> Network {
        let Network { activation, n_always, .. } = self.network;
        Network::new(self.network.n_inputs(), &[], self.loss.n_outputs(), activation).beside(*n_always)
    }

    /// The search of the linear model, at the same level and price.
    fn of_linear_model<'a>(&'a self, linear: &'a Network) -> Search<'a> {
        let (lambda, lambda_zero) = self.of_linear;
        Search { network: linear, lambda, lambda_zero, ..*self }
    }

    /// Solves the problem from the point that the search found, in the natural unit or a smaller one.
    fn solve(&self, live: &Live, tau: f64, mut stages: Vec<Stage>) -> Result<Found> {
        let (mut solution, tau) = self.solve_in_unit(live, tau);
        let mut lambda = self.lambda;
        if let Some(raised) = self.raised(&solution, tau) {
            (solution, lambda) = raised;
        }
        let must_pay = self.lambda_zero <= self.lambda && !solution.live.support().is_empty();
        if must_pay && !self.pays(&solution.live) {
            lambda = self.lambda;
            let setting = self.setting(lambda, self.penalty, tau);
            solution = setting.solve(&setting.empty(self.network), self.limits, usize::MAX);
        }
        let setting = self.setting(lambda, self.penalty, tau);
        if solution.live.support().is_empty() {
            solution = self.leave_empty_model(&setting, solution);
        }
        let of = stages.len() + 1;
        self.record(&setting, &solution, &mut stages, of)?;
        let exchangeable = self.exchangeable(&solution.live.compact());
        Ok(Found { solution, lambda, tau, stages, exchangeable })
    }

    /// The final solve, and its unit. The search ends before it has converged. If the rest of the way loses inputs whose gain
    /// exceeds their price, the unit is too large for them, and it is lowered.
    fn solve_in_unit(&self, live: &Live, mut tau: f64) -> (Solution, f64) {
        let found = self.measured(live.clone());
        let smallest = self.plan.smallest_unit * tau;
        loop {
            let setting = self.setting(self.lambda, self.penalty, tau);
            let mut solution = setting.solve(live, self.limits, usize::MAX);
            if solution.stop != Stop::Converged {
                solution = self.lower_noise(&setting, solution);
            }
            let end = self.candidate(solution.live.compact(), solution.loss);
            if !self.penalty.is_concave() || tau <= smallest || !self.lost(&end, &found) {
                return (solution, tau);
            }
            tau = (tau / self.plan.unit_step).max(smallest);
        }
    }

    fn setting(&self, lambda: f64, penalty: Penalty, tau: f64) -> Setting<'_> {
        Setting {
            x: self.x,
            loss: self.loss,
            penalty,
            lambda,
            tau,
            without: self.without,
            observer: self.observer,
        }
    }

    /// Random neurons on all inputs, or on the most promising ones if there are very many. Other
    /// inputs join if their gradient exceeds `lambda`.
    fn start(&self, seed: u64) -> Live {
        let Plan { most_at_start, most_at_linear_start, .. } = *self.plan;
        let most = if self.network.is_linear() { most_at_linear_start } else { most_at_start };
        let columns = promising_inputs(self.x, self.loss, most);
        random_start(self.loss, self.network, &columns, seed)
    }

    /// Solves one stage and records it.
    fn stage(&self, setting: &Setting, from: &Live, stages: &mut Vec<Stage>, of: usize) -> Result<Solution> {
        let solution = setting.solve(from, self.plan.stage, STAGE_ROUNDS);
        self.record(setting, &solution, stages, of)?;
        Ok(solution)
    }

    /// Solves in this unit of the penalty, at the precision of the final solve.
    fn settled_in_unit(&self, from: &Live, tau: f64) -> Candidate {
        let least_gain = self.plan.least_gain * self.price();
        let setting = self.setting(self.lambda, self.penalty, tau);
        let solution = setting.solve(from, Limits { least_gain, ..self.plan.settle }, STAGE_ROUNDS);
        Candidate { tau, ..self.candidate(solution.live.compact(), solution.loss) }
    }

    /// The empty model is a trap: every choice of the upper weights is stationary there. If
    /// `lambda_0` exceeds `lambda`, a descent direction is known, so the result is not empty.
    fn leave_empty_model(&self, setting: &Setting, solution: Solution) -> Solution {
        if self.network.is_linear() || self.lambda_zero <= self.lambda {
            return solution;
        }
        match way_out_of_zero(setting, self.network) {
            Some(start) => setting.solve(&start, self.limits, usize::MAX),
            None => solution,
        }
    }

    fn record(
        &self,
        setting: &Setting,
        solution: &Solution,
        stages: &mut Vec<Stage>,
        of: usize,
    ) -> Result<()> {
        let n_selected = solution.live.support().len();
        stages.push(Stage {
            lambda: setting.lambda,
            tau: setting.tau,
            loss: solution.loss,
            objective: solution.objective,
            n_selected,
            iterations: solution.iterations,
        });
        let done = stages.len();
        let of = of.max(done);
        tell(self.observer, Progress::Path { done, of, lambda: setting.lambda, n_selected })
    }
}
