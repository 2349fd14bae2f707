//! Adam with a proximal step, with which the competing networks are trained.
//!
//! $$\theta \leftarrow \mathrm{prox}_{\eta_1 \lambda P}\left(\theta - \eta\, \hat m / \sqrt{\hat v}\right)$$
//!
//! over all samples at once. The first layer has one `v` for all its weights, the mean of their squared
//! gradients, so that its step `eta_1` is one number and the proximal operator is exact. Without a penalty
//! every weight has its own `v`, as in the usual Adam. The rate falls linearly to a twentieth of its initial
//! value, so that zero weights stay zero. Cost: one forward and one backward pass per step.

use needlenet::Activation;
use needlenet::internals::engine::Engine;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::sparse_group::SparseGroup;

/// The neurons of the competitors: `max(0, u)` with a bend of width 1/1000.
pub(super) fn relu() -> Activation {
    Activation { sharpness: 1000.0, shift: 0.0, powers: vec![1.0] }
}

/// How to train.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    /// Steps.
    pub steps: usize,
    /// The initial learning rate.
    pub rate: f64,
    /// Weight of half the squared length of the upper layers.
    pub ridge: f64,
    /// The penalty on the first layer.
    pub penalty: Option<SparseGroup>,
    /// The dropout rate of hidden neurons.
    pub dropout: f64,
}

const DECAY_MEAN: f64 = 0.9;
const DECAY_SQUARE: f64 = 0.999;
const SMALLEST: f64 = 1e-8;
const LAST_RATE: f64 = 0.05;

/// A network during training.
pub(super) struct Training {
    pub engine: Engine,
    x: Vec<f64>,
    pub theta: Vec<f64>,
    hidden: Vec<usize>,
    rng: ChaCha8Rng,
}

impl Training {
    /// Gaussian weights of variance 2 / inputs of the neuron, biases zero.
    pub fn new(engine: Engine, x: Vec<f64>, hidden: &[usize], seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut theta = vec![0.0; engine.n_params()];
        for (weights, inputs) in engine.weights().zip(engine.fan_in()) {
            let size = (2.0 / inputs.max(1) as f64).sqrt();
            theta[weights].iter_mut().for_each(|w| *w = size * rng.sample::<f64, _>(StandardNormal));
        }
        Training { engine, x, theta, hidden: hidden.to_vec(), rng }
    }

    /// Trains from the current point, and returns the objective at the end (without dropout).
    pub fn run(&mut self, plan: &Plan) -> f64 {
        let layers: Vec<_> = self.engine.weights().collect();
        let (first, width) = (layers[0].clone(), self.engine.width());
        let count = self.theta.len();
        let (mut mean, mut square, mut gradient) = (vec![0.0; count], vec![0.0; count], vec![0.0; count]);
        for step in 1..=plan.steps {
            let masks = self.masks(plan.dropout);
            self.engine.loss_and_gradient(&self.theta, &self.x, &masks, &mut gradient);
            for upper in &layers[1..] {
                upper.clone().for_each(|i| gradient[i] += plan.ridge * self.theta[i]);
            }
            let of_first = &gradient[first.clone()];
            let shared = of_first.iter().map(|g| g * g).sum::<f64>() / of_first.len().max(1) as f64;
            let part = (step - 1) as f64 / plan.steps as f64;
            let rate = plan.rate * (1.0 - (1.0 - LAST_RATE) * part);
            let (unbias_mean, unbias_square) =
                (1.0 - DECAY_MEAN.powi(step as i32), 1.0 - DECAY_SQUARE.powi(step as i32));
            for i in 0..count {
                let g = gradient[i];
                let squared = if plan.penalty.is_some() && first.contains(&i) { shared } else { g * g };
                mean[i] = DECAY_MEAN * mean[i] + (1.0 - DECAY_MEAN) * g;
                square[i] = DECAY_SQUARE * square[i] + (1.0 - DECAY_SQUARE) * squared;
                let size = rate / ((square[i] / unbias_square).sqrt() + SMALLEST);
                self.theta[i] -= size * mean[i] / unbias_mean;
            }
            if let Some(penalty) = plan.penalty {
                let size = rate / ((square[first.start] / unbias_square).sqrt() + SMALLEST);
                penalty.prox(&mut self.theta[first.clone()], width, size);
            }
        }
        let loss = self.engine.loss_and_gradient(&self.theta, &self.x, &[], &mut gradient);
        let ridge: f64 = layers[1..].iter().flat_map(|l| l.clone()).map(|i| self.theta[i].powi(2)).sum();
        let penalty = plan.penalty.map_or(0.0, |penalty| penalty.value(&self.theta[first], width));
        loss + plan.ridge * ridge / 2.0 + penalty
    }

