//! The loss of each sample predicted by a refit without it, to first order.
//!
//! Let `H` be the curvature of the refit and `A = J_i H^-1 J_i'` for the outputs of sample `i`. Let `g` and `W` be the
//! gradient and Hessian of its loss by these outputs. Leaving the sample out moves its outputs by `A (I - W A)^-1 g`.
//! Cost: O(n d^2) for `d` free parameters. Tested against real refits in `tests/stand_ins.rs`.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

use super::frozen;
use crate::local::active::Live;
use crate::local::curvature::gauss_newton;
use crate::local::working_set::Setting;
use crate::network::Sweep;

/// The weighted loss of all rows; none if the curvature cannot be factored.
pub(crate) fn left_out_loss(setting: &Setting, live: &Live, theta: &[f64]) -> Option<f64> {
    let losses = left_out_losses(setting, live, theta)?;
    Some(setting.loss.samples().sum(losses.len(), |i| losses[i]))
}

/// The loss of each row at weight 1.
pub(crate) fn left_out_losses(setting: &Setting, live: &Live, theta: &[f64]) -> Option<Vec<f64>> {
    let loss = setting.loss.at_noise(1.0);
    let setting = Setting { loss: &*loss, ..*setting };
    let (network, n) = (&live.network, loss.n());
    let x = setting.inputs(&live.columns);
    let mut sweep = Sweep::new(network, n);
    let frozen = frozen(live);
    let free: Vec<usize> = (0..theta.len()).filter(|i| !frozen[*i]).collect();
    let mut curvature = gauss_newton(&setting.on(&x, network), theta, &free, &mut sweep);
    let intercepts = network.last().biases.start;
    for (at, parameter) in free.iter().enumerate() {
        // a common shift of all intercepts does not change a softmax
        curvature[(at, at)] += if *parameter < intercepts { loss.ridge() } else { 1e-6 };
    }
    let factor = curvature.llt(Side::Lower).ok()?;
    let outputs = network.n_outputs();
    let fitted = sweep.out.clone();
    let by_outputs = loss.curvature(loss.null_loss(), &fitted);
    let moved = sweep.fold(network, theta, &x, Vec::new, |moved: &mut Vec<f64>, block| {
        let rows = block.rows.len();
        let first = block.rows.start;
        let gradients = block.ws.d_out.clone();
        let mut weights = vec![0.0; rows * outputs * outputs];
        by_outputs.of_rows(block.rows, &mut weights);
        let out = block.ws.out.clone();
        let jacobians = network.jacobians(theta, block.x, block.ws, &free);
        for (i, weight) in weights.chunks(outputs * outputs).enumerate() {
            let rows_of = Mat::from_fn(free.len(), outputs, |at, t| jacobians[t][(i, at)]);
            let influence = rows_of.transpose() * factor.solve(&rows_of);
            // one sample of those that the row stands for
            let copies = loss.samples().copies(first + i);
            let weight = Mat::from_fn(outputs, outputs, |s, t| weight[s * outputs + t] / copies);
            let gradient = Mat::from_fn(outputs, 1, |t, _| gradients[t * rows + i] / copies);
            let remaining = Mat::<f64>::identity(outputs, outputs) - &weight * &influence;
            let step = &influence * remaining.partial_piv_lu().solve(&gradient);
            moved.extend((0..outputs).map(|t| out[t * rows + i] + step[(t, 0)]));
        }
    });
    let moved = moved.concat();
    let out: Vec<f64> = (0..n * outputs).map(|at| moved[at % n * outputs + at / n]).collect();
    Some(loss.of_each(&out))
}
