//! Tables in shards: the four calls of the learner go to a function of Python, which hands them to Dask, to Ray or to blocks here.
//! Where a block is, `answer` makes its answer. Tested in `python/tests/test_shards.py`.

use std::ops::Range;

use needlenet::shards::{Answer, Columns, Sharded, Shards, Task};
use needlenet::{Error, Observer};
use needlenet_io::{answer_from_bytes, answer_to_bytes, task_from_bytes, task_to_bytes};
use numpy::ndarray::ArrayView2;
use numpy::{PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::choices::Choices;
use crate::failure::of_learner;
use crate::model::Model;
use crate::run;
use crate::table::{Asked, Number, Samples, positions};

/// Shards that a function of Python asks: from a list of places and tasks to a list of answers.
struct Elsewhere {
    shards: Vec<(String, usize)>,
    ask: Py<PyAny>,
}

impl Shards for Elsewhere {
    fn shards(&self) -> Vec<(String, usize)> {
        self.shards.clone()
    }

    fn ask(&self, tasks: Vec<(usize, Task)>, observer: &dyn Observer) -> needlenet::Result<Vec<Answer>> {
        let failed = |reason: String| Error::Shard { shard: "cluster".into(), reason };
        let bytes = |(at, task): (usize, Task)| Ok((at, task_to_bytes(&task).map_err(failed)?));
        let tasks: Vec<(usize, Vec<u8>)> = tasks.into_iter().map(bytes).collect::<needlenet::Result<_>>()?;
        let answers = Python::attach(|py| {
            let tasks: Vec<(usize, Bound<'_, PyBytes>)> =
                tasks.iter().map(|(at, bytes)| (*at, PyBytes::new(py, bytes))).collect();
            let answers = self.ask.call1(py, (tasks,))?;
            let answers: Vec<Bound<'_, PyBytes>> = answers.extract(py)?;
            Ok::<_, PyErr>(answers.iter().map(|bytes| bytes.as_bytes().to_vec()).collect::<Vec<_>>())
        });
        if !observer.go_on() {
            return Err(Error::Interrupted);
        }
        let answers = answers.map_err(|error| failed(Python::attach(|py| error.value(py).to_string())))?;
        answers.iter().map(|bytes| answer_from_bytes(bytes).map_err(failed)).collect()
    }
}

/// Fits a table whose shards `ask` asks: their names and numbers of columns are `shards`.
#[pyfunction]
#[pyo3(signature = (shards, ask, names, outcome, choices, progress=None, samples=None))]
#[allow(clippy::too_many_arguments, reason = "those of fit, and the shards")]
pub fn fit_sharded(
    py: Python<'_>,
    shards: Vec<(String, usize)>,
    ask: Py<PyAny>,
    names: Option<Vec<String>>,
    outcome: Asked<'_>,
    choices: Choices,
    progress: Option<Bound<'_, PyAny>>,
    samples: Option<Samples<'_>>,
) -> PyResult<Model> {
    let settings = choices.settings()?;
    let outcome = outcome.outcome()?;
    let [weights, offset] = samples.unwrap_or_default().vectors();
    let names = names.unwrap_or_else(|| positions(shards.iter().map(|(_, columns)| columns).sum()));
    let table = Sharded::new(Elsewhere { shards, ask }, names, outcome).map_err(of_learner)?;
    let table = match offset {
        Some(offset) => table.with_offset(offset).map_err(of_learner)?,
        None => table,
    };
    let table = match weights {
        Some(weights) => table.with_weights(weights).map_err(of_learner)?,
        None => table,
    };
    let (model, seconds) = run::watched(py, progress.as_ref(), |watch| {
        let start = std::time::Instant::now();
        let model = needlenet::fit_sharded(table, &settings, watch)?;
        Ok((model, start.elapsed().as_secs_f64()))
    })?;
    Ok(Model::new(model, Some(seconds)))
}

/// A block of columns in memory.
struct Block<'a, T> {
    name: String,
    view: ArrayView2<'a, T>,
}

impl<T: Number> Columns for Block<'_, T> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn n_samples(&self) -> usize {
        self.view.nrows()
    }

    fn n_columns(&self) -> usize {
        self.view.ncols()
    }

    fn read(&self, columns: Range<usize>, values: &mut [f64]) -> Result<(), String> {
        for (j, column) in columns.zip(values.chunks_mut(self.view.nrows())) {
            column.iter_mut().zip(self.view.column(j)).for_each(|(to, from)| *to = from.as_f64());
        }
        Ok(())
    }
}

/// The answer of a block of columns to a task.
#[pyfunction]
pub fn answer<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    task: &[u8],
    name: String,
    memory: usize,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let task = task_from_bytes(task).map_err(PyValueError::new_err)?;
    let kinds = [
        of_kind::<f64>,
        of_kind::<f32>,
        of_kind::<i64>,
        of_kind::<i32>,
        of_kind::<i16>,
        of_kind::<i8>,
        of_kind::<u8>,
        of_kind::<bool>,
    ];
    let told = kinds.iter().find_map(|of| of(x, &task, &name, memory, threads));
    let wrong = || PyTypeError::new_err(format!("{name} is not a two-dimensional array of numbers"));
    let told = told.ok_or_else(wrong)?.map_err(of_learner)?;
    Ok(PyBytes::new(py, &answer_to_bytes(&told).map_err(PyValueError::new_err)?))
}

/// The answer, if the block is of this type.
fn of_kind<T: Number>(
    x: &Bound<'_, PyAny>,
    task: &Task,
    name: &str,
    memory: usize,
    threads: usize,
) -> Option<needlenet::Result<Answer>> {
    let array = x.cast::<PyArray2<T>>().ok()?.readonly();
    let block = Block { name: name.to_owned(), view: array.as_array() };
    Some(x.py().detach(|| needlenet::shards::answer(&block, task, memory, threads, &())))
}
