//! Solves problems whose residual is nearly zero, where the residual norm is too sharp for descent.
//!
//! The squared problem is solved at lower and lower noise. This ends when the residual exceeds the
//! noise, so that the norm is smooth, or when both vanish. In the second case the last squared
//! problem certifies the perfect fit: its scaled residual is a subgradient of the norm at zero.
//! Tested in `tests/bad_input.rs`.

use super::Search;
use crate::local::Stop;
use crate::local::descent::Limits;
use crate::local::working_set::{Setting, Solution};
use crate::outcome::{LEAST_NOISE, PERFECT};

/// The first noise, in standard deviations of the outcome.
const FIRST: f64 = 0.1;
/// Factor from one noise to the next.
const LOWER: f64 = 0.2;

impl Search<'_> {
    pub(super) fn lower_noise(&self, setting: &Setting, solution: Solution) -> Solution {
        if self.loss.knows_noise() {
            return solution;
        }
        // the rounding errors of the residual, divided by the smallest noise
        let limits = Limits { tolerance: self.limits.tolerance.max(1e-8), ..self.limits };
        let (spread, lowest) = (self.loss.spread(), self.last_noise());
        let root_n = self.loss.size().sqrt();
        let mut live = solution.live.compact();
        let mut tau = FIRST * spread;
        loop {
            let loss = self.loss.at_noise(tau);
            let held = Setting { loss: &*loss, ..*setting };
            let solved = held.solve(&live, limits, usize::MAX);
            live = solved.live.compact();
            let value = loss.released(solved.loss);
            if value > tau * root_n {
                let direct = setting.solve(&live, self.limits, usize::MAX);
                return if direct.stop == Stop::Converged { direct } else { self.uncertified(solution) };
            }
            if tau <= lowest {
                let stop = if solved.stop == Stop::Converged { Stop::PerfectFit } else { solved.stop };
                let objective = solved.objective - solved.loss + value;
                return Solution { loss: value, objective, stop, ..solved };
            }
            tau = (LOWER * tau).max(lowest);
        }
    }

    /// The lowest noise.
    pub(super) fn last_noise(&self) -> f64 {
        self.loss.spread() * if self.penalty.is_concave() { LEAST_NOISE } else { PERFECT }
    }

    /// A perfect fit without a certificate is not accepted.
    fn uncertified(&self, solution: Solution) -> Solution {
        let proved = solution.kkt_violation <= self.limits.tolerance;
        let stop = if solution.stop == Stop::PerfectFit && !proved { Stop::Stalled } else { solution.stop };
        Solution { stop, ..solution }
    }
}
