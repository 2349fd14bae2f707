//! A number per sample.

use needlenet::{Model, Outcome, Prediction, Task};

use super::Kind;
use crate::chart::{Chart, Mark};
use crate::layout::{number, three_digits};
use crate::quality::{MOST_DOTS, Quality, thinned};
use crate::survey::{Effect, correlation};

/// A column with a larger correlation with the outcome is taken for a copy of it.
const LEAK: f64 = 0.999;

pub(super) struct Numbers;

impl Kind for Numbers {
    fn task(&self) -> &'static str {
        "regression"
    }

    fn unit(&self) -> &'static str {
        "outcome"
    }

    fn empty_model_predicts(&self) -> &'static str {
        "the mean of the outcome"
    }

    fn has_unit(&self) -> bool {
        true
    }

    fn curve_name(&self, _class: Option<usize>) -> String {
        "outcome".into()
    }

    fn behind(&self, x: &[f64], outcome: &Outcome, _class: Option<usize>) -> Vec<Mark> {
        let Outcome::Regression(y) = outcome else { return Vec::new() };
        let rows = thinned(y.len(), MOST_DOTS);
        vec![
            Mark::Dots(rows.clone().map(|i| [x[i], y[i]]).collect()),
            Mark::RugBelow(rows.map(|i| x[i]).collect()),
        ]
    }

    fn effect(&self, outcome: &Outcome, _linear: bool) -> Option<Effect> {
        match outcome {
            Outcome::Regression(y) => Some(Effect::correlation(y)),
            _ => None,
        }
    }

    fn gives_away(&self, x: &[f64], outcome: &Outcome) -> bool {
        matches!(outcome, Outcome::Regression(y) if y.len() > 3 && correlation(x, y).abs() >= LEAK)
    }

    /// The share is that of residual norms, so its square is the share of the variance that is left.
    fn on_new_samples(&self, share: f64, model: &Model, _counts: &[usize]) -> String {
        let explained = format!("R2 of about {:.3} (share of the variance explained)", 1.0 - share * share);
        match &model.task {
            Task::Regression { scaling } if model.settings.scale_outcome => {
                let error = number(three_digits(share * scaling.scale));
                format!("{explained}, root mean square error of about {error}")
            }
            _ => explained,
        }
    }

    fn quality(&self, outcome: &Outcome, prediction: &Prediction) -> Option<Quality> {
        let (Outcome::Regression(y), Prediction::Numbers(fitted)) = (outcome, prediction) else {
            return None;
        };
        let n = y.len() as f64;
        let mean = y.iter().sum::<f64>() / n;
        let total: f64 = y.iter().map(|v| (v - mean).powi(2)).sum();
        let left: f64 = y.iter().zip(fitted).map(|(v, f)| (v - f).powi(2)).sum();
        let rows = thinned(y.len(), MOST_DOTS);
        let (low, high) =
            y.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
        let ends = fitted.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], v| [l.min(*v), h.max(*v)]);
        Some(Quality {
            facts: vec![
                ("R² (share of the variance explained)", format!("{:.3}", 1.0 - left / total)),
                ("root mean square residual", number((left / n).sqrt())),
            ],
            charts: vec![
                Chart {
                    title: "Observed against fitted".into(),
                    description: "Each dot is a sample; on the line, the fit is exact.".into(),
                    x: "fitted".into(),
                    y: "observed".into(),
                    key: Vec::new(),
                    marks: vec![
                        Mark::Guide(vec![[low, low], [high, high]]),
                        Mark::Dots(rows.clone().map(|i| [fitted[i], y[i]]).collect()),
                    ],
                },
                Chart {
                    title: "Residuals against fitted".into(),
                    description: "Each dot is a sample; a pattern in the dots is what the model misses."
                        .into(),
                    x: "fitted".into(),
                    y: "observed minus fitted".into(),
                    key: Vec::new(),
                    marks: vec![
                        Mark::Guide(ends.map(|v| [v, 0.0]).to_vec()),
                        Mark::Dots(rows.map(|i| [fitted[i], y[i] - fitted[i]]).collect()),
                    ],
                },
            ],
            counts: None,
        })
    }
}
