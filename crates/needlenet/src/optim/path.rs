//! The way to the solution (paper, section 2.5): a sequence of problems, each started at the solution
//! of the last, that ends at the one to solve.
//!
//! *LASSO and group LASSO* go the paper's own way, `lambda_k = e^k / (1 + e^k) lambda` for
//! `k = -1..4`, then `lambda`. *Concave penalties* anneal in `anneal.rs`.

use serde::{Deserialize, Serialize};

use super::anneal::CLASS_UNIT;
use super::descent::{Limits, PERFECT};
use super::found::LEAST_NOISE;
use super::live::Live;
use super::part::Part;
use super::solve::{Setting, Solution};
use super::start::{promising_inputs, random_start, way_out_of_zero};
use super::stop::Stop;
use crate::error::Result;
use crate::loss::Loss;
use crate::network::Network;
use crate::penalty::Penalty;
use crate::progress::{Observer, Progress, tell};

/// A stage on the way need not be exact.
pub(super) const STAGE: Limits = Limits { tolerance: 1e-3, max_iterations: 100 };
/// Rounds of joining inputs within such a stage.
pub(super) const STAGE_ROUNDS: usize = 3;

/// Factor from one noise to the next on the way to a perfect fit.
const LOWER: f64 = 0.2;
/// Inputs that take part from the start: in a network more of them hide the needles from each other.
const MOST_AT_START: usize = 80;
const MOST_AT_LINEAR_START: usize = 500;

/// One stage of the path, as reported; loss and objective are in units of the outcome's standard
/// deviation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The penalty.
    pub lambda: f64,
    /// The noise scale, in units of the outcome's standard deviation.
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

/// Everything the path needs to know.
#[derive(Clone, Copy)]
pub(crate) struct Path<'a> {
    pub x: &'a [f64],
    pub loss: &'a Loss,
    pub network: &'a Network,
    pub penalty: Penalty,
    pub lambda: f64,
    pub lambda_zero: f64,
    pub limits: Limits,
    pub seed: u64,
    pub observer: &'a dyn Observer,
}

/// The solution at the end of the path, which may be a linear model, the penalty and the noise scale it was
/// found with, and the way there.
pub(crate) struct Walked {
    pub solution: Solution,
    pub lambda: f64,
    pub tau: f64,
    pub stages: Vec<Stage>,
}

