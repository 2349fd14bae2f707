//! Exchange of inputs with near copies.
//!
//! Of inputs that are nearly equal, such as neighbouring genes, the search may have kept one that is not the best, and no small
//! step leads from one to the other. So each near copy is tried in the place of its input, with the same weights, and is kept if
//! the score improves.
//! Cost: O(n p s) for the correlations of `s` inputs in use, O(n d^2) for each near copy. Tested in
//! `src/tests/swap.rs`.

use super::Search;
use super::candidate::Candidate;
use crate::local::active::Live;
use crate::product::view;

/// The score must fall by more than rounding errors, relative to the number of samples.
const LEAST_GAIN: f64 = 1e-6;

impl Search<'_> {
    /// Exchanges inputs as long as the score falls.
    pub(crate) fn swap(&self, mut best: Candidate) -> Candidate {
        if !self.plan.swap {
            return best;
        }
        let least = LEAST_GAIN * self.loss.size();
        for _ in 0..best.live.columns.len() {
            let better = self
                .near_copies(&best.live)
                .into_iter()
                .map(|live| self.measured(live))
                .reduce(Candidate::or);
            let Some(next) = better.filter(|next| next.score < best.score - least) else { break };
            let next = self.settle(next);
            if next.score >= best.score - least {
                break;
            }
            best = next;
        }
        best
    }

    /// The points with one input exchanged for a near copy.
    fn near_copies(&self, live: &Live) -> Vec<Live> {
        let (n, samples) = (self.loss.n(), self.loss.samples());
        let (in_use, p) = (live.columns.len(), self.network.n_inputs());
        let mut weighted = self.x.gathered(&live.columns);
        weighted.iter_mut().enumerate().for_each(|(at, v)| *v *= samples.weight(at % n));
        let mut products = vec![0.0; in_use * p];
        self.x.multiply(&mut products, view(&weighted, n, in_use).transpose(), 0..p);
        let root = samples.total(n).sqrt();
        // beside inputs that are always in, columns have a unit of their own
        let own = |column: &[f64]| samples.sum(n, |i| column[i] * column[i]).sqrt();
        let lengths: Vec<f64> = if self.network.n_always > 0 {
            self.x.map(own)
        } else {
            (0..p).map(|j| root / self.x.weight(j)).collect()
        };
        let mut points = Vec::new();
        for (at, &old) in live.columns.iter().enumerate() {
            for new in (0..p).filter(|j| live.columns.binary_search(j).is_err()) {
                let correlation = products[new * in_use + at] / (lengths[old] * lengths[new]);
                if correlation.abs() >= self.plan.near {
                    let scale = lengths[old] / lengths[new];
                    points.push(live.exchanged(old, new, scale * correlation.signum()));
                }
            }
        }
        points
    }
}
