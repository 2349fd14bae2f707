//! The report of a fit: every number and sentence that a front end shows. Its serialised form is `fit --json`, one
//! object in which a number that does not exist is `null`, never NaN.

use needlenet::{Activation, GroupFound, HeldOut, Link, Model, Needle, NullChoice};
use serde::Serialize;

use crate::front::Front;
use crate::groups::GroupRow;
use crate::outcome::kind;
use crate::rows::{
    AlwaysRow, Asked, End, NeedleRow, NeuronRow, PredictorEnd, always_row, needle_row, neuron_row,
};
use crate::sentences::{Sentences, adjusted, columns, exchangeable, warnings};
use crate::sure::{SureReport, sure_report, sure_row};

/// Facts of a run that its model does not contain.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// Rows of each class.
    pub class_counts: Vec<usize>,
    /// Why this task was chosen.
    pub task_reason: Option<String>,
    /// Threads used.
    pub threads: usize,
    /// Time of the fit.
    pub seconds: Option<f64>,
    /// The front end of the reader.
    pub front: Front,
    /// Whether columns without names are numbered from 0 (`x0`), not from 1 as in the model.
    pub counts_from_zero: bool,
}

/// The report of a fit. Fields that are serialised are the keys of `--json`.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The version of needlenet that wrote the report.
    pub version: &'static str,
    /// The task.
    pub task: &'static str,
    /// Why this task was chosen, if it was decided from the data.
    pub task_reason: Option<String>,
    /// Samples.
    pub n_samples: usize,
    /// Inputs.
    pub n_features: usize,
    /// Names of the classes, if the outcome has any.
    pub classes: Vec<String>,
    /// Samples of each class.
    pub class_counts: Option<Vec<usize>>,
    /// How network outputs become probabilities.
    pub link: Option<Link>,
    /// The level.
    pub alpha: f64,
    /// The weight of the penalty.
    pub lambda: f64,
    /// The threshold of the level.
    pub lambda_qut: f64,
    /// Its Monte Carlo standard error.
    pub lambda_qut_standard_error: f64,
    /// The smallest penalty at which the empty model is a local minimum.
    pub lambda_zero: f64,
    /// The share of null draws at or above it.
    pub p_value: f64,
    /// The penalty.
    pub penalty: &'static str,
    /// Widths of the hidden layers in use.
    pub hidden: Vec<usize>,
    /// The requested model; the linear model may have been preferred to a network.
    pub asked: Asked,
    /// The activation.
    pub activation: Activation,
    /// Whether a numerical outcome was divided by its standard deviation.
    pub scale_outcome: bool,
    /// Whether the samples had weights.
    pub weighted: bool,
    /// Whether the samples had an offset.
    pub offset: bool,
    /// How outcomes without needles were drawn.
    pub null: NullChoice,
    /// Names of the needles, strongest first.
    pub selected: Vec<String>,
    /// Their number.
    pub n_selected: usize,
    /// The needles, strongest first.
    pub needles: Vec<NeedleRow>,
    /// Inputs of several columns that matter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupRow>,
    /// The stand-ins, strongest first.
    pub stand_ins: Vec<NeedleRow>,
    /// How sure the needles are, if this was requested.
    pub sure: Option<SureReport>,
    /// The inputs that are always in, with their coefficients in the refit.
    pub always: Vec<AlwaysRow>,
    /// The neurons in use.
    pub neurons: Vec<NeuronRow>,
    /// Their number.
    pub active_neurons: usize,
    /// Whether a linear model is enough.
    pub linear: bool,
    /// The noise scale, if the outcome has one.
    pub noise: Option<f64>,
    /// Loss plus penalty of the penalised fit.
    pub objective: f64,
    /// Its loss.
    pub loss: f64,
    /// Its distance from stationarity, relative to lambda.
    pub kkt_violation: f64,
    /// Why it stopped.
    pub stop: &'static str,
    /// Iterations of its last solve.
    pub iterations: usize,
    /// Whether fit and refit converged.
    pub converged: bool,
    /// How the refit ended.
    pub refit: End,
    /// The network that predicts instead of the refit.
    pub predictor: Option<PredictorEnd>,
    /// How well both predict held-out samples.
    pub held_out: Option<HeldOut>,
    /// The expected quality of predictions for new samples, in words.
    pub on_new_samples: Option<String>,
    /// Number of passes over all columns, for a table in shards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passes: Option<usize>,
    /// Null draws of the threshold.
    pub draws: usize,
    /// The tolerance of the fit.
    pub tolerance: f64,
    /// The limit on iterations.
    pub max_iterations: usize,
    /// The seed.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
    /// Time of the fit.
    pub seconds: Option<f64>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Constant inputs, which were left out.
    #[serde(skip)]
    pub constant_inputs: Vec<String>,
    /// How the penalised fit ended.
    #[serde(skip)]
    pub fit: End,
    /// The sentences of the report.
    #[serde(skip)]
    pub sentences: Sentences,
    /// The front end of the reader.
    #[serde(skip)]
    pub front: Front,
    #[serde(skip)]
    counts_from_zero: bool,
}

