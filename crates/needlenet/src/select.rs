//! What the fit found: the needles, how each acts, and which neurons join them (paper, `Shat`).
//!
//! $$\hat S = \{ j : \hat w_{1,j} \ne 0 \}$$
//!
//! exactly, with epsilon = 0. The strength of a needle is the root mean square, over the samples, of
//! the slope of the fitted function in it, per standard deviation of the input; for a linear model
//! that is the size of its standardised coefficient.

use serde::{Deserialize, Serialize};

use crate::data::Scaling;
use crate::network::{Link, Network, Workspace};
use crate::product::{multiply, norm, view, view_mut};

/// A neuron's slope may vary by this part over the samples and still count as linear.
const LINEAR_RANGE: f64 = 0.01;

/// How the fitted function moves with an input, the others as they are in the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Up with the input.
    Rising,
    /// Down with the input.
    Falling,
    /// Down, then up.
    Valley,
    /// Up, then down.
    Peak,
    /// Up or down depending on the other inputs.
    Mixed,
}

impl Shape {
    /// From the slopes at the samples and the input's values.
    fn of(slopes: &[f64], x: &[f64]) -> Self {
        let n = slopes.len() as f64;
        let size = norm(slopes) / n.sqrt();
        let mean = slopes.iter().sum::<f64>() / n;
        let bend: f64 = slopes.iter().zip(x).map(|(s, x)| (s - mean) * x).sum::<f64>() / n;
        let spread = norm(x) / n.sqrt();
        if mean.abs() >= 0.8 * size {
            if mean > 0.0 { Shape::Rising } else { Shape::Falling }
        } else if bend.abs() >= 0.3 * size * spread {
            if bend > 0.0 { Shape::Valley } else { Shape::Peak }
        } else {
            Shape::Mixed
        }
    }
}

/// An input that matters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Needle {
    /// The name of the input.
    pub name: String,
    /// Its position among the inputs, from 0.
    pub index: usize,
    /// How its values were standardised.
    pub scaling: Scaling,
    /// Root mean square slope of the refitted function, per standard deviation of the input, in units
    /// of the outcome (regression) or of the log odds of `class`.
    pub strength: f64,
    /// Mean slope in the same units; its sign is the sign of the effect.
    pub mean_slope: f64,
    /// The shape of the effect.
    pub shape: Shape,
    /// The class whose log odds are meant: the second of two, the most affected of many.
    pub class: Option<usize>,
}

/// A first-layer neuron in use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Neuron {
    /// The needles it joins, as positions in the list of needles, each with its weight per standard
    /// deviation of the input.
    pub inputs: Vec<(usize, f64)>,
    /// Its bias.
    pub bias: f64,
    /// The power `k` of its activation.
    pub power: f64,
    /// Its weight into each neuron or output of the next layer.
    pub outputs: Vec<f64>,
}

/// Slopes of the fitted function by every live input: for each output an `n x inputs` matrix.
fn slopes(network: &Network, theta: &[f64], x: &[f64], n: usize) -> Vec<Vec<f64>> {
    let mut ws = Workspace::new(network, n);
    network.forward(theta, x, &mut ws);
    let first = &network.layers[0];
    (0..network.n_outputs())
        .map(|t| {
            ws.d_out.fill(0.0);
            ws.d_out[t * n..(t + 1) * n].fill(1.0);
            network.backward(theta, x, &mut ws, &mut vec![0.0; theta.len()]);
            let mut slopes = vec![0.0; n * first.inputs];
            multiply(
                view_mut(&mut slopes, n, first.inputs),
                view(ws.first_delta(), n, first.outputs),
                view(&theta[first.weights.clone()], first.outputs, first.inputs),
            );
            slopes
        })
        .collect()
}

/// Strength, mean slope, shape and class of each live input.
pub(crate) fn effects(
    network: &Network,
    theta: &[f64],
    x: &[f64],
    n: usize,
    link: Link,
) -> Vec<(f64, f64, Shape, Option<usize>)> {
    let mut slopes = slopes(network, theta, x, n);
    if link == Link::Logit {
        slopes.push(vec![0.0; n * network.n_inputs()]);
    }
    if link != Link::Identity {
        // log odds of a class against the geometric mean of all
        for i in 0..slopes[0].len() {
            let mean = slopes.iter().map(|s| s[i]).sum::<f64>() / slopes.len() as f64;
            slopes.iter_mut().for_each(|s| s[i] -= mean);
        }
    }
    if slopes.len() == 2 {
        // two classes: the log odds of the second against the first
        slopes[1].iter_mut().for_each(|s| *s *= 2.0);
        slopes[0].fill(0.0);
    }
    (0..network.n_inputs())
        .map(|at| {
            let column = |s: &Vec<f64>| s[at * n..(at + 1) * n].to_vec();
            let (class, of_class) = slopes
                .iter()
                .map(column)
                .enumerate()
                .max_by(|a, b| norm(&a.1).total_cmp(&norm(&b.1)))
                .unwrap_or((0, vec![0.0; n]));
            let size = norm(&of_class) / (n as f64).sqrt();
            let mean = of_class.iter().sum::<f64>() / n as f64;
            let shape = Shape::of(&of_class, &x[at * n..(at + 1) * n]);
            (size, mean, shape, (link != Link::Identity).then_some(class))
        })
        .collect()
}

/// Whether the fit is a linear function of the inputs on the data: at most one neuron in use, and
/// that in its linear range.
pub(crate) fn is_linear(network: &Network, theta: &[f64], x: &[f64], n: usize) -> bool {
    if network.is_linear() || network.n_inputs() == 0 {
        return true;
    }
    if network.width() > 1 {
        return false;
    }
    let mut ws = Workspace::new(network, n);
    network.forward(theta, x, &mut ws);
    ws.slope.iter().flat_map(|layer| layer.chunks(n)).all(|slope| {
        let (low, high) =
            slope.iter().fold((f64::INFINITY, 0.0), |(l, h): (f64, f64), s| (l.min(*s), h.max(*s)));
        high - low <= LINEAR_RANGE * high
    })
}

/// The neurons of the first hidden layer and what they join; none in the linear model.
pub(crate) fn neurons(network: &Network, theta: &[f64]) -> Vec<Neuron> {
    if network.is_linear() {
        return Vec::new();
    }
    let (first, second) = (&network.layers[0], &network.layers[1]);
    (0..first.outputs)
        .map(|i| Neuron {
            inputs: (0..first.inputs)
                .map(|at| (at, theta[at * first.outputs + i]))
                .filter(|(_, w)| *w != 0.0)
                .collect(),
            bias: theta[first.biases.start + i],
            power: first.powers[i],
            outputs: theta[second.weights.clone()][i * second.outputs..(i + 1) * second.outputs].to_vec(),
        })
        .filter(|neuron| !neuron.inputs.is_empty())
        .collect()
}
