//! The second derivatives of the network, summed over samples and outputs with the derivatives `g` of the loss by the outputs:
//! what Gauss-Newton leaves out.
//!
//! With `u_k` the pre-activation of a neuron, `J_k` its derivatives by the parameters below it, and `e_k` the derivative of the loss by
//! its output `s_k = sigma(u_k)`,
//!
//! $$\sum_i g_i \nabla^2 \mu_i = \sum_k \sum_i e_{ik} \sigma''(u_{ik}) J_{ik} J_{ik}'
//!   + \text{products of a weight that } s_k \text{ enters with the parameters below } k$$
//!
//! Upper rows have unit norm, so the Hessian is that of the sphere. Tested in `src/tests/gradients.rs`.

use faer::Mat;

use super::{Network, Workspace};
use crate::product::{dot, multiply, view};

/// The second derivatives by some parameters.
pub(crate) struct SecondOrder {
    /// The Hessian without regard to the unit rows, both triangles.
    pub sum: Mat<f64>,
    /// For every upper row, its product with the gradient by it.
    along: Vec<f64>,
}

/// The derivatives of a pre-activation by the parameters below it: their places, and `n` values each.
#[derive(Default)]
struct Branch {
    at: Vec<usize>,
    values: Vec<f64>,
}

impl Branch {
    fn columns(&self) -> impl Iterator<Item = (usize, &[f64])> {
        let n = self.values.len() / self.at.len().max(1);
        self.at.iter().copied().zip(self.values.chunks(n.max(1)))
    }

    /// Adds to the derivative by the parameter at a place.
    fn add(&mut self, at: usize, values: impl ExactSizeIterator<Item = f64>) {
        let n = values.len();
        match self.at.iter().position(|other| *other == at) {
            Some(place) => {
                self.values[place * n..(place + 1) * n].iter_mut().zip(values).for_each(|(sum, v)| *sum += v);
            }
            None => {
                self.at.push(at);
                self.values.extend(values);
            }
        }
    }

    /// `sum += J' diag(weights) J` at the places of the branch.
    fn add_weighted_gram(&self, weights: &[f64], sum: &mut Mat<f64>) {
        let (n, m) = (weights.len(), self.at.len());
        if m == 0 {
            return;
        }
        let mut weighted = Vec::with_capacity(n * m);
        for (_, column) in self.columns() {
            weighted.extend(column.iter().zip(weights).map(|(j, e)| j * e));
        }
        let mut gram = Mat::<f64>::zeros(m, m);
        multiply(gram.as_mut(), view(&self.values, n, m).transpose(), view(&weighted, n, m));
        for (b, q) in self.at.iter().enumerate() {
            self.at.iter().zip(gram.col_as_slice(b)).for_each(|(p, g)| sum[(*p, *q)] += g);
        }
    }
}

impl SecondOrder {
    pub fn zero(network: &Network, d: usize) -> Self {
        let rows = network.unit_layers().map(|l| l.outputs).sum();
        SecondOrder { sum: Mat::zeros(d, d), along: vec![0.0; rows] }
    }

    pub fn add(&mut self, other: &SecondOrder) {
        self.sum += &other.sum;
        self.along.iter_mut().zip(&other.along).for_each(|(a, b)| *a += b);
    }
}

impl Network {
    /// Adds a block of samples, after [`Network::forward`] and with `ws.d_out` set. `coordinates` is ascending.
    pub fn add_second_order(
        &self,
        theta: &[f64],
        x: &[f64],
        ws: &mut Workspace,
        coordinates: &[usize],
        to: &mut SecondOrder,
    ) {
        self.propagate_delta(theta, ws);
        let n = ws.rows();
        let of = |k: usize| k * n..(k + 1) * n;
        let mut below: Vec<Branch> = Vec::new();
        let mut first_row = 0;
        for (l, pair) in self.layers.windows(2).enumerate() {
            let [layer, above] = pair else { continue };
            let (post, slope) = (&ws.post[l], &ws.slope[l]);
            let after = ws.delta_of(l + 1);
            let branch = |k: usize| self.branch(l, k, theta, x, ws, coordinates, &below);
            let branches: Vec<Branch> = (0..layer.outputs).map(branch).collect();
            for (k, branch) in branches.iter().enumerate() {
                let weight = |row: usize| theta[above.weights.start + k * above.outputs + row];
                let (post, slope) = (&post[of(k)], &slope[of(k)]);
                let mut weights = vec![0.0; n];
                for row in 0..above.outputs {
                    let delta = &after[of(row)];
                    to.along[first_row + row] += weight(row) * dot(delta, post);
                    weights.iter_mut().zip(delta).for_each(|(e, d)| *e += weight(row) * d);
                    let place = above.weights.start + k * above.outputs + row;
                    if let Ok(at) = coordinates.binary_search(&place) {
                        let product: Vec<f64> = delta.iter().zip(slope).map(|(d, s)| d * s).collect();
                        for (other, column) in branch.columns() {
                            let v = dot(column, &product);
                            to.sum[(at, other)] += v;
                            to.sum[(other, at)] += v;
                        }
                    }
                }
                self.activation.times_bend(layer.powers[k], post, slope, &mut weights);
                branch.add_weighted_gram(&weights, &mut to.sum);
            }
            below = branches;
            first_row += above.outputs;
        }
    }

