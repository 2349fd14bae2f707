//! The Hessian of the loss by the parameters in use.
//!
//! With `J` the derivatives of the outputs by the parameters, and `H` the Hessian of the loss by
//! the outputs, `J' H J` is the Gauss-Newton part; the rest is the curvature of the network itself (`network/second_order.rs`).
//! Cost: O(n d^2) for `d` parameters; the derivatives are held for a block of samples at a time.

use std::ops::Range;

use faer::{Accum, Mat};

use super::objective::Problem;
use super::runs::Runs;
use crate::network::{SecondOrder, Sweep};
use crate::outcome::Curvature as ByOutputs;
use crate::product::lower_gram;

/// The Gauss-Newton Hessian of the loss by some parameters. Leaves the derivatives by the outputs in the sweep.
pub(crate) fn gauss_newton(
    problem: &Problem,
    theta: &[f64],
    coordinates: &[usize],
    sweep: &mut Sweep,
) -> Mat<f64> {
    sweep.forward(problem.network, theta, problem.x);
    let value = problem.loss.evaluate(&sweep.out, &mut sweep.d_out);
    Hessian::at(problem, value, theta, coordinates, false, sweep).gauss_newton
}

/// The Hessian of the loss by some parameters, in two parts.
pub(crate) struct Hessian {
    /// `J' H J`, for the derivatives `J` of the outputs by the parameters and the Hessian `H` of the loss by the outputs.
    pub gauss_newton: Mat<f64>,
    /// What the second derivatives of the network add.
    pub of_network: Mat<f64>,
}

impl Hessian {
    /// At the point that the sweep evaluated last; the part of the network only if `whole`.
    pub fn at(
        problem: &Problem,
        value: f64,
        theta: &[f64],
        coordinates: &[usize],
        whole: bool,
        sweep: &mut Sweep,
    ) -> Self {
        let Problem { network, loss, x, .. } = problem;
        let d = coordinates.len();
        let out = std::mem::take(&mut sweep.out);
        let curvature = loss.curvature(value, &out);
        let whole = whole && !network.is_linear();
        let zero = || {
            let runs = curvature.coupling.as_ref().map(|_| Runs::new(d));
            (Mat::<f64>::zeros(d, d), SecondOrder::zero(network, if whole { d } else { 0 }), runs)
        };
        let sums = sweep.fold(network, theta, x, zero, |(hessian, second, runs), block| {
            if whole {
                network.add_second_order(theta, block.x, block.ws, coordinates, second);
            }
            let mut jacobians = network.jacobians(theta, block.x, block.ws, coordinates);
            if let (Some(coupling), Some(runs)) = (&curvature.coupling, runs) {
                runs.add(coupling, block.rows.clone(), &jacobians[0]);
            }
            weigh_by_curvature(&curvature, block.rows, &mut jacobians);
            add_grams(hessian, &jacobians, 1.0);
        });
        let mut carried = Vec::new();
        let mut coupled = |hessian: &mut Mat<f64>, runs: Option<Runs>| {
            runs.into_iter().for_each(|runs| runs.subtract_from(hessian, &mut carried));
        };
        let mut lanes = sums.into_iter();
        let (mut hessian, mut second, runs) = lanes.next().unwrap_or_else(zero);
        coupled(&mut hessian, runs);
        for (of_lane, second_of_lane, runs) in lanes {
            hessian += of_lane;
            second.add(&second_of_lane);
            coupled(&mut hessian, runs);
        }
        drop(curvature);
        sweep.out = out;
        for j in 1..d {
            (0..j).for_each(|i| hessian[(i, j)] = hessian[(j, i)]);
        }
        let of_network =
            if whole { network.along_unit_rows(theta, coordinates, second) } else { Mat::zeros(d, d) };
        Hessian { gauss_newton: hessian, of_network }
    }
}

/// Replaces the rows `J_i` of all outputs by `L_i' J_i` with `H_i = L_i L_i'`.
fn weigh_by_curvature(curvature: &ByOutputs, rows: Range<usize>, jacobians: &mut [Mat<f64>]) {
    let mut hessians = vec![0.0; rows.len() * jacobians.len() * jacobians.len()];
    curvature.of_rows(rows, &mut hessians);
    weigh(&mut hessians, jacobians);
}

/// Adds the lower triangles of `factor J' J` of all outputs. The last output of a softmax has no weight, and is skipped.
pub(crate) fn add_grams(to: &mut Mat<f64>, jacobians: &[Mat<f64>], factor: f64) {
    let is_zero = |matrix: &Mat<f64>| matrix.col_iter().all(|column| column.iter().all(|v| *v == 0.0));
    for jacobian in jacobians.iter().filter(|jacobian| !is_zero(jacobian)) {
        lower_gram(to, Accum::Add, jacobian.as_ref(), factor);
    }
}

/// Replaces the rows `J_i` of all outputs by `L_i' J_i` with `H_i = L_i L_i'`, and `H_i` by `L_i`.
pub(crate) fn weigh(hessians: &mut [f64], jacobians: &mut [Mat<f64>]) {
    let outputs = jacobians.len();
    hessians.chunks_mut(outputs * outputs).for_each(|h| lower_root(h, outputs));
    let rows = jacobians[0].nrows();
    // one entry of `L` for all samples, so that the columns of the derivatives are worked on as a whole
    let entries = |s: usize, t: usize| -> Vec<f64> {
        hessians.chunks(outputs * outputs).take(rows).map(|root| root[s * outputs + t]).collect()
    };
    let roots: Vec<Vec<Vec<f64>>> =
        (0..outputs).map(|t| (t..outputs).map(|s| entries(s, t)).collect()).collect();
    for column in 0..jacobians[0].ncols() {
        for (t, roots) in roots.iter().enumerate() {
            // row t of L' needs only the rows s >= t of J, which are not overwritten yet
            let (done, others) = jacobians.split_at_mut(t + 1);
            let to = done[t].col_as_slice_mut(column);
            to.iter_mut().zip(&roots[0]).for_each(|(j, root)| *j *= root);
            for (other, roots) in others.iter().zip(&roots[1..]) {
                let from = other.col_as_slice(column).iter().zip(roots);
                to.iter_mut().zip(from).for_each(|(j, (from, root))| *j += root * from);
            }
        }
    }
}

/// The lower triangular root of a positive semi-definite matrix, row by row; rows without a pivot are
/// skipped.
fn lower_root(h: &mut [f64], m: usize) {
    for t in 0..m {
        let pivot = h[t * m + t] - (0..t).map(|k| h[t * m + k] * h[t * m + k]).sum::<f64>();
        // a smaller pivot is the rounding error of a class with probability near 1, or of a shift of all outputs
        let root = if pivot > 1e-14 { pivot.sqrt() } else { 0.0 };
        h[t * m + t] = root;
        for s in t + 1..m {
            let rest = h[s * m + t] - (0..t).map(|k| h[s * m + k] * h[t * m + k]).sum::<f64>();
            h[s * m + t] = if root > 0.0 { rest / root } else { 0.0 };
        }
    }
}
