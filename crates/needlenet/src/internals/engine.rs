//! The network and the loss alone, for learners that differ from ours in penalty and tuning only.
//!
//! `needlenet-lab` builds competitors on it, so that comparisons are between methods and not between
//! programs. To fit a model, use [`fit`](crate::fit()) instead. The loss is
//!
//! $$\frac{1}{2n}\lVert y - \mu\rVert^2 \quad\text{or}\quad -\frac1n \sum_i \log p_{i, y_i},$$
//!
//! and the rows of the upper layers have any length. Cost: that of the network, see `network/propagate.rs`.
//! Tested below, by finite differences.

use std::ops::Range;

use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::network::{Link, Network, Workspace};
use crate::outcome::{Classes, Loss, Numbers};
use crate::table::{Outcome, Samples};

/// A network with the outcome it is to learn.
#[derive(Debug)]
pub struct Engine {
    network: Network,
    loss: Box<dyn Loss>,
    /// The classes of a classification.
    n_classes: Option<usize>,
    workspace: Workspace,
}

impl Engine {
    /// A network of `n_inputs` inputs for numbers or classes: one output, or one for each class.
    pub fn new(
        n_inputs: usize,
        hidden: &[usize],
        outcome: &Outcome,
        activation: &Activation,
    ) -> Result<Self> {
        let n = outcome.len() as f64;
        let (loss, n_classes) = match outcome {
            // at this noise the loss is ||y - mu||^2 / 2n, plus n / 2
            Outcome::Regression(y) => (Numbers::new(y.clone()).at_noise(n.sqrt()), None),
            Outcome::Classification { labels, classes } => {
                let loss = Classes::new(labels.clone(), classes.len(), Samples::default(), Link::Softmax);
                (loss.at_noise(n), Some(classes.len()))
            }
            Outcome::Counts(_) | Outcome::Survival { .. } => {
                return Err(Error::Conflict {
                    what: "this learner serves numbers and classes only".into(),
                    remedy: "choose another learner",
                });
            }
        };
        let network = Network::new(n_inputs, hidden, loss.n_outputs(), activation);
        let workspace = Workspace::new(&network, outcome.len());
        Ok(Engine { network, loss, n_classes, workspace })
    }

    /// The number of parameters.
    pub fn n_params(&self) -> usize {
        self.network.n_params()
    }

    /// The number of neurons that see the inputs.
    pub fn width(&self) -> usize {
        self.network.width()
    }

    /// The weights of each layer, the first one first. In the first layer the [`Engine::width`] weights of
    /// one input lie side by side.
    pub fn weights(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.network.layers.iter().map(|layer| layer.weights.clone())
    }

    /// The number of values that enter each neuron of a layer, the first one first.
    pub fn fan_in(&self) -> impl Iterator<Item = usize> + '_ {
        self.network.layers.iter().map(|layer| layer.inputs)
    }

    /// The mean loss at `theta`, and its gradient. Each hidden neuron is multiplied by its entry of `masks`
    /// (one list for each hidden layer), for dropout; without masks there is no dropout.
    pub fn loss_and_gradient(
        &mut self,
        theta: &[f64],
        x: &[f64],
        masks: &[Vec<f64>],
        gradient: &mut [f64],
    ) -> f64 {
        let n = self.loss.n();
        let ws = &mut self.workspace;
        for k in 0..self.network.layers.len() {
            self.network.forward_layer(k, theta, x, ws);
            let Some(mask) = masks.get(k).filter(|_| k < ws.post.len()) else { continue };
            for (at, m) in mask.iter().enumerate() {
                ws.post[k][at * n..(at + 1) * n].iter_mut().for_each(|v| *v *= m);
                ws.slope[k][at * n..(at + 1) * n].iter_mut().for_each(|v| *v *= m);
            }
        }
        let mut loss = self.loss.evaluate(&ws.out, &mut ws.d_out);
        if self.n_classes.is_none() {
            loss -= n as f64 / 2.0;
        }
        self.network.backward(theta, x, ws, gradient);
        loss
    }

    /// The predictions for `n` samples: means, or class probabilities sample after sample.
    pub fn predict(&self, theta: &[f64], x: &[f64], n: usize) -> Vec<f64> {
        let mut ws = Workspace::new(&self.network, n);
        self.network.forward(theta, x, &mut ws);
        let Some(n_classes) = self.n_classes else { return ws.out };
        let mut probabilities = vec![0.0; n * n_classes];
        for (i, p) in probabilities.chunks_mut(n_classes).enumerate() {
            let out: Vec<f64> = ws.out.iter().skip(i).step_by(n).copied().collect();
            Link::Softmax.probabilities(&out, p);
        }
        probabilities
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(count: usize, stride: usize) -> Vec<f64> {
        (0..count).map(|i| ((i * stride + 3) % 17) as f64 / 8.0 - 1.0).collect()
    }

    fn assert_gradient_is_the_derivative(outcome: &Outcome, masks: &[Vec<f64>]) {
        let (n, p) = (outcome.len(), 3);
        let x = values(n * p, 7);
        let mut engine = Engine::new(p, &[4, 2], outcome, &Activation::softplus()).unwrap();
        let theta = values(engine.n_params(), 5);
        let mut gradient = vec![0.0; theta.len()];
        engine.loss_and_gradient(&theta, &x, masks, &mut gradient);
        for at in 0..theta.len() {
            let mut moved = |h: f64| {
                let mut theta = theta.clone();
                theta[at] += h;
                engine.loss_and_gradient(&theta, &x, masks, &mut vec![0.0; theta.len()])
            };
            let numeric = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((numeric - gradient[at]).abs() < 1e-8, "{at}: {numeric} {}", gradient[at]);
        }
    }

    #[test]
    fn gradient_is_the_derivative_of_the_mean_loss_with_and_without_dropout() {
        let numbers = Outcome::Regression(values(9, 4));
        let classes = Outcome::from_labels(&["a", "b", "c", "b", "a", "c", "c", "a", "b"]);
        for outcome in [numbers, classes] {
            assert_gradient_is_the_derivative(&outcome, &[]);
            assert_gradient_is_the_derivative(&outcome, &[vec![2.0, 0.0, 2.0, 2.0], vec![0.0, 2.0]]);
        }
    }

    #[test]
    fn loss_in_regression_is_half_the_mean_square() {
        let y = vec![1.0, -2.0, 4.0];
        let mut engine = Engine::new(1, &[], &Outcome::Regression(y), &Activation::default()).unwrap();
        let loss = engine.loss_and_gradient(&[0.0, 0.0], &[1.0, 2.0, 3.0], &[], &mut [0.0; 2]);
        assert!((loss - (1.0 + 4.0 + 16.0) / 6.0).abs() < 1e-12);
    }
}
