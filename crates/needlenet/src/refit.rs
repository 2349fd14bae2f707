//! The refit: the same network on the needles alone, without the penalty.
//!
//! The penalty shrinks what it keeps, which hurts prediction and not selection (paper, section 3.2).
//! In a network weights that are zero stay zero; the others of `W_1`, the biases and the intercept are free. The
//! rows above keep the direction that was found: beyond its bend a neuron is linear, so without a
//! penalty their size and that of `W_1` could be traded for each other without end. In classification a ridge
//! `||theta_1||^2 / 2` keeps separable classes from sending the weights to infinity.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

use crate::loss::Loss;
use crate::network::Sweep;
use crate::optim::curvature::gauss_newton;
use crate::optim::descent::{Descent, Limits, descend};
use crate::optim::live::Live;
use crate::optim::objective::Problem;
use crate::optim::solve::Setting;
use crate::penalty::Penalty;

/// The weight of the ridge in classification.
const RIDGE: f64 = 1.0;

/// Which parameters a refit leaves alone.
fn frozen(live: &Live) -> Vec<bool> {
    let mut frozen = vec![false; live.theta.len()];
    // an input chosen for one class may serve them all
    if live.network.is_linear() {
        return frozen;
    }
    let mut freeze = |i: usize| frozen[i] = live.theta[i] == 0.0;
    live.network.layers[0].weights.clone().for_each(&mut freeze);
    live.network.penalised_biases().flatten().for_each(&mut freeze);
    live.network.unit_layers().flat_map(|l| l.weights.clone()).for_each(|i| frozen[i] = true);
    frozen
}

/// Refits `live`, which holds needles only.
pub(crate) fn refit(setting: &Setting, live: &Live, limits: Limits) -> Descent {
    let x = setting.inputs(&live.columns);
    let frozen = frozen(live);
    let ridge = match setting.loss {
        Loss::CrossEntropy { .. } => RIDGE,
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
    let mut sweep = Sweep::new(&live.network, setting.loss.n());
    descend(&problem, live.theta.clone(), limits, &mut sweep)
}

/// The cross-entropy of each sample predicted by a refit without it, to first order: with `H` the
/// curvature of the refit, `A = J_i H^-1 J_i'` for the outputs of sample `i`, `W` the Hessian of its loss by
/// them and `g` its gradient, leaving it out moves its outputs by `A (I - W A)^-1 g`. None in regression.
pub(crate) fn left_out_losses(setting: &Setting, live: &Live, theta: &[f64]) -> Option<Vec<f64>> {
    let Loss::CrossEntropy { labels, n_classes, link } = setting.loss else { return None };
    let network = &live.network;
    let x = setting.inputs(&live.columns);
    let mut sweep = Sweep::new(network, labels.len());
    let frozen = frozen(live);
    let free: Vec<usize> = (0..theta.len()).filter(|i| !frozen[*i]).collect();
    let mut curvature = gauss_newton(&setting.on(&x, network), theta, &free, &mut sweep);
    let intercepts = network.last().biases.start;
    for (at, parameter) in free.iter().enumerate() {
        // the softmax does not see a common shift of all intercepts
        curvature[(at, at)] += if *parameter < intercepts { RIDGE } else { 1e-6 };
    }
    let factor = curvature.llt(Side::Lower).ok()?;
    let outputs = network.n_outputs();
    let losses = sweep.fold(network, theta, &x, Vec::new, |losses: &mut Vec<f64>, block| {
        let jacobians = network.jacobians(theta, block.x, block.ws, &free);
        let n = block.rows.len();
        let mut p = vec![0.0; *n_classes];
        for (i, label) in labels[block.rows].iter().enumerate() {
            let mut out: Vec<f64> = (0..outputs).map(|t| block.ws.out[t * n + i]).collect();
            link.probabilities(&out, &mut p);
            let rows = Mat::from_fn(free.len(), outputs, |at, t| jacobians[t][(i, at)]);
            let influence = rows.transpose() * factor.solve(&rows);
            let weight =
                Mat::from_fn(outputs, outputs, |s, t| if s == t { p[s] - p[s] * p[t] } else { -p[s] * p[t] });
            let gradient = Mat::from_fn(outputs, 1, |t, _| p[t] - f64::from(u8::from(t == *label)));
            let remaining = Mat::<f64>::identity(outputs, outputs) - &weight * &influence;
            let moved = &influence * remaining.partial_piv_lu().solve(&gradient);
            out.iter_mut().enumerate().for_each(|(t, o)| *o += moved[(t, 0)]);
            link.probabilities(&out, &mut p);
            losses.push(-p[*label].max(f64::MIN_POSITIVE).ln());
        }
    });
    Some(losses.concat())
}
