//! The Gauss-Newton curvature on the weights in use, as the starting model of the quasi-Newton method.
//!
//! With `J` the derivatives of the outputs by the parameters in use, and `H` the Hessian of the loss by
//! the outputs, `J' H J` is the curvature of the objective up to the curvature of the network itself,
//! which the quasi-Newton pairs then learn. Cost: O(n d^2 + d^3) for `d` parameters in use; the derivatives are held for a
//! block of samples at a time.

use std::ops::Range;

use faer::linalg::solvers::{Llt, Solve};
use faer::{Accum, Mat, MatMut, Side};

use super::objective::{Point, Problem};
use super::runs::Runs;
use crate::network::Sweep;
use crate::outcome::Curvature as ByOutputs;
use crate::product::{lower_gram, multiply, view, view_mut};

/// Beyond this many parameters the factorisation costs more than the iterations it saves.
const LARGEST: usize = 300;
/// A direction is flat if its curvature is below this part of the diagonal entries of its
/// parameters.
const RANK: f64 = 1e-6;
/// Range of the damping, relative to the diagonal. Damping bounds the step along flat directions.
const DAMPING: (f64, f64) = (1e-8, 1e2);

pub(super) struct Curvature {
    coordinates: Vec<usize>,
    factor: Llt<f64>,
    /// Workspace for the coordinates of a direction.
    inside: Mat<f64>,
}

/// How much to trust the curvature, learnt from the steps it led to.
pub(super) struct Damping(f64);

impl Damping {
    pub fn new() -> Self {
        Damping(1e-2)
    }

    /// Adapts the damping after a step with this many halvings. Returns whether the matrix must be
    /// factored again.
    pub fn learn(&mut self, halvings: usize) -> bool {
        let before = self.0;
        match halvings {
            0 => self.0 = (self.0 / 2.0).max(DAMPING.0),
            1 => {}
            _ => self.0 = (self.0 * 4.0f64.powi(halvings as i32 - 1)).min(DAMPING.1),
        }
        self.0 > 2.0 * before
    }
}

impl Curvature {
    /// The curvature at the point that the sweep evaluated last; none if too many parameters are in use. Overwrites the
    /// derivatives by the hidden layers.
    pub fn at(problem: &Problem, point: &Point, damping: &Damping, sweep: &mut Sweep) -> Option<Self> {
        let coordinates = in_use(problem, &point.theta);
        let d = coordinates.len();
        if d == 0 || d > LARGEST {
            return None;
        }
        let mut hessian = curvature_and_slope(problem, point.loss, &point.theta, &coordinates, sweep).0;
        let mean = (0..d).map(|i| hessian[(i, i)]).sum::<f64>() / d as f64;
        for i in 0..d {
            hessian[(i, i)] += problem.ridge + damping.0 * (hessian[(i, i)] + 1e-3 * mean) + 1e-12 * mean;
        }
        let factor = hessian.llt(Side::Lower).ok()?;
        Some(Curvature { coordinates, factor, inside: Mat::zeros(d, 1) })
    }

    /// Replaces `d` by the inverse curvature times `d`; the other parameters are multiplied by
    /// `scale`.
    pub fn solve(&mut self, d: &mut [f64], scale: f64) {
        for (i, &at) in self.coordinates.iter().enumerate() {
            self.inside[(i, 0)] = d[at];
        }
        self.factor.solve_in_place(MatMut::as_dyn_stride_mut(self.inside.as_mut()));
        d.iter_mut().for_each(|v| *v *= scale);
        for (i, &at) in self.coordinates.iter().enumerate() {
            d[at] = self.inside[(i, 0)];
        }
    }
}

/// The Gauss-Newton Hessian of the loss by some parameters. Leaves the derivatives by the outputs in the sweep.
pub(crate) fn gauss_newton(
    problem: &Problem,
    theta: &[f64],
    coordinates: &[usize],
    sweep: &mut Sweep,
) -> Mat<f64> {
    sweep.forward(problem.network, theta, problem.x);
    let value = problem.loss.evaluate(&sweep.out, &mut sweep.d_out);
    curvature_and_slope(problem, value, theta, coordinates, sweep).0
}

