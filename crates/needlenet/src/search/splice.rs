//! Splicing: inputs of the linear model are exchanged for any others.
//!
//! Where inputs are correlated, the rise of the noise ends in one of many local minima, and which one may hang on the last
//! digits of `lambda`. So each input in use is taken out in turn, and the inputs that go best with what is then left are tried
//! in its place; a further input is tried as well. If that gains nothing, two inputs are tried in the place of one and of two, among
//! those that stood out before. The score judges, after pruning (`prune.rs`), so the number of inputs may change.
//! Cost of a round: O(s n p) for `s` inputs in use, and O(s^2) refits of O(n s^2). Tested in `src/tests/swap.rs`.

use super::Search;
use super::candidate::Candidate;
use super::swap::LEAST_GAIN;
use crate::local::active::Live;
use crate::product::{multiply, view, view_mut};

/// An input and the derivative of the loss by its weights.
type Joining = (usize, Vec<f64>);

impl Search<'_> {
    /// Exchanges inputs of the linear model as long as the score falls.
    pub(crate) fn splice(&self, mut best: Candidate) -> Candidate {
        if !self.network.is_linear() || best.live.columns.is_empty() {
            return best;
        }
        for _ in 0..self.plan.max_spliced {
            let Some(next) = self.spliced(&best) else { break };
            let next = self.prune(self.settle(next));
            if !self.is_lower(&next, &best) {
                break;
            }
            best = next;
        }
        best
    }

    /// Whether the score is lower by more than rounding errors.
    fn is_lower(&self, next: &Candidate, best: &Candidate) -> bool {
        next.score < best.score - LEAST_GAIN * self.loss.size()
    }

    /// The best exchange, if its score is lower.
    fn spliced(&self, best: &Candidate) -> Option<Candidate> {
        let columns = &best.live.columns;
        let all: Vec<usize> = (0..self.network.n_inputs()).collect();
        let without_one: Vec<Live> = columns.iter().map(|old| best.live.without(*old)).collect();
        let mut pool = Vec::new();
        let mut points = Vec::new();
        for base in [&best.live].into_iter().chain(&without_one) {
            for (new, slope) in self.joining(base, &all, self.plan.spliced) {
                if columns.binary_search(&new).is_err() {
                    points.push(with(base, new, &slope));
                    pool.push(new);
                }
            }
        }
        if let Some(next) = self.lowest(&points, best) {
            return Some(next);
        }
        pool.sort_unstable();
        pool.dedup();
        let pairs =
            columns.iter().enumerate().flat_map(|(at, a)| columns[at + 1..].iter().map(move |b| (a, b)));
        let without_two = pairs.map(|(a, b)| best.live.without(*a).without(*b));
        let mut points = Vec::new();
        for base in without_one.iter().cloned().chain(without_two) {
            for (new, slope) in self.joining(&base, &pool, self.plan.spliced_pairs) {
                let base = with(&base, new, &slope);
                let second = self.joining(&base, &pool, 1);
                points.extend(second.iter().map(|(new, slope)| with(&base, *new, slope)));
            }
        }
        self.lowest(&points, best)
    }

    /// The point of the lowest score, if that is lower than the best.
    fn lowest(&self, points: &[Live], best: &Candidate) -> Option<Candidate> {
        let measured = points.iter().map(|live| self.measured(live.clone()));
        measured.reduce(Candidate::or).filter(|next| self.is_lower(next, best))
    }

    /// The inputs of `pool` that are not in use and go best with what a refit of `live` leaves.
    fn joining(&self, live: &Live, pool: &[usize], count: usize) -> Vec<Joining> {
        let Some(refit) = self.refitted(live) else { return Vec::new() };
        let (n, outputs) = (self.loss.n(), self.loss.n_outputs());
        let mut residuals = vec![0.0; refit.out.len()];
        self.loss.evaluate(&refit.out, &mut residuals);
        let residuals = view(&residuals, n, outputs).transpose();
        let p = self.network.n_inputs();
        let mut slopes = vec![0.0; outputs * pool.len()];
        if pool.len() == p {
            self.x.multiply(&mut slopes, residuals, 0..p);
        } else {
            let x = self.x.gathered(pool);
            multiply(view_mut(&mut slopes, outputs, pool.len()), residuals, view(&x, n, pool.len()));
        }
        let mut found: Vec<Joining> = pool
            .iter()
            .zip(slopes.chunks(outputs))
            .filter(|(column, _)| live.columns.binary_search(column).is_err())
            .map(|(column, slope)| (*column, slope.to_vec()))
            .collect();
        let size = |(_, slope): &Joining| slope.iter().map(|g| g.abs()).sum::<f64>();
        found.sort_by(|a, b| size(b).total_cmp(&size(a)).then(a.0.cmp(&b.0)));
        found.truncate(count);
        found
    }
}

/// The same point with a further input, whose weights are a small step downhill: a refit makes them what they should be.
fn with(live: &Live, column: usize, slope: &[f64]) -> Live {
    const STEP: f64 = 1e-3;
    let mut point = live.with_columns(&[column]);
    let width = point.network.width();
    let place = point.columns.partition_point(|c| *c < column) * width;
    let weights = point.theta[place..place + width].iter_mut().zip(slope);
    weights.for_each(|(w, g)| *w = -STEP * g);
    point
}
