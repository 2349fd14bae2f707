//! Tables of other libraries: an Arrow stream (polars, pyarrow, duckdb), or columns that Python took apart (pandas, NumPy).
//!
//! They are read by the same code as the program's files, so text is a category, missing cells follow the same rules, and
//! errors say the same. Arrow memory is read where it lies. Tested in `python/tests/test_frames.py`.

use std::sync::{Mutex, PoisonError};

use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use needlenet::Data;
use needlenet_io::{
    Cells, ColumnRef, Front, GroupKind, Known, ReadOptions, Structure, Table, read_batches, read_columns,
};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::failure::{of_learner, of_table};
use crate::table::{Asked, Samples};

/// How a table is called in errors.
const NAME: &str = "X";

/// How to read a table, as Python gives it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Reading {
    missing: String,
    ordered: Vec<(String, Vec<String>)>,
}

/// One column, as Python gives it: exactly one of the fields besides the name is there.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct ColumnFields<'py> {
    name: String,
    numbers: Option<PyReadonlyArray1<'py, f64>>,
    words: Option<Vec<Option<String>>>,
    levels: Option<(Vec<String>, PyReadonlyArray1<'py, i64>, bool)>,
    dates: Option<PyReadonlyArray1<'py, f64>>,
    other: Option<String>,
}

impl ColumnFields<'_> {
    fn cells(self) -> PyResult<(String, Cells)> {
        let floats = |array: PyReadonlyArray1<'_, f64>| array.as_array().to_vec();
        let cells = match (self.numbers, self.words, self.levels, self.dates, self.other) {
            (Some(numbers), ..) => Cells::Numbers(floats(numbers)),
            (_, Some(words), ..) => Cells::Words(words),
            (_, _, Some((levels, codes, ordered)), ..) => {
                Cells::Category { levels, codes: codes.as_array().to_vec(), ordered }
            }
            (.., Some(dates), _) => Cells::Dates(floats(dates)),
            (.., Some(other)) => Cells::Other(other),
            _ => return Err(PyTypeError::new_err("a column has no cells")),
        };
        Ok((self.name, cells))
    }
}

impl Reading {
    fn options(self, exactly: Option<Vec<Known>>) -> PyResult<ReadOptions> {
        Ok(ReadOptions {
            missing: self.missing.parse().map_err(of_table)?,
            ordered: self.ordered.into_iter().map(|(name, levels)| (ColumnRef(name), levels)).collect(),
            exactly,
            front: Front::Python,
            ..ReadOptions::default()
        })
    }
}

/// Reads a table that is an Arrow stream or a list of columns; a model gives the inputs that it knows.
fn read(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    reading: Reading,
    known: impl FnOnce(&ReadOptions) -> Option<Vec<Known>>,
) -> PyResult<Table> {
    let mut options = reading.options(None)?;
    options.exactly = known(&options);
    // columns that a model knows are not ordered by wish but by the model
    if options.exactly.is_some() {
        options.ordered.clear();
    }
    if source.hasattr("__arrow_c_stream__")? {
        let reader = stream(source)?;
        return py.detach(|| read_batches(NAME, reader, &options)).map_err(of_table);
    }
    let columns = source.extract::<Vec<ColumnFields<'_>>>()?;
    let columns = columns.into_iter().map(ColumnFields::cells).collect::<PyResult<Vec<_>>>()?;
    py.detach(|| read_columns(NAME, columns, &options)).map_err(of_table)
}

/// The stream that an object hands over.
#[allow(unsafe_code, reason = "the Arrow C stream interface is a pointer in a capsule")]
fn stream(source: &Bound<'_, PyAny>) -> PyResult<ArrowArrayStreamReader> {
    let capsule = source.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast::<PyCapsule>().map_err(|_| PyTypeError::new_err("X gives no Arrow stream"))?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of this name holds a valid stream by the PyCapsule interface of Arrow, and the GIL is held; the stream is
    // moved out, and the capsule is left with one that is released, which its destructor leaves alone.
    let reader = unsafe { ArrowArrayStreamReader::from_raw(pointer.cast::<FFI_ArrowArrayStream>().as_ptr()) };
    reader.map_err(|error| PyValueError::new_err(format!("X: its Arrow stream cannot be read: {error}")))
}

