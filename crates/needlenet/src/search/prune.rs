//! Pruning: inputs that do not gain clearly more than their price are dropped.
//!
//! A small unit of the penalty keeps every stationary weight, and with many inputs and neurons some hay gains about a price. So
//! each input is left out in turn, and it is dropped unless the score without it is clearly worse.
//! Cost: O(n d^2) for each input in use. Tested in `src/tests/swap.rs`.

use super::Search;
use super::candidate::Candidate;

impl Search<'_> {
    /// Drops inputs as long as the score without one of them is not clearly worse.
    pub(crate) fn prune(&self, mut best: Candidate) -> Candidate {
        if !self.plan.prune {
            return best;
        }
        let setting = self.setting(self.lambda, self.penalty, best.tau);
        for _ in 0..best.live.columns.len() {
            let without = |column: &usize| self.measured(best.live.without(*column));
            let Some(next) = best.live.columns.iter().map(without).reduce(Candidate::or) else { break };
            if self.is_clearly_worse(&next, &best) {
                break;
            }
            let solution = self.settled(&setting, &next.live);
            let next = Candidate { tau: best.tau, ..self.candidate(solution.live.compact(), solution.loss) };
            let fewer = next.live.columns.len() < best.live.columns.len();
            if !fewer || self.is_clearly_worse(&next, &best) {
                break;
            }
            best = next;
        }
        best
    }
}
