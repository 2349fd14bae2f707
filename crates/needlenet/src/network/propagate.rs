//! Forward and backward through the network: two products per layer and direction.
//!
//! Cost: O(n p p_2 + n p_2 p_3 + ...) each way; nothing is allocated after [`Workspace::new`].

use faer::Mat;

use super::Network;
use super::units::Input;
use crate::product::{
    add_multiple, add_multiple_fused, for_each_nonzero, multiply, multiply_add, multiply_add_long,
    sum_columns, view, view_mut,
};

/// If at most one weight in this many is non-zero, the first layer loops over those: faster than the dense
/// product.
const SPARSE: usize = 8;

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

    /// Resizes the buffers to `n` samples; allocates only if `n` is larger than ever before.
    pub fn set_rows(&mut self, n: usize) {
        let old = std::mem::replace(&mut self.n, n);
        let hidden = self.post.iter_mut().chain(&mut self.slope).chain(&mut self.delta);
        for buffer in hidden.chain([&mut self.out, &mut self.d_out]) {
            buffer.resize(buffer.len() / old * n, 0.0);
        }
    }

    /// The number of samples.
    pub fn rows(&self) -> usize {
        self.n
    }

    /// Derivative of the loss by the pre-activations of layer `k`, the last of which are the outputs.
    pub fn delta_of(&self, k: usize) -> &[f64] {
        self.delta.get(k).unwrap_or(&self.d_out)
    }

    /// Derivative of the loss by the pre-activations of the first layer: `dL/dW_1 = delta' X`.
    pub fn first_delta(&self) -> &[f64] {
        self.delta.first().unwrap_or(&self.d_out)
    }
}

impl Network {
    /// Fills `ws.out` with the outputs at every sample; `x` is `n x n_inputs`, followed by the inputs that are always
    /// in.
    pub fn forward(&self, theta: &[f64], x: &[f64], ws: &mut Workspace) {
        let (x, always) = x.split_at(ws.n * self.n_inputs());
        (0..self.layers.len()).for_each(|k| self.forward_layer(k, theta, x, ws));
        if self.n_always > 0 {
            let d = view(&theta[self.always()], self.n_outputs(), self.n_always);
            let out = view_mut(&mut ws.out, ws.n, self.n_outputs());
            multiply_add(out, view(always, ws.n, self.n_always), d.transpose());
        }
    }

    /// One layer of [`Network::forward`], from the outputs of the layer below in `ws`.
    pub fn forward_layer(&self, k: usize, theta: &[f64], x: &[f64], ws: &mut Workspace) {
        let (n, layer) = (ws.n, &self.layers[k]);
        let (below, above) = ws.post.split_at_mut(k);
        let input = below.last().map_or(x, |post| post);
        let output = above.first_mut().unwrap_or(&mut ws.out);
        let (weights, biases) = (&theta[layer.weights.clone()], &theta[layer.biases.clone()]);
        output.chunks_mut(n).zip(biases).for_each(|(column, bias)| column.fill(*bias));
        if is_sparse(weights) {
            add_sparse(output, input, weights, n);
        } else {
            // use a buffer that only `backward` needs
            let room = ws.delta.get_mut(k).unwrap_or(&mut ws.d_out);
            let (input, weights) = (view(input, n, layer.inputs), view(weights, layer.outputs, layer.inputs));
            multiply_add_long(output, input, weights, room);
        }
        if let Some(slope) = ws.slope.get_mut(k) {
            for ((u, slope), k) in output.chunks_mut(n).zip(slope.chunks_mut(n)).zip(&layer.powers) {
                if is_constant(u) {
                    // a neuron without inputs
                    self.activation.apply(*k, &mut u[..1], &mut slope[..1]);
                    u.fill(u[0]);
                    slope.fill(slope[0]);
                } else {
                    self.activation.apply(*k, u, slope);
                }
            }
        }
    }

    /// The gradient by every parameter, from `ws.d_out`, which the loss sets after [`Network::forward`].
    pub fn backward(&self, theta: &[f64], x: &[f64], ws: &mut Workspace, gradient: &mut [f64]) {
        let n = ws.n;
        let (x, always) = x.split_at(n * self.n_inputs());
        self.propagate_delta(theta, ws);
        if self.n_always > 0 {
            let outputs = self.n_outputs();
            multiply(
                view_mut(&mut gradient[self.always()], outputs, self.n_always),
                view(&ws.d_out, n, outputs).transpose(),
                view(always, n, self.n_always),
            );
        }
        for (k, layer) in self.layers.iter().enumerate() {
            let delta = ws.delta.get(k).unwrap_or(&ws.d_out);
            let input = if k == 0 { x } else { &ws.post[k - 1] };
            if layer.inputs > 0 {
                multiply(
                    view_mut(&mut gradient[layer.weights.clone()], layer.outputs, layer.inputs),
                    view(delta, n, layer.outputs).transpose(),
                    view(input, n, layer.inputs),
                );
            }
            sum_columns(&mut gradient[layer.biases.clone()], delta, n);
        }
    }

