//! A fitted model as Python sees it: its fields as plain values, prediction, and its file.

use std::path::PathBuf;

use needlenet::{
    Baseline, Certificate, Fitted, GroupFound, GroupKind, Link, Needle, Neuron, NullChoice, Prediction,
    Stage, Task, Ties,
};
use needlenet_io::{
    ReadOptions, known_inputs, load_model, model_from_bytes, model_to_bytes, save_model, write_atomically,
};
use needlenet_report::{End, Evidence, Front, GroupRow, Report, Run, shape_name};
use numpy::npyffi::NPY_ORDER;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use crate::failure::{of_file, of_learner};
use crate::frame::{Rules, Source, for_prediction};
use crate::sure::SureFields;
use crate::table::{self, TableFields};

/// Rows predicted at once, as in the program, so that the neurons of a long table need not all be in memory.
const ROWS_AT_ONCE: usize = 8192;

/// How a pickled model is called in errors.
const PICKLED: &str = "the pickled model";

/// A fitted model.
#[pyclass(frozen, module = "needlenet._needlenet")]
pub struct Model {
    inner: needlenet::Model,
    seconds: Option<f64>,
}

impl Model {
    /// A model and, if it was fitted just now, the time of the fit.
    pub fn new(inner: needlenet::Model, seconds: Option<f64>) -> Self {
        Model { inner, seconds }
    }

    /// The model and the time of its fit.
    pub fn parts(&self) -> (needlenet::Model, Option<f64>) {
        (self.inner.clone(), self.seconds)
    }
}

