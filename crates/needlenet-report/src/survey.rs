//! One pass over all inputs of a table: near copies of the needles, and the largest correlation with the outcome.
//!
//! Cost: O(n p s) for s needles; memory: the needles.

use needlenet::{Data, Model, Outcome, Threshold};

use crate::outcome::{kind, kind_of};

/// An input that is correlated with a needle by as much is its near copy: either could stand for the other.
pub const NEAR_COPY: f64 = 0.9;

/// An input that is nearly a needle.
#[derive(Debug, Clone, PartialEq)]
pub struct NearCopy {
    /// The position of the needle in the list of needles.
    pub needle: usize,
    /// The name of the other input.
    pub name: String,
    /// Their correlation.
    pub correlation: f64,
}

/// What a pass over the inputs found.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    needles: Vec<(usize, Vec<f64>)>,
    scores: Option<Vec<f64>>,
    /// Inputs that are nearly a needle.
    pub near_copies: Vec<NearCopy>,
    largest: f64,
}

impl Survey {
    /// Before the first input; `columns` are the values of the needles.
    pub fn new(model: &Model, outcome: &Outcome, columns: &[&[f64]]) -> Self {
        let needles = model.needles.iter().zip(columns);
        Survey {
            needles: needles.map(|(needle, x)| (needle.index, standard(x))).collect(),
            scores: kind(&model.task).scores(outcome).map(|scores| standard(&scores)),
            ..Survey::default()
        }
    }

    /// Looks at one input.
    pub fn add(&mut self, index: usize, name: &str, x: &[f64]) {
        let x = standard(x);
        if let Some(scores) = &self.scores {
            self.largest = self.largest.max(product(scores, &x).abs());
        }
        for (needle, (own, values)) in self.needles.iter().enumerate().filter(|(_, (own, _))| *own != index) {
            let correlation = product(values, &x);
            let also_needle = self.needles.iter().any(|(other, _)| other == &index);
            if correlation.abs() >= NEAR_COPY && !(also_needle && index < *own) {
                self.near_copies.push(NearCopy { needle, name: name.to_owned(), correlation });
            }
        }
    }

    /// The correlation with the outcome above which an input raises `lambda_0` over `lambda_QUT`: the statistic is
    /// proportional to it, so it scales from the largest of the data.
    pub fn reach(&self, lambda_qut: f64, lambda_zero: f64) -> Option<f64> {
        let reach = self.largest * lambda_qut / lambda_zero;
        (reach.is_finite() && reach > 0.0).then_some(reach)
    }
}

/// The correlation with the outcome above which an input of a table raises `lambda_0` over `lambda_QUT`; none if the
/// statistic is not proportional to a correlation, as with many classes.
pub fn smallest_correlation(data: &Data, threshold: &Threshold) -> Option<f64> {
    let scores = kind_of(data.outcome()).scores(data.outcome()).map(|scores| standard(&scores));
    let mut survey = Survey { scores, ..Survey::default() };
    data.names().iter().enumerate().for_each(|(at, name)| survey.add(at, name, &data.column(at)));
    survey.reach(threshold.lambda_qut, threshold.lambda_zero)
}

/// The correlation of two columns; 0 if one does not vary.
pub fn correlation(a: &[f64], b: &[f64]) -> f64 {
    product(&standard(a), &standard(b))
}

/// Centred, with norm 1; zeros if the values do not vary.
fn standard(x: &[f64]) -> Vec<f64> {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let norm = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>().sqrt();
    x.iter().map(|v| if norm > 0.0 { (v - mean) / norm } else { 0.0 }).collect()
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
