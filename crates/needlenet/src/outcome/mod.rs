//! The seam between the learner and what it explains (paper, section 2.2).
//!
//! An outcome is one file that implements [`Loss`]. The search, the threshold, the certificate and the refit
//! know nothing else of it: no caller asks which outcome it is.
//!
//! The loss `L_n` may have a *noise scale* `tau`. Numbers have one that is not known: their loss is the residual norm,
//! and [`Loss::at_noise`] is the smooth function of which it is the minimum over `tau`. The noise of classes is known:
//! it is 1, and a smaller `tau` only weighs the loss against the penalty.
//! Gradients, curvature and null statistic of every outcome are tested in `src/tests/`.

mod classes;
mod numbers;

use std::fmt::Debug;

pub(crate) use classes::Classes;
use faer::Mat;
pub(crate) use numbers::{LEAST_NOISE, Numbers, PERFECT};

use crate::network::Link;
use crate::table::Target;
use crate::threshold::{Across, Null};

/// The outcome of every sample, and what a prediction of it costs.
pub(crate) trait Loss: Debug + Send + Sync {
    /// Samples.
    fn n(&self) -> usize;

    /// Outputs of the network.
    fn n_outputs(&self) -> usize;

    /// Outputs that are free of each other: those of a softmax do not see a common shift.
    fn n_contrasts(&self) -> usize {
        self.n_outputs()
    }

    /// The loss at the outputs `out` (`n x n_outputs`), and its derivative by them.
    fn evaluate(&self, out: &[f64], d_out: &mut [f64]) -> f64;

    /// The Hessian of the loss by the outputs of each of some samples, `n_outputs x n_outputs` numbers a sample, where
    /// the loss of all samples is `value`. Positive semi-definite.
    fn curvature(&self, value: f64, out: &[f64], hessians: &mut [f64]);

    /// What couples the samples, added to the sum of [`Loss::curvature`] over them: the derivative of the loss by the
    /// parameters is `gradient`.
    fn couple(&self, _value: f64, _gradient: &[f64], _hessian: &mut Mat<f64>) {}

    /// The intercept of the best constant fit, which is `c` of the empty model.
    fn null_intercept(&self) -> Vec<f64>;

    /// The law of the outcome when no input matters, and the outcome in the same form.
    fn null(&self) -> Null;

    /// The deviance that an input gains at the empty model, to second order, if its null statistic is just `lambda`.
    fn price(&self, lambda: f64, across: Across) -> f64;

    /// Whether (nearly) no input, however strong, has a null statistic above `lambda`: nothing could then be told from chance.
    fn is_beyond_reach(&self, _lambda: f64) -> bool {
        false
    }

    /// The exponent of the number of samples with which the null statistic grows.
    fn growth(&self) -> f64;

    /// The size of a weight that one sample tells from zero, at the empty model, in units of the noise.
    fn unit(&self) -> f64;

    /// The size of the network's outputs: the standard deviation of the outcome in the unit that it is solved in.
    fn spread(&self) -> f64 {
        1.0
    }

    /// The weight of which the gradient at the empty model falls from `lambda` to zero, in units of the noise.
    fn cut_off(&self, lambda: f64) -> f64;

    /// The noise of a fit of loss `value` with `left` degrees of freedom left.
    fn noise(&self, value: f64, left: f64) -> f64;

    /// Whether the noise is known before the fit.
    fn knows_noise(&self) -> bool;

    /// The loss as a smooth function at a noise that is held.
    fn at_noise(&self, tau: f64) -> Box<dyn Loss>;

    /// The value of the loss itself, from its value at the noise that is held.
    fn released(&self, value: f64) -> f64 {
        value
    }

    /// Minus twice the log likelihood at the best noise, up to a constant, from the value of the loss.
    fn deviance(&self, value: f64) -> f64;

    /// The deviance gained over the empty model at the outputs `out`, without that of the sample that gains most.
    fn gain_without_one(&self, out: &[f64]) -> f64;

    /// The loss of each sample alone.
    fn of_each(&self, out: &[f64]) -> Vec<f64>;

    /// The value below which the fit is perfect.
    fn perfect(&self) -> f64 {
        0.0
    }

    /// The weight of the ridge `||theta_1||^2 / 2` without which a refit may have no minimum.
    fn ridge(&self) -> f64 {
        0.0
    }

    /// The stratum of each sample, in a subsample of which every stratum must be present, and their number.
    fn strata(&self) -> (Vec<usize>, usize) {
        (vec![0; self.n()], 1)
    }

    /// The same loss on some of the samples.
    fn of_rows(&self, rows: &[usize]) -> Box<dyn Loss>;

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

/// `lambda^2 / n` where no input could pay its price.
const LARGEST_SHARE: f64 = 0.99;

/// The deviance gained by an input that explains this share of what varies.
fn price_of_share(n: usize, share: f64) -> f64 {
    -(n as f64) * (1.0 - share.min(LARGEST_SHARE)).ln()
}

/// The loss that goes with an outcome.
pub(crate) fn loss_of(target: &Target, link: Link) -> Box<dyn Loss> {
    match target {
        Target::Numbers { y, spread, .. } => Box::new(Numbers::with_spread(y.clone(), *spread)),
        Target::Classes { labels, n_classes } => Box::new(Classes::new(labels.clone(), *n_classes, link)),
    }
}