/// `J' H J` and `J' g`, for the derivatives `J` of the outputs by some parameters, the Hessian `H` of the loss by the outputs, and
/// the derivatives `g` in `sweep.d_out`.
fn curvature_and_slope(
    problem: &Problem,
    value: f64,
    theta: &[f64],
    coordinates: &[usize],
    sweep: &mut Sweep,
) -> (Mat<f64>, Vec<f64>) {
    let Problem { network, loss, x, .. } = problem;
    let d = coordinates.len();
    let out = std::mem::take(&mut sweep.out);
    let curvature = loss.curvature(value, &out);
    let zero = || (Mat::<f64>::zeros(d, d), vec![0.0; d], curvature.coupling.as_ref().map(|_| Runs::new(d)));
    let sums = sweep.fold(network, theta, x, zero, |(hessian, gradient, runs), block| {
        let d_out = block.ws.d_out.clone();
        let n = block.rows.len();
        let mut jacobians = network.jacobians(theta, block.x, block.ws, coordinates);
        for (jacobian, d_out) in jacobians.iter().zip(d_out.chunks(n)) {
            for (sum, column) in gradient.iter_mut().zip(jacobian.col_iter()) {
                *sum += column.iter().zip(d_out).map(|(j, g)| j * g).sum::<f64>();
            }
        }
        if let (Some(coupling), Some(runs)) = (&curvature.coupling, runs) {
            runs.add(coupling, block.rows.clone(), &jacobians[0]);
        }
        weigh_by_curvature(&curvature, block.rows, &mut jacobians);
        jacobians.iter().for_each(|weighted| lower_gram(hessian, Accum::Add, weighted.as_ref(), 1.0));
    });
    let mut carried = Vec::new();
    let mut coupled = |hessian: &mut Mat<f64>, runs: Option<Runs>| {
        runs.into_iter().for_each(|runs| runs.subtract_from(hessian, &mut carried));
    };
    let mut lanes = sums.into_iter();
    let (mut hessian, mut slope, runs) = lanes.next().unwrap_or_else(zero);
    coupled(&mut hessian, runs);
    for (of_lane, slope_of_lane, runs) in lanes {
        hessian += of_lane;
        slope.iter_mut().zip(slope_of_lane).for_each(|(a, b)| *a += b);
        coupled(&mut hessian, runs);
    }
    drop(curvature);
    sweep.out = out;
    for j in 1..d {
        (0..j).for_each(|i| hessian[(i, j)] = hessian[(j, i)]);
    }
    (hessian, slope)
}

/// Replaces the rows `J_i` of all outputs by `L_i' J_i` with `H_i = L_i L_i'`.
fn weigh_by_curvature(curvature: &ByOutputs, rows: Range<usize>, jacobians: &mut [Mat<f64>]) {
    let mut hessians = vec![0.0; rows.len() * jacobians.len() * jacobians.len()];
    curvature.of_rows(rows, &mut hessians);
    weigh(&mut hessians, jacobians);
}

/// Replaces the rows `J_i` of all outputs by `L_i' J_i` with `H_i = L_i L_i'`, and `H_i` by `L_i`.
pub(crate) fn weigh(hessians: &mut [f64], jacobians: &mut [Mat<f64>]) {
    let outputs = jacobians.len();
    hessians.chunks_mut(outputs * outputs).for_each(|h| lower_root(h, outputs));
    if let [jacobian] = jacobians {
        let rows = jacobian.nrows();
        for column in jacobian.col_iter_mut() {
            column.iter_mut().zip(&hessians[..rows]).for_each(|(j, root)| *j *= root);
        }
        return;
    }
    for column in 0..jacobians[0].ncols() {
        for (i, root) in hessians.chunks(outputs * outputs).enumerate() {
            // row t of L' needs only the entries s >= t, which are not overwritten yet
            for t in 0..outputs {
                let entries = (t..outputs).map(|s| root[s * outputs + t] * jacobians[s][(i, column)]);
                jacobians[t][(i, column)] = entries.sum();
            }
        }
    }
}

/// The lower triangular root of a positive semi-definite matrix, row by row; rows without a pivot are
/// skipped.
fn lower_root(h: &mut [f64], m: usize) {
    for t in 0..m {
        let pivot = h[t * m + t] - (0..t).map(|k| h[t * m + k] * h[t * m + k]).sum::<f64>();
        let root = pivot.max(0.0).sqrt();
        h[t * m + t] = root;
        for s in t + 1..m {
            let rest = h[s * m + t] - (0..t).map(|k| h[s * m + k] * h[t * m + k]).sum::<f64>();
            // a pivot below this is the rounding error of a class with probability near 1
            h[s * m + t] = if pivot > 1e-14 { rest / root } else { 0.0 };
        }
    }
}

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
    let (mut hessian, mut step) = curvature_and_slope(problem, smooth, theta, &coordinates, &mut sweep);
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
