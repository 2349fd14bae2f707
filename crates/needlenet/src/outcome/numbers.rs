//! Numbers: `L_n = ||y - mu||_2`, the square-root loss, whose null statistic does not depend on the noise.
//!
//! At fixed noise `tau` the loss is `||y - mu||^2 / (2 tau sqrt(n)) + tau sqrt(n) / 2`; the residual norm is its minimum
//! over `tau`.

use std::sync::Arc;

use super::{Coupling, Curvature, LARGEST_SHARE, Loss, price_of_share};
use crate::elementary::ln;
use crate::network::WHOLE;
use crate::product::dot;
use crate::table::Samples;
use crate::threshold::{Across, Null, NullLaw};

/// A residual below this part of the norm of the outcome counts as zero: the data are on a grid of
/// 2^-26.
pub(crate) const PERFECT: f64 = 1e-7;
/// Noise below this part of the standard deviation of the outcome counts as zero: with a unit below the grid,
/// rounding errors would decide the slope of the penalty.
pub(crate) const LEAST_NOISE: f64 = 1e-6;

#[derive(Debug, Clone)]
pub(crate) struct Numbers {
    y: Arc<[f64]>,
    samples: Samples,
    /// The standard deviation of the outcome, the reference for every scale of the solver.
    spread: f64,
    /// The fixed noise, if any.
    tau: Option<f64>,
}

impl Numbers {
    /// An outcome of standard deviation 1.
    #[cfg(any(test, feature = "internals"))]
    pub fn new(y: Vec<f64>) -> Self {
        Numbers::with_spread(y, Samples::default(), 1.0)
    }

    /// An outcome of another standard deviation.
    pub fn with_spread(y: Vec<f64>, samples: Samples, spread: f64) -> Self {
        Numbers { y: y.into(), samples, spread, tau: None }
    }

    fn root_n(&self) -> f64 {
        self.size().sqrt()
    }

    fn mean(&self) -> f64 {
        self.samples.sum(self.y.len(), |i| self.y[i]) / self.size()
    }

    /// Multiplies residuals by their weights in place; returns the sum of squares.
    fn weigh(&self, residuals: &mut [f64]) -> f64 {
        let Some(weights) = &self.samples.weights else { return sum_of_squares(residuals) };
        let mut sum = 0.0;
        for (r, w) in residuals.iter_mut().zip(weights.iter()) {
            sum += w * *r * *r;
            *r *= w;
        }
        sum
    }
}

impl Loss for Numbers {
    fn n(&self) -> usize {
        self.y.len()
    }

    fn samples(&self) -> &Samples {
        &self.samples
    }

    fn n_outputs(&self) -> usize {
        1
    }

    fn evaluate(&self, out: &[f64], d_out: &mut [f64]) -> f64 {
        let residuals = d_out.iter_mut().zip(out).zip(self.y.iter());
        if let Some(tau) = self.tau {
            let unit = tau * self.root_n();
            residuals.for_each(|((d, o), y)| *d = (o - y) / unit);
            return unit * (self.weigh(d_out) + 1.0) / 2.0;
        }
        residuals.for_each(|((d, o), y)| *d = o - y);
        let length = self.weigh(d_out).sqrt();
        // the norm has no gradient at zero residual; zero is one of its subgradients
        if length > 0.0 {
            d_out.iter_mut().for_each(|d| *d /= length);
        }
        length
    }

    /// The residual norm has no curvature along the residual.
    fn curvature<'a>(&'a self, value: f64, out: &'a [f64]) -> Curvature<'a> {
        let length = self.tau.map_or(value.max(f64::MIN_POSITIVE), |tau| tau * self.root_n());
        let blocks = Curvature::new(move |rows, hessians: &mut [f64]| {
            hessians.iter_mut().zip(rows).for_each(|(h, i)| *h = self.samples.weight(i) / length);
        });
        if self.tau.is_some() {
            return blocks;
        }
        let mut v = vec![0.0; out.len()];
        self.evaluate(out, &mut v);
        blocks.coupled(Coupling { v, marks: vec![(out.len() - 1, 1.0 / length)], starts: Vec::new() })
    }

