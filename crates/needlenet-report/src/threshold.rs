//! The report of a threshold alone: what `needlenet threshold` prints.

use needlenet::{Outcome, Threshold};
use serde::Serialize;

use crate::outcome::task_name;
use crate::sentences::meaning;
use crate::text::write_threshold;

/// The threshold of a table, and how the table compares with it. Its fields are the keys of `threshold
/// --json`.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs, reason = "the keys are those of `Report`")]
pub struct ThresholdReport {
    pub version: &'static str,
    pub task: &'static str,
    pub n_samples: usize,
    pub n_features: usize,
    pub classes: Vec<String>,
    pub alpha: f64,
    pub lambda_qut: f64,
    pub lambda_qut_standard_error: f64,
    pub lambda_zero: f64,
    pub p_value: f64,
    pub draws: usize,
    pub seed: u64,
}

impl ThresholdReport {
    /// The report of the threshold of an outcome and `n_features` inputs.
    pub fn new(threshold: &Threshold, n_features: usize, outcome: &Outcome, seed: u64) -> Self {
        ThresholdReport {
            version: env!("CARGO_PKG_VERSION"),
            task: task_name(outcome),
            n_samples: outcome.len(),
            n_features,
            classes: outcome.classes().to_vec(),
            alpha: threshold.alpha,
            lambda_qut: threshold.lambda_qut,
            lambda_qut_standard_error: threshold.standard_error,
            lambda_zero: threshold.lambda_zero,
            p_value: threshold.p_value(),
            draws: threshold.draws.len(),
            seed,
        }
    }

    /// The text for a terminal.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let Self { alpha, lambda_qut, lambda_qut_standard_error, lambda_zero, p_value, .. } = *self;
        let values = [lambda_qut, lambda_qut_standard_error, alpha, lambda_zero, p_value];
        write_threshold(&mut out, values, meaning(lambda_zero > lambda_qut, false));
        out
    }
}
