//! Descent to exact zeros, by two kinds of steps.
//!
//! *Newton steps* (`newton.rs`) if few parameters are in use: few steps, each of which is expensive.
//!
//! *Quasi-Newton steps* if there are many: limited-memory steps on the weights that are not zero, on those at zero whose
//! gradient exceeds `lambda`, and on the parameters without penalty. A group that would cross to the other side of its
//! half-space is set to zero exactly: for single weights that is the orthant rule, for groups its extension. Each step
//! passes a backtracking line search on the full objective.
//!
//! Upper rows are brought back to unit norm after each step. The objective never rises.
//! Cost per quasi-Newton iteration: one or two evaluations, plus `4 * MEMORY` vector operations.

use std::slice::from_mut;

use super::newton::{Damping, Model};
use super::objective::{Point, Problem};
use super::stop::Stop;
use crate::network::Sweep;
use crate::product::{add_multiple, dot, norm};

const MEMORY: usize = 10;
/// After this many iterations Newton steps are taken even if each costs many quasi-Newton steps.
const CHEAP: usize = 100;
/// Iterations after which the gain is measured: quasi-Newton and Newton steps.
const MEASURED: (usize, usize) = (10, 5);
/// A solve to this tolerance or a lower one is not a stage of a search: after it has converged, one more Newton step is taken.
/// Newton steps converge quadratically, so the digits are then those of the stationary point, whatever the way there.
const PRECISE: f64 = 1e-5;
/// Newton steps that lower neither the objective nor the violation after which the descent ends: rounding errors are reached.
const IDLE: usize = 3;
/// Sufficient decrease: part of the decrease promised by the slope.
const ARMIJO: f64 = 1e-4;
/// Iterations from one proximal step to the next, for groups.
const PROXIMAL_EVERY: usize = 5;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// KKT violation, relative to lambda, at which to stop.
    pub tolerance: f64,
    pub max_iterations: usize,
    /// The largest number of Newton steps among them.
    pub max_newton: usize,
    /// Stop when ten quasi-Newton or five Newton steps gain less deviance than this, the penalty counted as loss; 0 for
    /// no such limit.
    pub least_gain: f64,
}

#[derive(Debug, Clone)]
pub(crate) struct Descent {
    pub point: Point,
    pub kkt_violation: f64,
    pub iterations: usize,
    pub stop: Stop,
}

/// The data of a step: the steepest-descent subgradient, the direction, and the parameters that can change.
struct Course {
    pseudo: Vec<f64>,
    direction: Vec<f64>,
    moving: Vec<usize>,
}

/// The last steps and gradient changes, in a ring buffer.
struct Memory {
    s: Vec<Vec<f64>>,
    y: Vec<Vec<f64>>,
    rho: Vec<f64>,
    alpha: Vec<f64>,
    next: usize,
    len: usize,
}

impl Memory {
    fn new(size: usize) -> Self {
        Memory {
            s: vec![vec![0.0; size]; MEMORY],
            y: vec![vec![0.0; size]; MEMORY],
            rho: vec![0.0; MEMORY],
            alpha: vec![0.0; MEMORY],
            next: 0,
            len: 0,
        }
    }

    fn push(&mut self, from: &Point, to: &Point) {
        let (s, y) = (&mut self.s[self.next], &mut self.y[self.next]);
        let subtract = |change: &mut [f64], to: &[f64], from: &[f64]| {
            change.iter_mut().zip(to).zip(from).for_each(|((change, to), from)| *change = to - from);
        };
        subtract(s, &to.theta, &from.theta);
        subtract(y, &to.gradient, &from.gradient);
        let curvature = dot(s, y);
        // a pair with negative curvature would make the model indefinite: skip it
        if curvature > 1e-10 * norm(s) * norm(y) {
            self.rho[self.next] = 1.0 / curvature;
            self.next = (self.next + 1) % MEMORY;
            self.len = (self.len + 1).min(MEMORY);
        }
    }

    /// Replaces `d` by the inverse Hessian approximation times `d` (two-loop recursion).
    fn apply(&mut self, d: &mut [f64]) {
        let newest = (self.next + MEMORY - 1) % MEMORY;
        for back in 0..self.len {
            let i = (newest + MEMORY - back) % MEMORY;
            self.alpha[i] = self.rho[i] * dot(&self.s[i], d);
            add_multiple(d, -self.alpha[i], &self.y[i]);
        }
        let scale =
            if self.len > 0 { 1.0 / (self.rho[newest] * dot(&self.y[newest], &self.y[newest])) } else { 1.0 };
        d.iter_mut().for_each(|v| *v *= scale);
        for back in (0..self.len).rev() {
            let i = (newest + MEMORY - back) % MEMORY;
            let beta = self.rho[i] * dot(&self.y[i], d);
            add_multiple(d, self.alpha[i] - beta, &self.s[i]);
        }
    }
}

