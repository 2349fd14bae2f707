//! The Hessian of the loss by the parameters in use.
//!
//! With `J` the derivatives of the outputs by the parameters, and `H` the Hessian of the loss by
//! the outputs, `J' H J` is the Gauss-Newton part; the rest is the curvature of the network itself (`network/second_order.rs`).
//! With several independent outputs it is computed unit by unit (`network/units.rs`).
//! Cost: O(n d^2) for `d` parameters; the derivatives are held for a block of samples at a time.

use std::ops::Range;

use faer::{Accum, Mat};

use super::objective::Problem;
use super::runs::Runs;
use crate::network::{SecondOrder, Sweep};
use crate::outcome::Curvature as ByOutputs;
use crate::product::lower_gram;

/// Samples whose derivatives are weighed together, so that their roots stay in the nearest cache.
const TOGETHER: usize = 128;

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
        let (several, outputs) = (loss.n_contrasts() > 1, network.n_outputs());
        let zero = || {
            let runs = curvature.coupling.as_ref().map(|_| Runs::new(d));
            (Mat::<f64>::zeros(d, d), SecondOrder::zero(network, if whole { d } else { 0 }), runs)
        };
        let sums = sweep.fold(network, theta, x, zero, |(hessian, second, runs), block| {
            if whole {
                network.add_second_order(theta, block.x, block.ws, coordinates, second);
            }
            if several {
                let mut hessians = vec![0.0; block.rows.len() * outputs * outputs];
                curvature.of_rows(block.rows, &mut hessians);
                network.add_gauss_newton(theta, block.x, block.ws, coordinates, &hessians, hessian);
                return;
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
        if several {
            network.project_matrix(theta, coordinates, &mut hessian);
        }
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
    weigh(&hessians, jacobians);
}

/// Adds the lower triangles of `factor J' J` of all outputs. The last output of a softmax has no weight, and is skipped.
pub(crate) fn add_grams(to: &mut Mat<f64>, jacobians: &[Mat<f64>], factor: f64) {
    let is_zero = |matrix: &Mat<f64>| matrix.col_iter().all(|column| column.iter().all(|v| *v == 0.0));
    for jacobian in jacobians.iter().filter(|jacobian| !is_zero(jacobian)) {
        lower_gram(to, Accum::Add, jacobian.as_ref(), factor);
    }
}

/// Replaces the rows `J_i` of all outputs by `L_i' J_i` with `H_i = L_i L_i'`. `hessians` has `H_i` for one sample after the other.
pub(crate) fn weigh(hessians: &[f64], jacobians: &mut [Mat<f64>]) {
    let (outputs, rows) = (jacobians.len(), jacobians[0].nrows());
    let mut roots = vec![[0.0; TOGETHER]; outputs * outputs];
    for first in (0..rows).step_by(TOGETHER) {
        let rows = first..rows.min(first + TOGETHER);
        let hessians = &hessians[first * outputs * outputs..rows.end * outputs * outputs];
        pulp::Arch::new().dispatch(Weigh { hessians, roots: &mut roots, jacobians: &mut *jacobians, rows });
    }
}

/// Some samples: one entry of `L` for all of them at a time, and whole pieces of the columns of `J`.
struct Weigh<'a> {
    hessians: &'a [f64],
    roots: &'a mut [[f64; TOGETHER]],
    jacobians: &'a mut [Mat<f64>],
    rows: Range<usize>,
}

impl pulp::NullaryFnOnce for Weigh<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Weigh { hessians, roots, jacobians, rows } = self;
        let m = jacobians.len();
        for (i, h) in hessians.chunks(m * m).enumerate() {
            roots.iter_mut().zip(h).for_each(|(root, h)| root[i] = *h);
        }
        lower_roots(roots, m);
        for column in 0..jacobians[0].ncols() {
            for t in 0..m {
                // row t of L' needs only the rows s >= t of J, which are not overwritten yet
                let (done, others) = jacobians.split_at_mut(t + 1);
                let to = &mut done[t].col_as_slice_mut(column)[rows.clone()];
                to.iter_mut().zip(&roots[t * m + t]).for_each(|(j, root)| *j *= root);
                for (s, other) in (t + 1..).zip(&*others) {
                    let from = &other.col_as_slice(column)[rows.clone()];
                    // the weights of one output do not move the others
                    if from.iter().fold(0, |bits, v| bits | v.to_bits()) != 0 {
                        let from = from.iter().zip(&roots[s * m + t]);
                        to.iter_mut().zip(from).for_each(|(j, (from, root))| *j += root * from);
                    }
                }
            }
        }
    }
}

/// The lower triangular roots of positive semi-definite matrices, row by row; rows without a pivot are skipped. The upper
/// triangles are not read.
#[inline(always)]
fn lower_roots(h: &mut [[f64; TOGETHER]], m: usize) {
    for t in 0..m {
        for k in 0..t {
            for s in t..m {
                let (below, above) = (h[s * m + k], h[t * m + k]);
                let product = below.iter().zip(&above);
                h[s * m + t].iter_mut().zip(product).for_each(|(h, (a, b))| *h -= a * b);
            }
        }
        // a smaller pivot is the rounding error of a class with probability near 1, or of a shift of all outputs
        let mut inverse = [0.0; TOGETHER];
        for (pivot, inverse) in h[t * m + t].iter_mut().zip(&mut inverse) {
            *pivot = if *pivot > 1e-14 { pivot.sqrt() } else { 0.0 };
            *inverse = if *pivot > 0.0 { 1.0 / *pivot } else { 0.0 };
        }
        for s in t + 1..m {
            h[s * m + t].iter_mut().zip(&inverse).for_each(|(h, inverse)| *h *= inverse);
        }
    }
}
