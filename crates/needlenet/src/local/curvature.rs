//! The Hessian of the loss by the parameters in use.
//!
//! With `J` the derivatives of the outputs by the parameters, and `H` the Hessian of the loss by
//! the outputs, `J' H J` is the Gauss-Newton part; the rest is the curvature of the network itself (`network/second_order.rs`).
//! With several independent outputs it is computed unit by unit (`network/units.rs`). With one, `H_i = l_i l_i'`, and the rows `l_i' J_i`
//! are the derivatives of one combination of the outputs.
//! Cost: O(n d^2) for `d` parameters; the derivatives are held for a block of samples at a time.

use std::ops::Range;
use std::slice::from_mut;

use faer::{Accum, Mat};

use super::objective::Problem;
use super::runs::Runs;
use crate::network::{SecondOrder, Sweep};
use crate::product::lower_gram;

/// Samples whose derivatives are weighed together, so that their roots stay in the nearest cache.
const TOGETHER: usize = 128;
/// A smaller pivot is the rounding error of a class with probability near 1, or of a shift of all outputs.
const SMALLEST_PIVOT: f64 = 1e-14;

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
            let mut hessians = vec![0.0; block.rows.len() * outputs * outputs];
            curvature.of_rows(block.rows.clone(), &mut hessians);
            if several {
                network.add_gauss_newton(theta, block.x, block.ws, coordinates, &hessians, hessian);
                return;
            }
            let jacobian = if let (Some(coupling), Some(runs)) = (&curvature.coupling, runs) {
                block.ws.d_out.fill(1.0);
                let mut jacobian = network.jacobian(theta, block.x, block.ws, coordinates);
                runs.add(coupling, block.rows, &jacobian);
                weigh(&hessians, from_mut(&mut jacobian));
                jacobian
            } else {
                set_roots(&hessians, outputs, &mut block.ws.d_out);
                network.jacobian(theta, block.x, block.ws, coordinates)
            };
            lower_gram(hessian, Accum::Add, jacobian.as_ref(), 1.0);
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

/// The roots `l_i` of matrices `H_i = l_i l_i'`, given one after the other.
fn set_roots(hessians: &[f64], outputs: usize, roots: &mut [f64]) {
    let n = hessians.len() / (outputs * outputs);
    for (i, h) in hessians.chunks(outputs * outputs).enumerate() {
        let scale = if h[0] > SMALLEST_PIVOT { 1.0 / h[0].sqrt() } else { 0.0 };
        (0..outputs).for_each(|t| roots[t * n + i] = scale * h[t]);
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
        let mut inverse = [0.0; TOGETHER];
        for (pivot, inverse) in h[t * m + t].iter_mut().zip(&mut inverse) {
            *pivot = if *pivot > SMALLEST_PIVOT { pivot.sqrt() } else { 0.0 };
            *inverse = if *pivot > 0.0 { 1.0 / *pivot } else { 0.0 };
        }
        for s in t + 1..m {
            h[s * m + t].iter_mut().zip(&inverse).for_each(|(h, inverse)| *h *= inverse);
        }
    }
}
