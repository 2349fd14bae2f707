//! Basis pursuit: the solution of a linear system with the smallest sum of absolute values.
//!
//! $$\min_b \lVert b\rVert_1 \text{ such that } A b = y, \qquad
//!   \max_v\, y^\top v \text{ such that } \lVert A^\top v\rVert_\infty \le 1$$
//!
//! The second problem is the dual of the first; the multipliers of its constraints are `b`. Clarabel solves it
//! for some columns of `A`. A column with `|a_j' v| > 1` violates the dual, and the most violated ones join until
//! none does: then `b`, with zeros elsewhere, solves the whole problem. The vertex next to it is exact.
//! Cost: a few interior-point solves with about `columns * n^2` operations an iteration, and one product `A' v`
//! for each. Tested below.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, ZeroConeT};
use faer::Mat;
use faer::prelude::Solve;

/// The largest accepted violation of the dual by a column outside the working set.
const DUAL_TOLERANCE: f64 = 1e-7;

/// Coefficients below this part of the largest are zero: above the rounding of a vertex (1e-15), below every other
/// coefficient that was seen (3e-5 on Gaussian columns with n = 71 and p = 4088).
const ZERO: f64 = 1e-7;

/// Columns of the first working set beside those that are always in it, per number of `y`. With n = 71 and
/// p = 4088, 1.5 to 3 took about the same time, a tenth of that with all columns.
const FIRST_COLUMNS: usize = 2;

/// A solution with its certificate.
#[derive(Debug, Clone)]
pub(super) struct Solution {
    /// The coefficients, a number for each column of `A`.
    pub b: Vec<f64>,
    /// `||b||_1`.
    pub l1: f64,
    /// The error of the solution: the largest residual of `A b = y` relative to the largest number of `y`, or
    /// the relative gap between `||b||_1` and the dual, whichever is larger. No solution has a smaller sum
    /// than the dual.
    pub error: f64,
}

impl Solution {
    /// Coefficients of this size or less are zero.
    pub fn zero(&self) -> f64 {
        ZERO * size(&self.b)
    }
}

/// Solves for the columns `a` (one after the other, `y.len()` numbers each). The columns from `always` on must
/// span the space of `y`: they are in every working set, which keeps the dual bounded.
pub(super) fn basis_pursuit(a: &[f64], y: &[f64], always: usize) -> Solution {
    let n = y.len();
    let columns = a.len() / n;
    let along =
        |j: usize, v: &[f64]| -> f64 { a[j * n..(j + 1) * n].iter().zip(v).map(|(a, v)| a * v).sum() };
    let mut outside: Vec<usize> = (0..always).collect();
    let mut working: Vec<usize> = (always..columns).collect();
    join(&mut working, &mut outside, FIRST_COLUMNS * n, |j| along(j, y).abs());
    loop {
        let (b, v) = on_working_set(a, y, &working);
        let violation = |j: usize| along(j, &v).abs() - 1.0;
        let violated = outside.iter().filter(|&&j| violation(j) > DUAL_TOLERANCE).count();
        if violated == 0 {
            let inner = solution(a, y, &working, &b, &v);
            let (b, v) = vertex(a, y, &working, &b);
            let vertex = solution(a, y, &working, &b, &v);
            return if vertex.error < inner.error { vertex } else { inner };
        }
        join(&mut working, &mut outside, violated.min(n), violation);
    }
}

/// The coefficients and the dual of the vertex next to an interior point. The vertex uses as many columns as
/// there are equations, those with the largest coefficients; `a_j' v` is the sign of the coefficient for each.
/// The interior point itself is only approximate: on riboflavin one in 200 had a residual above 1e-7, up to 4e-6.
fn vertex(a: &[f64], y: &[f64], working: &[usize], b: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let n = y.len();
    let mut largest: Vec<usize> = (0..working.len()).collect();
    largest.sort_by(|&k, &l| b[l].abs().total_cmp(&b[k].abs()));
    largest.truncate(n);
    let columns = Mat::from_fn(n, n, |i, k| a[working[largest[k]] * n + i]).partial_piv_lu();
    let solved = columns.solve(Mat::from_fn(n, 1, |i, _| y[i]));
    let dual = columns.solve_transpose(Mat::from_fn(n, 1, |k, _| solved[(k, 0)].signum()));
    let mut vertex = vec![0.0; b.len()];
    largest.iter().enumerate().for_each(|(k, &at)| vertex[at] = solved[(k, 0)]);
    (vertex, (0..n).map(|i| dual[(i, 0)]).collect())
}