/// A baseline; in Python a tuple.
type BaselineFields<'py> = (String, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// An input that matters; in Python a dictionary.
#[derive(IntoPyObject)]
struct NeedleFields {
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
    fn of(needle: &Needle, model: &needlenet::Model) -> Self {
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
struct NeuronFields {
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
struct GroupFields {
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
struct CertificateFields {
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

/// What the fit was asked; in Python a dictionary, the one that `fit` takes.
#[derive(IntoPyObject)]
struct ChoiceFields {
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

/// The model that was preferred among those that the choices allow.
#[derive(IntoPyObject)]
struct UsedFields {
    hidden: Vec<usize>,
    penalty: &'static str,
}

#[pymethods]
impl Model {
    /// Reads a model file.
    #[classmethod]
    fn load(_: &Bound<'_, PyType>, py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| load_model(&path)).map(|inner| Model::new(inner, None)).map_err(of_file)
    }

    /// Reads the bytes of a model file.
    #[classmethod]
    fn from_bytes(_: &Bound<'_, PyType>, bytes: &[u8]) -> PyResult<Self> {
        model_from_bytes(PICKLED, bytes).map(|inner| Model::new(inner, None)).map_err(of_file)
    }

    /// The bytes of its file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| model_to_bytes(PICKLED, &self.inner)).map_err(of_file)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes a model file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| save_model(&path, &self.inner)).map_err(of_file)
    }

    /// A model is pickled as its file: data, never code.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    /// Predictions from the columns of `x` that hold the needles, then the stand-ins, strongest first: an `n x 1` matrix of
    /// numbers, or `n x classes` of probabilities.
    #[pyo3(signature = (x, columns, penalised, offset=None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        columns: Vec<usize>,
        penalised: bool,
        offset: Option<Vec<f64>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let n = x.cast::<PyUntypedArray>()?.shape().first().copied().unwrap_or(0);
        let values = table::columns(x, &columns)?;
        let fitted = if penalised { Fitted::Penalised } else { Fitted::Predictor };
        let predicted = py.detach(|| self.rows(n, &values, offset.as_deref(), fitted)).map_err(of_learner)?;
        if let Some(at) = predicted.iter().position(|v| !v.is_finite()) {
            return Err(overflow(at * n / predicted.len()));
        }
        predicted.into_pyarray(py).reshape([n, self.inner.task.classes().len().max(1)])
    }

    /// The columns that predictions need, in their order, from a table that has them by name.
    #[pyo3(signature = (x, names, rules))]
    fn read<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        names: Option<Vec<String>>,
        rules: Rules,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let options = for_prediction(&rules)?;
        let (known, columns) = known_inputs(&self.inner, &options);
        let options = ReadOptions { exactly: Some(known), ..options };
        let source = Source::new(x)?;
        let table = py.detach(|| source.read(names, &options))?;
        let n = table.n_rows;
        let values: Vec<f64> =
            columns.iter().flat_map(|&j| &table.values[j * n..(j + 1) * n]).copied().collect();
        values.into_pyarray(py).reshape_with_order([n, columns.len()], NPY_ORDER::NPY_FORTRANORDER)
    }

    /// The names of the columns that `read` needs.
    #[getter]
    fn needed(&self) -> Vec<String> {
        known_inputs(&self.inner, &ReadOptions::default()).0.into_iter().map(|known| known.name).collect()
    }

    /// The inputs that are always in, in the order of the table.
    #[getter]
    fn always(&self) -> Vec<NeedleFields> {
        self.inner.always.iter().map(|input| NeedleFields::of(input, &self.inner)).collect()
    }

    /// The inputs of several columns, and the ordered ones, that matter or are always in.
    #[getter]
    fn groups(&self) -> Vec<GroupFields> {
        self.inner.groups.iter().map(GroupFields::from).collect()
    }

    /// The report in words; columns without names are counted from zero where the reader does so.
    fn summary(&self, counts_from_zero: bool) -> String {
        self.report(counts_from_zero).text()
    }

    /// A piece of HTML for a notebook.
    fn compact_html(&self, counts_from_zero: bool) -> String {
        self.report(counts_from_zero).compact_html()
    }

    /// Writes the report as a page, whole or not at all; with samples if the table of the fit is given.
    #[pyo3(signature = (path, command, counts_from_zero, table=None))]
    fn write_page(
        &self,
        py: Python<'_>,
        path: PathBuf,
        command: String,
        counts_from_zero: bool,
        table: Option<TableFields<'_>>,
    ) -> PyResult<()> {
        let data = table.map(|table| table::data(py, table)).transpose()?;
        let report = self.report(counts_from_zero);
        let source =
            needlenet_report::Source { name: "Python".into(), command: Some(command), notes: Vec::new() };
        py.detach(|| {
            let evidence = match &data {
                Some((data, _)) => Evidence::of_data(&self.inner, &report, data),
                None => Evidence::of_model(&self.inner, &report),
            };
            write_atomically(&path, report.page(&self.inner, &evidence, &source).as_bytes())
        })
        .map_err(|error| of_file(error.into()))
    }

    /// Whether any input of each row lies outside its range in the fit; none if the model is from before ranges were kept.
    fn outside<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        columns: Vec<usize>,
    ) -> PyResult<Option<Bound<'py, PyArray1<bool>>>> {
        let n = x.cast::<PyUntypedArray>()?.shape().first().copied().unwrap_or(0);
        let values = table::columns(x, &columns)?;
        let columns: Vec<&[f64]> = values.chunks(n.max(1)).collect();
        let outside = self.inner.outside(n, &columns).map_err(of_learner)?;
        Ok(outside.map(|outside| PyArray1::from_vec(py, outside)))
    }

    /// The held-out losses of the smooth network and of the refit, as parts of that of the empty model, if they were compared.
    #[getter]
    fn held_out(&self) -> Option<(f64, f64)> {
        self.inner.held_out.map(|held_out| (held_out.predictor, held_out.sparse))
    }

    /// Neurons of the network that predicts in the place of the refit, and why its path ended.
    #[getter]
    fn predictor(&self) -> Option<(usize, &'static str)> {
        self.inner.predictor.as_ref().map(|predictor| (predictor.neurons, predictor.stop.describe()))
    }

    #[getter]
    fn task(&self) -> &'static str {
        self.inner.task.name()
    }