/// Descends from `theta` until the optimality conditions hold.
pub(crate) fn descend(problem: &Problem, theta: Vec<f64>, limits: Limits, sweep: &mut Sweep) -> Descent {
    let size = theta.len();
    let mut point = problem.point(theta, sweep);
    let mut trial = point.clone();
    let mut memory = Memory::new(size);
    let mut course =
        Course { pseudo: vec![0.0; size], direction: vec![0.0; size], moving: Vec::with_capacity(size) };
    let perfect = problem.loss.perfect();
    let mut kkt_violation = problem.pseudo_gradient(&point, &mut course.pseudo);
    let (mut iterations, mut newton_steps) = (0, 0);
    let mut damping = Damping::new();
    // weights have the unit of the outcome, gradients have none
    let unit = problem.loss.spread();
    let mut step_size = unit;
    // the objective when the gain was measured last, and the steps since then
    let (mut marked, mut since) = (f64::INFINITY, (0, 0));
    let mut idle = 0;
    // whether the last evaluation of the sweep was at a rejected point
    let mut elsewhere = false;
    let stop = loop {
        if point.loss < perfect {
            break Stop::PerfectFit;
        }
        if kkt_violation <= limits.tolerance {
            if iterations > 0 && limits.tolerance <= PRECISE {
                polish(problem, &mut point, &mut trial, &mut kkt_violation, sweep);
            }
            break Stop::Converged;
        }
        let spent = iterations >= limits.max_iterations || newton_steps >= limits.max_newton;
        if spent || !problem.observer.go_on() {
            break Stop::MaxIterations;
        }
        if limits.least_gain > 0.0 && (iterations == 0 || since.0 >= MEASURED.0 || since.1 >= MEASURED.1) {
            let gain = problem.deviance_of(marked - point.objective, &point);
            if gain < limits.least_gain {
                break Stop::Stalled;
            }
            (marked, since) = (point.objective, (0, 0));
        }
        iterations += 1;
        if elsewhere {
            problem.evaluate(&mut point, sweep);
            elsewhere = false;
        }
        if let Some(model) = Model::at(problem, &point, iterations > CHEAP, sweep) {
            newton_steps += 1;
            since.1 += 1;
            if !model.step(problem, &point, &mut damping, &mut trial, sweep) {
                break Stop::Stalled;
            }
            let (before, gained) = (kkt_violation, trial.objective < point.objective);
            std::mem::swap(&mut point, &mut trial);
            kkt_violation = problem.pseudo_gradient(&point, &mut course.pseudo);
            memory.len = 0;
            idle = if gained || kkt_violation < before { 0 } else { idle + 1 };
            if idle == IDLE {
                break Stop::Stalled;
            }
            continue;
        }
        since.0 += 1;
        if problem.penalty.is_grouped() && iterations % PROXIMAL_EVERY == 0 {
            // near zero the norm of a group is too curved for the quasi-Newton model
            if proximal_step(problem, &point, &mut step_size, &mut trial, sweep) {
                std::mem::swap(&mut point, &mut trial);
                kkt_violation = problem.pseudo_gradient(&point, &mut course.pseudo);
                memory.len = 0;
                continue;
            }
        }
        choose_direction(problem, &point, &mut memory, &mut course);
        let fresh = memory.len == 0;
        let first_step = if fresh { (1.0 / norm(&course.pseudo)).min(1.0) * 0.1 * unit } else { 1.0 };
        if !line_search(problem, &point, &mut course, first_step, &mut trial, sweep) {
            if fresh {
                break Stop::Stalled;
            }
            memory.len = 0;
            elsewhere = true;
            continue;
        }
        memory.push(&point, &trial);
        std::mem::swap(&mut point, &mut trial);
        kkt_violation = problem.pseudo_gradient(&point, &mut course.pseudo);
    };
    if stop == Stop::PerfectFit && problem.lambda == 0.0 && problem.ridge == 0.0 {
        // without a penalty, zero is a subgradient of the norm at zero residual: that is the
        // certificate
        kkt_violation = 0.0;
    }
    Descent { point, kkt_violation, iterations, stop }
}

/// One more Newton step, if it lowers the violation.
fn polish(problem: &Problem, point: &mut Point, trial: &mut Point, violation: &mut f64, sweep: &mut Sweep) {
    let Some(model) = Model::at(problem, point, true, sweep) else { return };
    if model.step(problem, point, &mut Damping::none(), trial, sweep) {
        let now = problem.pseudo_gradient(trial, &mut vec![0.0; trial.theta.len()]);
        if now < *violation {
            *violation = now;
            std::mem::swap(point, trial);
        }
    }
}

