//! A table in shards of columns that Python keeps, here or on the workers of a cluster.
//!
//! The learner asks four questions of a shard (`needlenet::shards`). Here they become bytes, and an object of Python carries them to
//! the shards: [`fit_sharded`] where the fit runs, [`answer`] and [`Folder::answer`] where a shard is. Tested in `test_shards.py`.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use needlenet::shards::{Answer, Columns, Sharded, Shards, Task};
use needlenet::{Error, Observer};
use needlenet_io::{Book, Named};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySlice};

use crate::choices::Choices;
use crate::failure::{of_learner, of_table};
use crate::model::Model;
use crate::run;
use crate::table::{Asked, Samples, columns};

/// The table of a fit, as Python gives it.
#[derive(FromPyObject)]
pub struct ShardsFields {
    names: Vec<String>,
    /// The name and the number of columns of each shard.
    parts: Vec<(String, usize)>,
    /// `ask(tasks, threads)`, for a list of places of shards and messages: an iterator over the place of a task in that list and
    /// its answer, as they come, and over None while there is none.
    ask: Py<PyAny>,
    /// The file of finished answers, and the fingerprint of the table.
    book: Option<(PathBuf, u64)>,
    /// A list of lines for the user.
    notes: Py<PyAny>,
}

/// What carries the messages; what Python raised is kept for the caller.
struct Carrier {
    parts: Vec<(String, usize)>,
    ask: Py<PyAny>,
    threads: usize,
    book: Option<Book>,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Carrier {
    /// The answers to messages, of which some are in the book; `is_pass` says whether they belong there.
    fn answers(
        &self,
        py: Python<'_>,
        tasks: &[(usize, Vec<u8>)],
        is_pass: bool,
        observer: &dyn Observer,
    ) -> PyResult<Vec<Answer>> {
        let book = self.book.as_ref().filter(|_| is_pass);
        let known = |(at, task): &(usize, Vec<u8>)| book.and_then(|book| book.answer(*at, task));
        let mut answers: Vec<Option<Answer>> = tasks.iter().map(known).collect();
        let open: Vec<usize> = (0..tasks.len()).filter(|place| answers[*place].is_none()).collect();
        let message = |&place: &usize| (tasks[place].0, PyBytes::new(py, &tasks[place].1));
        let messages: Vec<_> = open.iter().map(message).collect();
        for item in self.ask.bind(py).call1((messages, self.threads))?.try_iter()? {
            if let Some((at, bytes)) = item?.extract::<Option<(usize, Vec<u8>)>>()? {
                let place = *open.get(at).ok_or_else(|| PyValueError::new_err("no such task"))?;
                let answer = Answer::from_bytes(&bytes).map_err(of_learner)?;
                book.into_iter().for_each(|book| book.keep(tasks[place].0, &tasks[place].1, &answer));
                answers[place] = Some(answer);
            }
            if !observer.go_on() {
                return Err(of_learner(Error::Interrupted));
            }
        }
        let answers: Option<Vec<Answer>> = answers.into_iter().collect();
        answers.ok_or_else(|| PyValueError::new_err("a shard did not answer"))
    }
}

impl Shards for Carrier {
    fn shards(&self) -> Vec<(String, usize)> {
        self.parts.clone()
    }

    fn ask(&self, tasks: Vec<(usize, Task)>, observer: &dyn Observer) -> needlenet::Result<Vec<Answer>> {
        let is_pass = tasks.iter().all(|(_, task)| task.is_pass());
        let bytes = |(at, task): (usize, Task)| Ok((at, task.to_bytes()?));
        let tasks = tasks.into_iter().map(bytes).collect::<needlenet::Result<Vec<_>>>()?;
        Python::attach(|py| self.answers(py, &tasks, is_pass, observer)).map_err(|error| {
            self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            Error::Interrupted
        })
    }
}

/// Fits a model on a table in shards; `always` are the inputs that are always in.
#[pyfunction]
#[pyo3(signature = (shards, asked, samples, always, choices, progress=None))]
pub fn fit_sharded(
    py: Python<'_>,
    shards: ShardsFields,
    asked: Asked<'_>,
    samples: Samples<'_>,
    always: Vec<String>,
    choices: Choices,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Model> {
    let settings = choices.settings()?;
    let raised = Arc::new(Mutex::new(None));
    let ShardsFields { names, parts, ask, book, notes } = shards;
    let path = book.as_ref().map(|(path, _)| path.clone());
    let book = book.map(|(path, fingerprint)| opened(py, &path, fingerprint, &notes)).transpose()?;
    let carrier = Carrier { parts, ask, threads: settings.threads, book, raised: raised.clone() };
    let outcome = asked.outcome(None)?;
    let (weights, offset) = samples.of_all();
    let fitted = run::watched(py, progress.as_ref(), move |watch| {
        let start = std::time::Instant::now();
        let mut table = Sharded::new(carrier, names, outcome)?;
        if !always.is_empty() {
            table = table.with_always(&always)?;
        }
        if let Some(offset) = offset {
            table = table.with_offset(offset)?;
        }
        if let Some(weights) = weights {
            table = table.with_weights(weights)?;
        }
        let model = needlenet::fit_sharded(table, &settings, watch)?;
        Ok((model, start.elapsed().as_secs_f64()))
    });
    match raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(error) => Err(error),
        None => {
            let (model, seconds) = fitted?;
            // a file that stays is of no use and does no harm
            path.into_iter().for_each(|path| drop(std::fs::remove_file(path)));
            Ok(Model::new(model, Some(seconds)))
        }
    }
}

/// A file of finished answers; a line says what it had.
fn opened(py: Python<'_>, path: &Path, fingerprint: u64, notes: &Py<PyAny>) -> PyResult<Book> {
    let (book, found) = Book::open(path, fingerprint).map_err(of_table)?;
    if found > 0 {
        let note = format!("going on from {found} answers of shards that a fit left in {}", path.display());
        notes.bind(py).call_method1("append", (note,))?;
    }
    Ok(book)
}

/// Columns of an object of Python with `shape` that gives an array for `x[:, from:to]`.
struct Sliced {
    name: String,
    x: Py<PyAny>,
    shape: (usize, usize),
}

impl Columns for Sliced {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn n_samples(&self) -> usize {
        self.shape.0
    }

