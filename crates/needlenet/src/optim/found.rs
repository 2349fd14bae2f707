//! What a point found: the noise it leaves, and the price of its weights.
//!
//! The *noise* is the residual norm over the square root of the degrees of freedom left, where the residual is
//! that of a refit of the weights in use, to first order: the penalty's shrinkage is no noise.
//! The *score* compares points of different noise,
//!
//! $$ n \ln \lVert r \rVert^2 - d\, n \ln(1 - \lambda^2 / n), $$
//!
//! for `d` degrees of freedom: each must lower the squared residual at least as much as an input whose
//! gradient at the empty model is just `lambda`. So no single input of a table whose `lambda_0` is below
//! `lambda` can have a better score than the empty model.

use super::anneal::MEASURABLE;
use super::curvature::unexplained;
use super::live::Live;
use super::path::Path;
use super::solve::Solution;
use super::trace::Traces;
use crate::loss::Loss;
use crate::network::{Inputs, Sweep};
use crate::product::norm;

/// Less noise than this part of the outcome's standard deviation is none. The data stand on a grid of
/// 2^-26, and a unit below it would leave the penalty's slope to rounding errors.
pub(super) const LEAST_NOISE: f64 = 1e-6;
/// The degrees of freedom left are at least this part of all.
const LEAST_LEFT: f64 = 0.1;
/// `lambda^2 / n` in very small tables, where no input could pay its price.
const LARGEST_SHARE: f64 = 0.99;

/// A point on the way.
pub(crate) struct Found {
    pub live: Live,
    pub noise: f64,
    /// The unit of the penalty; the noise, unless it was settled with another.
    pub tau: f64,
    pub score: f64,
}

impl Found {
    /// The one of the lower score.
    pub fn or(self, other: Found) -> Found {
        if other.score < self.score { other } else { self }
    }
}

impl Path<'_> {
    /// Measures a point whose residual norm, with shrinkage, is `residual`.
    pub(crate) fn found(&self, live: Live, residual: f64) -> Found {
        let n = self.loss.n() as f64;
        let used = live.degrees_of_freedom();
        let left = (n - used).max(LEAST_LEFT * n);
        let residual = self.refitted(&live).map_or(residual, |r| norm(&r).min(residual));
        let noise = (residual / left.sqrt()).max(LEAST_NOISE);
        let score = n * (noise * noise * left).ln() + self.price() * used;
        Found { live, noise, tau: noise, score }
    }

    /// Measures a point of which nothing is known.
    pub(super) fn measured(&self, live: Live) -> Found {
        let mut sweep = Sweep::new(&live.network, self.loss.n());
        sweep.forward(&live.network, &live.theta, &Inputs::of(self.x, self.loss.n(), &live.columns));
        let residual = self.loss.evaluate(&sweep.out, &mut sweep.d_out);
        self.found(live, residual)
    }

    /// The price of a degree of freedom: what an input with a gradient of just `lambda` gains.
    pub(super) fn price(&self) -> f64 {
        let n = self.loss.n() as f64;
        let share = (self.lambda / self.network.gain()).powi(2) / n;
        -n * (1.0 - share.min(LARGEST_SHARE)).ln()
    }

    /// Whether a network explains enough for the price of its weights.
    pub(super) fn pays(&self, solution: &Solution) -> bool {
        self.network.is_linear()
            || match self.loss {
                Loss::CrossEntropy { labels, n_classes, .. } => {
                    self.pays_in_classes(labels, *n_classes, solution)
                }
                Loss::ResidualNorm { y } | Loss::Squares { y, .. } => {
                    self.pays_without_one(y, &solution.live)
                }
            }
    }

    /// Whether the score is better than that of the empty model also without what is gained at one sample, the one
    /// where it is most: where the noise has heavy tails, a bend that reaches for one sample is no law.
    fn pays_without_one(&self, y: &[f64], live: &Live) -> bool {
        let live = live.compact();
        let Some(residual) = self.refitted(&live) else { return true };
        let n = y.len() as f64;
        let mean = y.iter().sum::<f64>() / n;
        let all: f64 = y.iter().map(|y| (y - mean) * (y - mean)).sum();
        let gains = || y.iter().zip(&residual).map(|(y, r)| (y - mean) * (y - mean) - r * r);
        let gain = gains().sum::<f64>() - gains().fold(0.0, f64::max);
        let nothing = self.empty_model().live.degrees_of_freedom();
        -n * (1.0 - gain / all).ln() > self.price() * (live.degrees_of_freedom() - nothing)
    }

    /// Whether a model of classes lowers the deviance by the price of its weights. The price of one is what an input
    /// lowers it by whose gradient at the empty model, shared by the two rarest classes, is just `lambda`.
    fn pays_in_classes(&self, labels: &[usize], n_classes: usize, solution: &Solution) -> bool {
        let mut counts = vec![0.0; n_classes];
        labels.iter().for_each(|l| counts[*l] += 1.0);
        counts.sort_by(f64::total_cmp);
        let rarest: f64 = counts.iter().take(2).map(|count| 1.0 / count).sum();
        let price = (self.lambda / self.network.gain()).powi(2) / 4.0 * rarest;
        let gain = 2.0 * (self.loss.null_loss() - solution.loss);
        gain > price * solution.live.compact().degrees_of_freedom()
    }

    /// The residual of a refit, to first order; none where the weights in use are too many.
    fn refitted(&self, live: &Live) -> Option<Vec<f64>> {
        let Loss::ResidualNorm { y } = self.loss else { return None };
        if live.degrees_of_freedom() > MEASURABLE * y.len() as f64 {
            return None;
        }
        let setting = self.setting(self.lambda, self.penalty, 1.0);
        let x = setting.inputs(&live.columns);
        unexplained(&setting.on(&x, &live.network), &live.theta, y)
    }

    /// The traces that inputs leave in what a point does not explain, where that can be measured.
    pub(super) fn traces(&self, found: &Found, columns: &[usize]) -> Option<Traces> {
        let residual = self.refitted(&found.live)?;
        Some(Traces::of(&residual, columns, self.x))
    }
}
