//! A refit to first order: what the fit would be without the shrinkage of the penalty, at the cost of one Gauss-Newton matrix.

use faer::linalg::solvers::Solve;
use faer::{Mat, MatMut, Side};

use super::curvature::Hessian;
use super::objective::Problem;
use crate::network::Sweep;
use crate::product::{multiply, view, view_mut};

/// Beyond this many parameters the matrix costs too much.
const LARGEST: usize = 300;
/// A direction is flat if its curvature is below this part of the diagonal entries of its
/// parameters.
const RANK: f64 = 1e-6;

/// A refit of the parameters in use without the penalty, to first order.
pub(crate) struct FirstOrderRefit {
    /// The loss.
    pub value: f64,
    /// The outputs, `n x n_outputs`.
    pub out: Vec<f64>,
    /// The degrees of freedom: the number of directions of the parameters in use that change the outputs. Linear
    /// neurons and the outputs of a softmax have fewer of them than parameters.
    pub degrees_of_freedom: f64,
}

/// One step of the refit: it undoes the shrinkage to first order, at the cost of one curvature. The step is halved until it
/// lowers the loss. None if too many parameters are in use.
pub(crate) fn first_order_refit(problem: &Problem, theta: &[f64]) -> Option<FirstOrderRefit> {
    let Problem { network, x, loss, .. } = problem;
    let coordinates = in_use(problem, theta);
    let d = coordinates.len();
    if d == 0 || d > LARGEST {
        return None;
    }
    let mut sweep = Sweep::new(network, loss.n());
    sweep.forward(network, theta, x);
    let value = loss.evaluate(&sweep.out, &mut sweep.d_out);
    // at fixed noise the loss is smooth and has the same minimum
    let held = loss.at_noise(loss.noise(value, loss.size()));
    let smooth = held.evaluate(&sweep.out, &mut sweep.d_out);
    let problem = &Problem { loss: &*held, ..problem.clone() };
    let mut gradient = vec![0.0; network.n_params()];
    sweep.backward(network, theta, x, &mut gradient);
    network.project_to_tangent(theta, &mut gradient);
    let mut step: Vec<f64> = coordinates.iter().map(|&i| gradient[i]).collect();
    let mut hessian = Hessian::at(problem, smooth, theta, &coordinates, false, &mut sweep).gauss_newton;
    let mean = (0..d).map(|i| hessian[(i, i)]).sum::<f64>() / d as f64;
    let small: Vec<f64> = (0..d).map(|i| RANK * (hessian[(i, i)] + 1e-3 * mean) + 1e-12 * mean).collect();
    let degrees_of_freedom = rank(&hessian, &small)?;
    for i in 0..d {
        hessian[(i, i)] += loss.ridge() + small[i];
    }
    hessian.llt(Side::Lower).ok()?.solve_in_place(MatMut::as_dyn_stride_mut(view_mut(&mut step, d, 1)));
    let outputs = network.n_outputs();
    let moves = sweep.fold(network, theta, x, Vec::new, |moves: &mut Vec<f64>, block| {
        let rows = block.rows.len();
        // samples in order, so that the results of the lanes can be concatenated
        let mut of_block = vec![0.0; rows * outputs];
        for (t, jacobian) in network.jacobians(theta, block.x, block.ws, &coordinates).iter().enumerate() {
            let mut moved = vec![0.0; rows];
            multiply(view_mut(&mut moved, rows, 1), jacobian.as_ref(), view(&step, d, 1));
            moved.iter().enumerate().for_each(|(i, m)| of_block[i * outputs + t] = -m);
        }
        moves.extend(of_block);
    });
    let moves = moves.concat();
    let n = loss.n();
    let mut size = 1.0;
    for _ in 0..10 {
        let out: Vec<f64> =
            (0..n * outputs).map(|at| sweep.out[at] + size * moves[at % n * outputs + at / n]).collect();
        let moved = loss.evaluate(&out, &mut sweep.d_out);
        if moved <= value {
            return Some(FirstOrderRefit { value: moved, out, degrees_of_freedom });
        }
        size *= 0.5;
    }
    Some(FirstOrderRefit { value, out: sweep.out, degrees_of_freedom })
}

/// The number of directions with positive curvature: the trace of `(H + R)^-1 H` for a small diagonal `R`.
fn rank(hessian: &Mat<f64>, small: &[f64]) -> Option<f64> {
    let d = small.len();
    let mut raised = hessian.clone();
    (0..d).for_each(|i| raised[(i, i)] += small[i]);
    let inverse = raised.llt(Side::Lower).ok()?.solve(Mat::<f64>::identity(d, d));
    Some(d as f64 - (0..d).map(|i| small[i] * inverse[(i, i)]).sum::<f64>())
}

/// The non-zero weights and biases, and the unpenalised parameters; ascending.
fn in_use(problem: &Problem, theta: &[f64]) -> Vec<usize> {
    let mut used = Vec::new();
    problem.for_each_group(|group| {
        if theta[group.clone()].iter().any(|v| *v != 0.0) {
            used.extend(group);
        }
    });
    problem.for_each_free(|i| used.push(i));
    used.retain(|i| !problem.frozen.is_some_and(|frozen| frozen[*i]));
    used.sort_unstable();
    used
}
