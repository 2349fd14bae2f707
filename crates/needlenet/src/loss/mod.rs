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

    /// The same loss on some of the samples.
    pub fn of_rows(&self, rows: &[usize]) -> Self {
        let some = |y: &[f64]| rows.iter().map(|&i| y[i]).collect();
        match self {
            Loss::ResidualNorm { y } => Loss::ResidualNorm { y: some(y) },
            Loss::Squares { y, tau } => Loss::Squares { y: some(y), tau: *tau },
            Loss::CrossEntropy { labels, n_classes, link } => Loss::CrossEntropy {
                labels: rows.iter().map(|&i| labels[i]).collect(),
                n_classes: *n_classes,
                link: *link,
            },
        }
    }

    /// The loss of the empty model.
    pub fn null_loss(&self) -> f64 {
        let n = self.n();
        let out: Vec<f64> = self.null_intercept().iter().flat_map(|c| vec![*c; n]).collect();
        self.evaluate(&out, &mut vec![0.0; out.len()])
    }

    /// What some samples add to the Hessian of the loss by the parameters, for outputs `out` that are linear in
    /// them: `jacobians[t]` holds the derivatives of output `t`. `value` is the loss of all samples. Positive
    /// semi-definite; see [`Loss::flatten`].
    pub fn gauss_newton(&self, value: f64, out: &[f64], jacobians: &[Mat<f64>]) -> Mat<f64> {
        match self {
            Loss::ResidualNorm { .. } => gram(jacobians[0].as_ref(), 1.0 / value.max(f64::MIN_POSITIVE)),
            Loss::Squares { y, tau } => {
                let scale = 1.0 / (tau * (y.len() as f64).sqrt());
                gram(jacobians[0].as_ref(), scale)
            }
            Loss::CrossEntropy { n_classes, link, .. } => {
                cross_entropy::gauss_newton(*n_classes, *link, out, jacobians)
            }
        }
    }

    /// Completes the sum of [`Loss::gauss_newton`] over all samples: the residual norm is flat along the residual,
    /// `- (J'u)(J'u)' / ||r||` with `u = r / ||r||`, of which `gradient` is `J'u`.
    pub fn flatten(&self, value: f64, gradient: &[f64], hessian: &mut Mat<f64>) {
        if !matches!(self, Loss::ResidualNorm { .. }) {
            return;
        }
        let length = value.max(f64::MIN_POSITIVE);
        for (i, a) in gradient.iter().enumerate() {
            for (j, b) in gradient.iter().enumerate() {
                hessian[(i, j)] -= a * b / length;
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
