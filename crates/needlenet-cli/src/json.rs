//! The report for a machine: one JSON object. A number that does not exist is `null`, never NaN.

use needlenet::{Certificate, HeldOut, Model, Needle, Neuron, PathEnd, Shape, Stop, Task, Threshold};
use serde::Serialize;

use crate::report::Run;

/// What `fit --json` and `show --json` print.
#[derive(Serialize)]
pub struct Report<'a> {
    version: &'static str,
    task: &'static str,
    task_reason: Option<&'a str>,
    n_samples: usize,
    n_features: usize,
    classes: &'a [String],
    class_counts: Option<&'a [usize]>,
    link: Option<needlenet::Link>,
    alpha: f64,
    lambda: f64,
    lambda_qut: f64,
    lambda_qut_standard_error: f64,
    lambda_zero: f64,
    p_value: f64,
    penalty: &'static str,
    hidden: &'a [usize],
    asked: Asked<'a>,
    activation: &'a needlenet::Activation,
    scale_outcome: bool,
    selected: Vec<&'a str>,
    n_selected: usize,
    needles: Vec<NeedleRow<'a>>,
    stand_ins: Vec<NeedleRow<'a>>,
    neurons: Vec<NeuronRow<'a>>,
    active_neurons: usize,
    linear: bool,
    noise: Option<f64>,
    objective: f64,
    loss: f64,
    kkt_violation: f64,
    stop: Stop,
    iterations: usize,
    converged: bool,
    refit: End,
    predictor: Option<PredictorEnd>,
    held_out: Option<HeldOut>,
    draws: usize,
    tolerance: f64,
    max_iterations: usize,
    seed: u64,
    threads: usize,
    seconds: Option<f64>,
    warnings: &'a [String],
}

/// What was asked for, where the linear model may have been preferred to a network.
#[derive(Serialize)]
struct Asked<'a> {
    penalty: &'static str,
    hidden: &'a [usize],
}

#[derive(Serialize)]
struct NeedleRow<'a> {
    name: &'a str,
    index: usize,
    strength: f64,
    mean_slope: f64,
    shape: Shape,
    class: Option<&'a str>,
}

#[derive(Serialize)]
struct NeuronRow<'a> {
    inputs: Vec<Joined<'a>>,
    bias: f64,
    power: f64,
    outputs: &'a [f64],
}

#[derive(Serialize)]
struct Joined<'a> {
    name: &'a str,
    weight: f64,
}

#[derive(Serialize)]
struct End {
    objective: f64,
    loss: f64,
    kkt_violation: f64,
    iterations: usize,
    stop: Stop,
    converged: bool,
}

/// The network that predicts in the place of the refit.
#[derive(Serialize)]
struct PredictorEnd {
    neurons: usize,
    ridge: f64,
    stop: PathEnd,
}

impl From<&Certificate> for End {
    fn from(certificate: &Certificate) -> Self {
        let Certificate { objective, loss, kkt_violation, iterations, stop } = *certificate;
        End { objective, loss, kkt_violation, iterations, stop, converged: stop.is_converged() }
    }
}

impl<'a> Report<'a> {
    /// The report of a model and, if it was fitted just now, of the run.
    pub fn new(model: &'a Model, run: &'a Run) -> Self {
        let Model { threshold, certificate, settings, .. } = model;
        let selected = model.selected();
        let classes = model.task.classes();
        let row = |needle: &'a Needle| NeedleRow {
            name: &needle.name,
            index: needle.index,
            strength: needle.strength,
            mean_slope: needle.mean_slope,
            shape: needle.shape,
            class: needle.class.map(|class| classes[class].as_str()),
        };
        let neuron = |neuron: &'a Neuron| NeuronRow {
            inputs: neuron
                .inputs
                .iter()
                .map(|&(at, weight)| Joined { name: &model.needles[at].name, weight })
                .collect(),
            bias: neuron.bias,
            power: neuron.power,
            outputs: &neuron.outputs,
        };
        Report {
            version: env!("CARGO_PKG_VERSION"),
            task: model.task.name(),
            task_reason: run.task_reason.as_deref(),
            n_samples: model.n_samples,
            n_features: model.n_features,
            classes,
            class_counts: (!run.class_counts.is_empty()).then_some(&run.class_counts),
            link: match model.task {
                Task::Classification { link, .. } => Some(link),
                Task::Regression { .. } => None,
            },
            alpha: settings.alpha,
            lambda: model.lambda,
            lambda_qut: threshold.lambda_qut,
            lambda_qut_standard_error: threshold.standard_error,
            lambda_zero: threshold.lambda_zero,
            p_value: threshold.p_value(),
            penalty: model.used.penalty.name(),
            hidden: &model.used.hidden,
            asked: Asked { penalty: settings.penalty.name(), hidden: &settings.hidden },
            activation: &settings.activation,
            scale_outcome: settings.scale_outcome,
            n_selected: selected.len(),
            selected,
            needles: model.needles.iter().map(row).collect(),
            stand_ins: model.stand_ins.iter().map(row).collect(),
            neurons: model.neurons.iter().map(neuron).collect(),
            active_neurons: model.neurons.len(),
            linear: model.linear,
            noise: model.noise,
            objective: certificate.objective,
            loss: certificate.loss,
            kkt_violation: certificate.kkt_violation,
            stop: certificate.stop,
            iterations: certificate.iterations,
            converged: model.converged(),
            refit: (&model.refit).into(),
            predictor: model.predictor.as_ref().map(|p| PredictorEnd {
                neurons: p.neurons,
                ridge: p.ridge,
                stop: p.stop,
            }),
            held_out: model.held_out,
            draws: threshold.draws.len(),
            tolerance: settings.tolerance,
            max_iterations: settings.max_iterations,
            seed: settings.seed,
            threads: run.threads,
            seconds: run.seconds,
            warnings: &run.warnings,
        }
    }
}

/// What `threshold --json` prints.
#[derive(Serialize)]
pub struct ThresholdReport<'a> {
    version: &'static str,
    task: &'static str,
    n_samples: usize,
    n_features: usize,
    classes: &'a [String],
    alpha: f64,
    lambda_qut: f64,
    lambda_qut_standard_error: f64,
    lambda_zero: f64,
    p_value: f64,
    draws: usize,
    seed: u64,
}

impl<'a> ThresholdReport<'a> {
    /// The report of a threshold of `n_samples` times `n_features` values.
    pub fn new(threshold: &Threshold, size: (usize, usize), classes: &'a [String], seed: u64) -> Self {
        ThresholdReport {
            version: env!("CARGO_PKG_VERSION"),
            task: if classes.is_empty() { "regression" } else { "classification" },
            n_samples: size.0,
            n_features: size.1,
            classes,
            alpha: threshold.alpha,
            lambda_qut: threshold.lambda_qut,
            lambda_qut_standard_error: threshold.standard_error,
            lambda_zero: threshold.lambda_zero,
            p_value: threshold.p_value(),
            draws: threshold.draws.len(),
            seed,
        }
    }
}