fn choose_direction(problem: &Problem, point: &Point, memory: &mut Memory, course: &mut Course) {
    let Course { pseudo, direction, .. } = course;
    direction.iter_mut().zip(&*pseudo).for_each(|(d, g)| *d = -g);
    memory.apply(direction);
    problem.for_each_run(|run, size| {
        leave_zero_downhill(&mut direction[run.clone()], &point.theta[run.clone()], &pseudo[run], size);
    });
    problem.network.project_to_tangent(&point.theta, direction);
    // written so that NaN is caught too
    let downhill = dot(direction, pseudo) < 0.0;
    if !downhill {
        memory.len = 0;
        direction.iter_mut().zip(&*pseudo).for_each(|(d, g)| *d = -g);
    }
}

/// Backtracks along the projected direction. Leaves the accepted point in `trial`; returns whether there is one.
fn line_search(
    problem: &Problem,
    point: &Point,
    course: &mut Course,
    first_step: f64,
    trial: &mut Point,
    sweep: &mut Sweep,
) -> bool {
    let Course { pseudo, direction, moving } = course;
    let grouped = problem.penalty.is_grouped();
    moving.clear();
    problem.for_each_run(|run, _| moving.extend(run.filter(|i| grouped || direction[*i] != 0.0)));
    let penalised = moving.len();
    problem.for_each_free(|i| moving.push(i));
    trial.theta.copy_from_slice(&point.theta);
    let mut step = first_step;
    for _ in 0..40 {
        moving.iter().for_each(|&i| trial.theta[i] = point.theta[i] + step * direction[i]);
        if grouped {
            problem.for_each_group(|group| {
                let (new, old) = (&mut trial.theta[group.clone()], &point.theta[group.clone()]);
                stay_in_half_space(new, old, &pseudo[group]);
            });
        } else {
            for &i in &moving[..penalised] {
                stay_in_half_space(from_mut(&mut trial.theta[i]), &point.theta[i..=i], &pseudo[i..=i]);
            }
        }
        problem.network.normalise(&mut trial.theta);
        problem.evaluate_objective(trial, sweep);
        let promised: f64 = moving.iter().map(|&i| pseudo[i] * (trial.theta[i] - point.theta[i])).sum();
        let rounding = 1e-15 * point.objective.abs();
        if promised < 0.0 && trial.objective <= point.objective + ARMIJO * promised + rounding {
            problem.complete_gradient(trial, sweep);
            return true;
        }
        step *= 0.5;
    }
    false
}

/// A gradient step followed by soft thresholding of every group, with backtracking on its size.
fn proximal_step(
    problem: &Problem,
    point: &Point,
    size: &mut f64,
    trial: &mut Point,
    sweep: &mut Sweep,
) -> bool {
    *size *= 4.0;
    for _ in 0..40 {
        for i in 0..point.theta.len() {
            trial.theta[i] = point.theta[i] - *size * point.gradient[i];
        }
        problem.for_each_group(|group| {
            let t = norm(&trial.theta[group.clone()]);
            let keep = if t > *size * problem.lambda { 1.0 - *size * problem.lambda / t } else { 0.0 };
            trial.theta[group].iter_mut().for_each(|w| *w *= keep);
        });
        problem.network.normalise(&mut trial.theta);
        problem.evaluate_objective(trial, sweep);
        let moved: f64 = trial.theta.iter().zip(&point.theta).map(|(a, b)| (a - b) * (a - b)).sum();
        if moved > 0.0 && trial.objective <= point.objective - ARMIJO * moved / *size {
            problem.complete_gradient(trial, sweep);
            return true;
        }
        *size *= 0.5;
    }
    false
}

/// A group at zero leaves it only downhill.
fn leave_zero_downhill(direction: &mut [f64], theta: &[f64], pseudo: &[f64], size: usize) {
    if size == 1 {
        // without a branch
        for ((d, w), g) in direction.iter_mut().zip(theta).zip(pseudo) {
            *d = if (*w == 0.0) & (*d * g >= 0.0) { 0.0 } else { *d };
        }
        return;
    }
    for ((d, w), g) in direction.chunks_mut(size).zip(theta.chunks(size)).zip(pseudo.chunks(size)) {
        if w.iter().all(|w| *w == 0.0) && dot(d, g) >= 0.0 {
            d.fill(0.0);
        }
    }
}

/// Sets a group to zero if it has left the half-space of its old value (from zero: the half-space of
/// descent).
fn stay_in_half_space(new: &mut [f64], old: &[f64], pseudo: &[f64]) {
    let from_zero = old.iter().all(|v| *v == 0.0);
    let along = if from_zero { -dot(new, pseudo) } else { dot(new, old) };
    if along <= 0.0 {
        new.fill(0.0);
    }
}
