//! The Hessian of a loss by the outputs: a small block for each sample, and what couples the samples.

use std::ops::Range;

type Blocks<'a> = Box<dyn Fn(Range<usize>, &mut [f64]) + Send + Sync + 'a>;

/// The Hessian of a loss by the outputs of all samples.
pub(crate) struct Curvature<'a> {
    blocks: Blocks<'a>,
    pub coupling: Option<Coupling>,
}

/// What couples the samples of a loss with one output: `- sum_k c_k u_k u_k'`, where `u_k` has the entry `v_i` at the samples
/// `i <= k` of the run that `k` is in, and zero elsewhere. Few `c_k` need be above zero: the *marks*.
///
/// The residual norm is one run with one `c`, at its end; the risk sets of survival, with the times descending, are the
/// beginnings of a run, one run for each stratum.
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
