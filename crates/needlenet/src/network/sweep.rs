//! The network on all samples, in blocks of rows.
//!
//! Up to `WHOLE` samples form one block. A taller table is cut into blocks, which are distributed over lanes; lanes run
//! in parallel, and their results are added in a fixed order. Blocks and lanes depend on the number of samples only, so
//! the result has the same bits on any number of threads. The hidden layers of a block are not stored: the backward pass
//! computes them again. Memory: the outputs of every sample; hidden layers of `LANES * BLOCK` samples, or of `WHOLE` if
//! there is one block.
//! Tested in `src/tests/blocks.rs`.

use std::ops::Range;

use rayon::prelude::*;

use super::inputs::WHOLE;
use super::{Inputs, Network, Workspace};

/// Rows of a block of a tall table.
const BLOCK: usize = 1024;
const LANES: usize = 16;

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
    room: Room,
    /// The outputs of all blocks, and the gradients of one and of all.
    out: Vec<f64>,
    of_block: Vec<f64>,
    gradient: Vec<f64>,
}

/// Workspace for one block.
#[derive(Debug, Clone)]
struct Room {
    ws: Workspace,
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
        let block = if n > WHOLE { BLOCK } else { n };
        let blocks = n.div_ceil(block);
        let lanes = blocks.min(LANES);
        let start = |lane: usize| (lane * blocks / lanes * block).min(n);
        let outputs = network.n_outputs();
        Sweep {
            lanes: (0..lanes)
                .map(|lane| {
                    let rows = start(lane)..start(lane + 1);
                    Lane {
                        room: Room { ws: Workspace::new(network, block), x: Vec::new() },
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

    /// Whether all samples are one block.
    pub fn is_whole(&self) -> bool {
        self.lanes.len() == 1
    }

    /// Fills `out` with the outputs at every sample.
    pub fn forward(&mut self, network: &Network, theta: &[f64], x: &Inputs) {
        let n = x.n();
        self.passes += 1;
        side_by_side(&mut self.lanes, |lane| {
            for rows in lane.blocks() {
                let out = lane.room.forward(network, theta, x, &rows);
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
        let (whole, d_out) = (self.is_whole(), &self.d_out);
        side_by_side(&mut self.lanes, |lane| {
            for (at, rows) in lane.blocks().enumerate() {
                let block = lane.room.block(network, theta, x, d_out, rows, whole);
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
        lane.room.ws.d_out.copy_from_slice(&self.d_out);
        network.propagate_delta(theta, &mut lane.room.ws);
        Some(lane.room.ws.first_delta())
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
        let (whole, d_out) = (self.is_whole(), &self.d_out);
        self.lanes
            .par_iter_mut()
            .map(|lane| {
                let mut made = make();
                for rows in lane.blocks() {
                    visit(&mut made, lane.room.block(network, theta, x, d_out, rows, whole));
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

impl Room {
    fn forward<'a>(
        &'a mut self,
        network: &Network,
        theta: &[f64],
        x: &'a Inputs,
        rows: &Range<usize>,
    ) -> Block<'a> {
        let inputs = x.rows(rows, &mut self.x);
        self.ws.set_rows(rows.len());
        network.forward(theta, inputs, &mut self.ws);
        Block { rows: rows.clone(), x: inputs, ws: &mut self.ws }
    }

    /// A block with the hidden layers at `theta`; if it is the only block, [`Sweep::forward`] has already
    /// computed them.
    fn block<'a>(
        &'a mut self,
        network: &Network,
        theta: &[f64],
        x: &'a Inputs,
        d_out: &[f64],
        rows: Range<usize>,
        whole: bool,
    ) -> Block<'a> {
        let block = if whole {
            Block { x: x.rows(&rows, &mut self.x), rows, ws: &mut self.ws }
        } else {
            self.forward(network, theta, x, &rows)
        };
        for (to, d) in block.ws.d_out.chunks_mut(block.rows.len()).zip(d_out.chunks(x.n())) {
            to.copy_from_slice(&d[block.rows.clone()]);
        }
        block
    }
}

/// Runs on all threads. A single lane needs no thread and allocates nothing.
fn side_by_side(lanes: &mut [Lane], work: impl Fn(&mut Lane) + Send + Sync) {
    match lanes {
        [lane] => work(lane),
        lanes => lanes.par_iter_mut().for_each(work),
    }
}