    /// The inputs with a non-zero weight.
    pub fn selected(&self) -> Vec<usize> {
        let (width, first) = (self.engine.width(), self.engine.weights().next().unwrap_or(0..0));
        let columns = self.theta[first].chunks(width).enumerate();
        columns.filter(|(_, w)| w.iter().any(|v| *v != 0.0)).map(|(j, _)| j).collect()
    }

    /// The first-layer neurons with a non-zero weight.
    pub fn neurons(&self) -> usize {
        let (width, first) = (self.engine.width(), self.engine.weights().next().unwrap_or(0..0));
        let weights = &self.theta[first];
        (0..width).filter(|i| weights.iter().skip(*i).step_by(width).any(|v| *v != 0.0)).count()
    }

    /// The dropout mask of a step: the neurons that are kept are scaled up, so that the mean output stays the same.
    fn masks(&mut self, dropout: f64) -> Vec<Vec<f64>> {
        if dropout == 0.0 {
            return Vec::new();
        }
        let kept = 1.0 / (1.0 - dropout);
        let rng = &mut self.rng;
        let mask = |width: &usize| {
            (0..*width).map(|_| if rng.random::<f64>() < dropout { 0.0 } else { kept }).collect()
        };
        self.hidden.iter().map(mask).collect()
    }
}

#[cfg(test)]
mod tests {
    use needlenet::Outcome;

    use super::*;

    /// A linear network with the LASSO is a convex problem; coordinate descent, written here, gives the
    /// expected value.
    #[test]
    fn without_hidden_layers_the_steps_end_at_the_lasso_solution() {
        let (n, p, lambda) = (40, 6, 0.2);
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let x: Vec<f64> = (0..n * p).map(|_| rng.sample(StandardNormal)).collect();
        let y: Vec<f64> =
            (0..n).map(|i| 2.0 * x[i] - x[n + i] + 0.3 * rng.sample::<f64, _>(StandardNormal)).collect();

        let (mut w, mut c) = (vec![0.0; p], 0.0);
        for _ in 0..2000 {
            for j in 0..=p {
                let residual: Vec<f64> =
                    (0..n).map(|i| y[i] - c - (0..p).map(|k| w[k] * x[k * n + i]).sum::<f64>()).collect();
                if j == p {
                    c += residual.iter().sum::<f64>() / n as f64;
                    continue;
                }
                let column = &x[j * n..(j + 1) * n];
                let size = column.iter().map(|v| v * v).sum::<f64>() / n as f64;
                let along = column.iter().zip(&residual).map(|(v, r)| v * r).sum::<f64>() / n as f64;
                let free = w[j] * size + along;
                w[j] = free.signum() * (free.abs() - lambda).max(0.0) / size;
            }
        }

        let engine = Engine::new(p, &[], &Outcome::Regression(y), &relu()).unwrap();
        let mut training = Training::new(engine, x, &[], 1);
        let penalty = Some(SparseGroup { lambda, a: 0.0 });
        let plan = Plan { steps: 3000, rate: 0.02, ridge: 0.0, penalty, dropout: 0.0 };
        training.run(&plan);
        for (found, exact) in training.theta.iter().zip(w.iter().chain([&c])) {
            assert!((found - exact).abs() < 1e-3, "{:?} {w:?} {c}", training.theta);
        }
        assert_eq!(training.selected(), (0..p).filter(|j| w[*j] != 0.0).collect::<Vec<_>>());
    }
}
