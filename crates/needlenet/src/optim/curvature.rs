//! The Gauss-Newton curvature on the weights in use, as the starting model of the quasi-Newton method.
//!
//! With `J` the derivatives of the outputs by the parameters in use, and `H` the Hessian of the loss by
//! the outputs, `J' H J` is the curvature of the objective up to the curvature of the network itself,
//! which the quasi-Newton pairs then learn. Cost: O(n d^2 + d^3) for `d` parameters in use.

use faer::linalg::solvers::{Llt, Solve};
use faer::{Mat, MatMut, Side};

use super::objective::{Point, Problem};
use crate::loss::gram;
use crate::network::Workspace;
use crate::product::multiply;

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
    /// The curvature at a point; none when too many parameters are in use. Leaves the workspace changed.
    pub fn at(problem: &Problem, point: &Point, damping: &Damping, ws: &mut Workspace) -> Option<Self> {
        let coordinates = in_use(problem, &point.theta);
        let d = coordinates.len();
        if d == 0 || d > LARGEST {
            return None;
        }
        problem.network.forward(&point.theta, problem.x, ws);
        let jacobians = problem.network.jacobians(&point.theta, problem.x, ws, &coordinates);
        let mut hessian = problem.loss.gauss_newton(&ws.out, &jacobians);
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

/// The part of the residual that no change of the parameters in use could explain, to first order: the
/// residual of a refit, without its shrinkage, for the cost of one step.
pub(super) fn unexplained(problem: &Problem, theta: &[f64], y: &[f64]) -> Option<Vec<f64>> {
    let n = y.len();
    let mut ws = Workspace::new(problem.network, n);
    let coordinates = in_use(problem, theta);
    if coordinates.is_empty() || coordinates.len() > LARGEST {
        return None;
    }
    problem.network.forward(theta, problem.x, &mut ws);
    let residual: Mat<f64> = Mat::from_fn(n, 1, |i, _| y[i] - ws.out[i]);
    let jacobian = problem.network.jacobians(theta, problem.x, &mut ws, &coordinates).swap_remove(0);
    let mut gram = gram(jacobian.as_ref(), 1.0);
    let mean = (0..coordinates.len()).map(|i| gram[(i, i)]).sum::<f64>() / coordinates.len() as f64;
    for i in 0..coordinates.len() {
        gram[(i, i)] += 1e-6 * (gram[(i, i)] + 1e-3 * mean) + 1e-12 * mean;
    }
    let mut step: Mat<f64> = Mat::zeros(coordinates.len(), 1);
    multiply(step.as_mut(), jacobian.transpose(), residual.as_ref());
    gram.llt(Side::Lower).ok()?.solve_in_place(MatMut::as_dyn_stride_mut(step.as_mut()));
    let mut explained: Mat<f64> = Mat::zeros(n, 1);
    multiply(explained.as_mut(), jacobian.as_ref(), step.as_ref());
    Some((0..n).map(|i| residual[(i, 0)] - explained[(i, 0)]).collect())
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
