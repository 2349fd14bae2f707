//! One pass over all inputs of a table: near copies of the needles, and the largest effect of a single input.
//!
//! The smallest effect that cannot be missed: `lambda_0` is proportional to the largest effect of an input, so `lambda_0`
//! equals `lambda_QUT` at the effect
//!
//! $$r = \max_j r_j \, \lambda_{\mathrm{QUT}} / \lambda_0$$
//!
//! Above it the result is not empty. Cost: O(n p s) for s needles; memory: the needles. Tested in `tests/smallest_effect.rs`.

use needlenet::{Data, Model, Threshold};

use crate::outcome::{kind, kind_of};

/// Two inputs with a correlation of at least this size, of either sign, are near copies: either could replace the other.
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

/// How the effect of one input on an outcome is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The absolute correlation of the input with the outcome.
    Correlation,
    /// The distance of the class means of the input from its mean, in standard deviations, averaged over the samples.
    ClassMeans,
}

/// The effect of an input: the sum, over some columns, of the absolute products with the standardised input.
#[derive(Debug, Clone)]
pub(crate) struct Effect {
    measure: Measure,
    columns: Vec<Vec<f64>>,
}

impl Effect {
    /// The absolute correlation with one number per sample.
    pub fn correlation(scores: &[f64]) -> Self {
        Effect { measure: Measure::Correlation, columns: vec![standard(scores)] }
    }

    /// Of class t the product is its share of the samples times the distance of its mean, in standard deviations.
    pub fn class_means(labels: &[usize], classes: usize) -> Self {
        let unit = 1.0 / (labels.len() as f64).sqrt();
        let column = |class: usize| labels.iter().map(|t| if *t == class { unit } else { 0.0 }).collect();
        Effect { measure: Measure::ClassMeans, columns: (0..classes).map(column).collect() }
    }

    fn of(&self, x: &[f64]) -> f64 {
        self.columns.iter().map(|column| product(column, x).abs()).sum()
    }
}

/// The smallest effect of one input at which the result cannot be empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmallestEffect {
    /// How the effect is measured.
    pub measure: Measure,
    /// The effect.
    pub value: f64,
}

impl SmallestEffect {
    /// Whether an input can have this effect: a correlation is at most 1, and so is the distance of class means.
    pub fn is_possible(&self) -> bool {
        self.value < 1.0
    }

    /// The condition under which the result cannot be empty, in words.
    pub fn condition(&self) -> String {
        let value = self.value;
        match self.measure {
            Measure::Correlation => {
                format!(
                    "the correlation of some input with the outcome is above {value:.2} or below -{value:.2}"
                )
            }
            Measure::ClassMeans => format!(
                "the class means of some input are, averaged over the samples, more than {value:.2} standard deviations \
                 away from its overall mean"
            ),
        }
    }
}

/// The result of a pass over the inputs.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    needles: Vec<(usize, Vec<f64>)>,
    effect: Option<Effect>,
    /// Inputs that are nearly a needle.
    pub near_copies: Vec<NearCopy>,
    largest: f64,
}

impl Survey {
    /// The state before the first input; `columns` are the values of the needles. `lambda_0` has no simple form if samples
    /// have weights or an offset, if inputs have several columns, or if some inputs are always in.
    pub fn new(model: &Model, data: &Data, columns: &[&[f64]]) -> Self {
        let needles = model.needles.iter().zip(columns);
        let plain = !model.weighted && !model.offset && model.always.is_empty() && data.groups().is_empty();
        let effect = kind(&model.task).effect(data.outcome(), model.used.hidden.is_empty());
        Survey {
            needles: needles.map(|(needle, x)| (needle.index, standard(x))).collect(),
            effect: effect.filter(|_| plain),
            ..Survey::default()
        }
    }

    /// Adds one input.
    pub fn add(&mut self, index: usize, name: &str, x: &[f64]) {
        let x = standard(x);
        if let Some(effect) = &self.effect {
            self.largest = self.largest.max(effect.of(&x));
        }
        for (needle, (own, values)) in self.needles.iter().enumerate().filter(|(_, (own, _))| *own != index) {
            let correlation = product(values, &x);
            let also_needle = self.needles.iter().any(|(other, _)| other == &index);
            if correlation.abs() >= NEAR_COPY && !(also_needle && index < *own) {
                self.near_copies.push(NearCopy { needle, name: name.to_owned(), correlation });
            }
        }
    }

    /// The effect of one input above which `lambda_0` exceeds `lambda_qut`, if `lambda_zero` is that of the table.
    pub fn smallest_effect(&self, lambda_qut: f64, lambda_zero: f64) -> Option<SmallestEffect> {
        let value = self.largest * lambda_qut / lambda_zero;
        let measure = self.effect.as_ref()?.measure;
        (value.is_finite() && value > 0.0).then_some(SmallestEffect { measure, value })
    }
}

/// The smallest effect of a table without weights, offset and inputs that are always in, for a network; `plain` has the
/// `lambda_0` of the table without its groups of columns. None for survival.
pub fn smallest_effect(data: &Data, threshold: &Threshold, plain: &Threshold) -> Option<SmallestEffect> {
    let effect = kind_of(data.outcome()).effect(data.outcome(), false);
    let mut survey = Survey { effect, ..Survey::default() };
    data.names().iter().enumerate().for_each(|(at, name)| survey.add(at, name, &data.column(at)));
    survey.smallest_effect(threshold.lambda_qut, plain.lambda_zero)
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
