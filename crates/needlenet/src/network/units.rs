//! The Gauss-Newton matrix of several outputs.
//!
//! A *unit* `u` is a neuron or an output: `z_u` are its inputs, and `a_u` the derivatives of all outputs by its pre-activation. The
//! derivatives of the outputs by the parameters of a unit are `a_u z_u'`, so with the Hessian `H_i` of the loss by the outputs of a sample
//!
//! $$J' H J = \Big(\sum_i (a_{iu}' H_i a_{iv})\, z_{iu} z_{iv}'\Big)_{uv}$$
//!
//! Cost: O(n d^2) for `d` parameters, whatever the number of outputs; with the derivatives of each output it would be as many times
//! that. Tested in `src/tests/gradients.rs`.

use faer::Mat;

use super::{Network, Workspace};
use crate::product::{add_products, multiply_add, view};

/// Samples that are worked on together, so that their numbers stay in the nearest cache.
const TOGETHER: usize = 256;

/// A unit with parameters among the coordinates.
struct Unit {
    layer: usize,
    neuron: usize,
    /// The place of each parameter among the coordinates, and what it multiplies.
    parameters: Vec<(usize, Input)>,
    /// The derivative of each output by the pre-activation; empty for an output, whose derivative by itself is 1.
    by_outputs: Vec<Vec<f64>>,
}

/// What a parameter multiplies.
#[derive(Clone, Copy)]
pub(super) enum Input {
    One,
    /// A column of the inputs, also of those that are always in.
    Column(usize),
    /// The output of a neuron of the layer below.
    Neuron(usize),
}

impl Network {
    /// Adds the Gauss-Newton matrix of a block of samples, without regard to the unit rows, after [`Network::forward`]. `coordinates` is
    /// ascending; `hessians` has `H_i` for one sample after the other.
    pub fn add_gauss_newton(
        &self,
        theta: &[f64],
        x: &[f64],
        ws: &mut Workspace,
        coordinates: &[usize],
        hessians: &[f64],
        to: &mut Mat<f64>,
    ) {
        let units = self.units(theta, ws, coordinates);
        let (n, outputs) = (ws.rows(), self.n_outputs());
        let d: usize = units.iter().map(|unit| unit.parameters.len()).sum();
        // the columns of each unit and of those behind it
        let mut behind = d;
        let mut sums: Vec<Mat<f64>> = Vec::with_capacity(units.len());
        for unit in &units {
            sums.push(Mat::zeros(unit.parameters.len(), behind));
            behind -= unit.parameters.len();
        }
        let mut room = Room {
            hessian: vec![0.0; outputs * outputs * TOGETHER],
            z: vec![0.0; d * TOGETHER],
            weighted: vec![0.0; d * TOGETHER],
            pulled: vec![vec![0.0; outputs * TOGETHER]; units.len()],
            product: vec![0.0; TOGETHER],
        };
        for first in (0..n).step_by(TOGETHER) {
            let rows = first..n.min(first + TOGETHER);
            room.hessian.chunks_mut(TOGETHER).enumerate().for_each(|(at, entry)| {
                let of_rows = hessians[first * outputs * outputs..].chunks(outputs * outputs);
                entry.iter_mut().zip(of_rows).for_each(|(to, hessian)| *to = hessian[at]);
            });
            let mut column = 0;
            for unit in &units {
                for (_, input) in &unit.parameters {
                    let to = &mut room.z[column * rows.len()..(column + 1) * rows.len()];
                    let from = |values: &[f64], at: usize, to: &mut [f64]| {
                        to.copy_from_slice(&values[at * n + rows.start..at * n + rows.end]);
                    };
                    match input {
                        Input::One => to.fill(1.0),
                        Input::Column(at) => from(x, *at, to),
                        Input::Neuron(at) => from(&ws.post[unit.layer - 1], *at, to),
                    }
                    column += 1;
                }
            }
            room.add(&units, rows.start, rows.len(), outputs, &mut sums);
        }
        let places: Vec<usize> = units.iter().flat_map(|unit| unit.parameters.iter().map(|p| p.0)).collect();
        let mut first = 0;
        for (unit, sum) in units.iter().zip(&sums) {
            let own = unit.parameters.len();
            for (at, q) in places[first..].iter().enumerate() {
                for (p, v) in places[first..first + own].iter().zip(sum.col_as_slice(at)) {
                    to[(*p, *q)] += v;
                    if at >= own {
                        to[(*q, *p)] += v;
                    }
                }
            }
            first += own;
        }
    }

