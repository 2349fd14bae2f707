//! The refit: the same network on the needles alone, without the penalty.
//!
//! The penalty shrinks what it keeps, which hurts prediction and not selection (paper, section 3.2).
//! Weights that are zero stay zero; the others of `W_1`, the biases and the intercept are free. The
//! rows above keep the direction that was found: beyond its bend a neuron is linear, so without a
//! penalty their size and that of `W_1` could be traded for each other without end. In classification a ridge
//! `||theta_1||^2 / 2` keeps separable classes from sending the weights to infinity.

use crate::loss::Loss;
use crate::network::Workspace;
use crate::optim::descent::{Descent, Limits, descend};
use crate::optim::live::Live;
use crate::optim::objective::Problem;
use crate::optim::solve::Setting;
use crate::penalty::Penalty;

/// Refits `live`, which holds needles only.
pub(crate) fn refit(setting: &Setting, live: &Live, limits: Limits) -> Descent {
    let x = setting.gather(&live.columns);
    let mut frozen = vec![false; live.theta.len()];
    let mut freeze = |i: usize| frozen[i] = live.theta[i] == 0.0;
    live.network.layers[0].weights.clone().for_each(&mut freeze);
    live.network.penalised_biases().flatten().for_each(&mut freeze);
    live.network.unit_layers().flat_map(|l| l.weights.clone()).for_each(|i| frozen[i] = true);
    let ridge = match setting.loss {
        Loss::CrossEntropy { .. } => 1.0,
        _ => 0.0,
    };
    let problem = Problem {
        x: &x,
        loss: setting.loss,
        network: &live.network,
        penalty: Penalty::L1,
        lambda: 0.0,
        tau: 1.0,
        scale: setting.lambda,
        ridge,
        frozen: Some(&frozen),
        observer: setting.observer,
    };
    let mut ws = Workspace::new(&live.network, setting.loss.n());
    descend(&problem, live.theta.clone(), limits, &mut ws)
}