impl Path<'_> {
    pub fn walk(&self) -> Result<Walked> {
        let mut stages = Vec::new();
        let linear = self.linear_network();
        let (live, tau) = self.approach(&mut stages)?;
        if live.network.is_linear() {
            self.of_linear_model(&linear).arrive(&live, tau, stages)
        } else {
            self.arrive(&live, tau, stages)
        }
    }

    /// The point to solve from, and the unit of its weights: in tall tables found on a part of the samples.
    fn approach(&self, stages: &mut Vec<Stage>) -> Result<(Live, f64)> {
        let Some(part) = Part::of(self.x, self.loss) else { return self.explore(stages) };
        let (live, tau) = part.path(self).approach(stages)?;
        drop(part);
        if self.has_noise() {
            let found = self.widen(live, stages)?;
            return Ok((found.live, found.tau));
        }
        let setting = self.setting(self.lambda, self.penalty, tau);
        let of = stages.len() + 2;
        Ok((self.stage(&setting, &live, stages, of)?.live.compact(), tau))
    }

    fn explore(&self, stages: &mut Vec<Stage>) -> Result<(Live, f64)> {
        if self.has_noise() {
            let found = self.anneal_noise(stages)?;
            Ok((found.live, found.tau))
        } else if self.penalty.is_concave() {
            Ok((self.anneal_penalty(stages)?, CLASS_UNIT))
        } else {
            Ok((self.paper(stages)?, 1.0))
        }
    }

    /// Whether there is a noise scale, and a penalty that it gives its unit.
    fn has_noise(&self) -> bool {
        self.penalty.is_concave() && !matches!(self.loss, Loss::CrossEntropy { .. })
    }

    pub(super) fn linear_network(&self) -> Network {
        Network::new(self.network.n_inputs(), &[], self.loss.n_outputs(), &self.network.activation)
    }

    /// The path of the linear model: its `lambda` has the same level.
    pub(super) fn of_linear_model<'a>(&'a self, linear: &'a Network) -> Path<'a> {
        let gain = self.network.gain();
        Path { network: linear, lambda: self.lambda / gain, lambda_zero: self.lambda_zero / gain, ..*self }
    }

    /// The problem to solve, from the point where the way has led.
    fn arrive(&self, live: &Live, tau: f64, mut stages: Vec<Stage>) -> Result<Walked> {
        let setting = self.setting(self.lambda, self.penalty, tau);
        let mut solution = setting.solve(live, self.limits, usize::MAX);
        if solution.stop != Stop::Converged {
            solution = self.lower_noise(&setting, solution);
        }
        if self.penalty.is_concave() && self.lambda_zero <= self.lambda && !self.pays(&solution) {
            solution = setting.solve(&setting.empty(self.network), self.limits, usize::MAX);
        }
        if solution.live.support().is_empty() {
            solution = self.leave_empty_model(&setting, solution);
        }
        let of = stages.len() + 1;
        self.record(&setting, &solution, &mut stages, of)?;
        Ok(Walked { solution, lambda: self.lambda, tau, stages })
    }

    pub(super) fn setting(&self, lambda: f64, penalty: Penalty, tau: f64) -> Setting<'_> {
        Setting { x: self.x, loss: self.loss, penalty, lambda, tau, without: &[], observer: self.observer }
    }

    /// Random neurons on all inputs, or on the most promising ones when there are very many; others
    /// join when their gradient calls for it.
    pub(super) fn start(&self, seed: u64) -> Live {
        let most = if self.network.is_linear() { MOST_AT_LINEAR_START } else { MOST_AT_START };
        let columns = promising_inputs(self.x, self.loss, most);
        random_start(self.loss, self.network, &columns, seed)
    }

    /// The stages of the paper before the last.
    fn paper(&self, stages: &mut Vec<Stage>) -> Result<Live> {
        if self.network.is_linear() {
            // a convex problem: its solution does not depend on the way
            return Ok(self.setting(self.lambda, self.penalty, 1.0).empty(self.network));
        }
        let mut live = self.start(self.seed);
        for k in -1..=4 {
            let part = f64::from(k).exp() / (1.0 + f64::from(k).exp());
            let setting = self.setting(part * self.lambda, self.penalty, 1.0);
            live = self.stage(&setting, &live, stages, 7)?.live.compact();
        }
        Ok(live)
    }

    /// Solves one stage on the way and records it.
    pub(super) fn stage(
        &self,
        setting: &Setting,
        from: &Live,
        stages: &mut Vec<Stage>,
        of: usize,
    ) -> Result<Solution> {
        let solution = setting.solve(from, STAGE, STAGE_ROUNDS);
        self.record(setting, &solution, stages, of)?;
        Ok(solution)
    }

    /// Near a perfect fit the residual norm is too sharp to descend on. There the squared problem is
    /// solved at lower and lower noise, until the residual is larger than the noise, and the norm is
    /// smooth, or until both vanish: then the last squared problem certifies the perfect fit, its scaled
    /// residual being a subgradient of the norm at zero.
    fn lower_noise(&self, setting: &Setting, solution: Solution) -> Solution {
        if matches!(self.loss, Loss::CrossEntropy { .. }) {
            return solution;
        }
        let root_n = (self.loss.n() as f64).sqrt();
        // rounding errors of the residual, over the smallest noise
        let limits = Limits { tolerance: self.limits.tolerance.max(1e-8), ..self.limits };
        let lowest = if self.penalty.is_concave() { LEAST_NOISE } else { PERFECT };
        let mut live = solution.live.compact();
        let mut tau = 0.1;
        loop {
            let loss = self.loss.at_noise(tau);
            let squared = Setting { loss: &loss, ..*setting };
            let solved = squared.solve(&live, limits, usize::MAX);
            live = solved.live.compact();
            let residual = squared.residual_norm(solved.loss);
            if residual > tau * root_n {
                let direct = setting.solve(&live, self.limits, usize::MAX);
                return if direct.stop == Stop::Converged { direct } else { solution };
            }
            if tau <= lowest {
                let stop = if solved.stop == Stop::Converged { Stop::PerfectFit } else { solved.stop };
                let objective = solved.objective - solved.loss + residual;
                return Solution { loss: residual, objective, stop, ..solved };
            }
            tau = (LOWER * tau).max(lowest);
        }
    }

    /// The empty model is a trap: every upper weight is stationary there. When `lambda_0` exceeds
    /// `lambda` a way down is known, so the result is not empty.
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
