//! The predictor: the committee of the refit, and its held-out loss.

use serde::{Deserialize, Serialize};

use crate::network::{Coding, Inputs, Smooth, SmoothRoom, WHOLE};

/// A smooth network on the needles, fitted for prediction. It is kept if it predicts held-out samples better than the
/// sparse network. It does not influence which inputs are selected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Predictor {
    /// Number of neurons of its hidden layer.
    pub neurons: usize,
    /// The weight of its ridge.
    pub ridge: f64,
    /// Why its path of ridges ended.
    pub stop: PathEnd,
    /// The coding of its inputs.
    #[serde(default)]
    pub coding: Coding,
    /// `(W, b, A, c)`, each matrix column-major.
    pub(crate) weights: Vec<f64>,
}

/// Why a path of ridges ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathEnd {
    /// A weaker ridge predicts held-out samples worse.
    HeldOutLossRose,
    /// The weakest ridge was reached.
    WeakestRidge,
}

impl PathEnd {
    /// The reason in words.
    pub fn describe(self) -> &'static str {
        match self {
            PathEnd::HeldOutLossRose => "a weaker ridge predicts held-out samples worse",
            PathEnd::WeakestRidge => "the weakest ridge was reached",
        }
    }
}

/// The loss on held-out samples relative to that of the empty model. In regression it is the ratio of the residual to
/// the total standard deviation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldOut {
    /// Of the smooth networks.
    pub predictor: f64,
    /// Of the refit of the sparse network.
    pub sparse: f64,
}

impl Predictor {
    pub(crate) fn network(&self, inputs: usize, outputs: usize) -> Smooth {
        Smooth { inputs, neurons: self.neurons, outputs }
    }

    /// The outputs, `n x outputs`, from standardised inputs.
    pub(crate) fn outputs(&self, x: &Inputs, inputs: usize, outputs: usize) -> Vec<f64> {
        let (network, n) = (self.network(inputs, outputs), x.n());
        let mut out = vec![0.0; n * outputs];
        let mut room = Vec::new();
        for first in (0..n).step_by(WHOLE) {
            let rows = first..n.min(first + WHOLE);
            let mut of_rows = SmoothRoom::new(network, rows.len());
            let coded = self.coding.apply(x.rows(&rows, &mut room), rows.len());
            network.forward(&self.weights, &coded, &mut of_rows);
            for (to, from) in out.chunks_mut(n).zip(of_rows.out.chunks(rows.len())) {
                to[rows.clone()].copy_from_slice(from);
            }
        }
        out
    }
}