    /// The derivatives of the pre-activation of neuron `k` of layer `l`, from those of the layer below.
    #[expect(clippy::too_many_arguments, reason = "the arguments of a pass, and the place of the neuron")]
    fn branch(
        &self,
        l: usize,
        k: usize,
        theta: &[f64],
        x: &[f64],
        ws: &Workspace,
        coordinates: &[usize],
        below: &[Branch],
    ) -> Branch {
        let (layer, n) = (&self.layers[l], ws.rows());
        let inputs = if l == 0 { x } else { &ws.post[l - 1] };
        let mut branch = Branch::default();
        for (at, &i) in coordinates.iter().enumerate() {
            if layer.weights.contains(&i) && (i - layer.weights.start) % layer.outputs == k {
                let input = (i - layer.weights.start) / layer.outputs;
                branch.add(at, inputs[input * n..(input + 1) * n].iter().copied());
            } else if i == layer.biases.start + k {
                branch.add(at, (0..n).map(|_| 1.0));
            }
        }
        for (m, under) in below.iter().enumerate() {
            let weight = theta[layer.weights.start + m * layer.outputs + k];
            let slope = &ws.slope[l - 1][m * n..(m + 1) * n];
            for (at, column) in under.columns().filter(|_| weight != 0.0) {
                branch.add(at, column.iter().zip(slope).map(|(j, s)| weight * s * j));
            }
        }
        branch
    }

    /// The Hessian along the unit rows: projected, less the curvature of the sphere.
    pub fn along_unit_rows(&self, theta: &[f64], coordinates: &[usize], second: SecondOrder) -> Mat<f64> {
        let SecondOrder { mut sum, along } = second;
        self.project_matrix(theta, coordinates, &mut sum);
        for (entries, along) in self.unit_rows(theta, coordinates).zip(along) {
            for (at, w) in &entries {
                for (to, v) in &entries {
                    let unit = if at == to { 1.0 } else { 0.0 };
                    sum[(*at, *to)] -= along * (unit - w * v);
                }
            }
        }
        sum
    }

    /// Removes from both sides of a symmetric matrix the component that only changes the norm of an upper row.
    pub fn project_matrix(&self, theta: &[f64], coordinates: &[usize], matrix: &mut Mat<f64>) {
        for entries in self.unit_rows(theta, coordinates) {
            for other in 0..coordinates.len() {
                let length: f64 = entries.iter().map(|(at, w)| w * matrix[(*at, other)]).sum();
                entries.iter().for_each(|(at, w)| matrix[(*at, other)] -= length * w);
            }
            for other in 0..coordinates.len() {
                let length: f64 = entries.iter().map(|(at, w)| w * matrix[(other, *at)]).sum();
                entries.iter().for_each(|(at, w)| matrix[(other, *at)] -= length * w);
            }
        }
    }

    /// The coordinates of each upper row, with their weights.
    fn unit_rows<'a>(
        &'a self,
        theta: &'a [f64],
        coordinates: &'a [usize],
    ) -> impl Iterator<Item = Vec<(usize, f64)>> + 'a {
        self.unit_layers().flat_map(move |layer| {
            (0..layer.outputs).map(move |row| {
                let is_in_row =
                    |i: usize| layer.weights.contains(&i) && (i - layer.weights.start) % layer.outputs == row;
                let entries = coordinates.iter().enumerate().filter(|(_, i)| is_in_row(**i));
                entries.map(|(at, i)| (at, theta[*i])).collect()
            })
        })
    }
}
