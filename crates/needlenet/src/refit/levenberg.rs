//! Levenberg-Marquardt: trains a smooth network with a ridge penalty.
//!
//! $$L_n(f_\theta) + \frac r2 (\lVert W\rVert^2 + \lVert b\rVert^2 + \lVert A\rVert^2)$$
//!
//! Each step solves with the Gauss-Newton curvature, damped relative to its diagonal. The damping falls after a step that
//! lowers the objective and rises after one that does not. The curvature uses at most `CURVATURE_ROWS` rows of Jacobians,
//! evenly spread over the samples and different in each step; the gradient uses all samples. The terms that couple
//! samples only reduce the curvature, and are left out.
//! Cost of a step: O(CURVATURE_ROWS d^2 + d^3) for `d` parameters, plus O(n d).

use faer::linalg::solvers::Solve;
use faer::{Accum, Mat, MatMut, Side};

use crate::local::curvature::weigh;
use crate::network::{Smooth, SmoothRoom};
use crate::outcome::Loss;
use crate::product::{lower_gram, view_mut};
use crate::progress::Observer;

/// The largest number of rows of Jacobians in the curvature; each sample has one row per output.
const CURVATURE_ROWS: usize = 1000;
/// Training stops after a step that lowers the objective by less than this part.
const SMALL: f64 = 1e-4;
/// The initial damping, its factors after a good and a bad step, and its smallest value.
const DAMPING: (f64, f64, f64, f64) = (1e-2, 0.25, 6.0, 1e-7);
/// Dampings tried in one step.
const TRIES: usize = 8;

/// A smooth network in training.
pub(super) struct Training {
    pub network: Smooth,
    pub theta: Vec<f64>,
    x: Vec<f64>,
    loss: Box<dyn Loss>,
    /// The weight of each parameter in the ridge; the intercepts are not in it.
    shrunk: Vec<f64>,
    damping: f64,
    steps: usize,
    /// The loss at `theta`, if the buffers hold the network there.
    loss_here: Option<f64>,
    room: SmoothRoom,
    trial: Vec<f64>,
    gradient: Vec<f64>,
    weights: Vec<f64>,
    jacobians: Vec<Mat<f64>>,
    curvature: Mat<f64>,
}

impl Training {
    /// `x` is coded.
    pub fn new(network: Smooth, theta: Vec<f64>, x: Vec<f64>, loss: Box<dyn Loss>) -> Self {
        let (n, d, outputs) = (loss.n(), network.n_params(), network.outputs);
        let rows = n / stride(n, outputs);
        // `A` is in units of the outcome
        let mut shrunk = vec![1.0; network.intercepts().start];
        shrunk[network.upper()].fill(1.0 / (loss.spread() * loss.spread()));
        Training {
            network,
            x,
            loss,
            shrunk,
            damping: DAMPING.0,
            steps: 0,
            loss_here: None,
            room: SmoothRoom::new(network, n),
            trial: theta.clone(),
            theta,
            gradient: vec![0.0; d],
            weights: vec![0.0; n * outputs * outputs],
            jacobians: vec![Mat::zeros(rows, d); outputs],
            curvature: Mat::zeros(d, d),
        }
    }

    /// Takes up to `most` steps at the ridge `r`.
    pub fn descend(&mut self, ridge: f64, most: usize, observer: &dyn Observer) {
        for _ in 0..most {
            if !observer.go_on() {
                return;
            }
            let here = self.loss_here.unwrap_or_else(|| self.loss_at(false));
            let value = here + self.ridge_term(ridge, &self.theta);
            self.quadratic_model(ridge, here);
            let Some(lower) = self.step(ridge, value) else { return };
            if value - lower < SMALL * value.abs() {
                return;
            }
        }
    }

    /// The loss at `theta`, or at `trial`; sets the derivative by the outputs.
    fn loss_at(&mut self, trial: bool) -> f64 {
        let theta = if trial { &self.trial } else { &self.theta };
        self.network.forward(theta, &self.x, &mut self.room);
        self.loss.evaluate(&self.room.out, &mut self.room.d_out)
    }

    fn ridge_term(&self, ridge: f64, theta: &[f64]) -> f64 {
        0.5 * ridge * self.shrunk.iter().zip(theta).map(|(s, w)| s * w * w).sum::<f64>()
    }

    /// Gradient and curvature of the loss and the ridge, after [`Training::loss_at`] `theta`.
    fn quadratic_model(&mut self, ridge: f64, loss_here: f64) {
        let Training {
            network, theta, x, loss, shrunk, room, gradient, weights, jacobians, curvature, ..
        } = self;
        let (n, outputs) = (loss.n(), network.outputs);
        network.backward(theta, x, room, gradient);
        loss.curvature(loss_here, &room.out).of_rows(0..loss.n(), weights);
        let stride = stride(n, outputs);
        let first = self.steps % stride;
        let size = outputs * outputs;
        for i in 0..n / stride {
            let from = (first + i * stride) * size;
            weights.copy_within(from..from + size, i * size);
        }
        for (t, jacobian) in jacobians.iter_mut().enumerate() {
            network.jacobian(theta, x, room, t, (first, stride), jacobian);
        }
        weigh(&weights[..n / stride * size], jacobians);
        let share = n as f64 / (n / stride) as f64;
        curvature.fill(0.0);
        // the last output of a softmax has no weight
        for jacobian in &jacobians[..loss.n_directions()] {
            lower_gram(curvature, Accum::Add, jacobian.as_ref(), share);
        }
        for (i, weight) in shrunk.iter().enumerate() {
            gradient[i] += ridge * weight * theta[i];
            curvature[(i, i)] += ridge * weight;
        }
        self.steps += 1;
    }

    /// Moves to a point of lower objective and returns the objective; none if no damping leads to
    /// one.
    fn step(&mut self, ridge: f64, value: f64) -> Option<f64> {
        let d = self.theta.len();
        let diagonal: Vec<f64> = (0..d).map(|i| self.curvature[(i, i)]).collect();
        let mean = diagonal.iter().sum::<f64>() / d as f64;
        for _ in 0..TRIES {
            for (i, own) in diagonal.iter().enumerate() {
                self.curvature[(i, i)] = own + self.damping * (own + 1e-3 * mean) + 1e-12 * mean;
            }
            if let Ok(factor) = self.curvature.llt(Side::Lower) {
                self.trial.copy_from_slice(&self.gradient);
                factor.solve_in_place(MatMut::as_dyn_stride_mut(view_mut(&mut self.trial, d, 1)));
                self.trial.iter_mut().zip(&self.theta).for_each(|(step, w)| *step = w - *step);
                let there = self.loss_at(true);
                let lower = there + self.ridge_term(ridge, &self.trial);
                self.loss_here = None;
                if lower < value {
                    self.theta.copy_from_slice(&self.trial);
                    self.loss_here = Some(there);
                    self.damping = (self.damping * DAMPING.1).max(DAMPING.3);
                    return Some(lower);
                }
            }
            self.damping *= DAMPING.2;
        }
        None
    }
}

/// Every k-th sample enters the curvature, with this k.
fn stride(n: usize, outputs: usize) -> usize {
    (n * outputs).div_ceil(CURVATURE_ROWS).clamp(1, n.max(1))
}
