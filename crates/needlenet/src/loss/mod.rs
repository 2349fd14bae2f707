//! Losses `L_n` and the null statistic of each (paper, section 2.2 and Theorem 3).

mod cross_entropy;
mod null;
mod residual_norm;

pub(crate) use null::NullStatistic;

use crate::data::Target;
use crate::network::Link;

/// The loss together with the outcome it compares with.
#[derive(Debug, Clone)]
pub(crate) enum Loss {
    /// `||y - mu||_2`
    ResidualNorm { y: Vec<f64> },
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
            Loss::ResidualNorm { y } => y.len(),
            Loss::CrossEntropy { labels, .. } => labels.len(),
        }
    }

    pub fn n_outputs(&self) -> usize {
        match self {
            Loss::ResidualNorm { .. } => 1,
            Loss::CrossEntropy { n_classes, link, .. } => link.n_outputs(*n_classes),
        }
    }

    /// The loss at the outputs `out` (`n x n_outputs`), and its derivative by them.
    pub fn evaluate(&self, out: &[f64], d_out: &mut [f64]) -> f64 {
        match self {
            Loss::ResidualNorm { y } => residual_norm::evaluate(y, out, d_out),
            Loss::CrossEntropy { labels, n_classes, link } => {
                cross_entropy::evaluate(labels, *n_classes, *link, out, d_out)
            }
        }
    }

    /// The intercept of the best constant fit, which is `c` of the empty model.
    pub fn null_intercept(&self) -> Vec<f64> {
        match self {
            Loss::ResidualNorm { y } => vec![y.iter().sum::<f64>() / y.len() as f64],
            Loss::CrossEntropy { labels, n_classes, link } => {
                cross_entropy::null_intercept(labels, *n_classes, *link)
            }
        }
    }

    /// The loss of the empty model.
    pub fn null_loss(&self) -> f64 {
        let n = self.n();
        let out: Vec<f64> = self.null_intercept().iter().flat_map(|c| vec![*c; n]).collect();
        self.evaluate(&out, &mut vec![0.0; out.len()])
    }
}
