//! The Hessian of a loss with respect to the outputs: a small block for each sample, and a low-rank part that couples samples.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::table::Samples;

type Blocks<'a> = Box<dyn Fn(Range<usize>, &mut [f64]) + Send + Sync + 'a>;

/// The Hessian of a loss by the outputs of all samples.
pub(crate) struct Curvature<'a> {
    blocks: Blocks<'a>,
    pub coupling: Option<Coupling>,
}

/// The coupling of samples in a loss with one output: `- sum_k c_k u_k u_k'`, where `u_k` has the entry `v_i` at the samples
/// `i <= k` of the run that contains `k`, and zero elsewhere. Only few `c_k` are non-zero: the *marks*.
///
/// The residual norm is one run with one mark, at its end. In survival each stratum is a run, and the risk sets are prefixes
/// of it because the times descend.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Coupling {
    pub v: Vec<f64>,
    /// The samples `k` with their `c_k`, ascending.
    pub marks: Vec<(usize, f64)>,
    /// The first sample of every run but the first.
    pub starts: Vec<usize>,
}

impl<'a> Curvature<'a> {
    pub fn new(blocks: impl Fn(Range<usize>, &mut [f64]) + Send + Sync + 'a) -> Self {
        Curvature { blocks: Box::new(blocks), coupling: None }
    }

    pub fn coupled(self, coupling: Coupling) -> Self {
        Curvature { coupling: Some(coupling), ..self }
    }

    /// Fills the blocks of some samples: `n_outputs x n_outputs` numbers each.
    pub fn of_rows(&self, rows: Range<usize>, blocks: &mut [f64]) {
        (self.blocks)(rows, blocks);
    }
}

impl Coupling {
    /// The samples of each run.
    fn runs(&self) -> Vec<Range<usize>> {
        let ends = self.starts.iter().copied().chain([self.v.len()]);
        [0].into_iter().chain(self.starts.iter().copied()).zip(ends).map(|(from, to)| from..to).collect()
    }

    fn marks_of(&self, run: &Range<usize>) -> &[(usize, f64)] {
        let up_to = |row: usize| self.marks.partition_point(|(k, _)| *k < row);
        &self.marks[up_to(run.start)..up_to(run.end)]
    }

    /// For each mark, its `c` times the sum of `value` over the samples of its run up to the mark.
    fn sums(&self, run: &Range<usize>, value: impl Fn(usize) -> f64) -> Vec<(usize, f64)> {
        let (mut sum, mut next) = (0.0, run.start);
        let up_to = |(k, c): &(usize, f64)| {
            sum += (next..=*k).map(&value).sum::<f64>();
            next = k + 1;
            (*k, c * sum)
        };
        self.marks_of(run).iter().map(up_to).collect()
    }

    /// `product -= sum_k c_k u_k (u_k' b)`
    pub fn subtract(&self, b: &[f64], product: &mut [f64]) {
        for run in self.runs() {
            let mut along = self.sums(&run, |i| self.v[i] * b[i]);
            let mut ahead = 0.0;
            for i in run.rev() {
                while let Some((_, sum)) = along.pop_if(|(k, _)| *k >= i) {
                    ahead += sum;
                }
                product[i] -= self.v[i] * ahead;
            }
        }
    }

    /// For each sample the mean of `b`, weighted with `v`, over the samples of its run up to the first mark from it on; 0 if there is
    /// no such mark. In survival these are the samples at risk at its time.
    pub fn means_at_risk(&self, b: &[f64]) -> Vec<f64> {
        let mut means = vec![0.0; b.len()];
        for run in self.runs() {
            let (sums, totals) = (self.sums(&run, |i| self.v[i] * b[i]), self.sums(&run, |i| self.v[i]));
            let mut from = run.start;
            for ((k, sum), (_, total)) in sums.into_iter().zip(totals) {
                means[from..=k].fill(sum / total);
                from = k + 1;
            }
        }
        means
    }

    /// The sum of `c_k u_k' u_k`; a row of weight w counts as w rows.
    pub fn trace(&self, samples: &Samples) -> f64 {
        let square = |i: usize| self.v[i] * self.v[i] / samples.weight(i);
        let of_run = |run| self.sums(&run, square).iter().map(|(_, sum)| sum).sum::<f64>();
        self.runs().into_iter().map(of_run).sum()
    }
}
