//! The interface between the learner and the outcome (paper, section 2.2).
//!
//! An outcome is one file that implements [`Loss`]. The search, the threshold, the certificate and the refit use this
//! trait only; none of them asks which outcome it is.
//!
//! The loss `L_n` may have a *noise scale* `tau`. For numbers it is unknown: their loss is the residual norm, which is
//! the minimum over `tau` of the smooth function [`Loss::at_noise`]. For classes it is known to be 1, and a smaller
//! `tau` only changes the weight of the loss relative to the penalty.
//! Gradients, curvature and null statistic of every outcome are tested in `src/tests/`.

mod classes;
mod counts;
mod curvature;
mod numbers;
mod survival;

use std::fmt::Debug;

pub(crate) use classes::Classes;
pub(crate) use counts::Counts;
pub(crate) use curvature::{Coupling, Curvature};
pub(crate) use numbers::{LEAST_NOISE, Numbers, PERFECT};
pub(crate) use survival::Survival;
pub use survival::Ties;

use crate::elementary::ln;
use crate::network::Link;
use crate::settings::Settings;
use crate::table::{Samples, Target};
use crate::threshold::{Across, Null};

/// The outcome of every sample, and the loss of a prediction of it.
pub(crate) trait Loss: Debug + Send + Sync {
    /// Rows.
    fn n(&self) -> usize;

    /// Weights and offset of the samples.
    fn samples(&self) -> &Samples;

    /// The effective number of samples: the total weight of the rows, in survival that of the
    /// events.
    fn size(&self) -> f64 {
        self.samples().total(self.n())
    }

    /// Number of outputs of the network.
    fn n_outputs(&self) -> usize;

    /// Number of independent outputs: a common shift of all outputs does not change a softmax.
    fn n_contrasts(&self) -> usize {
        self.n_outputs()
    }

    /// The loss at the outputs `out` (`n x n_outputs`), and its derivative by them.
    fn evaluate(&self, out: &[f64], d_out: &mut [f64]) -> f64;

    /// The positive semi-definite Hessian of the loss by the outputs, at the outputs `out` of all samples, where the
    /// loss is `value`.
    fn curvature<'a>(&'a self, value: f64, out: &'a [f64]) -> Curvature<'a>;

    /// The Hessian at the empty model, whose outputs are `out`. Here a weight of 2 equals the row twice
    /// exactly.
    fn null_curvature<'a>(&'a self, out: &'a [f64]) -> Curvature<'a> {
        self.curvature(self.null_loss(), out)
    }

    /// The intercept of the best constant fit: `c` of the empty model.
    fn null_intercept(&self) -> Vec<f64>;

    /// The law of the outcome if no input matters, and the outcome in the same form.
    fn null(&self) -> Null;

    /// The deviance that an input gains at the empty model, to second order, if its null statistic equals `lambda`.
    fn price(&self, lambda: f64, across: Across) -> f64;

    /// Whether (nearly) no input, however strong, has a null statistic above `lambda`: then no effect can be distinguished
    /// from chance.
    fn is_beyond_reach(&self, _lambda: f64) -> bool {
        false
    }

    /// The null statistic grows with the number of samples to this power.
    fn growth(&self) -> f64;

    /// The size of a weight that one sample distinguishes from zero at the empty model, in units of the
    /// noise.
    fn unit(&self) -> f64;

    /// The scale of the outputs of the network: the standard deviation of the outcome in the unit of the solver.
    fn spread(&self) -> f64 {
        1.0
    }

    /// The weight at which the gradient, starting from `lambda` at the empty model, falls to zero, in units of
    /// the noise.
    fn cut_off(&self, lambda: f64) -> f64;

    /// The noise estimate of a fit with loss `value` and `left` residual degrees of freedom.
    fn noise(&self, value: f64, left: f64) -> f64;

    /// Whether the noise is known before the fit.
    fn knows_noise(&self) -> bool;

    /// Whether a few inputs can fit the outcome perfectly, as when they separate two classes. The loss is then zero, so no further
    /// input can lower it, although a model with more inputs may predict new samples better.
    fn can_be_separated(&self) -> bool {
        false
    }

    /// The loss as a smooth function at fixed noise.
    fn at_noise(&self, tau: f64) -> Box<dyn Loss>;

    /// The value of the loss itself, from its value at fixed noise.
    fn released(&self, value: f64) -> f64 {
        value
    }

    /// Minus twice the log likelihood at the best noise, up to a constant, as a function of the loss.
    fn deviance(&self, value: f64) -> f64;

    /// The gain in deviance over the empty model at the outputs `out`, without the sample that gains most; `bent` if they are those
    /// of a network.
    fn gain_without_one(&self, out: &[f64], _bent: bool) -> f64 {
        let null = self.of_each(&self.null_outputs());
        let (fitted, samples) = (self.of_each(out), self.samples());
        let gain = |i: usize| null[i] - fitted[i];
        let of_one = |i: usize| samples.weight(i) / samples.copies(i) * gain(i);
        2.0 * (samples.sum(self.n(), gain) - (0..self.n()).map(of_one).fold(0.0, f64::max))
    }

    /// The loss of each row, at weight 1.
    fn of_each(&self, out: &[f64]) -> Vec<f64>;

    /// The value below which the fit is perfect.
    fn perfect(&self) -> f64 {
        0.0
    }

    /// The weight of the ridge `||theta_1||^2 / 2` that a refit needs to have a minimum.
    fn ridge(&self) -> f64 {
        0.0
    }

    /// The stratum of each sample, and the number of strata. Every stratum must occur in a subsample.
    fn strata(&self) -> (Vec<usize>, usize) {
        (vec![0; self.n()], 1)
    }

    /// The same loss with an additional offset of the outputs, `n x n_outputs`; none if the outcome cannot have one.
    fn shifted(&self, _by: &[f64]) -> Option<Box<dyn Loss>> {
        None
    }

    /// The same loss on some of the samples.
    fn of_rows(&self, rows: &[usize]) -> Box<dyn Loss>;

    /// Number of outputs that an input can move independently: a common shift does not change a softmax.
    fn n_directions(&self) -> usize {
        self.n_contrasts().max(1)
    }

    /// The loss of the empty model.
    fn null_loss(&self) -> f64 {
        let out = self.null_outputs();
        self.evaluate(&out, &mut vec![0.0; out.len()])
    }

    /// The outputs of the empty model.
    fn null_outputs(&self) -> Vec<f64> {
        let n = self.n();
        self.null_intercept().iter().flat_map(|c| vec![*c; n]).collect()
    }
}

/// The value of `lambda^2 / n` above which no input could pay its price.
const LARGEST_SHARE: f64 = 0.99;

/// The deviance gained by an input that explains this share of the variance.
fn price_of_share(size: f64, share: f64) -> f64 {
    -size * ln(1.0 - share.min(LARGEST_SHARE))
}

/// The loss for an outcome.
pub(crate) fn loss_of(target: &Target, samples: &Samples, link: Link, settings: &Settings) -> Box<dyn Loss> {
    let samples = samples.clone();
    match target {
        Target::Numbers { y, spread, .. } => Box::new(Numbers::with_spread(y.clone(), samples, *spread)),
        Target::Classes { labels, n_classes } => {
            Box::new(Classes::new(labels.clone(), *n_classes, samples, link))
        }
        Target::Counts { counts } => Box::new(Counts::new(counts.clone(), samples)),
        Target::Survival { groups, events } => {
            Box::new(Survival::new(groups.clone(), events.clone(), samples, settings.ties))
        }
    }
}