    fn null_intercept(&self) -> Vec<f64> {
        vec![self.mean()]
    }

    fn null(&self) -> Null {
        let mean = self.mean();
        let length = self.samples.sum(self.y.len(), |i| (self.y[i] - mean).powi(2)).sqrt();
        let residuals = self.y.iter().map(|y| (y - mean) / length).collect();
        Null::new(NullLaw::Gaussian, residuals, &self.samples)
    }

    /// Exact for a single input: with correlation `lambda / sqrt(n)` the residual sum of squares is the part
    /// `1 - lambda^2 / n`.
    fn price(&self, lambda: f64, _across: Across) -> f64 {
        price_of_share(self.size(), lambda * lambda / self.size())
    }

    /// A perfect correlation has the statistic `sqrt(n)`.
    fn is_beyond_reach(&self, lambda: f64) -> bool {
        lambda * lambda >= LARGEST_SHARE * self.size()
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
        Box::new(Numbers { tau: Some(tau), ..self.clone() })
    }

    fn released(&self, value: f64) -> f64 {
        let Some(tau) = self.tau else { return value };
        let unit = tau * self.root_n();
        unit * (2.0 * value / unit - 1.0).max(0.0).sqrt()
    }

    fn deviance(&self, value: f64) -> f64 {
        2.0 * self.size() * ln(value.max(LEAST_NOISE * self.spread * self.root_n()))
    }

    /// The sample leaves both sums of squares, and the mean is that of the others. A network can bend towards one far sample after
    /// another, so there the sample stays in both, as one that the fit does not explain.
    fn gain_without_one(&self, out: &[f64], bent: bool) -> f64 {
        let (mean, n, size) = (self.mean(), self.y.len(), self.size());
        let around_mean = |i: usize| (self.y[i] - mean) * (self.y[i] - mean);
        let around_fit = |i: usize| (self.y[i] - out[i]) * (self.y[i] - out[i]);
        let (before, after) = (self.samples.sum(n, around_mean), self.samples.sum(n, around_fit));
        let without = |i: usize| {
            let one = self.samples.weight(i) / self.samples.copies(i);
            if bent {
                let unexplained = after + one * (around_mean(i) - around_fit(i));
                return size * ln(before / unexplained.max(f64::MIN_POSITIVE));
            }
            let before = before - one * around_mean(i) * size / (size - one);
            let after = after - one * around_fit(i);
            (size - one) * ln(before.max(f64::MIN_POSITIVE) / after.max(f64::MIN_POSITIVE))
        };
        (0..n).filter(|&i| self.samples.weight(i) > 0.0).map(without).fold(f64::INFINITY, f64::min)
    }

    fn of_each(&self, out: &[f64]) -> Vec<f64> {
        self.y.iter().zip(out).map(|(y, o)| (y - o) * (y - o) / 2.0).collect()
    }

    fn perfect(&self) -> f64 {
        if self.tau.is_some() { 0.0 } else { PERFECT * self.null_loss() }
    }

    fn shifted(&self, by: &[f64]) -> Option<Box<dyn Loss>> {
        let y = self.y.iter().zip(by).map(|(y, by)| y - by).collect();
        Some(Box::new(Numbers { y, ..self.clone() }))
    }

    fn of_rows(&self, rows: &[usize]) -> Box<dyn Loss> {
        let y = rows.iter().map(|&i| self.y[i]).collect();
        Box::new(Numbers { y, samples: self.samples.of_rows(rows), ..*self })
    }
}

/// Pairwise summation: parallel in tall tables, with a small rounding error.
fn sum_of_squares(r: &[f64]) -> f64 {
    if r.len() <= WHOLE {
        return dot(r, r);
    }
    let (first, second) = r.split_at(r.len() / 2);
    sum_of_squares(first) + sum_of_squares(second)
}
