//! The parts of a model as plain Python values: each struct becomes a dictionary.

use needlenet::{
    Certificate, GroupFound, GroupKind, Link, Model, Needle, Neuron, NullChoice, Task, Ties, Used,
};
use needlenet_report::{End, GroupRow, shape_name};
use pyo3::prelude::*;

/// An input that matters; in Python a dictionary.
#[derive(IntoPyObject)]
pub struct NeedleFields {
    name: String,
    /// The column of the user's table, which may be one of several inputs that make it up.
    input: String,
    group: Option<String>,
    index: usize,
    strength: f64,
    mean_slope: f64,
    shape: &'static str,
    class_index: Option<usize>,
    mean: f64,
    scale: f64,
    /// Name, column, correlation and cost of each.
    exchangeable: Vec<(String, usize, f64, f64)>,
}

impl NeedleFields {
    pub fn of(needle: &Needle, model: &Model) -> Self {
        let own = |group: &&GroupFound| needle.group.as_ref() == Some(&group.name);
        let group = model.groups.iter().find(own).filter(|group| group.kind != GroupKind::Given);
        NeedleFields {
            name: needle.name.clone(),
            input: group.map_or(&needle.name, |group| &group.name).clone(),
            group: needle.group.clone(),
            index: needle.index,
            strength: needle.strength,
            mean_slope: needle.mean_slope,
            shape: shape_name(needle.shape),
            class_index: needle.class,
            mean: needle.scaling.mean,
            scale: needle.scaling.scale,
            exchangeable: needle
                .exchangeable
                .iter()
                .map(|input| (input.name.clone(), input.index, input.correlation, input.cost))
                .collect(),
        }
    }
}

/// A neuron in use; in Python a dictionary.
#[derive(IntoPyObject)]
pub struct NeuronFields {
    inputs: Vec<(usize, f64)>,
    bias: f64,
    power: f64,
    outputs: Vec<f64>,
}

impl From<&Neuron> for NeuronFields {
    fn from(neuron: &Neuron) -> Self {
        let Neuron { inputs, bias, power, outputs } = neuron.clone();
        NeuronFields { inputs, bias, power, outputs }
    }
}

/// An input of several columns, or an ordered one, that matters or is always in; in Python a dictionary.
#[derive(IntoPyObject)]
pub struct GroupFields {
    name: String,
    kind: &'static str,
    columns: Vec<String>,
    levels: Vec<String>,
    effects: Vec<Vec<f64>>,
}

impl From<&GroupFound> for GroupFields {
    fn from(group: &GroupFound) -> Self {
        let GroupRow { name, kind, columns, .. } = GroupRow::of(group);
        let (levels, effects) = (group.kind.levels().to_vec(), group.effects.clone());
        GroupFields { name, kind, columns, levels, effects }
    }
}

/// How a solver ended; in Python a dictionary.
#[derive(IntoPyObject)]
pub struct CertificateFields {
    objective: f64,
    loss: f64,
    kkt_violation: f64,
    iterations: usize,
    stop: &'static str,
    ended: &'static str,
    converged: bool,
}

impl From<&Certificate> for CertificateFields {
    fn from(certificate: &Certificate) -> Self {
        let End { objective, loss, kkt_violation, iterations, stop, converged, sentence } =
            certificate.into();
        CertificateFields { objective, loss, kkt_violation, iterations, stop, ended: sentence, converged }
    }
}

/// The requested settings; in Python the dictionary that `fit` takes.
#[derive(IntoPyObject)]
pub struct ChoiceFields {
    hidden: Vec<usize>,
    penalty: &'static str,
    alpha: f64,
    lambda: Option<f64>,
    activation: String,
    link: &'static str,
    scale_outcome: bool,
    null: &'static str,
    ties: &'static str,
    seed: u64,
    threads: usize,
    draws: usize,
    tolerance: f64,
    max_iterations: usize,
}

impl From<&Model> for ChoiceFields {
    fn from(model: &Model) -> Self {
        let settings = model.settings.clone();
        let link = match model.task {
            Task::Classification { link, .. } => link,
            _ => settings.link,
        };
        ChoiceFields {
            hidden: settings.hidden,
            penalty: settings.penalty.name(),
            alpha: settings.alpha,
            lambda: settings.lambda,
            activation: settings.activation.to_string(),
            link: if link == Link::Logit { "logit" } else { "softmax" },
            scale_outcome: settings.scale_outcome,
            null: if settings.null == NullChoice::Law { "law" } else { "permutation" },
            ties: if settings.ties == Ties::Efron { "efron" } else { "breslow" },
            seed: settings.seed,
            threads: settings.threads,
            draws: settings.draws,
            tolerance: settings.tolerance,
            max_iterations: settings.max_iterations,
        }
    }
}

/// The model that was chosen among those that the settings allow; in Python a dictionary.
#[derive(IntoPyObject)]
pub struct UsedFields {
    hidden: Vec<usize>,
    penalty: &'static str,
}

impl From<&Used> for UsedFields {
    fn from(used: &Used) -> Self {
        UsedFields { hidden: used.hidden.clone(), penalty: used.penalty.name() }
    }
}
