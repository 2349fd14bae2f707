//! The needles, the effect of each, and the neurons that join them (paper, `Shat`).
//!
//! $$\hat S = \{ j : \hat w_{1,j} \ne 0 \}$$
//!
//! exactly, with epsilon = 0. The strength of a needle is the root mean square, over the samples, of
//! the slope of the fitted function in it, per standard deviation of the input; for a linear model
//! that is the size of its standardised coefficient.

use serde::{Deserialize, Serialize};

use crate::network::{Block, Inputs, Link, Network, Sweep};
use crate::product::{dot, multiply, view, view_mut};
use crate::table::{Samples, Scaling};

/// A neuron's slope may vary by this part over the samples and still count as linear.
const LINEAR_RANGE: f64 = 0.01;

/// How the fitted function changes with an input, with the other inputs as they are in the data.
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
    /// From sums over `n` samples.
    fn of(sums: &Sums, n: f64) -> Self {
        let size = (sums.squares / n).sqrt();
        let mean = sums.slopes / n;
        let bend = (sums.along - mean * sums.x) / n;
        let spread = (sums.x_squares / n).sqrt();
        if mean.abs() >= 0.8 * size {
            if mean > 0.0 { Shape::Rising } else { Shape::Falling }
        } else if bend.abs() >= 0.3 * size * spread {
            if bend > 0.0 { Shape::Valley } else { Shape::Peak }
        } else {
            Shape::Mixed
        }
    }
}

/// Sums over the samples of the slope by an input, of its square, of its product with the input's value, of the
/// value and of its square.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    slopes: f64,
    squares: f64,
    along: f64,
    x: f64,
    x_squares: f64,
}

impl Sums {
    fn add(&mut self, slopes: &[f64], x: &[f64], weights: Option<&[f64]>) {
        if let Some(weights) = weights {
            for ((slope, x), w) in slopes.iter().zip(x).zip(weights) {
                self.slopes += w * slope;
                self.squares += w * slope * slope;
                self.along += w * slope * x;
                self.x += w * x;
                self.x_squares += w * x * x;
            }
            return;
        }
        self.slopes += slopes.iter().sum::<f64>();
        self.squares += dot(slopes, slopes);
        self.along += dot(slopes, x);
        self.x += x.iter().sum::<f64>();
        self.x_squares += dot(x, x);
    }

    fn plus(self, other: Sums) -> Sums {
        Sums {
            slopes: self.slopes + other.slopes,
            squares: self.squares + other.squares,
            along: self.along + other.along,
            x: self.x + other.x,
            x_squares: self.x_squares + other.x_squares,
        }
    }

    /// The moments after the sign of the input has changed.
    fn turned(self, sign: f64) -> Sums {
        Sums { slopes: sign * self.slopes, x: sign * self.x, ..self }
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
    /// Its smallest and largest value in the samples of the fit; none in old model files.
    #[serde(default)]
    pub range: Option<(f64, f64)>,
    /// The input of several columns to which this column belongs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Near copies that could replace it, best first: the data do not decide between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchangeable: Vec<Exchangeable>,
}

/// A near copy of a needle whose score is not clearly worse: by less than half of what an input must gain to be found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchangeable {
    /// Its name.
    pub name: String,
    /// Its position among the inputs, from 0.
    pub index: usize,
    /// Its correlation with the needle.
    pub correlation: f64,
    /// How much worse the score is with it, as a multiple of what an input must gain to be found.
    pub cost: f64,
}

/// A first-layer neuron in use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Neuron {
    /// The needles that enter it, as indices into the list of needles, each with its weight per
    /// standard deviation of the input.
    pub inputs: Vec<(usize, f64)>,
    /// Its bias.
    pub bias: f64,
    /// The power `k` of its activation.
    pub power: f64,
    /// Its weight into each neuron or output of the next layer.
    pub outputs: Vec<f64>,
}

