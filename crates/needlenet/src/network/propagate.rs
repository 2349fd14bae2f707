//! Forward and backward through the network: two products per layer and direction.
//!
//! Cost: O(n p p_2 + n p_2 p_3 + ...) each way; nothing is allocated after [`Workspace::new`].

use super::Network;
use crate::product::{multiply, multiply_add, view, view_mut};

/// Buffers for one network on `n` samples; every matrix is `n x width`, column-major.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    n: usize,
    /// Neuron outputs `sigma(u)` of each hidden layer.
    pub post: Vec<Vec<f64>>,
    /// `sigma'(u)` of each hidden layer.
    pub slope: Vec<Vec<f64>>,
    /// Derivative of the loss by the pre-activations of each hidden layer.
    delta: Vec<Vec<f64>>,
    /// Network outputs before the link.
    pub out: Vec<f64>,
    /// Derivative of the loss by the outputs.
    pub d_out: Vec<f64>,
}

impl Workspace {
    pub fn new(network: &Network, n: usize) -> Self {
        let hidden: Vec<Vec<f64>> =
            network.layers[..network.layers.len() - 1].iter().map(|l| vec![0.0; n * l.outputs]).collect();
        Workspace {
            n,
            post: hidden.clone(),
            slope: hidden.clone(),
            delta: hidden,
            out: vec![0.0; n * network.n_outputs()],
            d_out: vec![0.0; n * network.n_outputs()],
        }
    }

    /// Derivative of the loss by what enters the first layer's neurons: `dL/dW_1 = delta' X`.
    pub fn first_delta(&self) -> &[f64] {
        self.delta.first().unwrap_or(&self.d_out)
    }
}

impl Network {
    /// Fills `ws.out` with the outputs at every sample; `x` is `n x n_inputs`.
    pub fn forward(&self, theta: &[f64], x: &[f64], ws: &mut Workspace) {
        let n = ws.n;
        for (k, layer) in self.layers.iter().enumerate() {
            let (below, above) = ws.post.split_at_mut(k);
            let input = below.last().map_or(x, |post| post);
            let output = above.first_mut().unwrap_or(&mut ws.out);
            for (column, bias) in output.chunks_mut(n).zip(&theta[layer.biases.clone()]) {
                column.fill(*bias);
            }
            if layer.inputs > 0 {
                let weights = view(&theta[layer.weights.clone()], layer.outputs, layer.inputs);
                multiply_add(
                    view_mut(output, n, layer.outputs),
                    view(input, n, layer.inputs),
                    weights.transpose(),
                );
            }
            if let Some(slope) = ws.slope.get_mut(k) {
                for ((u, slope), k) in output.chunks_mut(n).zip(slope.chunks_mut(n)).zip(&layer.powers) {
                    self.activation.apply(*k, u, slope);
                }
            }
        }
    }

    /// From `ws.d_out`, as left by the loss after [`Network::forward`], the gradient by every parameter.
    pub fn backward(&self, theta: &[f64], x: &[f64], ws: &mut Workspace, gradient: &mut [f64]) {
        let n = ws.n;
        for (k, layer) in self.layers.iter().enumerate().rev() {
            let (below, above) = ws.delta.split_at_mut(k);
            let delta = above.first().unwrap_or(&ws.d_out);
            let input = if k == 0 { x } else { &ws.post[k - 1] };
            if layer.inputs > 0 {
                multiply(
                    view_mut(&mut gradient[layer.weights.clone()], layer.outputs, layer.inputs),
                    view(delta, n, layer.outputs).transpose(),
                    view(input, n, layer.inputs),
                );
            }
            for (g, column) in gradient[layer.biases.clone()].iter_mut().zip(delta.chunks(n)) {
                *g = column.iter().sum();
            }
            if let Some(next) = below.last_mut() {
                multiply(
                    view_mut(next, n, layer.inputs),
                    view(delta, n, layer.outputs),
                    view(&theta[layer.weights.clone()], layer.outputs, layer.inputs),
                );
                next.iter_mut().zip(&ws.slope[k - 1]).for_each(|(d, s)| *d *= s);
            }
        }
    }
}
