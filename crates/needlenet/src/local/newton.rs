//! The proximal Newton step.
//!
//! The loss and the concave remainder of the penalty are replaced by their quadratic model, the LASSO part of the penalty
//! stays as it is, and the sum is minimised:
//!
//! $$\min_z\; g'(z - \theta) + \tfrac12 (z - \theta)' A (z - \theta) + \lambda \sum_g \lVert z_g \rVert,
//!   \qquad A = \nabla^2 L + \kappa D$$
//!
//! `D` is the diagonal of the Gauss-Newton matrix, and the damping `kappa` is learnt from how well the model predicts. So
//! one step sets many weights to exactly zero, and the others take their absence into account. The second derivatives of the
//! network are part of the model: a sharp bend that moves through the samples changes the loss in a way that Gauss-Newton
//! does not see, and without them the descent takes thousands of steps. Of a concave remainder only the tangent is used,
//! which lies above it.
//! Cost: O(n d^2 + d^3) for the `d` parameters that may move. Tested in `src/tests/certificate.rs`; the Hessian in
//! `src/tests/gradients.rs`.

use std::ops::Range;

use faer::linalg::solvers::Solve;
use faer::{Mat, MatMut, Side};

use super::curvature::Hessian;
use super::objective::{Point, Problem};
use crate::network::Sweep;
use crate::product::{add_multiple, dot, norm, view_mut};

/// Beyond this many parameters the matrix costs more than the iterations it saves.
const LARGEST: usize = 300;
/// A step is worth its cost if it costs less than this many evaluations.
const WORTH: f64 = 10.0;
/// Range of the damping, and the first one.
const DAMPING: (f64, f64) = (1e-8, 1e8);
const FIRST: f64 = 1e-2;
/// A step is accepted if the objective falls by this part of what the model promises.
const ACCEPTED: f64 = 1e-3;
/// Rounding errors of the objective, relative to it.
const ROUNDING: f64 = 1e-14;
/// The model is solved until its violation is this part of the one at the start.
const SOLVED: f64 = 0.1;
/// Rounds of a Newton step on the weights in use and of some sweeps of coordinate descent on all weights.
const ROUNDS: usize = 8;
const SWEEPS: usize = 4;

/// The quadratic model at a point.
pub(super) struct Model {
    /// The parameters that may move, ascending: those in use, and groups at zero whose gradient exceeds `lambda`.
    coordinates: Vec<usize>,
    /// The places of each group among them.
    groups: Vec<Group>,
    hessian: Mat<f64>,
    /// The diagonal of its Gauss-Newton part.
    scale: Vec<f64>,
    start: Vec<f64>,
    gradient: Vec<f64>,
    lambda: f64,
}

/// A penalised group, or a single parameter without penalty.
#[derive(Debug, Clone)]
struct Group {
    at: Range<usize>,
    penalised: bool,
}

/// How much to trust the model, learnt from the steps it led to.
pub(super) struct Damping(f64);

/// A point of the model: the parameters, the gradient of the quadratic part, and how far the model is above its start.
#[derive(Clone)]
struct Solution {
    z: Vec<f64>,
    slope: Vec<f64>,
    value: f64,
}

impl Damping {
    pub fn new() -> Self {
        Damping(FIRST)
    }

    /// For the last step, at a stationary point.
    pub fn none() -> Self {
        Damping(DAMPING.0)
    }

    /// Adapts to a step that gained this part of what the model promised.
    fn learn(&mut self, ratio: f64) {
        if ratio > 0.75 {
            self.0 = (self.0 / 4.0).max(DAMPING.0);
        } else if ratio < 0.25 {
            self.0 *= 2.0;
        }
    }
}

/// Whether a step with `d` parameters costs less than `WORTH` evaluations.
fn is_worth_its_cost(problem: &Problem, d: usize) -> bool {
    let Problem { network, loss, .. } = problem;
    let weights: usize = network.layers.iter().map(|l| l.inputs * l.outputs).sum();
    // an activation costs about as much as ten products
    let neurons: usize = network.layers.iter().map(|l| l.powers.len()).sum();
    // each output that another does not determine has derivatives of its own
    let (n, d, outputs) = (loss.n() as f64, d as f64, loss.n_contrasts() as f64);
    let evaluation = 8.0 * n * (weights + 10 * neurons.max(1)) as f64;
    0.5 * n * outputs * d * d + 2.0 * d * d * d <= WORTH * evaluation
}