/// A table that was read and waits for its fit.
#[pyclass(frozen, module = "needlenet._needlenet")]
pub struct Frame {
    table: Mutex<Option<Table>>,
    names: Vec<String>,
    inputs: Vec<usize>,
    ordered: Vec<(String, Vec<String>)>,
    rows: Vec<i64>,
    notes: Vec<String>,
}

#[pymethods]
impl Frame {
    /// Reads a table.
    #[new]
    fn new(py: Python<'_>, source: &Bound<'_, PyAny>, reading: Reading) -> PyResult<Self> {
        let table = read(py, source, reading, |_| None)?;
        // of each column, the input to which it belongs
        let mut names: Vec<String> = Vec::new();
        let mut inputs = Vec::with_capacity(table.names.len());
        let mut ordered = Vec::new();
        let mut groups = table.groups.iter().peekable();
        for (column, name) in table.names.iter().enumerate() {
            let group = groups.next_if(|group| group.columns.start == column);
            if let Some(group) = group {
                names.push(group.name.clone());
                inputs.extend(group.columns.clone().map(|_| names.len() - 1));
                if let GroupKind::Ordered { levels } = &group.kind {
                    ordered.push((group.name.clone(), levels.clone()));
                }
            } else if inputs.len() == column {
                names.push(name.clone());
                inputs.push(names.len() - 1);
            }
        }
        let rows = table.rows.iter().map(|row| *row as i64 - 1).collect();
        let notes = table.notes.clone();
        Ok(Frame { table: Mutex::new(Some(table)), names, inputs, ordered, rows, notes })
    }

    /// The names of the inputs.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    /// The input of each column of the learner.
    #[getter]
    fn inputs(&self) -> Vec<usize> {
        self.inputs.clone()
    }

    /// The ordered categories, with their levels.
    #[getter]
    fn ordered(&self) -> Vec<(String, Vec<String>)> {
        self.ordered.clone()
    }

    /// The rows that were kept, counted from 0.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_slice(py, &self.rows)
    }

    /// What the user should know.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

/// Groups of inputs and inputs that are always in, by name.
#[derive(Default, FromPyObject)]
pub struct Wishes(Vec<(String, String)>, Vec<String>);

impl Frame {
    /// The data of the table, which is handed over: a frame serves one fit.
    pub fn data(
        &self,
        py: Python<'_>,
        asked: Asked<'_>,
        samples: Samples<'_>,
        Wishes(groups, always): Wishes,
    ) -> PyResult<Data> {
        let table = self.table.lock().unwrap_or_else(PoisonError::into_inner).take();
        let table = table.ok_or_else(|| PyValueError::new_err("this table was fitted already; read it again"))?;
        let structure = Structure::new(NAME, &table, &groups, &always).map_err(of_table)?;
        let outcome = asked.outcome()?;
        let [weights, offset] = samples.into_vecs();
        py.detach(|| {
            let data = structure.apply(Data::new(table.values, table.names, outcome)?)?;
            let data = if let Some(offset) = offset { data.with_offset(offset)? } else { data };
            if let Some(weights) = weights { data.with_weights(weights) } else { Ok(data) }
        })
        .map_err(of_learner)
    }
}

/// The columns that a model needs, one after the other in its order, and the number of rows.
pub fn inputs_of(
    py: Python<'_>,
    model: &needlenet::Model,
    source: &Bound<'_, PyAny>,
    reading: Reading,
) -> PyResult<(usize, Vec<f64>, Vec<String>)> {
    let mut columns = Vec::new();
    let table = read(py, source, reading, |options| {
        let (known, places) = needlenet_io::known_inputs(model, options);
        columns = places;
        Some(known)
    })?;
    let n = table.n_rows;
    let values = columns.iter().flat_map(|&at| table.values[at * n..(at + 1) * n].iter().copied()).collect();
    Ok((n, values, table.notes))
}
