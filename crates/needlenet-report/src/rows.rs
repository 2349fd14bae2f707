//! The rows of a report: the requested model, needles, neurons, and how a solver ended.

use needlenet::{Certificate, Coding, EffectBand, Needle, Neuron, PathEnd, Predictor};
use serde::Serialize;

use crate::sure::SureRow;
use crate::words::{shape_name, stop_name, stop_sentence};

/// The requested model.
#[derive(Debug, Clone, Serialize)]
pub struct Asked {
    /// The penalty.
    pub penalty: &'static str,
    /// Widths of the hidden layers.
    pub hidden: Vec<usize>,
}

/// The network that predicts instead of the refit.
#[derive(Debug, Clone, Serialize)]
pub struct PredictorEnd {
    /// Its neurons.
    pub neurons: usize,
    /// Its ridge.
    pub ridge: f64,
    /// The coding of its inputs: `saturated` or `ranks`.
    pub coding: &'static str,
    /// Why the path of ridges ended.
    pub stop: PathEnd,
}

impl From<&Predictor> for PredictorEnd {
    fn from(predictor: &Predictor) -> Self {
        let coding = match predictor.coding {
            Coding::Saturated => "saturated",
            Coding::Ranks(_) => "ranks",
        };
        PredictorEnd { neurons: predictor.neurons, ridge: predictor.ridge, coding, stop: predictor.stop }
    }
}

/// An input that matters, or a stand-in.
#[derive(Debug, Clone, Serialize)]
pub struct NeedleRow {
    /// Its name.
    pub name: String,
    /// Its position among the inputs, from 0.
    pub index: usize,
    /// Root mean square slope.
    pub strength: f64,
    /// Mean slope.
    pub mean_slope: f64,
    /// The shape of its effect.
    pub shape: &'static str,
    /// The class whose log odds are meant.
    pub class: Option<String>,
    /// The p-value of the hypothesis that the outcome does not depend on it given all other inputs.
    pub p_value: Option<f64>,
    /// The p-value adjusted over all inputs by Holm's method.
    pub p_adjusted: Option<f64>,
    /// The share of half-samples that select it.
    pub frequency: Option<f64>,
    /// The confidence interval of its strength.
    pub strength_interval: Option<[f64; 2]>,
    /// The confidence band of its effect curve.
    pub effect_band: Option<EffectBand>,
    /// Further results on how sure it is.
    pub sure: Option<SureRow>,
    /// The input of several columns to which this column belongs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Near copies that could replace it, best first.
    pub exchangeable: Vec<ExchangeableRow>,
}

/// A near copy that could replace a needle.
#[derive(Debug, Clone, Serialize)]
pub struct ExchangeableRow {
    /// Its name.
    pub name: String,
    /// Its position among the inputs, from 0.
    pub index: usize,
    /// Its correlation with the needle.
    pub correlation: f64,
    /// How much worse the score is with it, as a multiple of what an input must gain to be found.
    pub cost: f64,
}

/// An input that is always in: adjusted for, not searched.
#[derive(Debug, Clone, Serialize)]
pub struct AlwaysRow {
    /// Its name.
    pub name: String,
    /// Its position among the inputs, from 0.
    pub index: usize,
    /// Its slope per unit of the input.
    pub coefficient: f64,
    /// Its slope per standard deviation of the input, in the unit of the needles' slopes.
    pub slope: f64,
    /// The class whose log odds are meant.
    pub class: Option<String>,
}

/// A neuron in use.
#[derive(Debug, Clone, Serialize)]
pub struct NeuronRow {
    /// The needles that enter it.
    pub inputs: Vec<Joined>,
    /// Its bias.
    pub bias: f64,
    /// The power of its activation.
    pub power: f64,
    /// Its weight into each neuron or output of the next layer.
    pub outputs: Vec<f64>,
}

/// A needle in a neuron.
#[derive(Debug, Clone, Serialize)]
pub struct Joined {
    /// The needle.
    pub name: String,
    /// Its weight.
    pub weight: f64,
}

/// How a solver ended.
#[derive(Debug, Clone, Serialize)]
pub struct End {
    /// Loss plus penalty.
    pub objective: f64,
    /// The loss.
    pub loss: f64,
    /// Distance from stationarity.
    pub kkt_violation: f64,
    /// Iterations of the last solve.
    pub iterations: usize,
    /// Why it stopped.
    pub stop: &'static str,
    /// Whether it converged.
    pub converged: bool,
    /// Why it stopped, in words.
    #[serde(skip)]
    pub sentence: &'static str,
}

impl From<&Certificate> for End {
    fn from(certificate: &Certificate) -> Self {
        let Certificate { objective, loss, kkt_violation, iterations, stop } = *certificate;
        let (name, sentence) = (stop_name(stop), stop_sentence(stop));
        End {
            objective,
            loss,
            kkt_violation,
            iterations,
            stop: name,
            converged: stop.is_converged(),
            sentence,
        }
    }
}

pub(crate) fn needle_row(needle: &Needle, name: &dyn Fn(&String) -> String, classes: &[String]) -> NeedleRow {
    let exchangeable = needle.exchangeable.iter().map(|input| ExchangeableRow {
        name: name(&input.name),
        index: input.index,
        correlation: input.correlation,
        cost: input.cost,
    });
    NeedleRow {
        name: name(&needle.name),
        index: needle.index,
        strength: needle.strength,
        mean_slope: needle.mean_slope,
        shape: shape_name(needle.shape),
        class: needle.class.map(|class| classes[class].clone()),
        p_value: None,
        p_adjusted: None,
        frequency: None,
        strength_interval: None,
        effect_band: None,
        sure: None,
        group: needle.group.clone(),
        exchangeable: exchangeable.collect(),
    }
}

pub(crate) fn always_row(input: &Needle, name: String, classes: &[String]) -> AlwaysRow {
    AlwaysRow {
        name,
        index: input.index,
        coefficient: input.mean_slope / input.scaling.scale,
        slope: input.mean_slope,
        class: input.class.map(|class| classes[class].clone()),
    }
}

pub(crate) fn neuron_row(neuron: &Neuron, needles: &[NeedleRow]) -> NeuronRow {
    let joined = |&(at, weight): &(usize, f64)| Joined { name: needles[at].name.clone(), weight };
    NeuronRow {
        inputs: neuron.inputs.iter().map(joined).collect(),
        bias: neuron.bias,
        power: neuron.power,
        outputs: neuron.outputs.clone(),
    }
}
