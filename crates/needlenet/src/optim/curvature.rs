//! The Gauss-Newton curvature on the weights in use, as the starting model of the quasi-Newton method.
//!
//! With `J` the derivatives of the outputs by the parameters in use, and `H` the Hessian of the loss by
//! the outputs, `J' H J` is the curvature of the objective up to the curvature of the network itself,
//! which the quasi-Newton pairs then learn. Cost: O(n d^2 + d^3) for `d` parameters in use; the derivatives are held for a
//! block of samples at a time.

use faer::linalg::solvers::{Llt, Solve};
use faer::{Mat, MatMut, Side};

use super::objective::{Point, Problem};
use crate::loss::gram;
use crate::network::Sweep;
use crate::product::{multiply, multiply_add, view, view_mut};

/// Beyond this many parameters the factorisation costs more than the iterations it saves.
const LARGEST: usize = 300;
/// Range of the damping, which is relative to the diagonal: it bounds the step along flat directions.
const DAMPING: (f64, f64) = (1e-8, 1e2);

pub(super) struct Curvature {
    coordinates: Vec<usize>,
    factor: Llt<f64>,
    /// Room for the coordinates of a direction.
    inside: Mat<f64>,
}

/// How much to trust the curvature, learnt from the steps it led to.
pub(super) struct Damping(f64);

impl Damping {
    pub fn new() -> Self {
        Damping(1e-2)
    }

    /// After a step that was halved so many times. Returns whether the change calls for a new factor.
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
    /// The curvature at a point; none when too many parameters are in use. Leaves the sweep changed.
    pub fn at(problem: &Problem, point: &Point, damping: &Damping, sweep: &mut Sweep) -> Option<Self> {
        let coordinates = in_use(problem, &point.theta);
        let d = coordinates.len();
        if d == 0 || d > LARGEST {
            return None;
        }
        let mut hessian = gauss_newton(problem, &point.theta, &coordinates, sweep);
        let mean = (0..d).map(|i| hessian[(i, i)]).sum::<f64>() / d as f64;
        for i in 0..d {
            hessian[(i, i)] += problem.ridge + damping.0 * (hessian[(i, i)] + 1e-3 * mean) + 1e-12 * mean;
        }
        let factor = hessian.llt(Side::Lower).ok()?;
        Some(Curvature { coordinates, factor, inside: Mat::zeros(d, 1) })
    }

    /// Replaces `d` by the inverse curvature times `d`; parameters outside are multiplied by `scale`.
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

/// The Gauss-Newton Hessian of the loss by some parameters.
pub(crate) fn gauss_newton(
    problem: &Problem,
    theta: &[f64],
    coordinates: &[usize],
    sweep: &mut Sweep,
) -> Mat<f64> {
    let Problem { network, loss, x, .. } = problem;
    let d = coordinates.len();
    sweep.forward(network, theta, x);
    let value = loss.evaluate(&sweep.out, &mut sweep.d_out);
    let zero = || (Mat::<f64>::zeros(d, d), vec![0.0; d]);
    let sums = sweep.fold(network, theta, x, zero, |(hessian, gradient), block| {
        let d_out = block.ws.d_out.clone();
        let jacobians = network.jacobians(theta, block.x, block.ws, coordinates);
        *hessian += loss.gauss_newton(value, &block.ws.out, &jacobians);
        for (sum, column) in gradient.iter_mut().zip(jacobians[0].col_iter()) {
            *sum += column.iter().zip(&d_out).map(|(j, u)| j * u).sum::<f64>();
        }
    });
    let (mut hessian, gradient) = in_order(sums);
    loss.flatten(value, &gradient, &mut hessian);
    hessian
}

/// The sums of all lanes.
fn in_order(sums: Vec<(Mat<f64>, Vec<f64>)>) -> (Mat<f64>, Vec<f64>) {
    let add = |(mut a, mut b): (Mat<f64>, Vec<f64>), (c, d): (Mat<f64>, Vec<f64>)| {
        a += c;
        b.iter_mut().zip(d).for_each(|(b, d)| *b += d);
        (a, b)
    };
    sums.into_iter().reduce(add).unwrap_or_else(|| (Mat::new(), Vec::new()))
}

/// The part of the residual that no change of the parameters in use could explain, to first order: the
/// residual of a refit, without its shrinkage, for the cost of one step.
pub(super) fn unexplained(problem: &Problem, theta: &[f64], y: &[f64]) -> Option<Vec<f64>> {
    let Problem { network, x, .. } = problem;
    let mut sweep = Sweep::new(network, y.len());
    let coordinates = in_use(problem, theta);
    let d = coordinates.len();
    if d == 0 || d > LARGEST {
        return None;
    }
    sweep.forward(network, theta, x);
    let residuals = sweep.d_out.iter_mut().zip(y).zip(&sweep.out);
    residuals.for_each(|((r, y), out)| *r = y - out);
    let zero = || (Mat::<f64>::zeros(d, d), vec![0.0; d]);
    let sums = sweep.fold(network, theta, x, zero, |(squares, along), block| {
        let residual = block.ws.d_out.clone();
        let jacobian = network.jacobians(theta, block.x, block.ws, &coordinates).swap_remove(0);
        *squares += gram(jacobian.as_ref(), 1.0);
        multiply_add(view_mut(along, d, 1), jacobian.transpose(), view(&residual, residual.len(), 1));
    });
    let (mut gram, mut step) = in_order(sums);
    let mean = (0..d).map(|i| gram[(i, i)]).sum::<f64>() / d as f64;
    for i in 0..d {
        gram[(i, i)] += 1e-6 * (gram[(i, i)] + 1e-3 * mean) + 1e-12 * mean;
    }
    gram.llt(Side::Lower).ok()?.solve_in_place(MatMut::as_dyn_stride_mut(view_mut(&mut step, d, 1)));
    let rest = sweep.fold(network, theta, x, Vec::new, |rest: &mut Vec<f64>, block| {
        let residual = block.ws.d_out.clone();
        let jacobian = network.jacobians(theta, block.x, block.ws, &coordinates).swap_remove(0);
        let mut explained = vec![0.0; residual.len()];
        multiply(view_mut(&mut explained, residual.len(), 1), jacobian.as_ref(), view(&step, d, 1));
        rest.extend(residual.iter().zip(explained).map(|(r, e)| r - e));
    });
    Some(rest.concat())
}

/// Weights and biases that are not zero, and the parameters without penalty; ascending.
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
