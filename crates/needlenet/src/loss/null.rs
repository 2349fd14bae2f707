//! The zero-thresholding function (paper, Theorem 3): the smallest penalty with an empty local minimum.
//!
//! $$\lambda_0(y, X) = \pi_l\, \sigma'(0)^{l-1} \max_j \sum_t |(X^T Y_\bullet)_{jt}|,
//! \qquad \pi_l = \sqrt{p_3 \cdots p_l}$$
//!
//! divided by the norm of the centred outcome in regression. It is the supremum of the gradient's
//! dual norm at `W_1 = 0` over all upper layers of unit rows. Three facts complete the theorem:
//!
//! - *Group penalty.* The dual norm is the largest l2 norm of a column's gradient,
//!   `|| sum_t a_t v_t ||_2` with unit rows `v_t`; it is largest for rows that are aligned (up to the
//!   sign of `a_t`), and then equals the same sum.
//! - *Logit link.* Only the `m - 1` outputs that have rows enter the sum.
//! - *No hidden layer.* Each output has its own weight, so the dual norm is the largest entry (q = 1)
//!   or the largest row norm (q = 2) of `X' Y_centred`: no sum over outputs.
//!
//! Tested in `src/tests/zero_threshold.rs`.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::Loss;
use crate::network::{Link, Network};
use crate::product::norm;

/// How the entries of a row of `X' Y_centred` become one number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Across {
    Sum,
    Largest,
    Norm,
}

/// Everything `lambda_0` needs besides `X' Y_centred`.
#[derive(Debug, Clone)]
pub(crate) struct NullStatistic {
    factor: f64,
    across: Across,
    /// With the softmax the columns of `Y_centred` add up to zero: the last is not computed.
    implied_column: bool,
    law: NullLaw,
}

/// The law of the outcome when no input matters.
#[derive(Debug, Clone)]
enum NullLaw {
    Gaussian,
    /// Cumulated class proportions.
    Multinomial(Vec<f64>),
}

impl NullStatistic {
    pub fn new(loss: &Loss, network: &Network, grouped: bool) -> Self {
        let hidden = network.hidden();
        let pi = network.gain();
        let slope = network.activation.slope_at_zero().powi(hidden.len() as i32);
        let across = match (hidden.is_empty(), grouped) {
            (false, _) => Across::Sum,
            (true, false) => Across::Largest,
            (true, true) => Across::Norm,
        };
        let (implied_column, law) = match loss {
            Loss::ResidualNorm { .. } | Loss::Squares { .. } => (false, NullLaw::Gaussian),
            Loss::CrossEntropy { labels, n_classes, link } => {
                let mut cumulated = vec![0.0; *n_classes];
                labels.iter().for_each(|&l| cumulated[l] += 1.0 / labels.len() as f64);
                for t in 1..*n_classes {
                    cumulated[t] += cumulated[t - 1];
                }
                (*link == Link::Softmax, NullLaw::Multinomial(cumulated))
            }
        };
        NullStatistic { factor: pi * slope, across, implied_column, law }
    }

    /// Columns of the centred outcome that have to be multiplied with `X'`.
    pub fn n_columns(&self, loss: &Loss) -> usize {
        loss.n_outputs() - usize::from(self.implied_column)
    }

    /// One null outcome, centred and scaled so that the statistic is linear in it: `n x n_columns`.
    pub fn draw(&self, rng: &mut ChaCha8Rng, n: usize, y: &mut [f64]) {
        match &self.law {
            NullLaw::Gaussian => {
                y.iter_mut().for_each(|v| *v = rng.sample(StandardNormal));
                self.scale(y);
            }
            NullLaw::Multinomial(cumulated) => {
                let labels: Vec<usize> = (0..n)
                    .map(|_| {
                        let u: f64 = rng.random();
                        cumulated.iter().position(|c| u < *c).unwrap_or(cumulated.len() - 1)
                    })
                    .collect();
                centred_one_hot(&labels, y.len() / n, y);
            }
        }
    }

    /// The data's own outcome in the same form.
    pub fn observed(&self, loss: &Loss) -> Vec<f64> {
        match loss {
            Loss::ResidualNorm { y } | Loss::Squares { y, .. } => {
                let mut y = y.clone();
                self.scale(&mut y);
                y
            }
            Loss::CrossEntropy { labels, .. } => {
                let mut y = vec![0.0; loss.n() * self.n_columns(loss)];
                centred_one_hot(labels, self.n_columns(loss), &mut y);
                y
            }
        }
    }

    fn scale(&self, y: &mut [f64]) {
        centre(y);
        let length = norm(y);
        if length > 0.0 {
            y.iter_mut().for_each(|v| *v /= length);
        }
    }

    /// One row of `X' Y` (entry `t` for each column) as one number; `lambda_0` is the largest.
    pub fn of_row(&self, row: impl Iterator<Item = f64>) -> f64 {
        let (mut total, mut sum, mut largest, mut squares) = (0.0, 0.0, 0.0f64, 0.0);
        let mut take = |v: f64| {
            sum += v.abs();
            largest = largest.max(v.abs());
            squares += v * v;
        };
        for v in row {
            total += v;
            take(v);
        }
        if self.implied_column {
            take(-total);
        }
        self.factor
            * match self.across {
                Across::Sum => sum,
                Across::Largest => largest,
                Across::Norm => squares.sqrt(),
            }
    }
}

pub(super) fn centre(y: &mut [f64]) {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    y.iter_mut().for_each(|v| *v -= mean);
}

/// The first `columns` columns of the one-hot matrix, each centred.
pub(super) fn centred_one_hot(labels: &[usize], columns: usize, y: &mut [f64]) {
    let n = labels.len();
    for (t, column) in y.chunks_mut(n).take(columns).enumerate() {
        let share = labels.iter().filter(|l| **l == t).count() as f64 / n as f64;
        for (v, &label) in column.iter_mut().zip(labels) {
            *v = if label == t { 1.0 - share } else { -share };
        }
    }
}
