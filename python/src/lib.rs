//! The Python module `needlenet._needlenet`: NumPy in, the learner, plain Python out.
//!
//! Every function converts, releases the GIL, calls the learner and maps the error. scikit-learn's conventions
//! live in the Python files beside it, the mathematics in the crate `needlenet`. Tested in `python/tests`.

mod choices;
mod failure;
mod fields;
mod frame;
mod model;
mod run;
mod shards;
mod sure;
mod table;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::choices::Choices;
use crate::model::Model;
use crate::table::TableFields;

/// Fits a model; an array without names has the program's. `progress` is called about twenty times a second
/// with what was done last. Also says what the reader of the table did that the user should know.
#[pyfunction]
#[pyo3(signature = (table, choices, progress=None))]
fn fit(
    py: Python<'_>,
    table: TableFields<'_>,
    choices: Choices,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<(Model, Vec<String>)> {
    let settings = choices.settings()?;
    let (data, notes) = table::data(py, table)?;
    let (model, seconds) = run::watched(py, progress.as_ref(), |watch| {
        let start = std::time::Instant::now();
        let model = needlenet::fit_observed(data, &settings, watch)?;
        Ok((model, start.elapsed().as_secs_f64()))
    })?;
    Ok((Model::new(model, Some(seconds)), notes))
}

/// Whether numbers are classes by the program's rule, and why.
#[pyfunction]
fn numbers_are_classes(numbers: PyReadonlyArray1<'_, f64>) -> (bool, String) {
    needlenet_io::numbers_are_classes(&numbers.as_array().to_vec())
}

/// A threshold; in Python a dictionary.
#[derive(IntoPyObject)]
struct ThresholdFields<'py> {
    lambda_qut: f64,
    standard_error: f64,
    lambda_zero: f64,
    p_value: f64,
    alpha: f64,
    null_draws: Bound<'py, PyArray1<f64>>,
}

/// The penalty of the level alpha, and how the data compare with it.
#[pyfunction]
fn threshold<'py>(
    py: Python<'py>,
    table: TableFields<'py>,
    choices: Choices,
) -> PyResult<ThresholdFields<'py>> {
    let settings = choices.settings()?;
    let (data, _) = table::data(py, table)?;
    let found = run::watched(py, None, |watch| needlenet::threshold_observed(data, &settings, watch))?;
    Ok(ThresholdFields {
        lambda_qut: found.lambda_qut,
        standard_error: found.standard_error,
        lambda_zero: found.lambda_zero,
        p_value: found.p_value(),
        alpha: found.alpha,
        null_draws: found.draws.into_pyarray(py),
    })
}

/// The share of comparable pairs that a risk orders correctly.
#[pyfunction]
fn concordance(
    times: PyReadonlyArray1<'_, f64>,
    events: PyReadonlyArray1<'_, bool>,
    risks: PyReadonlyArray1<'_, f64>,
) -> PyResult<f64> {
    let [times, risks] = [times, risks].map(|v| v.as_array().to_vec());
    let events = events.as_array().to_vec();
    if times.len() != events.len() || times.len() != risks.len() {
        return Err(PyValueError::new_err("times, events and risks have different lengths"));
    }
    Ok(needlenet::metrics::concordance(&times, &events, &risks))
}

#[pymodule]
fn _needlenet(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Model>()?;
    module.add_class::<shards::Folder>()?;
    module.add_function(wrap_pyfunction!(shards::answer, module)?)?;
    module.add_function(wrap_pyfunction!(shards::half_of_free_memory, module)?)?;
    module.add_function(wrap_pyfunction!(shards::fit_sharded, module)?)?;
    module.add_function(wrap_pyfunction!(concordance, module)?)?;
    module.add_function(wrap_pyfunction!(numbers_are_classes, module)?)?;
    module.add_function(wrap_pyfunction!(fit, module)?)?;
    module.add_function(wrap_pyfunction!(sure::selection_bounds, module)?)?;
    module.add_function(wrap_pyfunction!(sure::sure, module)?)?;
    module.add_function(wrap_pyfunction!(sure::sure_missing, module)?)?;
    module.add_function(wrap_pyfunction!(sure::sure_piece, module)?)?;
    module.add_class::<sure::SureLedger>()?;
    module.add_function(wrap_pyfunction!(threshold, module)?)
}
