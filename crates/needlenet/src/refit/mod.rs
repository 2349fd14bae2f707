//! The refit: the same network on the needles, without the penalty.
//!
//! The penalty shrinks the weights that it keeps, which hurts prediction but not selection (paper, section 3.2).
//! In a network zero weights stay zero; the other weights of `W_1`, the biases and the intercept are free. The upper rows
//! keep their direction: beyond its bend a neuron is linear, so without a penalty the scale of the upper rows and that of `W_1`
//! could compensate each other without limit. Outcomes that can be fitted perfectly, such as separable classes, have a ridge
//! penalty `||theta_1||^2 / 2`.

mod committee;
mod left_out;
mod levenberg;
mod stand_ins;

#[cfg(test)]
pub(crate) use committee::mean_of;
pub(crate) use committee::{Committee, committee};
#[cfg(test)]
pub(crate) use left_out::left_out_losses;
pub(crate) use stand_ins::{Refitted, refit_with_stand_ins};

use crate::local::active::Live;
use crate::local::descent::{Descent, Limits, descend};
use crate::local::objective::Problem;
use crate::local::working_set::Setting;
use crate::network::Sweep;
use crate::penalty::Penalty;

/// The parameters that a refit does not change.
fn frozen(live: &Live) -> Vec<bool> {
    let mut frozen = vec![false; live.theta.len()];
    // an input chosen for one class may help the others
    if live.network.is_linear() {
        return frozen;
    }
    let mut freeze = |i: usize| frozen[i] = live.theta[i] == 0.0;
    live.network.layers[0].weights.clone().for_each(&mut freeze);
    live.network.penalised_biases().flatten().for_each(&mut freeze);
    live.network.unit_layers().flat_map(|l| l.weights.clone()).for_each(|i| frozen[i] = true);
    frozen
}

/// Refits `live`, which has needles only.
pub(crate) fn refit(setting: &Setting, live: &Live, limits: Limits) -> Descent {
    let x = setting.inputs(&live.columns);
    let frozen = frozen(live);
    let problem = Problem {
        x: &x,
        loss: setting.loss,
        network: &live.network,
        penalty: Penalty::L1,
        lambda: 0.0,
        tau: 1.0,
        scale: setting.lambda,
        ridge: setting.loss.ridge(),
        frozen: Some(&frozen),
        observer: setting.observer,
    };
    let mut sweep = Sweep::new(&live.network, setting.loss.n());
    descend(&problem, live.theta.clone(), limits, &mut sweep)
}
