//! Exchange of inputs with near copies.
//!
//! Of inputs that are nearly equal, such as neighbouring genes, the search may have kept one that is not the best, and no small
//! step leads from one to the other. So each near copy replaces its input with the same weights, and is kept if the score
//! improves. Columns of an input of several columns (a category, a group) are skipped, because one column alone is not the
//! input. At the end, the near copies with which the score would not be clearly worse are listed: the data do not decide
//! between them. Cost: O(n p s) for the correlations of `s` inputs in use, O(n d^2) for each near copy. Tested in
//! `src/tests/swap.rs`.

use super::Search;
use super::candidate::Candidate;
use crate::local::active::Live;
use crate::product::view;

/// The score must fall by more than rounding errors, relative to the number of samples.
const LEAST_GAIN: f64 = 1e-6;

/// An unused input that could replace a near copy in use.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    pub old: usize,
    pub new: usize,
    pub correlation: f64,
    /// How much larger the score is with it, in prices.
    pub cost: f64,
}

impl Search<'_> {
    /// Exchanges inputs as long as the score falls. A near copy has nearly the same weights, so the unit of the penalty stays.
    pub(crate) fn swap(&self, mut best: Candidate) -> Candidate {
        if !self.plan.swap {
            return best;
        }
        let least = LEAST_GAIN * self.loss.size();
        for _ in 0..best.live.columns.len() {
            let copies = self.near_copies(&best.live);
            let better = copies.iter().map(|(_, live)| self.measured(live.clone())).reduce(Candidate::or);
            let Some(next) = better.filter(|next| next.score < best.score - least) else { break };
            let next = self.settled_in_unit(&next.live, best.tau);
            if next.score >= best.score - least {
                break;
            }
            best = next;
        }
        best
    }

    /// The near copies with which the score of `live` would not be clearly worse.
    pub(crate) fn exchangeable(&self, live: &Live) -> Vec<Exchange> {
        if live.columns.is_empty() {
            return Vec::new();
        }
        let copies = self.near_copies(live);
        let found = self.measured(live.clone());
        let judged = copies.into_iter().filter_map(|(exchange, live)| {
            let with = self.measured(live);
            let cost = (with.score - found.score) / self.price();
            (!self.is_clearly_worse(&with, &found)).then_some(Exchange { cost, ..exchange })
        });
        judged.collect()
    }

    /// The points with one input exchanged for a near copy.
    fn near_copies(&self, live: &Live) -> Vec<(Exchange, Live)> {
        let (n, samples) = (self.loss.n(), self.loss.samples());
        let (in_use, p) = (live.columns.len(), self.network.n_inputs());
        let mut weighted = self.x.gathered(&live.columns);
        weighted.iter_mut().enumerate().for_each(|(at, v)| *v *= samples.weight(at % n));
        let mut products = vec![0.0; in_use * p];
        self.x.multiply(&mut products, view(&weighted, n, in_use).transpose(), 0..p);
        let root = samples.total(n).sqrt();
        // with inputs that are always in, each column has its own scale
        let own = |column: &[f64]| samples.sum(n, |i| column[i] * column[i]).sqrt();
        let lengths: Vec<f64> = if self.network.n_always > 0 {
            self.x.map(own)
        } else {
            (0..p).map(|j| root / self.x.weight(j)).collect()
        };
        let mut points = Vec::new();
        let alone = |j: &usize| !self.x.is_grouped(*j);
        for (at, &old) in live.columns.iter().enumerate().filter(|(_, old)| alone(old)) {
            for new in (0..p).filter(|j| alone(j) && live.columns.binary_search(j).is_err()) {
                let correlation = products[new * in_use + at] / (lengths[old] * lengths[new]);
                if correlation.abs() >= self.plan.near {
                    let scale = lengths[old] / lengths[new];
                    let point = live.exchanged(old, new, scale * correlation.signum());
                    points.push((Exchange { old, new, correlation, cost: 0.0 }, point));
                }
            }
        }
        points
    }
}
