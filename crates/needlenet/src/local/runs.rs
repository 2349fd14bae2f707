//! The part of the curvature that couples samples: `sum_k c_k a_k a_k'`, where `a_k` is the sum of `v_i J_i` over the samples
//! of a run up to `k` (`outcome/curvature.rs`).
//!
//! The rows are processed in blocks by parallel lanes. A lane may begin in the middle of a run, and does not know the sum `S`
//! of the earlier samples of that run. With `s_k` the lane's own sum, `c (S + s)(S + s)' = c S S' + S (c s)' + (c s) S' + c s
//! s'`. So the lane stores the sums of `c`, `c s` and `c s s'`, and `S` is inserted when the lanes are joined. Cost: O(n d + k
//! d^2) for `k` marks.

use std::ops::Range;

use faer::Mat;

use crate::outcome::Coupling;
use crate::product::gram;

/// Columns that are summed side by side: an addition waits for the one before.
const SIDE_BY_SIDE: usize = 8;

/// One run, over the samples that a lane has processed.
struct Run {
    /// The sum of `v_i J_i`.
    sum: Vec<f64>,
    c: f64,
    first: Vec<f64>,
}

/// The runs of a lane.
pub(super) struct Runs {
    /// The run in which the lane began, set when the next run begins.
    begun_before: Option<Run>,
    current: Run,
    /// The sum of `c s s'` over all runs.
    second: Mat<f64>,
}

impl Run {
    fn new(d: usize) -> Self {
        Run { sum: vec![0.0; d], c: 0.0, first: vec![0.0; d] }
    }

    fn subtract_from(&self, hessian: &mut Mat<f64>, before: &[f64]) {
        for (j, b) in before.iter().enumerate() {
            for (i, a) in before.iter().enumerate() {
                hessian[(i, j)] -= self.c * a * b + a * self.first[j] + self.first[i] * b;
            }
        }
    }
}

impl Runs {
    pub fn new(d: usize) -> Self {
        Runs { begun_before: None, current: Run::new(d), second: Mat::zeros(d, d) }
    }

    /// Adds the rows of a block; `jacobian` has their derivatives.
    pub fn add(&mut self, coupling: &Coupling, rows: Range<usize>, jacobian: &Mat<f64>) {
        let starts = coupling.starts.iter().copied().filter(|start| rows.contains(start));
        let mut from = rows.start;
        for start in starts.chain([rows.end]) {
            self.add_run(coupling, from..start, rows.start, jacobian);
            if start < rows.end {
                let ended = std::mem::replace(&mut self.current, Run::new(jacobian.ncols()));
                self.begun_before.get_or_insert(ended);
            }
            from = start;
        }
    }

    fn add_run(&mut self, coupling: &Coupling, rows: Range<usize>, first: usize, jacobian: &Mat<f64>) {
        let up_to = |row: usize| coupling.marks.partition_point(|(k, _)| *k < row);
        let marks = &coupling.marks[up_to(rows.start)..up_to(rows.end)];
        let roots: Vec<f64> = marks.iter().map(|(_, c)| c.sqrt()).collect();
        let mut sums = Mat::<f64>::zeros(marks.len(), jacobian.ncols());
        let d = jacobian.ncols();
        for begin in (0..d).step_by(SIDE_BY_SIDE) {
            // the last columns may be summed more than once
            let places: [usize; SIDE_BY_SIDE] = std::array::from_fn(|k| (begin + k).min(d - 1));
            let columns = places.map(|j| jacobian.col_as_slice(j));
            let (mut total, mut from) = (places.map(|j| self.current.sum[j]), rows.start);
            let mut add = |to: usize| {
                let mut sums = [-0.0; SIDE_BY_SIDE];
                for i in from..to {
                    let v = coupling.v[i];
                    sums.iter_mut().zip(&columns).for_each(|(sum, column)| *sum += v * column[i - first]);
                }
                total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
                from = to;
                total
            };
            for (at, (k, c)) in marks.iter().enumerate() {
                let up_to_mark = add(k + 1);
                for (sum, &j) in up_to_mark.iter().zip(&places[..SIDE_BY_SIDE.min(d - begin)]) {
                    sums[(at, j)] = roots[at] * sum;
                    self.current.first[j] += c * sum;
                }
            }
            let whole = add(rows.end);
            places.iter().zip(whole).for_each(|(j, sum)| self.current.sum[*j] = sum);
        }
        self.current.c += marks.iter().map(|(_, c)| c).sum::<f64>();
        if !marks.is_empty() {
            self.second += gram(sums.as_ref(), 1.0);
        }
    }

    /// Subtracts all runs from a Hessian. `carried` is the sum of the earlier samples of the run in which this lane begins; it
    /// is updated to the sum that the next lane needs.
    pub fn subtract_from(self, hessian: &mut Mat<f64>, carried: &mut Vec<f64>) {
        *hessian -= self.second;
        match self.begun_before {
            Some(run) => {
                run.subtract_from(hessian, carried);
                *carried = self.current.sum;
            }
            // nothing was carried into the first lane
            None if carried.is_empty() => *carried = self.current.sum,
            None => {
                self.current.subtract_from(hessian, carried);
                carried.iter_mut().zip(self.current.sum).for_each(|(c, s)| *c += s);
            }
        }
    }
}