fn solution(a: &[f64], y: &[f64], working: &[usize], b: &[f64], v: &[f64]) -> Solution {
    let mut all = vec![0.0; a.len() / y.len()];
    working.iter().zip(b).for_each(|(&j, &b)| all[j] = b);
    let l1: f64 = b.iter().map(|b| b.abs()).sum();
    let product = |a: &[f64]| a.iter().zip(v).map(|(a, v)| a * v).sum::<f64>();
    // the dual must hold for every column
    let dual = product(y) / a.chunks(y.len()).map(|column| product(column).abs()).fold(1.0, f64::max);
    let gap = (l1 - dual).abs() / l1.max(f64::MIN_POSITIVE);
    let error = gap.max(residual(a, &all, y) / size(y).max(f64::MIN_POSITIVE));
    // the maximum of a number and NaN is the number, which would hide a failure of the solver
    Solution { error: if l1.is_finite() && dual.is_finite() { error } else { f64::INFINITY }, b: all, l1 }
}

fn size(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()))
}

/// The largest difference between `A b` and `y`.
fn residual(a: &[f64], b: &[f64], y: &[f64]) -> f64 {
    let mut left = y.to_vec();
    for (column, b) in a.chunks(y.len()).zip(b).filter(|(_, b)| **b != 0.0) {
        left.iter_mut().zip(column).for_each(|(left, a)| *left -= a * b);
    }
    size(&left)
}

/// Moves the `count` columns with the largest values from `outside` to `working`.
fn join(working: &mut Vec<usize>, outside: &mut Vec<usize>, count: usize, value: impl Fn(usize) -> f64) {
    let mut valued: Vec<(f64, usize)> = outside.iter().map(|&j| (value(j), j)).collect();
    valued.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    *outside = valued.iter().map(|(_, j)| *j).collect();
    working.extend(outside.drain(..count.min(outside.len())));
}

/// The coefficients of the working columns and the dual `v`, both zero if the solver refuses the problem.
///
/// The dual is written with `u = A' v` as a variable of its own, so that `A` occurs once:
/// minimise `-y' v` such that `A' v - u = 0`, `u <= 1` and `-u <= 1`.
fn on_working_set(a: &[f64], y: &[f64], working: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let (n, q) = (y.len(), working.len());
    let mut starts = Vec::with_capacity(n + q + 1);
    let (mut rows, mut values) = (Vec::with_capacity((n + 3) * q), Vec::with_capacity((n + 3) * q));
    for i in 0..n {
        starts.push(rows.len());
        rows.extend(0..q);
        values.extend(working.iter().map(|j| a[j * n + i]));
    }
    for k in 0..q {
        starts.push(rows.len());
        rows.extend([k, q + k, 2 * q + k]);
        values.extend([-1.0, 1.0, -1.0]);
    }
    starts.push(rows.len());
    let constraints = CscMatrix::new(3 * q, n + q, starts, rows, values);
    let objective: Vec<f64> = y.iter().map(|v| -v).chain(std::iter::repeat_n(0.0, q)).collect();
    let limits = [vec![0.0; q], vec![1.0; 2 * q]].concat();
    let cones = [ZeroConeT(q), NonnegativeConeT(2 * q)];
    let settings = DefaultSettings { verbose: false, max_threads: 1, ..DefaultSettings::default() };
    let quadratic = CscMatrix::zeros((n + q, n + q));
    let Ok(mut solver) = DefaultSolver::new(&quadratic, &objective, &constraints, &limits, &cones, settings)
    else {
        return (vec![0.0; q], vec![0.0; n]);
    };
    solver.solve();
    // the solution itself shows whether the solver reached its tolerance
    let solution = &solver.solution;
    (solution.z[..q].to_vec(), solution.x[..n].to_vec())
}