    /// The units that have parameters among the coordinates, with the derivatives of the outputs by each.
    fn units(&self, theta: &[f64], ws: &mut Workspace, coordinates: &[usize]) -> Vec<Unit> {
        let mut units: Vec<Unit> = Vec::new();
        for (place, &at) in coordinates.iter().enumerate() {
            let (layer, neuron, input) = self.role(at);
            let known = units.iter().position(|unit| (unit.layer, unit.neuron) == (layer, neuron));
            let known = known.unwrap_or_else(|| {
                units.push(Unit { layer, neuron, parameters: Vec::new(), by_outputs: Vec::new() });
                units.len() - 1
            });
            units[known].parameters.push((place, input));
        }
        let (n, last) = (ws.rows(), self.layers.len() - 1);
        for t in 0..self.n_outputs() {
            ws.d_out.fill(0.0);
            ws.d_out[t * n..(t + 1) * n].fill(1.0);
            self.propagate_delta(theta, ws);
            for unit in units.iter_mut().filter(|unit| unit.layer < last) {
                let delta = ws.delta_of(unit.layer);
                unit.by_outputs.push(delta[unit.neuron * n..(unit.neuron + 1) * n].to_vec());
            }
        }
        units
    }

    /// The layer and the neuron that a parameter belongs to, and what it multiplies.
    pub(super) fn role(&self, at: usize) -> (usize, usize, Input) {
        if let Some(place) = at.checked_sub(self.always().start) {
            let outputs = self.n_outputs();
            return (
                self.layers.len() - 1,
                place % outputs,
                Input::Column(self.n_inputs() + place / outputs),
            );
        }
        let k = self.layers.iter().position(|layer| at < layer.biases.end).unwrap_or(0);
        let layer = &self.layers[k];
        if at >= layer.weights.end {
            return (k, at - layer.biases.start, Input::One);
        }
        let (neuron, input) =
            ((at - layer.weights.start) % layer.outputs, (at - layer.weights.start) / layer.outputs);
        (k, neuron, if k == 0 { Input::Column(input) } else { Input::Neuron(input) })
    }
}

/// Buffers for some samples. Each entry of `hessian`, each output of `pulled`, has `TOGETHER` numbers.
struct Room {
    /// `H`, entry by entry.
    hessian: Vec<f64>,
    /// The inputs of all units, one column after the other.
    z: Vec<f64>,
    weighted: Vec<f64>,
    /// `H a_u` of each unit.
    pulled: Vec<Vec<f64>>,
    product: Vec<f64>,
}

impl Room {
    /// Adds some samples to the sums, of which each unit has one with itself and the units behind it.
    fn add(&mut self, units: &[Unit], first: usize, n: usize, outputs: usize, sums: &mut [Mat<f64>]) {
        let Room { hessian, z, weighted, pulled, product } = self;
        let entry = |s: usize, t: usize| &hessian[(s * outputs + t) * TOGETHER..][..n];
        for (unit, pulled) in units.iter().zip(&mut *pulled) {
            for (s, pulled) in pulled.chunks_mut(TOGETHER).enumerate() {
                let pulled = &mut pulled[..n];
                if unit.by_outputs.is_empty() {
                    pulled.copy_from_slice(entry(s, unit.neuron));
                    continue;
                }
                pulled.fill(0.0);
                for (t, a) in unit.by_outputs.iter().enumerate() {
                    add_products(pulled, entry(s, t), &a[first..first + n]);
                }
            }
        }
        let mut begin = 0;
        for (at, (unit, sum)) in units.iter().zip(sums).enumerate() {
            let mut column = begin;
            for (other, pulled) in units[at..].iter().zip(&pulled[at..]) {
                let of_output = |s: usize| &pulled[s * TOGETHER..][..n];
                let product = if unit.by_outputs.is_empty() {
                    of_output(unit.neuron)
                } else {
                    product[..n].fill(0.0);
                    for (s, a) in unit.by_outputs.iter().enumerate() {
                        add_products(&mut product[..n], of_output(s), &a[first..first + n]);
                    }
                    &product[..n]
                };
                for _ in &other.parameters {
                    let columns = column * n..(column + 1) * n;
                    weighted[columns.clone()].fill(0.0);
                    add_products(&mut weighted[columns.clone()], product, &z[columns]);
                    column += 1;
                }
            }
            let own = unit.parameters.len();
            let (columns, all) = (sum.ncols(), begin * n..column * n);
            multiply_add(
                sum.as_mut(),
                view(&z[begin * n..(begin + own) * n], n, own).transpose(),
                view(&weighted[all], n, columns),
            );
            begin += own;
        }
    }
}
