//! A standard network: ReLU, no penalty, Adam over all samples for a fixed number of steps.
//!
//! It uses every input, so only its predictions are compared.

use needlenet::Result;
use needlenet::internals::engine::Engine;

use super::descent::{Plan, Training, relu};
use super::standardised::Standardised;
use super::{Learned, Learner};
use crate::sample::Sample;

/// A network without any mechanism for sparsity.
#[derive(Debug, Clone)]
pub struct StandardNetwork {
    /// Widths of the hidden layers.
    pub hidden: Vec<usize>,
    /// Steps of Adam.
    pub steps: usize,
    /// The first learning rate.
    pub rate: f64,
}

impl Default for StandardNetwork {
    fn default() -> Self {
        StandardNetwork { hidden: vec![20], steps: 1000, rate: 0.01 }
    }
}

impl Learner for StandardNetwork {
    fn learn(&self, train: &Sample, test: &Sample, seed: u64) -> Result<Learned> {
        // refuses what needlenet refuses, with the same message
        train.data()?;
        let scale = Standardised::of(train);
        let engine = Engine::new(train.p(), &self.hidden, &scale.outcome(train), &relu())?;
        let mut training = Training::new(engine, scale.inputs(train), &self.hidden, seed);
        let plan = Plan { steps: self.steps, rate: self.rate, ridge: 0.0, penalty: None, dropout: 0.0 };
        let objective = training.run(&plan);
        let outputs = training.engine.predict(&training.theta, &scale.inputs(test), test.n());
        Ok(Learned {
            selected: None,
            sure: None,
            stand_ins: Vec::new(),
            predicted: scale.prediction(outputs, train),
            neurons: None,
            objective,
            kkt: None,
            stop: format!("{} steps", self.steps),
            converged: None,
        })
    }
}
