//! The objective (paper, equation `L1`) and its optimality conditions.
//!
//! $$L_n(y, \mu_\theta(X)) + \lambda \sum_g \tau \rho(\lVert\theta_g\rVert / \tau)
//!   = \underbrace{L_n + \lambda \sum_g (\tau \rho(\lVert\theta_g\rVert/\tau) - \lVert\theta_g\rVert)}_{\text{smooth}}
//!   + \lambda \sum_g \lVert\theta_g\rVert$$
//!
//! A point is stationary when minus the gradient of the smooth part lies in `lambda` times the
//! subdifferential of the rest; the *KKT violation* is the distance, relative to `lambda`.

use std::ops::Range;

use crate::network::{Inputs, Network, Sweep};
use crate::outcome::Loss;
use crate::penalty::Penalty;
use crate::product::{for_each_nonzero, larger, largest_magnitude, norm};
use crate::progress::Observer;

/// One problem: a loss on some inputs, a penalty, its weight and its unit.
#[derive(Clone)]
pub(crate) struct Problem<'a> {
    pub x: &'a Inputs<'a>,
    pub loss: &'a dyn Loss,
    pub network: &'a Network,
    pub penalty: Penalty,
    pub lambda: f64,
    pub tau: f64,
    /// The scale of the KKT violation: `lambda`, except in a refit, which has no penalty.
    pub scale: f64,
    /// Weight of a ridge penalty `||theta_1||^2 / 2` (refits of separable classes).
    pub ridge: f64,
    /// Parameters that must stay zero (refits).
    pub frozen: Option<&'a [bool]>,
    pub observer: &'a dyn Observer,
}

/// A point with its smooth value and gradient.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub theta: Vec<f64>,
    /// Gradient of the smooth part, tangent to the unit rows.
    pub gradient: Vec<f64>,
    pub loss: f64,
    /// Loss plus penalty.
    pub objective: f64,
}

impl Problem<'_> {
    /// Calls `visit` for every run of penalised groups of equal size, with that size.
    pub fn for_each_run(&self, mut visit: impl FnMut(Range<usize>, usize)) {
        let grouped = self.penalty.is_grouped();
        visit(self.network.layers[0].weights.clone(), if grouped { self.network.width() } else { 1 });
        self.network.penalised_biases().for_each(|run| {
            let size = if grouped { run.len() } else { 1 };
            visit(run, size);
        });
    }

    /// Calls `visit` with the range of every penalised group.
    pub fn for_each_group(&self, mut visit: impl FnMut(Range<usize>)) {
        self.for_each_run(|run, size| run.step_by(size).for_each(|i| visit(i..i + size)));
    }

    /// Calls `visit` with every unpenalised parameter: upper weights, intercept, and the weights of the inputs that are always
    /// in.
    pub fn for_each_free(&self, mut visit: impl FnMut(usize)) {
        self.network.unit_layers().flat_map(|l| l.weights.clone()).for_each(&mut visit);
        self.network.last().biases.clone().for_each(&mut visit);
        self.network.always().for_each(visit);
    }

    /// `tau rho(t / tau)` and its slope.
    fn penalty_at(&self, t: f64) -> (f64, f64) {
        let (value, slope) = self.penalty.value_and_slope(t / self.tau);
        (self.tau * value, slope)
    }

    /// The gain in deviance that corresponds to a decrease of the objective, if the loss alone accounts for the
    /// decrease.
    pub fn deviance_of(&self, decrease: f64, point: &Point) -> f64 {
        let deviance = |value: f64| self.loss.deviance(self.loss.released(value));
        deviance(point.loss + decrease) - deviance(point.loss)
    }

    /// Evaluates objective and gradient at `point.theta`.
    pub fn evaluate(&self, point: &mut Point, sweep: &mut Sweep) {
        self.evaluate_objective(point, sweep);
        self.complete_gradient(point, sweep);
    }

    /// Evaluates the objective. Of the gradient it computes only the part of the penalty, which costs nothing extra.
    pub fn evaluate_objective(&self, point: &mut Point, sweep: &mut Sweep) {
        let Point { theta, gradient, loss, objective } = point;
        sweep.forward(self.network, theta, self.x);
        *loss = self.loss.evaluate(&sweep.out, &mut sweep.d_out);
        gradient.fill(0.0);
        let (mut penalty, mut squares) = (0.0, 0.0);
        let bends = self.penalty.is_concave() || self.ridge > 0.0;
        let mut add = |theta: &[f64], gradient: &mut [f64]| {
            let t = norm(theta);
            if t > 0.0 {
                let (value, slope) = self.penalty_at(t);
                penalty += value;
                squares += t * t;
                if bends {
                    let pull = self.lambda * (slope - 1.0) / t + self.ridge;
                    gradient.iter_mut().zip(theta).for_each(|(g, w)| *g = pull * w);
                }
            }
        };
        self.for_each_run(|run, size| {
            let (theta, gradient) = (&theta[run.clone()], &mut gradient[run]);
            if size == 1 {
                for_each_nonzero(theta, |i| add(&theta[i..=i], &mut gradient[i..=i]));
            } else {
                theta.chunks(size).zip(gradient.chunks_mut(size)).for_each(|(w, g)| add(w, g));
            }
        });
        *objective = *loss + self.lambda * penalty + 0.5 * self.ridge * squares;
    }

    /// Completes the gradient after [`Problem::evaluate_objective`], which must be the previous
    /// call.
    pub fn complete_gradient(&self, point: &mut Point, sweep: &mut Sweep) {
        let Point { theta, gradient, .. } = point;
        sweep.backward(self.network, theta, self.x, gradient);
        self.network.project_to_tangent(theta, gradient);
        if let Some(frozen) = self.frozen {
            gradient.iter_mut().zip(frozen).filter(|(_, f)| **f).for_each(|(g, _)| *g = 0.0);
        }
    }

    pub fn point(&self, theta: Vec<f64>, sweep: &mut Sweep) -> Point {
        let mut point = Point { gradient: vec![0.0; theta.len()], theta, loss: 0.0, objective: 0.0 };
        self.evaluate(&mut point, sweep);
        point
    }

    /// The steepest-descent subgradient (with the sign of a gradient), and the KKT violation.
    pub fn pseudo_gradient(&self, point: &Point, pseudo: &mut [f64]) -> f64 {
        let theta = &point.theta;
        pseudo.copy_from_slice(&point.gradient);
        let mut violation = 0.0f64;
        self.for_each_run(|run, size| {
            let (theta, pseudo) = (&theta[run.clone()], &mut pseudo[run]);
            if size == 1 {
                // as for groups, but without a branch
                for (g, w) in pseudo.iter_mut().zip(theta) {
                    let pulled = *g + self.lambda * w / w.abs();
                    let kept = *g * if g.abs() > self.lambda { 1.0 - self.lambda / g.abs() } else { 0.0 };
                    *g = if *w == 0.0 { kept } else { pulled };
                }
                violation = larger(violation, largest_magnitude(pseudo));
                return;
            }
            for (g, w) in pseudo.chunks_mut(size).zip(theta.chunks(size)) {
                let (t, length) = (norm(w), norm(g));
                if t > 0.0 {
                    g.iter_mut().zip(w).for_each(|(g, w)| *g += self.lambda * w / t);
                } else {
                    let keep = if length > self.lambda { 1.0 - self.lambda / length } else { 0.0 };
                    g.iter_mut().for_each(|g| *g *= keep);
                }
                violation = larger(violation, norm(g));
            }
        });
        self.for_each_free(|i| violation = violation.max(pseudo[i].abs()));
        violation / self.scale
    }
}
