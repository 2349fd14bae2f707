//! spinn, the sparse-input network: sparse group LASSO on the first layer, tuned on a validation set.
//!
//! A ReLU network with squared error (or cross-entropy), a ridge of 1e-4 on the upper layers, and the penalty of
//! `sparse_group.rs`. lambda and the weight `a` of the group norm are those with the best prediction on 30% of the
//! samples. For each `a` the network is first trained at the smallest lambda; then lambda rises, each fit warm-started
//! from the last, so that inputs drop out one after the other. The largest lambda is 10 times the scale of the
//! outcome: with such a small ridge, a first-layer weight can shrink while its upper weight grows, and with a smaller
//! grid inputs were kept on tables without needles. Written from the description of the method; the program of its
//! authors is not used.
//!
//! Cost: `first_steps + lambdas * next_steps` passes for each `a`.

use needlenet::internals::engine::Engine;
use needlenet::{Prediction, Result};

use super::descent::{Plan, Training, relu};
use super::sparse_group::SparseGroup;
use super::standardised::Standardised;
use super::{Learned, Learner, validation};
use crate::sample::Sample;

/// The network, the grid and the training.
#[derive(Debug, Clone)]
pub struct Spinn {
    /// Widths of the hidden layers.
    pub hidden: Vec<usize>,
    /// Penalties, rising; the unit is the standard deviation of the outcome, or one in classification.
    pub lambdas: Vec<f64>,
    /// Weights of the group norm; small, so that the penalty is essentially the LASSO (paper, section
    /// 3.1).
    pub parts: Vec<f64>,
    /// Dropout rates; only 0 in spinn itself.
    pub dropouts: Vec<f64>,
    /// Weight of the ridge on the upper layers.
    pub ridge: f64,
    /// Steps at the smallest penalty.
    pub first_steps: usize,
    /// Steps at every further penalty.
    pub next_steps: usize,
    /// The first learning rate.
    pub rate: f64,
}

impl Default for Spinn {
    fn default() -> Self {
        Spinn {
            hidden: vec![20],
            lambdas: (0..13).map(|i| 0.001 * 1e4f64.powf(f64::from(i) / 12.0)).collect(),
            parts: vec![0.01, 0.1],
            dropouts: vec![0.0],
            ridge: 1e-4,
            first_steps: 1000,
            next_steps: 300,
            rate: 0.01,
        }
    }
}

impl Learner for Spinn {
    fn learn(&self, train: &Sample, test: &Sample, seed: u64) -> Result<Learned> {
        // refuses what needlenet refuses, with the same message
        train.data()?;
        let (learning, held_out) = validation::hold_out(train, seed);
        let scale = Standardised::of(&learning);
        let (x, x_held_out, x_test) = (scale.inputs(&learning), scale.inputs(&held_out), scale.inputs(test));
        let predict = |training: &Training, x: &[f64], n| {
            scale.prediction(training.engine.predict(&training.theta, x, n), &learning)
        };
        let mut best = None;
        let mut lowest = f64::INFINITY;
        for &dropout in &self.dropouts {
            for &a in &self.parts {
                let engine = Engine::new(train.p(), &self.hidden, &scale.outcome(&learning), &relu())?;
                let mut training = Training::new(engine, x.clone(), &self.hidden, seed);
                for (at, &lambda) in self.lambdas.iter().enumerate() {
                    let penalty = Some(SparseGroup { lambda, a });
                    let steps = if at == 0 { self.first_steps } else { self.next_steps };
                    let plan = Plan { steps, rate: self.rate, ridge: self.ridge, penalty, dropout };
                    let objective = training.run(&plan);
                    let judged = predict(&training, &x_held_out, held_out.n());
                    let error = validation::error(&judged, &held_out.outcome);
                    // the first candidate is kept whatever it predicts, so that there always is one
                    if error < lowest || best.is_none() {
                        lowest = error;
                        let choice = format!("lambda {lambda:.2e} a {a} dropout {dropout}");
                        best =
                            Some(found(&training, predict(&training, &x_test, test.n()), objective, choice));
                    }
                    // a larger penalty does not recover inputs that a smaller one has lost
                    if training.selected().is_empty() {
                        break;
                    }
                }
            }
        }
        best.ok_or(needlenet::Error::Parameter {
            name: "grid of spinn",
            value: "empty".into(),
            accepted: "at least one lambda, one part and one dropout rate",
        })
    }
}

fn found(training: &Training, predicted: Prediction, objective: f64, choice: String) -> Learned {
    Learned {
        selected: Some(training.selected()),
        sure: None,
        stand_ins: Vec::new(),
        predicted,
        neurons: Some(training.neurons()),
        objective,
        kkt: None,
        stop: choice,
        converged: None,
    }
}