impl Model {
    /// The model at the point that the sweep evaluated last. None if too many parameters are in use, or, unless it must be
    /// had `at_any_cost`, if it costs too many evaluations. A linear model is worth any cost: it is solved in a few steps, and
    /// then its needles do not depend on the start.
    pub fn at(problem: &Problem, point: &Point, at_any_cost: bool, sweep: &mut Sweep) -> Option<Self> {
        let at_any_cost = at_any_cost || problem.network.is_linear();
        let worth = |d: usize| at_any_cost || is_worth_its_cost(problem, d);
        let used = in_use(problem, &point.theta);
        if used > LARGEST || !worth(used) {
            return None;
        }
        let groups = moving(problem, point, LARGEST - used);
        let d = groups.iter().map(|(group, _)| group.len()).sum();
        if d == 0 || !worth(d) {
            return None;
        }
        let coordinates: Vec<usize> = groups.iter().flat_map(|(group, _)| group.clone()).collect();
        let mut next = 0;
        let place = |(group, penalised): (Range<usize>, bool)| {
            next += group.len();
            Group { at: next - group.len()..next, penalised }
        };
        let whole = Hessian::at(problem, point.loss, &point.theta, &coordinates, true, sweep);
        let Hessian { gauss_newton: mut hessian, of_network } = whole;
        let scale = (0..d).map(|i| hessian[(i, i)] + problem.ridge).collect();
        hessian += of_network;
        (0..d).for_each(|i| hessian[(i, i)] += problem.ridge);
        let of = |values: &[f64]| coordinates.iter().map(|&i| values[i]).collect();
        let (start, gradient) = (of(&point.theta), of(&point.gradient));
        let groups = groups.into_iter().map(place).collect();
        Some(Model { coordinates, groups, hessian, scale, start, gradient, lambda: problem.lambda })
    }

    /// Moves to a lower point, which is left in `trial` with its gradient. Returns whether there is one within reach.
    pub fn step(
        &self,
        problem: &Problem,
        point: &Point,
        damping: &mut Damping,
        trial: &mut Point,
        sweep: &mut Sweep,
    ) -> bool {
        let d = self.coordinates.len();
        let mean = self.scale.iter().sum::<f64>() / d as f64;
        trial.theta.copy_from_slice(&point.theta);
        while damping.0 <= DAMPING.1 {
            let mut matrix = self.hessian.clone();
            for (i, scale) in self.scale.iter().enumerate() {
                matrix[(i, i)] += damping.0 * (scale + 1e-3 * mean) + 1e-12 * mean;
            }
            let Some(solution) = self.minimised(&matrix) else {
                damping.0 *= 4.0;
                continue;
            };
            let promised = -solution.value;
            self.coordinates.iter().zip(&solution.z).for_each(|(&i, z)| trial.theta[i] = *z);
            problem.network.normalise(&mut trial.theta);
            problem.evaluate_objective(trial, sweep);
            let gained = point.objective - trial.objective;
            let rounding = ROUNDING * point.objective.abs();
            // written so that NaN is refused too
            if promised > 0.0 && gained + rounding >= ACCEPTED * promised {
                if promised > rounding {
                    damping.learn(gained / promised);
                }
                problem.complete_gradient(trial, sweep);
                return true;
            }
            damping.0 *= 8.0;
        }
        *damping = Damping::new();
        false
    }