/// Slopes of the fitted function in every live input at the samples of a block: a `rows x inputs` matrix for each
/// class, or for the single output.
fn slopes(network: &Network, theta: &[f64], link: Link, block: &mut Block) -> Vec<Vec<f64>> {
    let (n, first) = (block.rows.len(), &network.layers[0]);
    let mut slopes: Vec<Vec<f64>> = (0..network.n_outputs())
        .map(|t| {
            block.ws.d_out.fill(0.0);
            block.ws.d_out[t * n..(t + 1) * n].fill(1.0);
            network.propagate_delta(theta, block.ws);
            let mut slopes = vec![0.0; n * first.inputs];
            multiply(
                view_mut(&mut slopes, n, first.inputs),
                view(block.ws.first_delta(), n, first.outputs),
                view(&theta[first.weights.clone()], first.outputs, first.inputs),
            );
            slopes
        })
        .collect();
    if link == Link::Logit {
        slopes.push(vec![0.0; n * first.inputs]);
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
    slopes
}

/// The slope of an input that is always in, from its weight into each output (it is the same at every sample), and the class
/// whose log odds are meant, as in [`effects`].
pub(crate) fn slope_of(weights: &[f64], link: Link) -> (f64, Option<usize>) {
    if link == Link::Identity {
        return (weights[0], None);
    }
    let reference = (link == Link::Logit).then_some(0.0);
    let weights: Vec<f64> = weights.iter().copied().chain(reference).collect();
    if let [first, second] = weights[..] {
        return (second - first, Some(1));
    }
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    let largest = weights.iter().enumerate().max_by(|a, b| (a.1 - mean).abs().total_cmp(&(b.1 - mean).abs()));
    largest.map_or((0.0, None), |(class, w)| (w - mean, Some(class)))
}

/// Strength, mean slope, shape and class of each live input; a negative `sign` means that its sign was changed.
pub(crate) fn effects(
    network: &Network,
    theta: &[f64],
    x: &Inputs,
    signs: &[f64],
    samples: &Samples,
    link: Link,
) -> Vec<(f64, f64, Shape, Option<usize>)> {
    let inputs = network.n_inputs();
    let mut sweep = Sweep::new(network, x.n());
    sweep.forward(network, theta, x);
    let lanes = sweep.fold(network, theta, x, Vec::new, |sums: &mut Vec<Sums>, mut block| {
        let slopes = slopes(network, theta, link, &mut block);
        let n = block.rows.len();
        let weights = samples.weights.as_ref().map(|w| &w[block.rows.clone()]);
        sums.resize(slopes.len() * inputs, Sums::default());
        for (sums, slopes) in sums.chunks_mut(inputs.max(1)).zip(&slopes) {
            let columns = slopes.chunks(n).zip(block.x.chunks(n));
            sums.iter_mut().zip(columns).for_each(|(sums, (slopes, x))| sums.add(slopes, x, weights));
        }
    });
    let add = |a: Vec<Sums>, b: Vec<Sums>| a.into_iter().zip(b).map(|(a, b)| a.plus(b)).collect();
    let sums = lanes.into_iter().reduce(add).unwrap_or_default();
    let n = samples.total(x.n());
    (0..inputs)
        .map(|at| {
            let (class, sums) = sums
                .chunks(inputs)
                .map(|of_class| of_class[at].turned(signs[at]))
                .enumerate()
                .max_by(|a, b| a.1.squares.total_cmp(&b.1.squares))
                .unwrap_or_default();
            let size = (sums.squares / n).sqrt();
            (size, sums.slopes / n, Shape::of(&sums, n), (link != Link::Identity).then_some(class))
        })
        .collect()
}

/// The strength of each live input.
pub(crate) fn strengths(
    network: &Network,
    theta: &[f64],
    x: &Inputs,
    samples: &Samples,
    link: Link,
) -> Vec<f64> {
    let signs = vec![1.0; network.n_inputs()];
    effects(network, theta, x, &signs, samples, link).into_iter().map(|(strength, ..)| strength).collect()
}

/// Whether the fit is a linear function of the inputs on the data: at most one neuron is in use,
/// and it is in its linear range.
pub(crate) fn is_linear(network: &Network, theta: &[f64], x: &Inputs) -> bool {
    if network.is_linear() || network.n_inputs() == 0 {
        return true;
    }
    if network.width() > 1 {
        return false;
    }
    let hidden: usize = network.hidden().iter().sum();
    let mut sweep = Sweep::new(network, x.n());
    sweep.forward(network, theta, x);
    let ranges = sweep.fold(
        network,
        theta,
        x,
        || vec![(f64::INFINITY, 0.0f64); hidden],
        |ranges, block| {
            let slopes = block.ws.slope.iter().flat_map(|layer| layer.chunks(block.rows.len()));
            for ((low, high), slopes) in ranges.iter_mut().zip(slopes) {
                slopes.iter().for_each(|s| (*low, *high) = (low.min(*s), high.max(*s)));
            }
        },
    );
    (0..hidden).all(|neuron| {
        let of_all = ranges.iter().map(|lane| lane[neuron]);
        let (low, high) =
            of_all.fold((f64::INFINITY, 0.0f64), |(l, h), (low, high)| (l.min(low), h.max(high)));
        high - low <= LINEAR_RANGE * high
    })
}

/// The neurons of the first hidden layer and the needles that enter them; none in the linear model.
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
