//! The live part of a network: the inputs and first-layer neurons that carry weights.
//!
//! A neuron whose weights and bias are zero outputs `sigma(0) = 0`, and an input without weights
//! contributes nothing. Both are left out of every product. The point is stationary for the whole
//! network as long as no gradient of an omitted input exceeds `lambda`, which the solver checks on
//! all inputs.

use crate::network::Network;

/// Weights of a dead neuron below this norm do not change the function beyond its last digits.
const NEGLIGIBLE: f64 = 1e-9;

/// A point of the whole network, stored for its live part only.
#[derive(Debug, Clone)]
pub(crate) struct Live {
    /// The inputs (canonical columns), ascending.
    pub columns: Vec<usize>,
    pub network: Network,
    pub theta: Vec<f64>,
}

impl Live {
    /// The weights of one live input into the live neurons.
    pub fn column(&self, at: usize) -> &[f64] {
        let width = self.network.width();
        &self.theta[at * width..(at + 1) * width]
    }

    /// The inputs whose weights are not all exactly zero.
    pub fn support(&self) -> Vec<usize> {
        (0..self.columns.len())
            .filter(|at| self.column(*at).iter().any(|w| *w != 0.0))
            .map(|at| self.columns[at])
            .collect()
    }

    /// The neurons (in the linear model the outputs) that carry a weight or a bias.
    fn neurons_in_use(&self) -> Vec<usize> {
        let (width, first) = (self.network.width(), &self.network.layers[0]);
        let in_use = |i: &usize| {
            let weights = self.theta[first.weights.clone()].iter().skip(*i).step_by(width);
            self.theta[first.biases.start + i] != 0.0 || weights.into_iter().any(|w| *w != 0.0)
        };
        if self.network.is_linear() { (0..width).collect() } else { (0..width).filter(in_use).collect() }
    }

    /// The number of weights and biases in use, one upper weight per neuron, and the weights of the inputs that
    /// are always in.
    pub fn parameters_in_use(&self) -> f64 {
        let first = self.theta[self.network.layers[0].weights.clone()].iter();
        let biases = self.network.penalised_biases().flat_map(|b| self.theta[b].iter());
        let in_use = first.chain(biases).filter(|w| **w != 0.0).count();
        (in_use + self.neurons_in_use().len().max(1) + self.network.always().len()) as f64
    }

    /// The same function without dead inputs and dead neurons. Each upper row keeps unit norm: one dead
    /// neuron stays and takes the share of all dead ones, because rescaling the live entries would change
    /// the function.
    pub fn compact(&self) -> Self {
        let mut neurons = self.neurons_in_use();
        let dead: Vec<usize> = (0..self.network.width()).filter(|i| !neurons.contains(i)).collect();
        let Some(&heir) = dead.first() else { return self.with(&self.support(), &neurons) };
        let mut point = self.clone();
        let above = &self.network.layers[1];
        let at = |neuron: usize, row: usize| above.weights.start + neuron * above.outputs + row;
        let mut largest = 0.0f64;
        for row in 0..above.outputs {
            let length = dead.iter().map(|i| self.theta[at(*i, row)].powi(2)).sum::<f64>().sqrt();
            point.theta[at(heir, row)] = length;
            largest = largest.max(length);
        }
        // the layers above need at least one neuron
        if neurons.is_empty() || largest > NEGLIGIBLE {
            neurons.push(heir);
        }
        point.with(&self.support(), &neurons)
    }

    /// Removes dead inputs and dead neurons and rescales the upper rows to unit norm, which increases the live
    /// neurons. During the search this gives a function that has shrunk another chance.
    pub fn revived(&self) -> Self {
        let mut neurons = self.neurons_in_use();
        if neurons.is_empty() {
            neurons.push(0);
        }
        self.with(&self.support(), &neurons)
    }

    /// The same point with additional inputs, whose weights are zero.
    pub fn with_columns(&self, more: &[usize]) -> Self {
        let mut columns = self.columns.clone();
        columns.extend_from_slice(more);
        columns.sort_unstable();
        columns.dedup();
        self.with(&columns, &(0..self.network.width()).collect::<Vec<_>>())
    }

    /// The point without one input.
    pub fn without(&self, column: usize) -> Self {
        let columns: Vec<usize> = self.columns.iter().copied().filter(|c| *c != column).collect();
        self.with(&columns, &(0..self.network.width()).collect::<Vec<_>>()).compact()
    }

    /// The point with input `new` in place of `old`; the weights are multiplied by `factor`.
    pub fn exchanged(&self, old: usize, new: usize, factor: f64) -> Self {
        let mut point = self.with_columns(&[new]);
        let width = point.network.width();
        let place = |column: usize| point.columns.partition_point(|c| *c < column) * width;
        let (from, to) = (place(old), place(new));
        for i in 0..width {
            point.theta[to + i] = factor * point.theta[from + i];
            point.theta[from + i] = 0.0;
        }
        let columns: Vec<usize> = point.columns.iter().copied().filter(|c| *c != old).collect();
        point.with(&columns, &(0..width).collect::<Vec<_>>())
    }

    /// The same point on the given inputs and first-layer neurons.
    fn with(&self, columns: &[usize], neurons: &[usize]) -> Self {
        let network = self.network.restricted(columns.len(), neurons);
        let mut theta = Vec::with_capacity(network.n_params());
        for column in columns {
            match self.columns.binary_search(column) {
                Ok(at) => theta.extend(neurons.iter().map(|&i| self.column(at)[i])),
                Err(_) => theta.extend(neurons.iter().map(|_| 0.0)),
            }
        }
        let biases = &self.theta[self.network.layers[0].biases.clone()];
        theta.extend(neurons.iter().map(|&i| biases[i]));
        for (k, layer) in self.network.layers.iter().enumerate().skip(1) {
            let weights = &self.theta[layer.weights.clone()];
            if k == 1 {
                for &i in neurons {
                    theta.extend_from_slice(&weights[i * layer.outputs..(i + 1) * layer.outputs]);
                }
            } else {
                theta.extend_from_slice(weights);
            }
            theta.extend_from_slice(&self.theta[layer.biases.clone()]);
        }
        theta.extend_from_slice(&self.theta[self.network.always()]);
        network.normalise(&mut theta);
        Live { columns: columns.to_vec(), network, theta }
    }
}
