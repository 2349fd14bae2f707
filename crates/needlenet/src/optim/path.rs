//! Annealing (paper, section 2.5): a sequence of problems that ends at the one to solve.
//!
//! *LASSO and group LASSO*: the paper's own path, `lambda_k = e^k / (1 + e^k) lambda`, `k = -1..4`,
//! then `lambda`.
//!
//! *Concave penalties*: explore at a small penalty that is nearly convex, anneal penalty and concavity
//! together, and consolidate: measure the noise on what is left, and solve again in that unit, until
//! the unit is stable. A concave penalty has units, and the noise cannot be known before the needles.

use serde::{Deserialize, Serialize};

use super::descent::Limits;
use super::live::Live;
use super::solve::{Setting, Solution};
use super::start::{random_start, way_out_of_zero};
use crate::error::{Error, Result};
use crate::loss::Loss;
use crate::network::Network;
use crate::penalty::Penalty;
use crate::progress::{Observer, Progress};

/// Penalty and concavity of the exploring and annealing stages, as parts of their final values.
const ANNEAL: [(f64, f64); 8] =
    [(0.02, 0.01), (0.05, 0.01), (0.1, 0.01), (0.2, 0.1), (0.35, 0.2), (0.5, 0.4), (0.73, 0.6), (0.88, 0.8)];
const STAGE: Limits = Limits { tolerance: 1e-3, max_iterations: 200 };
const SETTLE: Limits = Limits { tolerance: 1e-4, max_iterations: 2000 };
/// Rounds of joining inputs within a stage that need not be exact.
const STAGE_ROUNDS: usize = 3;
const MAX_CONSOLIDATIONS: usize = 10;
/// The noise is stable when a round changes it by less.
const STABLE: f64 = 0.01;

/// One stage of the path, as reported.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The penalty.
    pub lambda: f64,
    /// The noise scale, in units of the outcome's standard deviation.
    pub tau: f64,
    /// Loss and objective at its end, in the same units.
    pub loss: f64,
    /// Loss plus penalty.
    pub objective: f64,
    /// Inputs in use.
    pub n_selected: usize,
    /// Iterations used.
    pub iterations: usize,
}

/// Everything the path needs to know.
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

/// The solution at the end of the path, the noise scale it was found with, and the way there.
pub(crate) struct Walked {
    pub solution: Solution,
    pub tau: f64,
    pub stages: Vec<Stage>,
}

impl Path<'_> {
    pub fn walk(&self) -> Result<Walked> {
        let mut stages = Vec::new();
        let (mut solution, tau) = if self.penalty.is_concave() {
            self.anneal_concave(&mut stages)?
        } else {
            (self.anneal_convex(&mut stages)?, 1.0)
        };
        let final_setting = self.setting(self.lambda, self.penalty, tau);
        if solution.live.support().is_empty() {
            solution = self.leave_empty_model(&final_setting, solution);
        }
        Ok(Walked { solution, tau, stages })
    }

    fn setting(&self, lambda: f64, penalty: Penalty, tau: f64) -> Setting<'_> {
        Setting { x: self.x, loss: self.loss, penalty, lambda, tau }
    }

    fn anneal_convex(&self, stages: &mut Vec<Stage>) -> Result<Solution> {
        // the linear model is convex: its solution does not depend on the way
        let fractions: Vec<f64> = if self.network.is_linear() {
            Vec::new()
        } else {
            (-1..=4).map(|k| f64::from(k).exp() / (1.0 + f64::from(k).exp())).collect()
        };
        let of = fractions.len() + 1;
        let mut live = self.start();
        for f in fractions {
            let setting = self.setting(f * self.lambda, self.penalty, 1.0);
            let solution = setting.solve(&live, STAGE, STAGE_ROUNDS);
            self.record(&setting, &solution, stages, of)?;
            live = solution.live.compact();
        }
        let setting = self.setting(self.lambda, self.penalty, 1.0);
        let solution = setting.solve(&live, self.limits, usize::MAX);
        self.record(&setting, &solution, stages, of)?;
        Ok(solution)
    }

    fn anneal_concave(&self, stages: &mut Vec<Stage>) -> Result<(Solution, f64)> {
        let of = ANNEAL.len() + 4;
        let root_n = (self.loss.n() as f64).sqrt();
        let estimates_noise = matches!(self.loss, Loss::ResidualNorm { .. });
        let (mut live, mut tau) = (self.start(), 1.0);
        for (f, concavity) in ANNEAL {
            let setting = self.setting(f * self.lambda, self.penalty.with_concavity(concavity), tau);
            let solution = setting.solve(&live, STAGE, STAGE_ROUNDS);
            self.record(&setting, &solution, stages, of)?;
            live = solution.live.compact();
            if estimates_noise {
                tau = (solution.loss / root_n).min(tau).max(f64::EPSILON);
            }
        }
        for round in 0.. {
            let setting = self.setting(self.lambda, self.penalty, tau);
            let settled = setting.solve(&live, SETTLE, STAGE_ROUNDS);
            self.record(&setting, &settled, stages, of.max(stages.len() + 2))?;
            live = settled.live.compact();
            let noise = if estimates_noise { self.noise(&settled).min(2.0 * tau) } else { tau };
            if (noise / tau - 1.0).abs() < STABLE || round == MAX_CONSOLIDATIONS {
                break;
            }
            tau = noise;
        }
        let setting = self.setting(self.lambda, self.penalty, tau);
        let solution = setting.solve(&live, self.limits, usize::MAX);
        self.record(&setting, &solution, stages, stages.len() + 1)?;
        Ok((solution, tau))
    }

    fn start(&self) -> Live {
        random_start(&self.setting(self.lambda, self.penalty, 1.0), self.network, self.seed)
    }

    /// Residual norm over the square root of the degrees of freedom left.
    fn noise(&self, solution: &Solution) -> f64 {
        let n = self.loss.n() as f64;
        let left = (n - solution.live.weights_in_use() as f64).max(0.1 * n);
        (solution.loss / left.sqrt()).max(f64::EPSILON)
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
        let go_on = self.observer.step(Progress::Path { done, of, lambda: setting.lambda, n_selected });
        if go_on { Ok(()) } else { Err(Error::Interrupted) }
    }
}