    fn n_columns(&self) -> usize {
        self.shape.1
    }

    fn read(&self, some: Range<usize>, values: &mut [f64]) -> Result<(), String> {
        let read = Python::attach(|py| {
            let (from, to) = (isize::try_from(some.start)?, isize::try_from(some.end)?);
            let part = self.x.bind(py).get_item((PySlice::full(py), PySlice::new(py, from, to, 1)))?;
            columns(&part, &(0..some.len()).collect::<Vec<_>>())
        });
        let read = read.map_err(|error| format!("cannot be read: {error}"))?;
        if read.len() != values.len() {
            return Err(format!("{} numbers where {} are expected", read.len(), values.len()));
        }
        values.copy_from_slice(&read);
        Ok(())
    }
}

/// The answer of a shard of Python; `memory` is about what it may hold at once, in bytes.
#[pyfunction]
pub fn answer<'py>(
    py: Python<'py>,
    name: String,
    x: Bound<'py, PyAny>,
    task: &[u8],
    memory: usize,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let shard = Sliced { name, shape: x.getattr("shape")?.extract()?, x: x.unbind() };
    answer_of(py, &shard, task, memory, threads)
}

fn answer_of<'py>(
    py: Python<'py>,
    shard: &dyn Columns,
    task: &[u8],
    memory: usize,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let work = || {
        let task = Task::from_bytes(task)?;
        needlenet::shards::answer(shard, &task, memory, threads, &())?.to_bytes()
    };
    // the exception of a panic is none that asyncio can carry to the caller
    let answer = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    let fault = |_| PyRuntimeError::new_err("needlenet has a fault; please report it");
    answer.map_err(fault)?.map(|bytes| PyBytes::new(py, &bytes)).map_err(of_learner)
}

/// An Arrow or Parquet file, which pyarrow reads.
fn by_columns(path: &Path) -> Result<Option<Named>, needlenet_io::Error> {
    let end = path.extension().and_then(|end| end.to_str());
    if end.is_none_or(|end| !["parquet", "arrow", "feather"].contains(&end)) {
        return Ok(None);
    }
    let file = path.display().to_string();
    let opened = Python::attach(|py| {
        let x = py.import("needlenet._arrow_shards")?.getattr("ArrowShard")?.call1((&file,))?;
        let (shape, names) = (x.getattr("shape")?.extract()?, x.getattr("names")?.extract()?);
        Ok::<_, PyErr>((Sliced { name: file.clone(), shape, x: x.unbind() }, names))
    });
    match opened {
        Ok((shard, names)) => Ok(Some((Box::new(shard), names))),
        Err(error) => {
            let reason = Python::attach(|py| error.value(py).to_string());
            Err(needlenet_io::Error::Shard { file, reason })
        }
    }
}

/// The default of the memory of an answer: half of what is free.
#[pyfunction]
pub fn half_of_free_memory() -> u64 {
    needlenet_io::half_of_free_memory()
}

/// A folder of shards.
#[pyclass(frozen, module = "needlenet._needlenet")]
pub struct Folder(needlenet_io::Folder);

#[pymethods]
impl Folder {
    #[new]
    fn new(py: Python<'_>, path: &str) -> PyResult<Self> {
        py.detach(|| needlenet_io::Folder::open_with(path, by_columns)).map(Folder).map_err(of_table)
    }

    /// A number that changes with any file of the folder.
    #[getter]
    fn fingerprint(&self) -> u64 {
        self.0.fingerprint()
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.names.clone()
    }

    #[getter]
    fn n_samples(&self) -> usize {
        self.0.n_samples
    }

    #[getter]
    fn ids(&self) -> Option<Vec<String>> {
        self.0.ids().map(<[String]>::to_vec)
    }

    #[getter]
    fn parts(&self) -> Vec<(String, usize)> {
        self.0.parts()
    }

    /// The answer of one shard.
    fn answer<'py>(
        &self,
        py: Python<'py>,
        at: usize,
        task: &[u8],
        memory: usize,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let shard = self.0.shard(at).ok_or_else(|| PyTypeError::new_err("no such shard"))?;
        answer_of(py, shard, task, memory, threads)
    }

    /// Some columns, given by their places in the table.
    fn read<'py>(&self, py: Python<'py>, wanted: Vec<usize>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let n = self.0.n_samples;
        let mut values = vec![0.0; n * wanted.len()];
        let fill = |(&j, column): (&usize, &mut [f64])| {
            let mut before = 0;
            for (at, (name, count)) in self.0.parts().into_iter().enumerate() {
                if let (true, Some(shard)) = (j < before + count, self.0.shard(at)) {
                    return shard
                        .read(j - before..j - before + 1, column)
                        .map_err(|e| format!("{name}: {e}"));
                }
                before += count;
            }
            Err(format!("the folder has {before} columns, and {j} is not among them"))
        };
        let read = py.detach(|| wanted.iter().zip(values.chunks_mut(n)).try_for_each(fill));
        read.map_err(PyValueError::new_err)?;
        let made = Array2::from_shape_vec((wanted.len(), n), values);
        Ok(made.map_err(|error| PyValueError::new_err(error.to_string()))?.reversed_axes().into_pyarray(py))
    }
}