    /// Name, times and cumulated hazards of the baseline of each stratum; none but in survival.
    #[getter]
    fn baselines<'py>(&self, py: Python<'py>) -> Vec<BaselineFields<'py>> {
        let Task::Survival { baselines, .. } = &self.inner.task else { return Vec::new() };
        let fields = |b: &Baseline| {
            (b.stratum.clone(), PyArray1::from_slice(py, &b.times), PyArray1::from_slice(py, &b.hazards))
        };
        baselines.iter().map(fields).collect()
    }

    /// How much counts vary about their means, relative to Poisson's law; none but of counts.
    #[getter]
    fn dispersion(&self) -> Option<f64> {
        match self.inner.task {
            Task::Counts { dispersion, .. } => Some(dispersion),
            _ => None,
        }
    }

    #[getter]
    fn has_offset(&self) -> bool {
        self.inner.offset
    }

    #[getter]
    fn classes(&self) -> Vec<String> {
        self.inner.task.classes().to_vec()
    }

    #[getter]
    fn n_samples(&self) -> usize {
        self.inner.n_samples
    }

    #[getter]
    fn n_features(&self) -> usize {
        self.inner.n_features
    }

    #[getter]
    fn lambda_(&self) -> f64 {
        self.inner.lambda
    }

    #[getter]
    fn lambda_qut(&self) -> f64 {
        self.inner.threshold.lambda_qut
    }

    #[getter]
    fn standard_error(&self) -> f64 {
        self.inner.threshold.standard_error
    }

    #[getter]
    fn lambda_zero(&self) -> f64 {
        self.inner.threshold.lambda_zero
    }

    #[getter]
    fn p_value(&self) -> f64 {
        self.inner.threshold.p_value()
    }

    #[getter]
    fn null_draws<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.inner.threshold.draws)
    }

    #[getter]
    fn certificate(&self) -> CertificateFields {
        (&self.inner.certificate).into()
    }

    #[getter]
    fn refit(&self) -> CertificateFields {
        (&self.inner.refit).into()
    }

    #[getter]
    fn converged(&self) -> bool {
        self.inner.converged()
    }

    #[getter]
    fn noise(&self) -> Option<f64> {
        self.inner.noise
    }

    #[getter]
    fn linear(&self) -> bool {
        self.inner.linear
    }

    #[getter]
    fn needles(&self) -> Vec<NeedleFields> {
        self.inner.needles.iter().map(|input| NeedleFields::of(input, &self.inner)).collect()
    }

    #[getter]
    fn stand_ins(&self) -> Vec<NeedleFields> {
        self.inner.stand_ins.iter().map(|input| NeedleFields::of(input, &self.inner)).collect()
    }

    #[getter]
    fn neurons(&self) -> Vec<NeuronFields> {
        self.inner.neurons.iter().map(NeuronFields::from).collect()
    }

    /// Lambda, noise, loss, objective, inputs in use and iterations of each stage.
    #[getter]
    fn path(&self) -> Vec<(f64, f64, f64, f64, usize, usize)> {
        let row = |s: &Stage| (s.lambda, s.tau, s.loss, s.objective, s.n_selected, s.iterations);
        self.inner.path.iter().map(row).collect()
    }

    #[getter]
    fn constant_inputs(&self) -> Vec<String> {
        self.inner.constant_inputs.clone()
    }

    #[getter]
    fn choices(&self) -> ChoiceFields {
        let settings = self.inner.settings.clone();
        let link = match self.inner.task {
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

    /// What was used: no hidden layers where the linear model was preferred to a network.
    #[getter]
    fn used(&self) -> UsedFields {
        let used = &self.inner.used;
        UsedFields { hidden: used.hidden.clone(), penalty: used.penalty.name() }
    }

    /// How sure the needles are, if that was asked.
    #[getter]
    fn sure(&self) -> Option<SureFields> {
        self.inner.sure.as_ref().map(SureFields::from)
    }

    #[getter]
    fn weighted(&self) -> bool {
        self.inner.weighted
    }

    /// Seconds of the fit itself; none for a model from a file.
    #[getter]
    fn seconds(&self) -> Option<f64> {
        self.seconds
    }
}

impl Model {
    fn report(&self, counts_from_zero: bool) -> Report {
        let run = Run {
            threads: self.inner.settings.threads,
            seconds: self.seconds,
            front: Front::Python,
            counts_from_zero,
            ..Run::default()
        };
        Report::new(&self.inner, &run)
    }

    fn rows(
        &self,
        n: usize,
        values: &[f64],
        offset: Option<&[f64]>,
        fitted: Fitted,
    ) -> needlenet::Result<Vec<f64>> {
        let mut all = Vec::with_capacity(n * self.inner.task.classes().len().max(1));
        for first in (0..n).step_by(ROWS_AT_ONCE) {
            let rows = first..n.min(first + ROWS_AT_ONCE);
            let block: Vec<&[f64]> = values.chunks(n).map(|column| &column[rows.clone()]).collect();
            let offset = offset.and_then(|offset| offset.get(rows.clone()));
            match self.inner.predict_with_offset(rows.len(), &block, offset, fitted)? {
                Prediction::Numbers(numbers) => all.extend(numbers),
                Prediction::Classes { probabilities, .. } => all.extend(probabilities),
            }
        }
        Ok(all)
    }
}

/// Values far outside those of the fit can overflow: that is an error, not a prediction.
fn overflow(row: usize) -> PyErr {
    PyValueError::new_err(format!(
        "the prediction of row {row} overflows; its values are far outside those of the fit, so check their units"
    ))
}
