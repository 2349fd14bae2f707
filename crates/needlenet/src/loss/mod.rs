//! Losses `L_n` and the null statistic of each (paper, section 2.2 and Theorem 3).

mod cross_entropy;
mod null;
mod residual_norm;

pub(crate) use null::NullStatistic;

use faer::{Mat, MatRef};

use crate::data::Target;
use crate::network::Link;
use crate::product::multiply;

/// The loss together with the outcome it compares with.
#[derive(Debug, Clone)]
pub(crate) enum Loss {
    /// `||y - mu||_2`
    ResidualNorm { y: Vec<f64> },
    /// `||y - mu||^2 / (2 tau sqrt(n)) + tau sqrt(n) / 2`: what the norm is the smallest of, over `tau`.
    Squares { y: Vec<f64>, tau: f64 },
    /// `-sum_i log p_{i, label_i}`
    CrossEntropy { labels: Vec<usize>, n_classes: usize, link: Link },
}

impl Loss {
    pub fn new(target: &Target, link: Link) -> Self {
        match target {
            Target::Numbers { y, .. } => Loss::ResidualNorm { y: y.clone() },
            Target::Classes { labels, n_classes } => {
                Loss::CrossEntropy { labels: labels.clone(), n_classes: *n_classes, link }
            }
        }
    }

    pub fn n(&self) -> usize {
        match self {
            Loss::ResidualNorm { y } | Loss::Squares { y, .. } => y.len(),
            Loss::CrossEntropy { labels, .. } => labels.len(),
        }
    }

    pub fn is_of_classes(&self) -> bool {
        matches!(self, Loss::CrossEntropy { .. })
    }

    pub fn n_outputs(&self) -> usize {
        match self {
            Loss::ResidualNorm { .. } | Loss::Squares { .. } => 1,
            Loss::CrossEntropy { n_classes, link, .. } => link.n_outputs(*n_classes),
        }
    }

    /// The loss at the outputs `out` (`n x n_outputs`), and its derivative by them.
    pub fn evaluate(&self, out: &[f64], d_out: &mut [f64]) -> f64 {
        match self {
            Loss::ResidualNorm { y } => residual_norm::evaluate(y, out, d_out),
            Loss::Squares { y, tau } => residual_norm::evaluate_squares(y, *tau, out, d_out),
            Loss::CrossEntropy { labels, n_classes, link } => {
                cross_entropy::evaluate(labels, *n_classes, *link, out, d_out)
            }
        }
    }

    /// The intercept of the best constant fit, which is `c` of the empty model.
    pub fn null_intercept(&self) -> Vec<f64> {
        match self {
            Loss::ResidualNorm { y } | Loss::Squares { y, .. } => {
                vec![y.iter().sum::<f64>() / y.len() as f64]
            }
            Loss::CrossEntropy { labels, n_classes, link } => {
                cross_entropy::null_intercept(labels, *n_classes, *link)
            }
        }
    }

    /// The same outcome with the noise held at `tau`; classification has no noise scale.
    pub fn at_noise(&self, tau: f64) -> Self {
        match self {
            Loss::ResidualNorm { y } | Loss::Squares { y, .. } => Loss::Squares { y: y.clone(), tau },
            cross_entropy => cross_entropy.clone(),
        }
    }

    /// The loss of the empty model.
    pub fn null_loss(&self) -> f64 {
        let n = self.n();
        let out: Vec<f64> = self.null_intercept().iter().flat_map(|c| vec![*c; n]).collect();
        self.evaluate(&out, &mut vec![0.0; out.len()])
    }

    /// The Hessian of the loss by the parameters, for outputs that are linear in them: `jacobians[t]` is
    /// the `n x d` matrix of derivatives of output `t` by the parameters. Positive semi-definite.
    pub fn gauss_newton(&self, out: &[f64], jacobians: &[Mat<f64>]) -> Mat<f64> {
        match self {
            Loss::ResidualNorm { y } => residual_norm::gauss_newton(y, out, &jacobians[0]),
            Loss::Squares { y, tau } => {
                let scale = 1.0 / (tau * (y.len() as f64).sqrt());
                gram(jacobians[0].as_ref(), scale)
            }
            Loss::CrossEntropy { n_classes, link, labels } => {
                cross_entropy::gauss_newton(labels.len(), *n_classes, *link, out, jacobians)
            }
        }
    }
}

/// `scale J'J`
pub(crate) fn gram(jacobian: MatRef<'_, f64>, scale: f64) -> Mat<f64> {
    let mut gram = Mat::zeros(jacobian.ncols(), jacobian.ncols());
    multiply(gram.as_mut(), jacobian.transpose(), jacobian);
    gram *= scale;
    gram
}
