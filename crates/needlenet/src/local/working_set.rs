//! Solves a problem on all inputs with a working set of few inputs.
//!
//! Only the inputs in the working set enter the products. When the descent has ended there, the
//! gradient by *every* input is computed; inputs that exceed `lambda` join, and the descent goes on.
//! The certificate of the result is on all inputs.
//! Cost: O(n |working set| p_2) per iteration, O(n p p_2) per round. Tested in `src/tests/certificate.rs`.

use rayon::prelude::*;

use super::active::Live;
use super::descent::{Descent, Limits, descend};
use super::objective::Problem;
use super::stop::Stop;
use crate::network::{Inputs, Network, Sweep};
use crate::outcome::Loss;
use crate::penalty::Penalty;
use crate::product::{norm, view};
use crate::progress::Observer;
use crate::table::Design;

/// Inputs per block of the full gradient.
const BLOCK: usize = 1024;
/// Inputs that may join in one round.
pub(crate) const JOIN: usize = 128;

/// The dual norm of the gradient by the weights of every column of `x`. `deltas`, `n x width`, is the derivative of the
/// loss by the pre-activations of the first layer.
pub(crate) fn gradient_sizes(x: &Design, deltas: &[f64], grouped: bool) -> Vec<f64> {
    let (n, p) = (x.n(), x.p());
    let width = deltas.len() / n;
    let of_block = |first: usize| {
        let columns = first..p.min(first + BLOCK);
        let mut gradient = vec![0.0; width * columns.len()];
        x.multiply(&mut gradient, view(deltas, n, width).transpose(), columns);
        gradient.chunks(width).map(|g| dual_norm(g, grouped)).collect::<Vec<_>>()
    };
    let blocks: Vec<usize> = (0..p).step_by(BLOCK).collect();
    blocks.into_par_iter().flat_map_iter(of_block).collect()
}

fn dual_norm(gradient: &[f64], grouped: bool) -> f64 {
    if grouped { norm(gradient) } else { gradient.iter().fold(0.0, |m: f64, v| m.max(v.abs())) }
}

/// The whole problem: all inputs, the loss, the penalty.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub x: &'a Design,
    pub loss: &'a dyn Loss,
    pub penalty: Penalty,
    pub lambda: f64,
    pub tau: f64,
    /// Inputs that may not join, ascending.
    pub without: &'a [usize],
    pub observer: &'a dyn Observer,
}

/// A solution with its certificate.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    pub live: Live,
    pub loss: f64,
    pub objective: f64,
    /// On all inputs, relative to lambda.
    pub kkt_violation: f64,
    pub iterations: usize,
    pub stop: Stop,
}

