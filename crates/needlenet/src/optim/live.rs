//! The live part of a network: the inputs and first-layer neurons that carry weights.
//!
//! A neuron without weights and bias gives `sigma(0) = 0`, and an input without weights nothing: both
//! are left out of every product. What is left out is a stationary part of the whole network as long
//! as no gradient at a left-out input exceeds `lambda`, which the solver checks on all inputs.

use crate::network::Network;

/// A point of the whole network, written on its live part only.
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

    /// Weights of `W_1` and biases in use.
    pub fn weights_in_use(&self) -> usize {
        let first = self.theta[self.network.layers[0].weights.clone()].iter();
        let biases = self.network.penalised_biases().flat_map(|b| self.theta[b].iter());
        first.chain(biases).filter(|w| **w != 0.0).count()
    }

    /// Weights and biases in use, and one weight above each neuron.
    pub fn degrees_of_freedom(&self) -> f64 {
        (self.weights_in_use() + self.network.width()) as f64
    }

    /// The same point without dead inputs and dead neurons.
    pub fn compact(&self) -> Self {
        let columns = self.support();
        let width = self.network.width();
        let first = &self.network.layers[0];
        let neurons: Vec<usize> = if self.network.is_linear() {
            (0..width).collect()
        } else {
            let alive = |i: &usize| {
                let weights = self.theta[first.weights.clone()].iter().skip(*i).step_by(width);
                self.theta[first.biases.start + i] != 0.0 || weights.into_iter().any(|w| *w != 0.0)
            };
            let alive: Vec<usize> = (0..width).filter(alive).collect();
            // one neuron is kept, so that the layers above have something to stand on
            if alive.is_empty() { vec![0] } else { alive }
        };
        self.with(&columns, &neurons)
    }

    /// The same point with further inputs, whose weights are zero.
    pub fn with_columns(&self, more: &[usize]) -> Self {
        let mut columns = self.columns.clone();
        columns.extend_from_slice(more);
        columns.sort_unstable();
        columns.dedup();
        self.with(&columns, &(0..self.network.width()).collect::<Vec<_>>())
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
        network.normalise(&mut theta);
        Live { columns: columns.to_vec(), network, theta }
    }
}
