//! Standardises inputs and outcome for the gradient methods: mean 0, standard deviation 1 on the training
//! samples.

use needlenet::{Outcome, Prediction};

use crate::sample::Sample;

/// Means and standard deviations of the training samples.
pub(super) struct Standardised {
    columns: Vec<(f64, f64)>,
    outcome: (f64, f64),
}

impl Standardised {
    pub fn of(sample: &Sample) -> Self {
        let outcome = match &sample.outcome {
            Outcome::Regression(y) => mean_and_deviation(y),
            _ => (0.0, 1.0),
        };
        Standardised { columns: sample.x.chunks(sample.n()).map(mean_and_deviation).collect(), outcome }
    }

    /// The inputs, standardised.
    pub fn inputs(&self, sample: &Sample) -> Vec<f64> {
        let columns = sample.x.chunks(sample.n()).zip(&self.columns);
        columns.flat_map(|(column, (mean, sd))| column.iter().map(move |v| (v - mean) / sd)).collect()
    }

    /// The outcome, standardised; outcomes other than numbers are not changed.
    pub fn outcome(&self, sample: &Sample) -> Outcome {
        match &sample.outcome {
            Outcome::Regression(y) => {
                Outcome::Regression(y.iter().map(|v| (v - self.outcome.0) / self.outcome.1).collect())
            }
            classes => classes.clone(),
        }
    }

    /// The predictions of a network, in the units of the outcome.
    pub fn prediction(&self, outputs: Vec<f64>, sample: &Sample) -> Prediction {
        match &sample.outcome {
            Outcome::Regression(_) | Outcome::Counts(_) | Outcome::Survival { .. } => {
                Prediction::Numbers(outputs.iter().map(|v| self.outcome.0 + self.outcome.1 * v).collect())
            }
            Outcome::Classification { classes, .. } => {
                let likeliest =
                    |p: &[f64]| (0..p.len()).fold(0, |best, t| if p[t] > p[best] { t } else { best });
                let labels = outputs.chunks(classes.len()).map(likeliest).collect();
                Prediction::Classes { probabilities: outputs, labels }
            }
        }
    }
}

/// A constant column has deviation 1, and becomes zero.
pub(super) fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    let sd = variance.sqrt();
    (mean, if sd > 1e-12 * (1.0 + mean.abs()) { sd } else { 1.0 })
}
