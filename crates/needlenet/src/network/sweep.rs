//! The network on all samples, in blocks of rows.
//!
//! Up to `WHOLE` samples form one block. A taller table is cut into blocks, which are distributed over lanes; lanes run
//! in parallel, and their results are added in a fixed order. Blocks and lanes depend on the number of samples only, so
//! the result has the same bits on any number of threads. The hidden layers of up to `KEPT` samples are stored; those of a taller
//! table are computed again by the backward pass. Memory: the outputs of every sample; hidden layers of `KEPT` samples, or of
//! `LANES * BLOCK` if there are more.
//! Tested in `src/tests/blocks.rs`.

use std::ops::Range;

use rayon::prelude::*;

use super::inputs::WHOLE;
use super::{Inputs, Network, Workspace};

/// Rows of a block of a tall table.
const BLOCK: usize = 1024;
const LANES: usize = 16;
/// The largest number of samples whose hidden layers are stored.
const KEPT: usize = 2 * LANES * BLOCK;

/// Outputs of all samples, and workspace for the blocks.
#[derive(Debug, Clone)]
pub(crate) struct Sweep {
    lanes: Vec<Lane>,
    /// Network outputs before the link, `n x n_outputs`.
    pub out: Vec<f64>,
    /// Derivative of the loss by the outputs.
    pub d_out: Vec<f64>,
    /// Number of forward passes so far.
    pub passes: usize,
}

/// A lane: some blocks, processed in order.
#[derive(Debug, Clone)]
struct Lane {
    rows: Range<usize>,
    block: usize,
    rooms: Rooms,
    /// The outputs of all blocks, and the gradients of one and of all.
    out: Vec<f64>,
    of_block: Vec<f64>,
    gradient: Vec<f64>,
}

/// A workspace for each block, or one for all in turn; and the inputs of one block.
#[derive(Debug, Clone)]
struct Rooms {
    ws: Vec<Workspace>,
    /// Whether each block has its own, so that its hidden layers are stored.
    kept: bool,
    x: Vec<f64>,
}

/// One block of rows: its inputs, and the workspace after [`Network::forward`] with its rows of `d_out`.
pub(crate) struct Block<'a> {
    pub rows: Range<usize>,
    pub x: &'a [f64],
    pub ws: &'a mut Workspace,
}

impl Sweep {
    pub fn new(network: &Network, n: usize) -> Self {
        Self::keeping(network, n, KEPT)
    }

    /// The hidden layers are stored if there are at most `most` samples.
    pub fn keeping(network: &Network, n: usize, most: usize) -> Self {
        let block = if n > WHOLE { BLOCK } else { n };
        let blocks = n.div_ceil(block);
        let lanes = blocks.min(LANES);
        let start = |lane: usize| (lane * blocks / lanes * block).min(n);
        let outputs = network.n_outputs();
        Sweep {
            lanes: (0..lanes)
                .map(|lane| {
                    let rows = start(lane)..start(lane + 1);
                    let kept = n <= most || blocks == 1;
                    let count = if kept { rows.len().div_ceil(block) } else { 1 };
                    Lane {
                        rooms: Rooms { ws: vec![Workspace::new(network, block); count], kept, x: Vec::new() },
                        out: vec![0.0; rows.len() * outputs],
                        of_block: vec![0.0; network.n_params()],
                        gradient: vec![0.0; network.n_params()],
                        rows,
                        block,
                    }
                })
                .collect(),
            out: vec![0.0; n * outputs],
            d_out: vec![0.0; n * outputs],
            passes: 0,
        }
    }

    /// Fills `out` with the outputs at every sample.
    pub fn forward(&mut self, network: &Network, theta: &[f64], x: &Inputs) {
        let n = x.n();
        self.passes += 1;
        side_by_side(&mut self.lanes, |lane| {
            for (at, rows) in lane.blocks().enumerate() {
                let out = lane.rooms.forward(network, theta, x, at, &rows);
                let from = rows.start - lane.rows.start;
                let columns = lane.out.chunks_mut(lane.rows.len()).zip(out.ws.out.chunks(rows.len()));
                columns.for_each(|(to, out)| to[from..from + rows.len()].copy_from_slice(out));
            }
        });
        for lane in &self.lanes {
            let columns = self.out.chunks_mut(n).zip(lane.out.chunks(lane.rows.len()));
            columns.for_each(|(to, out)| to[lane.rows.clone()].copy_from_slice(out));
        }
    }

