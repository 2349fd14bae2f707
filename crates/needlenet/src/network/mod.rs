//! The network (paper, equations 1 to 4 and `Skj`).
//!
//! $$\mu_\theta(x) = G(c + W_l\, \sigma(b_{l-1} + W_{l-1} \cdots \sigma(b_1 + W_1 x)))$$
//!
//! The rows of `W_2 .. W_l` have unit l2 norm, which the optimiser keeps. Without hidden layers the
//! network is the linear model `c + W_1 x`. All parameters live in one vector
//! `(W_1, b_1, W_2, b_2, ..., W_l, c)`, each matrix column-major, so that the weights of one input
//! into all neurons, a column of `W_1`, lie side by side. Tested in `src/tests/gradients.rs`.
//!
//! Inputs `z` that are always in are adjusted for, not searched: they enter the outputs linearly, `c + D z`, without
//! penalty. `D` follows `c` in the parameter vector. They do not enter the neurons, so the neurons model only what `z`
//! leaves unexplained.

mod coding;
mod inputs;
mod link;
mod propagate;
mod second_order;
mod smooth;
mod sweep;
mod units;

use std::ops::Range;

pub use coding::Coding;
pub(crate) use inputs::{Inputs, WHOLE};
pub use link::Link;
pub(crate) use propagate::Workspace;
pub(crate) use second_order::SecondOrder;
pub(crate) use smooth::{Smooth, SmoothRoom};
pub(crate) use sweep::{Block, Sweep};

use crate::activation::Activation;
#[cfg(test)]
use crate::product::norm;

/// One affine map of the network and where its parameters lie.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layer {
    pub inputs: usize,
    pub outputs: usize,
    /// `outputs x inputs`, column-major.
    pub weights: Range<usize>,
    pub biases: Range<usize>,
    /// The activation's power `k` of each neuron; none in the last layer.
    pub powers: Vec<f64>,
}

/// The shape of a network.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Network {
    pub layers: Vec<Layer>,
    pub activation: Activation,
    /// Inputs that are always in.
    pub n_always: usize,
}

impl Network {
    pub fn new(inputs: usize, hidden: &[usize], outputs: usize, activation: &Activation) -> Self {
        let powers = hidden.iter().map(|&w| (0..w).map(|i| activation.power(i, w)).collect()).collect();
        Network::with_powers(inputs, powers, outputs, activation)
    }

    /// A network whose hidden layers have one neuron for each of the given powers.
    pub fn with_powers(
        inputs: usize,
        powers: Vec<Vec<f64>>,
        outputs: usize,
        activation: &Activation,
    ) -> Self {
        let mut layers = Vec::with_capacity(powers.len() + 1);
        let (mut from, mut width) = (0, inputs);
        for powers in powers.into_iter().map(Some).chain([None]) {
            let next = powers.as_ref().map_or(outputs, Vec::len);
            let weights = from..from + width * next;
            let biases = weights.end..weights.end + next;
            from = biases.end;
            layers.push(Layer {
                inputs: width,
                outputs: next,
                weights,
                biases,
                powers: powers.unwrap_or_default(),
            });
            width = next;
        }
        Network { layers, activation: activation.clone(), n_always: 0 }
    }

    /// The same network with inputs that are always in.
    pub fn beside(self, n_always: usize) -> Self {
        Network { n_always, ..self }
    }

    /// The same network on `inputs` inputs, with only some of the neurons of the first layer.
    pub fn restricted(&self, inputs: usize, neurons: &[usize]) -> Self {
        let mut powers: Vec<Vec<f64>> =
            self.layers[..self.layers.len() - 1].iter().map(|l| l.powers.clone()).collect();
        if let Some(first) = powers.first_mut() {
            *first = neurons.iter().map(|&i| first[i]).collect();
        }
        Network::with_powers(inputs, powers, self.n_outputs(), &self.activation).beside(self.n_always)
    }

    pub fn hidden(&self) -> Vec<usize> {
        self.layers[..self.layers.len() - 1].iter().map(|l| l.outputs).collect()
    }

    pub fn n_inputs(&self) -> usize {
        self.layers[0].inputs
    }

    /// The number of neurons that see the inputs (the outputs themselves in the linear model).
    pub fn width(&self) -> usize {
        self.layers[0].outputs
    }

    pub fn n_outputs(&self) -> usize {
        self.last().outputs
    }

    /// `pi_l sigma'(0)^(l-1)` with `pi_l = sqrt(p_3 ... p_l)`, the factor of Theorem 3: the largest factor by
    /// which the upper layers can magnify a linear function of the inputs.
    pub fn gain(&self) -> f64 {
        let pi = self.layers.iter().skip(2).map(|l| l.inputs as f64).product::<f64>().sqrt();
        pi * self.activation.slope_at_zero().powi(self.layers.len() as i32 - 1)
    }

    pub fn n_params(&self) -> usize {
        self.always().end
    }

    /// `D`: `n_outputs x n_always`, column-major.
    pub fn always(&self) -> Range<usize> {
        let start = self.last().biases.end;
        start..start + self.n_outputs() * self.n_always
    }

    pub fn is_linear(&self) -> bool {
        self.layers.len() == 1
    }

    pub fn last(&self) -> &Layer {
        &self.layers[self.layers.len() - 1]
    }

    /// Biases of layers `1..l-1`, which are penalised; the intercept `c` is not.
    pub fn penalised_biases(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.layers[..self.layers.len() - 1].iter().map(|l| l.biases.clone())
    }

    /// The layers whose rows have unit norm: `W_2 .. W_l`.
    pub fn unit_layers(&self) -> impl Iterator<Item = &Layer> + '_ {
        self.layers.iter().skip(1)
    }

    /// Brings every row of the upper layers back to unit norm.
    pub fn normalise(&self, theta: &mut [f64]) {
        for layer in self.unit_layers() {
            let weights = &mut theta[layer.weights.clone()];
            for row in 0..layer.outputs {
                let length =
                    weights.iter().skip(row).step_by(layer.outputs).map(|w| w * w).sum::<f64>().sqrt();
                if length > 0.0 {
                    weights.iter_mut().skip(row).step_by(layer.outputs).for_each(|w| *w /= length);
                }
            }
        }
    }

    /// Removes from a direction the component that only changes the norm of an upper row.
    pub fn project_to_tangent(&self, theta: &[f64], direction: &mut [f64]) {
        for layer in self.unit_layers() {
            let weights = &theta[layer.weights.clone()];
            let direction = &mut direction[layer.weights.clone()];
            for row in 0..layer.outputs {
                let along: f64 =
                    (row..weights.len()).step_by(layer.outputs).map(|at| weights[at] * direction[at]).sum();
                for at in (row..weights.len()).step_by(layer.outputs) {
                    direction[at] -= along * weights[at];
                }
            }
        }
    }

    /// Whether every upper row has unit norm.
    #[cfg(test)]
    pub fn has_unit_rows(&self, theta: &[f64]) -> bool {
        self.unit_layers().all(|layer| {
            (0..layer.outputs).all(|row| {
                let row: Vec<f64> =
                    theta[layer.weights.clone()].iter().skip(row).step_by(layer.outputs).copied().collect();
                (norm(&row) - 1.0).abs() < 1e-9
            })
        })
    }
}
