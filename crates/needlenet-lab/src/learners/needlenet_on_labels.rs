//! Our regression on the labels 0 and 1, to compare the loss for classes with least squares.

use needlenet::{Error, Fitted, Outcome, Prediction, Result, Settings};

use super::{Learned, Learner, threshold_fit};
use crate::sample::Sample;

/// `needlenet fit` on the labels as numbers; the second class is predicted above one half.
#[derive(Debug, Clone, Copy)]
pub struct NeedlenetOnLabels;

impl Learner for NeedlenetOnLabels {
    fn learn(&self, train: &Sample, test: &Sample, _: u64) -> Result<Learned> {
        let labels = match &train.outcome {
            Outcome::Classification { labels, classes } if classes.len() == 2 => labels,
            _ => {
                return Err(Error::Conflict {
                    what: "needlenet-on-labels takes an outcome of two classes".into(),
                    remedy: "choose another learner for this outcome",
                });
            }
        };
        let numbers = Outcome::Regression(labels.iter().map(|&label| label as f64).collect());
        let train = Sample { outcome: numbers, ..train.clone() };
        let learned = threshold_fit::learn(Settings::default(), Fitted::Predictor, &train, test)?;
        Ok(Learned { predicted: classes(learned.predicted), ..learned })
    }
}

/// A regression on labels estimates the probability of the second class, but its predictions may be outside 0
/// to 1.
fn classes(predicted: Prediction) -> Prediction {
    match predicted {
        Prediction::Numbers(numbers) => Prediction::Classes {
            labels: numbers.iter().map(|&y| usize::from(y > 0.5)).collect(),
            probabilities: numbers.iter().map(|y| y.clamp(0.0, 1.0)).flat_map(|y| [1.0 - y, y]).collect(),
        },
        classes => classes,
    }
}
