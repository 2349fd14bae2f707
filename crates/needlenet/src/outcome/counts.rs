//! Counts: `L_n = sum_i mu_i - y_i log(mu_i / y_i) - y_i` with `mu_i = exp(output_i + offset_i)`, half the Poisson deviance.
//!
//! The offset is the log of the exposure: years of observation, area, reads. Cost: O(n) an evaluation. Compared with an
//! independent library in `src/tests/reference.rs` and `tests/compare/`.

use std::sync::Arc;

use super::{Curvature, Loss, price_of_share};
use crate::elementary::{exp, ln};
use crate::table::Samples;
use crate::threshold::{Across, Null, NullLaw};

/// Beyond this log mean the count would overflow; a step that reaches it is halved.
const LARGEST: f64 = 700.0;

#[derive(Debug, Clone)]
pub(crate) struct Counts {
    y: Arc<[f64]>,
    samples: Samples,
    /// The divisor of the loss.
    tau: f64,
}

impl Counts {
    pub fn new(y: Vec<f64>, samples: Samples) -> Self {
        Counts { y: y.into(), samples, tau: 1.0 }
    }

    /// The total count. It is the information on the weight of a standardised input at the empty model.
    fn information(&self) -> f64 {
        self.samples.sum(self.y.len(), |i| self.y[i])
    }

    fn mean(&self, out: &[f64], i: usize) -> f64 {
        exp((out[i] + self.samples.offset(i)).min(LARGEST))
    }

    /// Half the deviance of one row: zero if the mean equals the count.
    fn half_deviance(&self, out: &[f64], i: usize) -> f64 {
        let (y, mean) = (self.y[i], self.mean(out, i));
        let log_ratio = if y > 0.0 { out[i] + self.samples.offset(i) - ln(y) } else { 0.0 };
        mean - y - y * log_ratio
    }
}

impl Loss for Counts {
    fn n(&self) -> usize {
        self.y.len()
    }

    fn samples(&self) -> &Samples {
        &self.samples
    }

    /// The effective number of samples is at most the total count.
    fn size(&self) -> f64 {
        self.samples.total(self.y.len()).min(self.information())
    }

    fn n_outputs(&self) -> usize {
        1
    }

    fn evaluate(&self, out: &[f64], d_out: &mut [f64]) -> f64 {
        for (i, d) in d_out.iter_mut().enumerate() {
            *d = self.samples.weight(i) * (self.mean(out, i) - self.y[i]) / self.tau;
        }
        self.samples.sum(self.y.len(), |i| self.half_deviance(out, i)) / self.tau
    }

    fn curvature<'a>(&'a self, _value: f64, out: &'a [f64]) -> Curvature<'a> {
        Curvature::new(move |rows, hessians| {
            for (h, i) in hessians.iter_mut().zip(rows) {
                *h = self.samples.weight(i) * self.mean(out, i) / self.tau;
            }
        })
    }

    fn null_intercept(&self) -> Vec<f64> {
        let exposed = self.samples.sum(self.y.len(), |i| exp(self.samples.offset(i)));
        vec![ln(self.information() / exposed)]
    }

    fn null(&self) -> Null {
        let constant = self.null_outputs();
        let means: Vec<f64> = (0..self.y.len()).map(|i| self.mean(&constant, i)).collect();
        let residuals = self.y.iter().zip(&means).map(|(y, mean)| y - mean).collect();
        Null::new(NullLaw::Poisson(means), residuals, &self.samples)
    }

    fn price(&self, lambda: f64, _across: Across) -> f64 {
        price_of_share(self.size(), lambda * lambda / (self.size() * self.information()))
    }

    fn growth(&self) -> f64 {
        0.5
    }

    fn unit(&self) -> f64 {
        (self.samples.total(self.y.len()) / self.information()).sqrt()
    }

    fn cut_off(&self, lambda: f64) -> f64 {
        lambda / self.information()
    }

    fn noise(&self, _value: f64, _left: f64) -> f64 {
        1.0
    }

    fn knows_noise(&self) -> bool {
        true
    }

    fn at_noise(&self, tau: f64) -> Box<dyn Loss> {
        Box::new(Counts { tau, ..self.clone() })
    }

    fn released(&self, value: f64) -> f64 {
        value * self.tau
    }

    fn deviance(&self, value: f64) -> f64 {
        2.0 * value
    }

    fn of_each(&self, out: &[f64]) -> Vec<f64> {
        (0..self.y.len()).map(|i| self.half_deviance(out, i)).collect()
    }

    /// If all counts are zero, the fitted mean would go to zero.
    fn ridge(&self) -> f64 {
        1.0
    }

    fn strata(&self) -> (Vec<usize>, usize) {
        (self.y.iter().map(|y| usize::from(*y > 0.0)).collect(), 2)
    }

    fn shifted(&self, by: &[f64]) -> Option<Box<dyn Loss>> {
        Some(Box::new(Counts { samples: self.samples.shifted(by), ..self.clone() }))
    }

    fn of_rows(&self, rows: &[usize]) -> Box<dyn Loss> {
        let y = rows.iter().map(|&i| self.y[i]).collect();
        Box::new(Counts { y, samples: self.samples.of_rows(rows), tau: self.tau })
    }
}
