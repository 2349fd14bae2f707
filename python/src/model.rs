//! A fitted model in Python: its values (`fields.rs`), prediction, pages, and its file.

use std::path::PathBuf;

use needlenet::{Baseline, Fitted, Prediction, Stage, Task};
use needlenet_io::{
    ReadOptions, known_inputs, load_model, model_from_bytes, model_to_bytes, save_model, write_atomically,
};
use needlenet_report::{Evidence, Front, Report, Run};
use numpy::npyffi::NPY_ORDER;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use crate::failure::{of_file, of_learner};
use crate::fields::{CertificateFields, ChoiceFields, GroupFields, NeedleFields, NeuronFields, UsedFields};
use crate::frame::{Rules, Source, for_prediction};
use crate::sure::SureFields;
use crate::table::{self, TableFields};

/// Rows predicted at once, as in the program, so that the neurons of a long table need not all be in memory.
const ROWS_AT_ONCE: usize = 8192;

/// The name of a pickled model in errors.
const PICKLED: &str = "the pickled model";

/// A fitted model.
#[pyclass(frozen, module = "needlenet._needlenet")]
pub struct Model {
    inner: needlenet::Model,
    seconds: Option<f64>,
}

impl Model {
    /// A model and, if it was just fitted, the time of the fit.
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

    /// The columns that predictions need, in their order, found by name in a table.
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

    /// The report as text; with `counts_from_zero`, columns without names are numbered from zero.
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

    /// Whether any input of each row lies outside its range in the fit; none for old model files without ranges.
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

    /// The held-out losses of the smooth network and of the refit, relative to that of the empty model, if they were compared.
    #[getter]
    fn held_out(&self) -> Option<(f64, f64)> {
        self.inner.held_out.map(|held_out| (held_out.predictor, held_out.sparse))
    }

    /// Number of neurons of the network that predicts instead of the refit, and why its path ended.
    #[getter]
    fn predictor(&self) -> Option<(usize, &'static str)> {
        self.inner.predictor.as_ref().map(|predictor| (predictor.neurons, predictor.stop.describe()))
    }

    #[getter]
    fn task(&self) -> &'static str {
        self.inner.task.name()
    }

    /// Name, times and cumulative hazards of the baseline of each stratum; only in survival.
    #[getter]
    fn baselines<'py>(&self, py: Python<'py>) -> Vec<BaselineFields<'py>> {
        let Task::Survival { baselines, .. } = &self.inner.task else { return Vec::new() };
        let fields = |b: &Baseline| {
            (b.stratum.clone(), PyArray1::from_slice(py, &b.times), PyArray1::from_slice(py, &b.hazards))
        };
        baselines.iter().map(fields).collect()
    }

    /// The variance of counts about their means, relative to Poisson's law; only for counts.
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
        ChoiceFields::from(&self.inner)
    }

    /// The model that was used: without hidden layers if the linear model was preferred to a network.
    #[getter]
    fn used(&self) -> UsedFields {
        UsedFields::from(&self.inner.used)
    }

    /// How sure the needles are, if this was requested.
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

/// Values far outside those of the fit can overflow: an error, not a prediction.
fn overflow(row: usize) -> PyErr {
    PyValueError::new_err(format!(
        "the prediction of row {row} overflows; its values are far outside those of the fit, so check their units"
    ))
}