#[cfg(test)]
mod tests {
    use rand::seq::index::sample;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rand_distr::StandardNormal;

    use super::*;

    fn gaussian(count: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
        (0..count).map(|_| rng.sample(StandardNormal)).collect()
    }

    fn l1(b: &[f64]) -> f64 {
        b.iter().map(|b| b.abs()).sum()
    }

    /// The largest difference between `A b` and `y`, row by row.
    fn largest_residual(a: &[f64], b: &[f64], y: &[f64]) -> f64 {
        let n = y.len();
        let row = |i: usize| b.iter().enumerate().map(|(j, b)| a[j * n + i] * b).sum::<f64>() - y[i];
        (0..n).map(|i| row(i).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn solution_satisfies_the_equations_and_no_other_solution_has_a_smaller_sum() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        for (n, p) in [(10, 15), (25, 60), (12, 300)] {
            let (a, y) = (gaussian(n * (p + n), &mut rng), gaussian(n, &mut rng));
            let found = basis_pursuit(&a, &y, p);
            assert!(largest_residual(&a, &found.b, &y) < 1e-6, "{n} {p}");
            assert!(found.error < 1e-6, "{n} {p}: {}", found.error);
            assert!((found.l1 - l1(&found.b)).abs() < 1e-12 * found.l1);
            // other solutions: n columns at random, or the same moved by a difference of two such
            let basic = |rng: &mut ChaCha8Rng| {
                let chosen = sample(rng, p + n, n).into_vec();
                let square = Mat::from_fn(n, n, |i, k| a[chosen[k] * n + i]);
                let part = square.partial_piv_lu().solve(Mat::from_fn(n, 1, |i, _| y[i]));
                let mut b = vec![0.0; p + n];
                chosen.iter().enumerate().for_each(|(k, &j)| b[j] = part[(k, 0)]);
                b
            };
            for _ in 0..50 {
                let (one, other) = (basic(&mut rng), basic(&mut rng));
                let step = 1e-3;
                let near: Vec<f64> = (0..p + n).map(|j| found.b[j] + step * (one[j] - other[j])).collect();
                for feasible in [one, near] {
                    assert!(largest_residual(&a, &feasible, &y) < 1e-6 * (1.0 + l1(&feasible)));
                    assert!(found.l1 <= l1(&feasible) + 1e-6);
                }
            }
        }
    }

    #[test]
    fn working_set_ends_at_the_solution_of_the_whole_problem() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let (n, p) = (15, 400);
        for _ in 0..5 {
            let (a, y) = (gaussian(n * (p + n), &mut rng), gaussian(n, &mut rng));
            let found = basis_pursuit(&a, &y, p);
            let (whole, _) = on_working_set(&a, &y, &(0..p + n).collect::<Vec<_>>());
            for (j, (b, exact)) in found.b.iter().zip(&whole).enumerate() {
                assert!((b - exact).abs() < 1e-5, "{j}: {b} {exact}");
            }
        }
    }

    #[test]
    fn sparse_solution_is_found_where_basis_pursuit_is_known_to_find_it() {
        // three columns of 60 with 30 equations: far below the phase transition of Donoho and Tanner
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (n, p) = (30, 30);
        let a = gaussian(n * (p + n), &mut rng);
        let truth = [(3, 2.0), (11, -1.0), (40, 0.5)];
        let y: Vec<f64> = (0..n).map(|i| truth.iter().map(|(j, b)| b * a[j * n + i]).sum()).collect();
        let found = basis_pursuit(&a, &y, p);
        for (j, b) in found.b.iter().enumerate() {
            let exact = truth.iter().find(|(k, _)| *k == j).map_or(0.0, |(_, b)| *b);
            assert!((b - exact).abs() < 1e-6, "{j}: {b}");
            assert_eq!(b.abs() > found.zero(), exact != 0.0);
        }
    }
}
