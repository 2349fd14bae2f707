//! A validation set: 30% of the samples, on which the candidates are compared by their prediction error.
//!
//! The best candidate is kept as fitted on the other 70%. The quantile universal threshold needs no validation set, so it
//! uses all samples (paper, section 2.5).

use needlenet::{Outcome, Prediction, metrics};

use crate::sample::Sample;
use crate::splits::Split;

/// The training samples and the validation samples.
pub(super) fn hold_out(sample: &Sample, seed: u64) -> (Sample, Sample) {
    let split = Split::new(&sample.outcome, seed);
    (sample.rows(&split.train), sample.rows(&split.test))
}

/// Mean squared error, or mean negative log likelihood: lower is better.
pub(super) fn error(predicted: &Prediction, outcome: &Outcome) -> f64 {
    match (predicted, outcome) {
        (Prediction::Numbers(mean), Outcome::Regression(y)) => metrics::mean_squared_error(mean, y),
        (Prediction::Classes { probabilities, .. }, Outcome::Classification { labels, classes }) => {
            let likelihood = |(i, label): (usize, &usize)| probabilities[i * classes.len() + label];
            // an underflowing probability must not dominate the sum
            labels.iter().enumerate().map(likelihood).map(|p| -p.max(1e-12).ln()).sum::<f64>()
                / labels.len() as f64
        }
        _ => f64::INFINITY,
    }
}
