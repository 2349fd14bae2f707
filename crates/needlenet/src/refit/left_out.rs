//! The loss of each sample predicted by a refit without it, to first order.
//!
//! Let `H` be the curvature of the refit and `A = J_i H^-1 J_i'` for the outputs of sample `i`. Let `g` and `W` be the
//! gradient and Hessian of its loss by these outputs. Leaving the sample out moves its outputs by `A (I - W A)^-1 g`.
//!
//! In survival a sample also leaves the risk sets of others. Its part in the gradient is its score residual
//! $U_i = g_i J_i + (D_i - g_i) \bar J(t_i) - D_i \bar J_i$, with the expected events `D_i`, the mean of those at risk at its time and its
//! mean over the time until then. Leaving it out moves the parameters by $H^{-1} U_i / (1 - h_i)$,
//! and its part of the loss is followed to second order.
//! Cost: O(n d^2) for `d` free parameters. Tested against real refits in `src/tests/same_function.rs`.

use faer::linalg::solvers::{Llt, Solve};
use faer::{Mat, Side};

use super::frozen;
use crate::local::active::Live;
use crate::local::curvature::gauss_newton;
use crate::local::working_set::Setting;
use crate::network::Sweep;
use crate::outcome::Coupling;
use crate::product::dot;
use crate::table::Samples;

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
    if let Some(coupling) = &by_outputs.coupling {
        let gradient = sweep.d_out.clone();
        let blocks = sweep.fold(network, theta, &x, Vec::new, |blocks: &mut Vec<Mat<f64>>, block| {
            blocks.extend(network.jacobians(theta, block.x, block.ws, &free));
        });
        let blocks = blocks.concat();
        let jacobian = |at: usize| blocks.iter().flat_map(|b| b.col_as_slice(at)).copied().collect();
        let jacobian: Vec<Vec<f64>> = (0..free.len()).map(jacobian).collect();
        let mut expected = vec![0.0; n];
        by_outputs.of_rows(0..n, &mut expected);
        let moves = moves_of_coupled(coupling, &jacobian, &gradient, &expected, loss.samples(), &factor);
        return Some(loss.of_each(&fitted).iter().zip(moves).map(|(loss, moved)| loss + moved).collect());
    }
    let moved = sweep.fold(network, theta, &x, Vec::new, |moved: &mut Vec<f64>, block| {
        let rows = block.rows.len();
        let first = block.rows.start;
        let gradients = block.ws.d_out.clone();
        let mut weights = vec![0.0; rows * outputs * outputs];
        by_outputs.of_rows(block.rows, &mut weights);
        let out = block.ws.out.clone();
        // one column for each sample
        let turned = |jacobian: Mat<f64>| jacobian.transpose().to_owned();
        let jacobians = network.jacobians(theta, block.x, block.ws, &free);
        let jacobians: Vec<Mat<f64>> = jacobians.into_iter().map(turned).collect();
        let solved: Vec<Mat<f64>> = jacobians.iter().map(|jacobian| factor.solve(jacobian)).collect();
        for (i, weight) in weights.chunks(outputs * outputs).enumerate() {
            let along = |s: usize, t: usize| dot(jacobians[s].col_as_slice(i), solved[t].col_as_slice(i));
            let influence = Mat::from_fn(outputs, outputs, along);
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

/// How much the loss of each sample rises, at weight 1, if it is left out and the loss couples the samples. `jacobian` has a column for each
/// parameter; `expected` is the diagonal of the Hessian by the outputs.
fn moves_of_coupled(
    coupling: &Coupling,
    jacobian: &[Vec<f64>],
    gradient: &[f64],
    expected: &[f64],
    samples: &Samples,
    hessian: &Llt<f64>,
) -> Vec<f64> {
    let (n, d) = (gradient.len(), jacobian.len());
    let (mut scores, mut centred) = (Mat::<f64>::zeros(d, n), Mat::<f64>::zeros(d, n));
    for (at, column) in jacobian.iter().enumerate() {
        let at_risk = coupling.means_at_risk(column);
        let mut apart = vec![0.0; n];
        coupling.subtract(column, &mut apart);
        for i in 0..n {
            let events = expected[i] - gradient[i];
            scores[(at, i)] = gradient[i] * column[i] + events * at_risk[i] + apart[i];
            centred[(at, i)] = column[i] + if expected[i] > 0.0 { apart[i] / expected[i] } else { 0.0 };
        }
    }
    let (moves, spread) = (hessian.solve(&scores), hessian.solve(&centred));
    let along = |a: &Mat<f64>, b: &Mat<f64>, i: usize| dot(a.col_as_slice(i), b.col_as_slice(i));
    let of_sample = |i: usize| {
        let (weight, copies) = (samples.weight(i), samples.copies(i));
        let influence = expected[i] / copies * along(&centred, &spread, i);
        let step = 1.0 / (copies * (1.0 - influence));
        let bent = 0.5 * expected[i] * (step * along(&centred, &moves, i)).powi(2);
        (step * along(&scores, &moves, i) + bent) / weight
    };
    (0..n).map(of_sample).collect()
}