    /// Adds the gradient by every parameter, from `d_out` as left by the loss after [`Sweep::forward`].
    pub fn backward(&mut self, network: &Network, theta: &[f64], x: &Inputs, gradient: &mut [f64]) {
        let d_out = &self.d_out;
        side_by_side(&mut self.lanes, |lane| {
            for (at, rows) in lane.blocks().enumerate() {
                let block = lane.rooms.block(network, theta, x, d_out, at, rows);
                let to = if at == 0 { &mut lane.gradient } else { &mut lane.of_block };
                network.backward(theta, block.x, block.ws, to);
                if at > 0 {
                    lane.gradient.iter_mut().zip(&lane.of_block).for_each(|(sum, g)| *sum += g);
                }
            }
        });
        for lane in &self.lanes {
            gradient.iter_mut().zip(&lane.gradient).for_each(|(sum, g)| *sum += g);
        }
    }

    /// The derivative of the loss by the pre-activations of the first layer, after [`Sweep::forward`]; only if all
    /// samples are one block.
    pub fn first_delta_of_whole(&mut self, network: &Network, theta: &[f64]) -> Option<&[f64]> {
        let [lane] = &mut self.lanes[..] else { return None };
        let [ws] = &mut lane.rooms.ws[..] else { return None };
        ws.d_out.copy_from_slice(&self.d_out);
        network.propagate_delta(theta, ws);
        Some(ws.first_delta())
    }

    /// Calls `visit` with every block and the accumulator of its lane; returns the accumulators in order. To be
    /// called after [`Sweep::forward`].
    pub fn fold<T: Send>(
        &mut self,
        network: &Network,
        theta: &[f64],
        x: &Inputs,
        make: impl Fn() -> T + Sync,
        visit: impl Fn(&mut T, Block) + Sync,
    ) -> Vec<T> {
        let d_out = &self.d_out;
        self.lanes
            .par_iter_mut()
            .map(|lane| {
                let mut made = make();
                for (at, rows) in lane.blocks().enumerate() {
                    visit(&mut made, lane.rooms.block(network, theta, x, d_out, at, rows));
                }
                made
            })
            .collect()
    }
}

impl Lane {
    fn blocks(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (rows, block) = (self.rows.clone(), self.block);
        rows.clone().step_by(block).map(move |first| first..rows.end.min(first + block))
    }
}

impl Rooms {
    fn forward<'a>(
        &'a mut self,
        network: &Network,
        theta: &[f64],
        x: &'a Inputs,
        at: usize,
        rows: &Range<usize>,
    ) -> Block<'a> {
        let block = self.at(x, at, rows);
        block.ws.set_rows(rows.len());
        network.forward(theta, block.x, block.ws);
        block
    }

    /// A block with the hidden layers at `theta`; if they are stored, [`Sweep::forward`] has already
    /// computed them.
    fn block<'a>(
        &'a mut self,
        network: &Network,
        theta: &[f64],
        x: &'a Inputs,
        d_out: &[f64],
        at: usize,
        rows: Range<usize>,
    ) -> Block<'a> {
        let block =
            if self.kept { self.at(x, at, &rows) } else { self.forward(network, theta, x, at, &rows) };
        for (to, d) in block.ws.d_out.chunks_mut(rows.len()).zip(d_out.chunks(x.n())) {
            to.copy_from_slice(&d[rows.clone()]);
        }
        block
    }

    fn at<'a>(&'a mut self, x: &'a Inputs, at: usize, rows: &Range<usize>) -> Block<'a> {
        let ws = &mut self.ws[if self.kept { at } else { 0 }];
        Block { rows: rows.clone(), x: x.rows(rows, &mut self.x), ws }
    }
}

/// Runs on all threads. A single lane needs no thread and allocates nothing.
fn side_by_side(lanes: &mut [Lane], work: impl Fn(&mut Lane) + Send + Sync) {
    match lanes {
        [lane] => work(lane),
        lanes => lanes.par_iter_mut().for_each(work),
    }
}
