//! Square-root LASSO with lambda chosen on a validation set (paper, figure 1, dashed).
//!
//! The grid is geometric from `lambda_0` of the training part, where the fit is empty, down to a twentieth of
//! it. Cost: one linear fit for each point of the grid.

use needlenet::{Fitted, Penalty, Result, Settings, fit, threshold};

use super::{Learned, Learner, threshold_fit, validation};
use crate::sample::Sample;

/// The linear model with the LASSO, lambda by prediction.
#[derive(Debug, Clone, Copy)]
pub struct SqrtLassoValidation {
    /// Penalties on the grid.
    pub points: usize,
    /// The smallest penalty, as a part of `lambda_0`.
    pub smallest: f64,
}

impl Default for SqrtLassoValidation {
    fn default() -> Self {
        SqrtLassoValidation { points: 25, smallest: 0.05 }
    }
}

impl SqrtLassoValidation {
    /// The penalties that are tried, the largest first.
    pub fn grid(&self, lambda_zero: f64) -> Vec<f64> {
        let last = (self.points.max(2) - 1) as f64;
        (0..self.points).map(|i| lambda_zero * self.smallest.powf(i as f64 / last)).collect()
    }
}

impl Learner for SqrtLassoValidation {
    fn learn(&self, train: &Sample, test: &Sample, seed: u64) -> Result<Learned> {
        let (learning, held_out) = validation::hold_out(train, seed);
        // the smallest number of null draws: the threshold is not used
        let settings =
            Settings { hidden: vec![], penalty: Penalty::L1, threads: 1, draws: 100, ..Settings::default() };
        let lambda_zero = threshold(learning.data()?, &settings)?.lambda_zero;
        let mut best = None;
        let mut lowest = f64::INFINITY;
        for lambda in self.grid(lambda_zero) {
            let model = fit(learning.data()?, &Settings { lambda: Some(lambda), ..settings.clone() })?;
            let judged = threshold_fit::learned(&model, Fitted::Penalised, &held_out)?;
            let error = validation::error(&judged.predicted, &held_out.outcome);
            if error < lowest {
                lowest = error;
                best = Some(model);
            }
        }
        match best {
            Some(model) => threshold_fit::learned(&model, Fitted::Penalised, test),
            // no candidate had finite predictions: use the empty model, which the largest penalty
            // gives
            None => threshold_fit::learn(
                Settings { lambda: Some(lambda_zero), ..settings },
                Fitted::Penalised,
                train,
                test,
            ),
        }
    }
}