    /// The minimum of the model: Newton steps on the weights in use alternate with coordinate descent on all. None if the
    /// matrix is not positive definite.
    fn minimised(&self, matrix: &Mat<f64>) -> Option<Solution> {
        let mut at = Solution { z: self.start.clone(), slope: self.gradient.clone(), value: 0.0 };
        let goal = SOLVED * self.violation(&at);
        let bounds: Vec<f64> =
            self.groups.iter().map(|group| largest_eigenvalue(matrix, &group.at)).collect();
        for _ in 0..ROUNDS {
            self.newton(matrix, &mut at)?;
            if self.violation(&at) <= goal {
                break;
            }
            (0..SWEEPS).for_each(|_| self.sweep(matrix, &bounds, &mut at));
            at.value = self.value(&at);
            if self.violation(&at) <= goal {
                break;
            }
        }
        Some(at)
    }

    /// How far the model is above its start at a point with its slope. Written as a sum of products with the change of each
    /// parameter, so that a small change keeps its digits.
    fn value(&self, at: &Solution) -> f64 {
        let of_group = |group: &Group| -> f64 {
            let (z, start) = (&at.z[group.at.clone()], &self.start[group.at.clone()]);
            let sizes = norm(z) + norm(start);
            // `||z|| - ||start|| = (z - start)'(z + start) / (||z|| + ||start||)`
            let pull = if group.penalised && sizes > 0.0 { self.lambda / sizes } else { 0.0 };
            let slopes = at.slope[group.at.clone()].iter().zip(&self.gradient[group.at.clone()]);
            z.iter()
                .zip(start)
                .zip(slopes)
                .map(|((z, s), (b, a))| (z - s) * (0.5 * (a + b) + pull * (z + s)))
                .sum()
        };
        self.groups.iter().map(of_group).sum()
    }

    /// The largest distance of a group to its optimality condition.
    fn violation(&self, at: &Solution) -> f64 {
        let of = |group: &Group| {
            let (z, slope) = (&at.z[group.at.clone()], &at.slope[group.at.clone()]);
            let t = norm(z);
            if !group.penalised {
                slope[0].abs()
            } else if t > 0.0 {
                let off = |(s, z): (&f64, &f64)| (s + self.lambda * z / t).powi(2);
                slope.iter().zip(z).map(off).sum::<f64>().sqrt()
            } else {
                (norm(slope) - self.lambda).max(0.0)
            }
        };
        self.groups.iter().map(of).fold(0.0, f64::max)
    }

    /// One sweep of coordinate descent, group by group.
    fn sweep(&self, matrix: &Mat<f64>, bounds: &[f64], at: &mut Solution) {
        let mut moved = Vec::new();
        for (group, bound) in self.groups.iter().zip(bounds) {
            let (z, slope) = (&at.z[group.at.clone()], &at.slope[group.at.clone()]);
            moved.clear();
            moved.extend(z.iter().zip(slope).map(|(z, s)| z - s / bound));
            if group.penalised {
                let t = norm(&moved);
                let keep = if t * bound > self.lambda { 1.0 - self.lambda / (t * bound) } else { 0.0 };
                moved.iter_mut().for_each(|z| *z *= keep);
            }
            for (i, new) in group.at.clone().zip(&moved) {
                let change = new - at.z[i];
                if change != 0.0 {
                    at.z[i] = *new;
                    add_multiple(&mut at.slope, change, matrix.col_as_slice(i));
                }
            }
        }
    }

