//! A candidate: a point, its residual noise, and its score.
//!
//! Noise and deviance are those of a refit of the non-zero weights, to first order, so that shrinkage does not count as
//! noise. The *score* compares candidates of different noise and of different units of the penalty,
//!
//! $$ D + d\, \pi, $$
//!
//! with the deviance `D`, the degrees of freedom `d`, and the price `pi` of one: the gain of an input whose null statistic equals
//! `lambda`. So if `lambda_0` is below `lambda`, no single input has a better score than the empty model: exactly for numbers,
//! to second order for other outcomes.

use super::Search;
use super::screening::Traces;
use crate::local::active::Live;
use crate::local::curvature::{FirstOrderRefit, first_order_refit};
use crate::network::Sweep;

/// The degrees of freedom left are at least this part of all.
const LEAST_LEFT: f64 = 0.1;

/// A point on the way.
pub(crate) struct Candidate {
    pub live: Live,
    pub noise: f64,
    /// The unit of the penalty, in the outcome's own; the noise, unless it was settled with another.
    pub tau: f64,
    pub deviance: f64,
    pub score: f64,
}

impl Candidate {
    /// The one of the lower score.
    pub fn or(self, other: Candidate) -> Candidate {
        if other.score < self.score { other } else { self }
    }
}

impl Search<'_> {
    /// Measures a point whose loss, with shrinkage, is `value`.
    pub(super) fn candidate(&self, live: Live, value: f64) -> Candidate {
        let n = self.loss.size();
        let (value, used) = match self.refitted(&live) {
            Some(refit) => (refit.value.min(value), refit.degrees_of_freedom),
            None => (value, live.parameters_in_use()),
        };
        let noise = self.loss.noise(value, (n - used).max(LEAST_LEFT * n));
        let deviance = self.loss.deviance(value);
        let score = deviance + self.price() * used + self.surcharge(&live);
        Candidate { live, noise, tau: noise, deviance, score }
    }

    /// Measures a point of which nothing is known.
    pub(crate) fn measured(&self, live: Live) -> Candidate {
        let mut sweep = Sweep::new(&live.network, self.loss.n());
        let setting = self.setting(self.lambda, self.penalty, 1.0);
        sweep.forward(&live.network, &live.theta, &setting.inputs(&live.columns));
        let value = self.loss.evaluate(&sweep.out, &mut sweep.d_out);
        self.candidate(live, value)
    }

    pub(super) fn empty_model(&self) -> Candidate {
        let empty = self.setting(self.lambda, self.penalty, 1.0).empty(self.network);
        self.candidate(empty, self.loss.null_loss())
    }

    /// The price of a degree of freedom.
    pub(super) fn price(&self) -> f64 {
        self.loss.price(self.statistic, self.across)
    }

    /// The degrees of freedom of the empty model: the intercept of each output that is free of the others, and the inputs that
    /// are always in.
    fn free(&self) -> f64 {
        (self.loss.n_contrasts() + self.network.n_always * self.loss.n_directions()) as f64
    }

    /// What the weights in use of columns with a penalty weight above 1 cost beyond the price: such a column has a smaller
    /// deviation, so it gains more if its null statistic is just `lambda`.
    fn surcharge(&self, live: &Live) -> f64 {
        let of_column = |at: usize| {
            let weight = self.x.weight(live.columns[at]);
            if weight == 1.0 {
                return 0.0;
            }
            let in_use = live.column(at).iter().filter(|w| **w != 0.0).count() as f64;
            in_use * (self.loss.price(weight * self.statistic, self.across) - self.price())
        };
        (0..live.columns.len()).map(of_column).sum()
    }

    /// Whether `a` is worse than `b` by a clear part of a price.
    pub(super) fn is_clearly_worse(&self, a: &Candidate, b: &Candidate) -> bool {
        a.score > b.score + self.plan.clearly * self.price()
    }

    /// Whether a point explains enough for the price of its weights, also without what is gained at the one sample where
    /// it is most: where the noise has heavy tails, a bend that reaches for one sample is no law.
    pub(super) fn pays(&self, live: &Live) -> bool {
        let live = live.compact();
        let nothing = self.empty_model();
        match self.refitted(&live) {
            Some(refit) => {
                let free = refit.degrees_of_freedom - self.free();
                let price = self.price() * free + self.surcharge(&live);
                let gain = if self.plan.without_one {
                    self.loss.gain_without_one(&refit.out)
                } else {
                    nothing.deviance - self.loss.deviance(refit.value)
                };
                gain > price
            }
            None => self.measured(live).score < nothing.score,
        }
    }

    /// A refit to first order; none where the parameters in use are too many.
    fn refitted(&self, live: &Live) -> Option<FirstOrderRefit> {
        if live.parameters_in_use() > self.plan.measurable * self.loss.size() {
            return None;
        }
        let setting = self.setting(self.lambda, self.penalty, 1.0);
        let x = setting.inputs(&live.columns);
        first_order_refit(&setting.on(&x, &live.network), &live.theta)
    }

    /// The traces that inputs leave in what a candidate does not explain, where that can be measured.
    pub(super) fn traces(&self, candidate: &Candidate, columns: &[usize]) -> Option<Traces> {
        let FirstOrderRefit { out, .. } = self.refitted(&candidate.live)?;
        let mut residuals = vec![0.0; out.len()];
        self.loss.evaluate(&out, &mut residuals);
        // of two outputs that do not see a common shift one is the other's negative
        let columns_of_residuals = if self.loss.n_contrasts() == 1 { 1 } else { self.loss.n_outputs() };
        residuals.truncate(columns_of_residuals * self.loss.n());
        Some(Traces::of(&residuals, self.loss.samples(), columns, self.x))
    }
}
