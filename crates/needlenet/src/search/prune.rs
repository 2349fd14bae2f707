//! Pruning: inputs that do not gain clearly more than their price are dropped.
//!
//! A small unit of the penalty keeps every stationary weight, and with many inputs and neurons some hay gains about a price. So
//! each input is left out in turn, and it is dropped unless the score without it is clearly worse.
//!
//! The final solve may force in an input that does not pay. Then `lambda` is raised until it stays out.
//! Cost: O(n d^2) for each input in use. Tested in `src/tests/swap.rs` and `tests/raised.rs`.

use super::Search;
use super::candidate::Candidate;
use crate::local::Stop;
use crate::local::working_set::{Setting, Solution, gradient_sizes};

/// How far beyond the gradient `lambda` is raised.
const BEYOND: f64 = 1.01;

impl Search<'_> {
    /// Drops inputs as long as the score without one of them is not clearly worse.
    pub(crate) fn prune(&self, mut best: Candidate) -> Candidate {
        if !self.plan.prune {
            return best;
        }
        for _ in 0..best.live.columns.len() {
            let Some(next) = self.without_one(&best) else { break };
            if self.is_clearly_worse(&next, &best) {
                break;
            }
            let next = self.settled_in_unit(&next.live, best.tau);
            let fewer = next.live.columns.len() < best.live.columns.len();
            if !fewer || self.is_clearly_worse(&next, &best) {
                break;
            }
            best = next;
        }
        best
    }

    /// The candidate without the input that gains least; none if it has no inputs.
    fn without_one(&self, found: &Candidate) -> Option<Candidate> {
        let without = |column: &usize| self.measured(found.live.without(*column));
        found.live.columns.iter().map(without).reduce(Candidate::or)
    }

    /// The solution at the least `lambda` that keeps out the inputs that do not pay; none if all pay, or none does, or if a needle
    /// would be lost.
    ///
    /// The level asks for `lambda` at the empty model. With needles in, few samples may carry most of the information, as those with large
    /// means do in counts. The gradient by an input that does not pay may then exceed `lambda`, which forces it in. For numbers the
    /// gradient is relative to the noise that the needles leave, so `lambda` stays.
    pub(super) fn raised(&self, solution: &Solution, tau: f64) -> Option<(Solution, f64)> {
        let is_allowed = self.plan.max_raised > 0 && self.loss.knows_noise() && self.penalty.is_concave();
        if !is_allowed || solution.stop != Stop::Converged {
            return None;
        }
        let found = Candidate { tau, ..self.candidate(solution.live.compact(), solution.loss) };
        let without_one_that_costs =
            |from: &Candidate| self.without_one(from).filter(|next| next.score < from.score);
        let mut kept = without_one_that_costs(&found)?;
        while let Some(next) = without_one_that_costs(&kept) {
            kept = next;
        }
        if kept.live.columns.is_empty() {
            return None;
        }
        let dropped: Vec<usize> =
            found.live.columns.iter().copied().filter(|j| !kept.live.columns.contains(j)).collect();
        let (mut live, mut lambda) = (kept.live, self.lambda);
        for _ in 0..self.plan.max_raised {
            let setting = self.setting(lambda, self.penalty, tau);
            live = Setting { without: &dropped, ..setting }.solve(&live, self.limits, usize::MAX).live;
            let sizes = gradient_sizes(self.x, &setting.deltas(&live), self.penalty.is_grouped());
            let largest = dropped.iter().map(|j| sizes[*j]).fold(0.0, f64::max);
            if largest <= lambda {
                break;
            }
            // a larger lambda leaves a larger gradient, so the next one is a little larger still
            lambda = BEYOND * largest;
        }
        let raised = self.setting(lambda, self.penalty, tau).solve(&live, self.limits, usize::MAX);
        let after = self.candidate(raised.live.compact(), raised.loss);
        let better = after.score < found.score && !after.live.columns.is_empty();
        (better && raised.stop == Stop::Converged).then_some((raised, lambda))
    }
}