impl Report {
    /// The report of a model and, if it was just fitted, of the run.
    pub fn new(model: &Model, run: &Run) -> Self {
        let Model { threshold, settings, .. } = model;
        let kind = kind(&model.task);
        let classes = model.task.classes();
        let name = |name: &String| if run.counts_from_zero { from_zero(name) } else { name.clone() };
        let rows = |inputs: &[Needle]| -> Vec<NeedleRow> {
            inputs.iter().map(|needle| needle_row(needle, &name, classes)).collect()
        };
        let needles = with_sure(rows(&model.needles), model, &name);
        let always: Vec<AlwaysRow> =
            model.always.iter().map(|input| always_row(input, name(&input.name), classes)).collect();
        let selected: Vec<String> = model.selected().into_iter().map(|s| name(&s.to_owned())).collect();
        let constant_inputs: Vec<String> = model.constant_inputs.iter().map(name).collect();
        let fit = End::from(&model.certificate);
        let groups = found_groups(model, &name);
        let sentences = Sentences {
            adjusted: adjusted(&always, kind.as_ref()),
            columns: columns(&needles, &groups),
            exchangeable: exchangeable(&needles),
            ..Sentences::of(model, kind.as_ref(), &run.class_counts, run.front)
        };
        Report {
            version: env!("CARGO_PKG_VERSION"),
            task: model.task.name(),
            task_reason: run.task_reason.clone(),
            n_samples: model.n_samples,
            n_features: model.n_haystack(),
            classes: classes.to_vec(),
            class_counts: (!run.class_counts.is_empty()).then(|| run.class_counts.clone()),
            link: kind.link(),
            alpha: settings.alpha,
            lambda: model.lambda,
            lambda_qut: threshold.lambda_qut,
            lambda_qut_standard_error: threshold.standard_error,
            lambda_zero: threshold.lambda_zero,
            p_value: threshold.p_value(),
            penalty: model.used.penalty.name(),
            hidden: model.used.hidden.clone(),
            asked: Asked { penalty: settings.penalty.name(), hidden: settings.hidden.clone() },
            activation: settings.activation.clone(),
            scale_outcome: settings.scale_outcome,
            weighted: model.weighted,
            offset: model.offset,
            null: settings.null,
            n_selected: selected.len(),
            selected,
            groups,
            neurons: model.neurons.iter().map(|neuron| neuron_row(neuron, &needles)).collect(),
            needles,
            stand_ins: rows(&model.stand_ins),
            sure: model.sure.as_ref().map(|sure| sure_report(model, sure, &name)),
            always,
            active_neurons: model.neurons.len(),
            linear: model.linear,
            noise: model.noise,
            objective: fit.objective,
            loss: fit.loss,
            kkt_violation: fit.kkt_violation,
            stop: fit.stop,
            iterations: fit.iterations,
            converged: model.converged(),
            refit: (&model.refit).into(),
            predictor: model.predictor.as_ref().map(PredictorEnd::from),
            held_out: model.held_out,
            on_new_samples: sentences.on_new_samples.clone(),
            passes: model.passes,
            draws: threshold.draws.len(),
            tolerance: settings.tolerance,
            max_iterations: settings.max_iterations,
            seed: settings.seed,
            threads: run.threads,
            seconds: run.seconds,
            warnings: warnings(model, &constant_inputs, run.front),
            constant_inputs,
            fit,
            sentences,
            front: run.front,
            counts_from_zero: run.counts_from_zero,
        }
    }

    /// The positions of the needles that have an effect curve: all but the columns of categories.
    pub(crate) fn drawn(&self) -> impl Iterator<Item = usize> {
        let is_level = |needle: &NeedleRow| {
            let of_category = |group: &&GroupRow| !group.levels.is_empty();
            self.groups.iter().filter(of_category).any(|group| needle.group.as_ref() == Some(&group.name))
        };
        self.needles.iter().enumerate().filter(move |(_, needle)| !is_level(needle)).map(|(at, _)| at)
    }

    /// The name of an input for this reader.
    pub(crate) fn shown_name(&self, name: &str) -> String {
        if self.counts_from_zero { from_zero(name) } else { name.to_owned() }
    }
}

/// The groups with a column among the needles or stand-ins; other groups are always in.
fn found_groups(model: &Model, name: &dyn Fn(&String) -> String) -> Vec<GroupRow> {
    let is_found = |group: &&GroupFound| {
        let mut found = model.needles.iter().chain(&model.stand_ins);
        found.any(|input| input.group.as_ref() == Some(&group.name))
    };
    let row = |group: &GroupFound| {
        let row = GroupRow::of(group);
        let columns = row.columns.iter().map(name).collect();
        GroupRow { name: name(&row.name), columns, ..row }
    };
    model.groups.iter().filter(is_found).map(row).collect()
}

/// Rows of needles, with how sure each is if this was requested.
fn with_sure(mut rows: Vec<NeedleRow>, model: &Model, name: &dyn Fn(&String) -> String) -> Vec<NeedleRow> {
    for (row, needle) in rows.iter_mut().zip(model.sure.iter().flat_map(|sure| &sure.needles)) {
        row.p_value = Some(needle.p_value);
        row.p_adjusted = Some(needle.p_adjusted);
        row.frequency = needle.frequency;
        row.strength_interval = needle.strength_interval.map(|interval| [interval.low, interval.high]);
        row.effect_band = needle.effect_band.clone();
        row.sure = Some(sure_row(needle, name));
    }
    rows
}

/// `x0` for the model's `x1`.
fn from_zero(name: &str) -> String {
    // a column of an input of several columns is named after the input, such as x3=(missing)
    let (input, column) = name.split_at(name.find('=').unwrap_or(name.len()));
    match input.strip_prefix('x').and_then(|position| position.parse::<usize>().ok()) {
        Some(position) if position > 0 => format!("x{}{column}", position - 1),
        _ => name.to_owned(),
    }
}