impl Setting<'_> {
    fn n(&self) -> usize {
        self.loss.n()
    }

    fn p(&self) -> usize {
        self.x.p()
    }

    /// The problem on the working set.
    pub fn on<'b>(&'b self, x: &'b Inputs, network: &'b Network) -> Problem<'b> {
        Problem {
            x,
            loss: self.loss,
            network,
            penalty: self.penalty,
            lambda: self.lambda,
            tau: self.unit(network),
            scale: self.lambda,
            ridge: 0.0,
            frozen: None,
            observer: self.observer,
        }
    }

    /// The unit of a weight of `W_1`. If the upper layers magnify, smaller weights give the same function.
    fn unit(&self, network: &Network) -> f64 {
        let gain = network.gain();
        let cut_off = self.loss.cut_off(self.lambda / gain);
        self.tau * self.penalty.unit(self.loss.unit(), cut_off) / gain
    }

    pub fn inputs<'b>(&'b self, columns: &'b [usize]) -> Inputs<'b> {
        Inputs::of(self.x, columns, self.loss.samples().always.as_ref())
    }

    /// Solves from `start`; `rounds` is the largest number of rounds in which inputs may join.
    pub fn solve(&self, start: &Live, limits: Limits, rounds: usize) -> Solution {
        let mut live = start.clone();
        let mut iterations = 0;
        let mut round = 0;
        loop {
            let x = self.inputs(&live.columns);
            let mut sweep = Sweep::new(&live.network, self.n());
            let rest = Limits { max_iterations: limits.max_iterations.saturating_sub(iterations), ..limits };
            let Descent { point, mut kkt_violation, iterations: used, mut stop } =
                descend(&self.on(&x, &live.network), std::mem::take(&mut live.theta), rest, &mut sweep);
            iterations += used;
            live.theta = point.theta;
            let reached = stop == Stop::Converged;
            let mut joining = self.violators(&live, &x, &mut sweep);
            if let Some((_, worst)) = joining.first() {
                kkt_violation = kkt_violation.max(*worst);
                if kkt_violation > limits.tolerance && stop == Stop::Converged {
                    stop = Stop::MaxIterations;
                }
            }
            joining.retain(|(_, excess)| *excess > limits.tolerance);
            joining.truncate(JOIN);
            round += 1;
            let stuck = stop == Stop::PerfectFit || (used == 0 && !reached);
            if joining.is_empty() || round >= rounds || iterations >= limits.max_iterations || stuck {
                return Solution {
                    live,
                    loss: point.loss,
                    objective: point.objective,
                    kkt_violation,
                    iterations,
                    stop,
                };
            }
            let joining: Vec<usize> = joining.into_iter().map(|(j, _)| j).collect();
            live = live.compact().with_columns(&joining);
        }
    }

    /// Inputs outside the working set whose gradient exceeds `lambda`, worst first, with the excess
    /// relative to `lambda`.
    fn violators(&self, live: &Live, x: &Inputs, sweep: &mut Sweep) -> Vec<(usize, f64)> {
        if live.columns.len() == self.p() {
            return Vec::new();
        }
        let excess = |size: f64| size / self.lambda - 1.0;
        let mut found: Vec<(usize, f64)> = self
            .gradient_sizes(&live.network, &live.theta, x, sweep)
            .into_iter()
            .enumerate()
            .map(|(j, size)| (j, excess(size)))
            .filter(|(j, e)| *e > 0.0 && live.columns.binary_search(j).is_err())
            .filter(|(j, _)| self.without.binary_search(j).is_err())
            .collect();
        found.sort_by(|a, b| f64::total_cmp(&b.1, &a.1).then(a.0.cmp(&b.0)));
        found
    }

    /// The dual norm of the gradient by every column of `W_1`, for a network on the inputs `x`.
    pub fn gradient_sizes(
        &self,
        network: &Network,
        theta: &[f64],
        x: &Inputs,
        sweep: &mut Sweep,
    ) -> Vec<f64> {
        let (p, width) = (self.p(), network.width());
        sweep.forward(network, theta, x);
        self.loss.evaluate(&sweep.out, &mut sweep.d_out);
        let grouped = self.penalty.is_grouped();
        if let Some(deltas) = sweep.first_delta_of_whole(network, theta) {
            return gradient_sizes(self.x, deltas, grouped);
        }
        let sums = sweep.fold(
            network,
            theta,
            x,
            || vec![0.0; width * p],
            |sum, block| {
                network.propagate_delta(theta, block.ws);
                let delta = view(block.ws.first_delta(), block.rows.len(), width).transpose();
                self.x.multiply_add_rows(sum, delta, block.rows);
            },
        );
        let add = |mut a: Vec<f64>, b: Vec<f64>| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        };
        let gradient = sums.into_iter().reduce(add).unwrap_or_default();
        gradient.chunks(width).map(|g| dual_norm(g, grouped)).collect()
    }

    /// The derivative of the loss by the pre-activations of the first layer, `n x width`.
    pub fn deltas(&self, live: &Live) -> Vec<f64> {
        let (n, width) = (self.n(), live.network.width());
        let x = self.inputs(&live.columns);
        let mut sweep = Sweep::new(&live.network, n);
        sweep.forward(&live.network, &live.theta, &x);
        self.loss.evaluate(&sweep.out, &mut sweep.d_out);
        let mut deltas = vec![0.0; n * width];
        let blocks = sweep.fold(&live.network, &live.theta, &x, Vec::new, |blocks, block| {
            live.network.propagate_delta(&live.theta, block.ws);
            blocks.push((block.rows, block.ws.first_delta().to_vec()));
        });
        for (rows, of_block) in blocks.into_iter().flatten() {
            for (to, from) in deltas.chunks_mut(n).zip(of_block.chunks(rows.len())) {
                to[rows.clone()].copy_from_slice(from);
            }
        }
        deltas
    }

    /// The empty model, with its certificate on all inputs.
    pub fn empty(&self, network: &Network) -> Live {
        let mut live = Live { columns: Vec::new(), network: network.restricted(0, &[0]), theta: Vec::new() };
        if network.is_linear() {
            live.network = network.restricted(0, &[]);
        }
        live.theta = vec![0.0; live.network.n_params()];
        for layer in live.network.unit_layers() {
            live.theta[layer.weights.clone()].fill(1.0);
        }
        live.network.normalise(&mut live.theta);
        let c = live.network.last().biases.clone();
        live.theta[c].copy_from_slice(&self.loss.null_intercept());
        live
    }
}