    /// The derivative by the pre-activations of every hidden layer, from `ws.d_out`.
    pub fn propagate_delta(&self, theta: &[f64], ws: &mut Workspace) {
        let n = ws.n;
        for (k, layer) in self.layers.iter().enumerate().rev() {
            let (below, above) = ws.delta.split_at_mut(k);
            let delta = above.first().unwrap_or(&ws.d_out);
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

    /// Derivatives of each output by the parameters `coordinates` (ascending), along the unit rows:
    /// for each output an `n x coordinates` matrix. To be called after [`Network::forward`].
    pub fn jacobians(
        &self,
        theta: &[f64],
        x: &[f64],
        ws: &mut Workspace,
        coordinates: &[usize],
    ) -> Vec<Mat<f64>> {
        let n = ws.n;
        let of_output = |t: usize| {
            ws.d_out.fill(0.0);
            ws.d_out[t * n..(t + 1) * n].fill(1.0);
            self.jacobian(theta, x, ws, coordinates)
        };
        (0..self.n_outputs()).map(of_output).collect()
    }

    /// The same of one combination of the outputs, with the factors in `ws.d_out`.
    pub fn jacobian(&self, theta: &[f64], x: &[f64], ws: &mut Workspace, coordinates: &[usize]) -> Mat<f64> {
        self.propagate_delta(theta, ws);
        let n = ws.n;
        let mut jacobian = Mat::zeros(n, coordinates.len());
        for (place, &at) in coordinates.iter().enumerate() {
            let (layer, neuron, input) = self.role(at);
            let delta = &ws.delta_of(layer)[neuron * n..(neuron + 1) * n];
            let column = jacobian.col_as_slice_mut(place);
            let below = match input {
                Input::One => {
                    column.copy_from_slice(delta);
                    continue;
                }
                Input::Column(at) => &x[at * n..(at + 1) * n],
                Input::Neuron(at) => &ws.post[layer - 1][at * n..(at + 1) * n],
            };
            column.iter_mut().zip(delta).zip(below).for_each(|((j, d), v)| *j = d * v);
        }
        self.project_columns(theta, coordinates, &mut jacobian);
        jacobian
    }

    /// Removes from a Jacobian the component that only changes the norm of an upper row.
    fn project_columns(&self, theta: &[f64], coordinates: &[usize], jacobian: &mut Mat<f64>) {
        for layer in self.unit_layers() {
            let first = coordinates.partition_point(|at| *at < layer.weights.start);
            for row in 0..layer.outputs {
                let entries: Vec<(usize, f64)> = coordinates
                    .iter()
                    .enumerate()
                    .skip(first)
                    .take_while(|(_, at)| **at < layer.weights.end)
                    .filter(|(_, at)| (**at - layer.weights.start) % layer.outputs == row)
                    .map(|(column, at)| (column, theta[*at]))
                    .collect();
                let mut along = vec![0.0; jacobian.nrows()];
                for (column, w) in &entries {
                    add_multiple(&mut along, *w, jacobian.col_as_slice(*column));
                }
                for (column, w) in &entries {
                    add_multiple(jacobian.col_as_slice_mut(*column), -w, &along);
                }
            }
        }
    }
}

/// Compares all values only if the first two are equal, and then without a branch.
fn is_constant(values: &[f64]) -> bool {
    let first = values[0];
    values.get(1).is_none_or(|v| *v == first) && values.iter().fold(true, |all, v| all & (*v == first))
}

fn is_sparse(weights: &[f64]) -> bool {
    SPARSE * weights.iter().filter(|w| **w != 0.0).count() <= weights.len()
}

/// `out += input weights'` for mostly zero weights, `out` of `n` rows; the order of summation is that of the
/// dense product.
fn add_sparse(out: &mut [f64], input: &[f64], weights: &[f64], n: usize) {
    let outputs = out.len() / n;
    for_each_nonzero(weights, |at| {
        let (from, to) = (at / outputs * n, at % outputs * n);
        add_multiple_fused(&mut out[to..to + n], weights[at], &input[from..from + n]);
    });
}
