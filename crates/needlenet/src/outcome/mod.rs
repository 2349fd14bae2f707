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

use crate::network::Link;
use crate::settings::Settings;
use crate::table::{Samples, Target};
use crate::threshold::{Across, Null};

/// The outcome of every sample, and what a prediction of it costs.
pub(crate) trait Loss: Debug + Send + Sync {
    /// Rows.
    fn n(&self) -> usize;

    /// Weights and offset of the samples.
    fn samples(&self) -> &Samples;

    /// How many samples tell something: the weight of the rows, of survival that of the events.
    fn size(&self) -> f64 {
        self.samples().total(self.n())
    }

    /// Outputs of the network.
    fn n_outputs(&self) -> usize;

    /// Outputs that are free of each other: those of a softmax do not see a common shift.
    fn n_contrasts(&self) -> usize {
        self.n_outputs()
    }

    /// The loss at the outputs `out` (`n x n_outputs`), and its derivative by them.
    fn evaluate(&self, out: &[f64], d_out: &mut [f64]) -> f64;

    /// The Hessian of the loss by the outputs, at the outputs `out` of all samples, where the loss is `value`. Positive
    /// semi-definite.
    fn curvature<'a>(&'a self, value: f64, out: &'a [f64]) -> Curvature<'a>;

    /// The Hessian at the empty model, whose outputs are `out`: a weight of 2 is exactly the row twice.
    fn null_curvature<'a>(&'a self, out: &'a [f64]) -> Curvature<'a> {
        self.curvature(self.null_loss(), out)
    }

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

    /// Whether a few inputs can fit the outcome perfectly, as when they separate two classes. The loss is then zero, so no further
    /// input can lower it, although a model with more inputs may predict new samples better.
    fn can_be_separated(&self) -> bool {
        false
    }

    /// The loss as a smooth function at a noise that is held.
    fn at_noise(&self, tau: f64) -> Box<dyn Loss>;

    /// The value of the loss itself, from its value at the noise that is held.
    fn released(&self, value: f64) -> f64 {
        value
    }

    /// Minus twice the log likelihood at the best noise, up to a constant, from the value of the loss.
    fn deviance(&self, value: f64) -> f64;

    /// The deviance gained over the empty model at the outputs `out`, without that of the sample that gains most.
    fn gain_without_one(&self, out: &[f64]) -> f64 {
        let null = self.of_each(&self.null_outputs());
        let (fitted, samples) = (self.of_each(out), self.samples());
        let gain = |i: usize| null[i] - fitted[i];
        let of_one = |i: usize| samples.weight(i) / samples.copies(i) * gain(i);
        2.0 * (samples.sum(self.n(), gain) - (0..self.n()).map(of_one).fold(0.0, f64::max))
    }

    /// The loss of each row alone, at weight 1.
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

    /// The same loss beside a further known part of the outputs, `n x n_outputs`; none if the outcome cannot have one.
    fn shifted(&self, _by: &[f64]) -> Option<Box<dyn Loss>> {
        None
    }

    /// The same loss on some of the samples.
    fn of_rows(&self, rows: &[usize]) -> Box<dyn Loss>;

    /// Outputs that an input can move in different directions: those of a softmax do not see a common one.
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

/// `lambda^2 / n` where no input could pay its price.
const LARGEST_SHARE: f64 = 0.99;

/// The deviance gained by an input that explains this share of what varies.
fn price_of_share(size: f64, share: f64) -> f64 {
    -size * (1.0 - share.min(LARGEST_SHARE)).ln()
}

/// The loss that goes with an outcome.
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
