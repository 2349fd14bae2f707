//! Link functions `G` (paper, equations `GSoft` and `Glogit`).

use serde::{Deserialize, Serialize};

use crate::elementary::exp;

/// How the outputs of the network become means or class probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Link {
    /// Regression: the output is the mean.
    Identity,
    /// Classification with one output per class.
    Softmax,
    /// Classification with one output per class but the last, whose output is zero.
    Logit,
}

impl Link {
    /// The number of network outputs for `classes` classes (ignored in regression).
    pub fn n_outputs(self, classes: usize) -> usize {
        match self {
            Link::Identity => 1,
            Link::Softmax => classes,
            Link::Logit => classes - 1,
        }
    }

    /// Class probabilities of one sample from its outputs.
    ///
    /// ```
    /// use needlenet::Link;
    /// let mut p = [0.0; 3];
    /// Link::Logit.probabilities(&[0.0, 0.0], &mut p);
    /// assert_eq!(p, [1.0 / 3.0; 3]);
    /// ```
    pub fn probabilities(self, outputs: &[f64], probabilities: &mut [f64]) {
        let reference = if self == Link::Logit { 0.0 } else { f64::NEG_INFINITY };
        let top = outputs.iter().copied().fold(reference, f64::max);
        for (t, p) in probabilities.iter_mut().enumerate() {
            *p = exp(outputs.get(t).copied().unwrap_or(0.0) - top);
        }
        let sum: f64 = probabilities.iter().sum();
        probabilities.iter_mut().for_each(|p| *p /= sum);
    }
}
