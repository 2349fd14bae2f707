//! Numbers: `L_n = ||y - mu||_2`, the square-root loss, whose null statistic does not depend on the noise.
//!
//! At a noise `tau` that is held it is `||y - mu||^2 / (2 tau sqrt(n)) + tau sqrt(n) / 2`, of which the residual norm is
//! the minimum over `tau`.

use std::sync::Arc;

use faer::Mat;

use super::{LARGEST_SHARE, Loss, price_of_share};
use crate::network::WHOLE;
use crate::product::dot;
use crate::threshold::{Across, Null, NullLaw};

/// A residual below this part of the outcome's norm is zero: the data stand on a grid of 2^-26.
pub(crate) const PERFECT: f64 = 1e-7;
/// Less noise than this part of the outcome's standard deviation is none: a unit below the grid would leave the
/// slope of the penalty to rounding errors.
pub(crate) const LEAST_NOISE: f64 = 1e-6;

#[derive(Debug, Clone)]
pub(crate) struct Numbers {
    y: Arc<[f64]>,
    /// The standard deviation of the outcome, of which every size on the way is a part.
    spread: f64,
    /// The noise that is held, if any.
    tau: Option<f64>,
}

impl Numbers {
    /// An outcome of standard deviation 1.
    #[cfg(any(test, feature = "internals"))]
    pub fn new(y: Vec<f64>) -> Self {
        Numbers::with_spread(y, 1.0)
    }

    /// An outcome of another standard deviation.
    pub fn with_spread(y: Vec<f64>, spread: f64) -> Self {
        Numbers { y: y.into(), spread, tau: None }
    }

    fn root_n(&self) -> f64 {
        (self.y.len() as f64).sqrt()
    }

    fn mean(&self) -> f64 {
        self.y.iter().sum::<f64>() / self.y.len() as f64
    }
}

impl Loss for Numbers {
    fn n(&self) -> usize {
        self.y.len()
    }

    fn n_outputs(&self) -> usize {
        1
    }

    fn evaluate(&self, out: &[f64], d_out: &mut [f64]) -> f64 {
        let residuals = d_out.iter_mut().zip(out).zip(self.y.iter());
        if let Some(tau) = self.tau {
            let unit = tau * self.root_n();
            residuals.for_each(|((d, o), y)| *d = (o - y) / unit);
            return unit * (sum_of_squares(d_out) + 1.0) / 2.0;
        }
        residuals.for_each(|((d, o), y)| *d = o - y);
        let length = sum_of_squares(d_out).sqrt();
        // the norm has no gradient at zero residual; zero is one of its subgradients
        if length > 0.0 {
            d_out.iter_mut().for_each(|d| *d /= length);
        }
        length
    }

    fn curvature(&self, value: f64, _out: &[f64], hessians: &mut [f64]) {
        hessians.fill(match self.tau {
            Some(tau) => 1.0 / (tau * self.root_n()),
            None => 1.0 / value.max(f64::MIN_POSITIVE),
        });
    }

    /// The residual norm is flat along the residual: `- (J'u)(J'u)' / ||r||` with `u = r / ||r||`, of which `gradient`
    /// is `J'u`.
    fn couple(&self, value: f64, gradient: &[f64], hessian: &mut Mat<f64>) {
        if self.tau.is_some() {
            return;
        }
        let length = value.max(f64::MIN_POSITIVE);
        for (i, a) in gradient.iter().enumerate() {
            for (j, b) in gradient.iter().enumerate() {
                hessian[(i, j)] -= a * b / length;
            }
        }
    }

    fn null_intercept(&self) -> Vec<f64> {
        vec![self.mean()]
    }

    fn null(&self) -> Null {
        let mut observed = self.y.to_vec();
        NullLaw::Gaussian.scale(&mut observed);
        Null { law: NullLaw::Gaussian, observed, implied_column: false }
    }

    /// Exact for a single input: a correlation of `lambda / sqrt(n)` leaves `1 - lambda^2 / n` of the squares.
    fn price(&self, lambda: f64, _across: Across) -> f64 {
        price_of_share(self.y.len(), lambda * lambda / self.y.len() as f64)
    }

    /// A perfect correlation has the statistic `sqrt(n)`.
    fn is_beyond_reach(&self, lambda: f64) -> bool {
        lambda * lambda >= LARGEST_SHARE * self.y.len() as f64
    }

    fn growth(&self) -> f64 {
        0.0
    }

    fn unit(&self) -> f64 {
        1.0
    }

    fn spread(&self) -> f64 {
        self.spread
    }

    fn cut_off(&self, lambda: f64) -> f64 {
        lambda / self.root_n()
    }

    fn noise(&self, value: f64, left: f64) -> f64 {
        (value / left.sqrt()).max(LEAST_NOISE * self.spread)
    }

    fn knows_noise(&self) -> bool {
        false
    }

    fn at_noise(&self, tau: f64) -> Box<dyn Loss> {
        Box::new(Numbers { y: Arc::clone(&self.y), tau: Some(tau), ..*self })
    }

    fn released(&self, value: f64) -> f64 {
        let Some(tau) = self.tau else { return value };
        let unit = tau * self.root_n();
        unit * (2.0 * value / unit - 1.0).max(0.0).sqrt()
    }

    fn deviance(&self, value: f64) -> f64 {
        2.0 * self.y.len() as f64 * value.max(LEAST_NOISE * self.spread * self.root_n()).ln()
    }

    fn gain_without_one(&self, out: &[f64]) -> f64 {
        let mean = self.mean();
        let square = |y: &f64| (y - mean) * (y - mean);
        let all: f64 = self.y.iter().map(square).sum();
        let gains = || self.y.iter().zip(out).map(|(y, o)| square(y) - (y - o) * (y - o));
        let gain = gains().sum::<f64>() - gains().fold(0.0, f64::max);
        -(self.y.len() as f64) * (1.0 - gain / all).ln()
    }

    fn of_each(&self, out: &[f64]) -> Vec<f64> {
        self.y.iter().zip(out).map(|(y, o)| (y - o) * (y - o) / 2.0).collect()
    }

    fn perfect(&self) -> f64 {
        if self.tau.is_some() { 0.0 } else { PERFECT * self.null_loss() }
    }

    fn of_rows(&self, rows: &[usize]) -> Box<dyn Loss> {
        Box::new(Numbers { y: rows.iter().map(|&i| self.y[i]).collect(), ..*self })
    }
}

/// A tall table by halves, with the small error of a sum of sums.
fn sum_of_squares(r: &[f64]) -> f64 {
    if r.len() <= WHOLE {
        return dot(r, r);
    }
    let (first, second) = r.split_at(r.len() / 2);
    sum_of_squares(first) + sum_of_squares(second)
}