    /// A Newton step on the groups in use. Groups that leave their half-space become zero; the step is halved until the
    /// model falls. None if the matrix is not positive definite.
    fn newton(&self, matrix: &Mat<f64>, at: &mut Solution) -> Option<()> {
        let in_use = |group: &&Group| !group.penalised || at.z[group.at.clone()].iter().any(|w| *w != 0.0);
        let groups: Vec<&Group> = self.groups.iter().filter(in_use).collect();
        let used: Vec<usize> = groups.iter().flat_map(|group| group.at.clone()).collect();
        let d = used.len();
        let mut part = Mat::<f64>::zeros(d, d);
        for (j, &from) in used.iter().enumerate() {
            let from = matrix.col_as_slice(from);
            part.col_as_slice_mut(j).iter_mut().zip(&used).for_each(|(to, &i)| *to = from[i]);
        }
        let mut step: Vec<f64> = used.iter().map(|&i| -at.slope[i]).collect();
        let mut first = 0;
        for group in groups {
            if group.penalised {
                let size = first..first + group.at.len();
                add_penalty(&at.z[group.at.clone()], self.lambda, &mut step[size], first, &mut part);
            }
            first += group.at.len();
        }
        let factor = part.llt(Side::Lower).ok()?;
        factor.solve_in_place(MatMut::as_dyn_stride_mut(view_mut(&mut step, d, 1)));
        let mut next = at.clone();
        for halvings in 0..6 {
            let size = 0.5f64.powi(halvings);
            next.z.copy_from_slice(&at.z);
            used.iter().zip(&step).for_each(|(&i, s)| next.z[i] += size * s);
            for group in self.groups.iter().filter(|group| group.penalised) {
                let (new, old) = (&mut next.z[group.at.clone()], &at.z[group.at.clone()]);
                if dot(new, old) <= 0.0 {
                    new.fill(0.0);
                }
            }
            next.slope.copy_from_slice(&self.gradient);
            for i in 0..next.z.len() {
                let change = next.z[i] - self.start[i];
                if change != 0.0 {
                    add_multiple(&mut next.slope, change, matrix.col_as_slice(i));
                }
            }
            next.value = self.value(&next);
            if next.value < at.value {
                *at = next;
                break;
            }
        }
        Some(())
    }
}

/// The number of parameters in groups that are not zero, and without penalty.
fn in_use(problem: &Problem, theta: &[f64]) -> usize {
    let mut count = 0;
    problem.for_each_group(|group| {
        if theta[group.clone()].iter().any(|w| *w != 0.0) {
            count += group.len();
        }
    });
    problem.for_each_free(|_| count += 1);
    count
}

/// The parameters that may move, in groups, ascending; each with whether it is penalised. Of the groups at zero, those with the
/// largest gradients, with at most `left` parameters.
fn moving(problem: &Problem, point: &Point, mut left: usize) -> Vec<(Range<usize>, bool)> {
    let is_frozen = |i: usize| problem.frozen.is_some_and(|frozen| frozen[i]);
    let (mut moving, mut joining) = (Vec::new(), Vec::new());
    problem.for_each_group(|group| {
        if problem.lambda == 0.0 {
            // a refit: nothing is penalised
            moving.extend(group.filter(|i| !is_frozen(*i)).map(|i| (i..i + 1, false)));
            return;
        }
        if point.theta[group.clone()].iter().any(|w| *w != 0.0) {
            moving.push((group, true));
            return;
        }
        let size = norm(&point.gradient[group.clone()]);
        if size > problem.lambda {
            joining.push((size, group));
        }
    });
    problem.for_each_free(|i| {
        if !is_frozen(i) {
            moving.push((i..i + 1, false));
        }
    });
    joining.sort_by(|a, b| f64::total_cmp(&b.0, &a.0).then(a.1.start.cmp(&b.1.start)));
    for (_, group) in joining {
        if group.len() > left {
            break;
        }
        left -= group.len();
        moving.push((group, true));
    }
    moving.sort_by_key(|(group, _)| group.start);
    moving
}

/// Adds the slope of `lambda ||z||`, with the sign of a step, and its curvature, which only groups of several weights have.
fn add_penalty(z: &[f64], lambda: f64, step: &mut [f64], first: usize, matrix: &mut Mat<f64>) {
    let t = norm(z);
    step.iter_mut().zip(z).for_each(|(step, z)| *step -= lambda * z / t);
    if z.len() == 1 {
        return;
    }
    for (j, b) in z.iter().enumerate() {
        for (i, a) in z.iter().enumerate() {
            let unit = if i == j { 1.0 } else { 0.0 };
            matrix[(first + i, first + j)] += lambda / t * (unit - a * b / (t * t));
        }
    }
}

/// A bound of the largest eigenvalue of a diagonal block: the largest sum of a row.
fn largest_eigenvalue(matrix: &Mat<f64>, block: &Range<usize>) -> f64 {
    let sum = |i: usize| block.clone().map(|j| matrix[(i, j)].abs()).sum::<f64>();
    block.clone().map(sum).fold(f64::MIN_POSITIVE, f64::max)
}
