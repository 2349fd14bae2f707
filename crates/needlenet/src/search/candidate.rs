//! A candidate: a point, its residual noise, and its score.
//!
//! Noise and deviance are those of a refit of the non-zero weights, to first order, so that shrinkage does not count as
//! noise. The *score* compares candidates of different noise and of different units of the penalty,
//!
//! $$ D + d\, \pi, $$
//!
//! with the deviance `D`, the degrees of freedom `d`, and the price `pi` of one degree of freedom: the gain of an input whose
//! null statistic equals `lambda`. So if `lambda_0` is below `lambda`, no single input has a better score than the empty model;
//! this is exact for numbers, and holds to second order for other outcomes.

use super::Search;
use super::screening::Traces;
use crate::local::active::Live;
use crate::local::first_order::{FirstOrderRefit, first_order_refit};
use crate::network::Sweep;

/// At least this part of the degrees of freedom must remain.
const LEAST_LEFT: f64 = 0.1;

/// A point and its measurements.
pub(crate) struct Candidate {
    pub live: Live,
    pub noise: f64,
    /// The unit of the penalty, in that of the outcome: the noise, unless the final solve used
    /// another.
    pub tau: f64,
    pub deviance: f64,
    pub score: f64,
}

impl Candidate {
    /// The candidate with the lower score.
    pub fn or(self, other: Candidate) -> Candidate {
        if other.score < self.score { other } else { self }
    }
}

impl Search<'_> {
    /// Measures a point; `value` is its loss, with shrinkage.
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

    /// Measures a point that was not evaluated yet.
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

    /// The degrees of freedom of the empty model: one intercept for each independent output, and the inputs that are always
    /// in.
    fn free(&self) -> f64 {
        (self.loss.n_contrasts() + self.network.n_always * self.loss.n_directions()) as f64
    }

    /// The extra cost of weights of columns with a penalty weight above 1. Such a column has a smaller standard deviation,
    /// so it gains more than the price if its null statistic equals `lambda`.
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

    /// Whether the score of `a` is clearly worse than that of `b`: by a part of a price, and by what the choice of a neuron gains.
    ///
    /// The price is that of an input which enters a linear function. An input without effect can enter a network through any
    /// of its `h` neurons, and the largest of `h` times as many null gains is larger by about `2 ln h`: each has the tail of a
    /// chi-square variable, `exp(-gain / 2)`.
    pub(super) fn is_clearly_worse(&self, a: &Candidate, b: &Candidate) -> bool {
        let neurons = if b.live.network.is_linear() { 1 } else { b.live.network.width().max(1) };
        let of_choice = if self.plan.count_neurons { 2.0 * libm::log(neurons as f64) } else { 0.0 };
        a.score > b.score + self.plan.clearly * self.price() + of_choice
    }

    /// Whether a point gains more than the price of its weights, even without the sample where it gains most. With
    /// heavy-tailed noise a bend that fits one sample is not a law.
    pub(super) fn pays(&self, live: &Live) -> bool {
        let live = live.compact();
        let nothing = self.empty_model();
        match self.refitted(&live) {
            Some(refit) => {
                let free = refit.degrees_of_freedom - self.free();
                let price = self.price() * free + self.surcharge(&live);
                let gain = if self.plan.without_one {
                    self.loss.gain_without_one(&refit.out, !live.network.is_linear())
                } else {
                    nothing.deviance - self.loss.deviance(refit.value)
                };
                gain > price
            }
            None => self.measured(live).score < nothing.score,
        }
    }

    /// A refit to first order; none if too many parameters are in use.
    fn refitted(&self, live: &Live) -> Option<FirstOrderRefit> {
        if live.parameters_in_use() > self.plan.measurable * self.loss.size() {
            return None;
        }
        let setting = self.setting(self.lambda, self.penalty, 1.0);
        let x = setting.inputs(&live.columns);
        first_order_refit(&setting.on(&x, &live.network), &live.theta)
    }

    /// The traces that inputs leave in the residuals of a candidate, if they can be computed.
    pub(super) fn traces(&self, candidate: &Candidate, columns: &[usize]) -> Option<Traces> {
        let FirstOrderRefit { out, .. } = self.refitted(&candidate.live)?;
        let mut residuals = vec![0.0; out.len()];
        self.loss.evaluate(&out, &mut residuals);
        // if a common shift of two outputs has no effect, one column is the negative of the other
        let columns_of_residuals = if self.loss.n_contrasts() == 1 { 1 } else { self.loss.n_outputs() };
        residuals.truncate(columns_of_residuals * self.loss.n());
        Some(Traces::of(&residuals, self.loss.samples(), columns, self.x))
    }
}
