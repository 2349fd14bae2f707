//! The smooth network used for prediction: one hidden layer of bounded neurons on bounded inputs.
//!
//! $$f(x) = c + A \tanh(b + W s(x))$$
//!
//! `s` is the coding of the inputs (`coding.rs`). The parameters are `(W, b, A, c)`, each matrix column-major, as in
//! [`super::Network`]. The rows of `A` are not normalised, because this network does not select inputs.
//! Cost: O(n (inputs + outputs) neurons) each way. Tested in `src/tests/predictor.rs`.

use std::ops::Range;

use faer::Mat;

use crate::elementary::tanh_of_sum;
use crate::product::{multiply, sum_columns, view, view_mut};

/// The shape of a smooth network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Smooth {
    pub inputs: usize,
    pub neurons: usize,
    pub outputs: usize,
}

/// Buffers for `n` samples; every matrix has `n` rows.
#[derive(Debug, Clone)]
pub(crate) struct SmoothRoom {
    n: usize,
    hidden: Vec<f64>,
    delta: Vec<f64>,
    /// The inputs of the samples in a Jacobian.
    picked: Vec<f64>,
    /// The outputs.
    pub out: Vec<f64>,
    /// The derivative of the loss by the outputs.
    pub d_out: Vec<f64>,
}

impl SmoothRoom {
    pub fn new(network: Smooth, n: usize) -> Self {
        let Smooth { neurons, outputs, .. } = network;
        SmoothRoom {
            n,
            hidden: vec![0.0; n * neurons],
            // a Jacobian needs two columns
            delta: vec![0.0; n * neurons.max(2)],
            picked: Vec::new(),
            out: vec![0.0; n * outputs],
            d_out: vec![0.0; n * outputs],
        }
    }
}

impl Smooth {
    pub fn n_params(self) -> usize {
        self.intercepts().end
    }

    pub fn weights(self) -> Range<usize> {
        0..self.inputs * self.neurons
    }

    pub fn biases(self) -> Range<usize> {
        let start = self.weights().end;
        start..start + self.neurons
    }

    pub fn upper(self) -> Range<usize> {
        let start = self.biases().end;
        start..start + self.neurons * self.outputs
    }

    pub fn intercepts(self) -> Range<usize> {
        let start = self.upper().end;
        start..start + self.outputs
    }

    /// Fills `room.out`; `x` is coded, `n x inputs`.
    pub fn forward(self, theta: &[f64], x: &[f64], room: &mut SmoothRoom) {
        let Smooth { inputs, neurons, outputs } = self;
        let n = room.n;
        let weights = view(&theta[self.weights()], neurons, inputs);
        multiply(view_mut(&mut room.hidden, n, neurons), view(x, n, inputs), weights.transpose());
        for (column, bias) in room.hidden.chunks_mut(n).zip(&theta[self.biases()]) {
            tanh_of_sum(column, *bias);
        }
        let upper = view(&theta[self.upper()], outputs, neurons);
        multiply(view_mut(&mut room.out, n, outputs), view(&room.hidden, n, neurons), upper.transpose());
        for (column, c) in room.out.chunks_mut(n).zip(&theta[self.intercepts()]) {
            column.iter_mut().for_each(|o| *o += c);
        }
    }

    /// The gradient by every parameter, from `room.d_out` after [`Smooth::forward`].
    pub fn backward(self, theta: &[f64], x: &[f64], room: &mut SmoothRoom, gradient: &mut [f64]) {
        let Smooth { inputs, neurons, outputs } = self;
        let n = room.n;
        let SmoothRoom { hidden, delta, d_out, .. } = room;
        let upper = view(&theta[self.upper()], outputs, neurons);
        let delta = &mut delta[..n * neurons];
        multiply(view_mut(delta, n, neurons), view(d_out, n, outputs), upper);
        delta.iter_mut().zip(&*hidden).for_each(|(d, h)| *d *= 1.0 - h * h);
        sum_columns(&mut gradient[self.biases()], delta, n);
        sum_columns(&mut gradient[self.intercepts()], d_out, n);
        let weights = view_mut(&mut gradient[self.weights()], neurons, inputs);
        multiply(weights, view(delta, n, neurons).transpose(), view(x, n, inputs));
        let upper = view_mut(&mut gradient[self.upper()], outputs, neurons);
        multiply(upper, view(d_out, n, outputs).transpose(), view(hidden, n, neurons));
    }

    /// The derivatives of output `t` by every parameter, for every `stride`-th sample from `first` on, as rows of
    /// `jacobian`. After [`Smooth::forward`].
    pub fn jacobian(
        self,
        theta: &[f64],
        x: &[f64],
        room: &mut SmoothRoom,
        t: usize,
        (first, stride): (usize, usize),
        jacobian: &mut Mat<f64>,
    ) {
        let Smooth { neurons, outputs, .. } = self;
        let SmoothRoom { n, hidden, delta, picked, .. } = room;
        let (n, rows) = (*n, jacobian.nrows());
        picked.clear();
        for column in x.chunks(n) {
            picked.extend(column[first..].iter().step_by(stride).take(rows));
        }
        jacobian.fill(0.0);
        // reuse the buffer of the backward pass
        let (values, slopes) = delta[..2 * rows].split_at_mut(rows);
        for k in 0..neurons {
            let a = theta[self.upper().start + k * outputs + t];
            let of_neuron = hidden[k * n + first..(k + 1) * n].iter().step_by(stride);
            values.iter_mut().zip(of_neuron).for_each(|(v, h)| *v = *h);
            slopes.iter_mut().zip(&*values).for_each(|(s, h)| *s = a * (1.0 - h * h));
            for (input, of_input) in picked.chunks(rows).enumerate() {
                let column = jacobian.col_as_slice_mut(input * neurons + k);
                column.iter_mut().zip(of_input).zip(&*slopes).for_each(|((j, v), s)| *j = v * s);
            }
            jacobian.col_as_slice_mut(self.biases().start + k).copy_from_slice(slopes);
            jacobian.col_as_slice_mut(self.upper().start + k * outputs + t).copy_from_slice(values);
        }
        jacobian.col_as_slice_mut(self.intercepts().start + t).fill(1.0);
    }
}
