//! Tables of other libraries, column by column.
//!
//! They are read by the same code as the program's files, so text is a category, missing cells follow the same rules, and
//! errors say the same. Tested in `python/tests/test_frames.py`.

use std::sync::{Mutex, PoisonError};

use needlenet::Data;
use needlenet_io::{Cells, ColumnRef, Front, GroupKind, Known, ReadOptions, Structure, Table, read_columns};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

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
pub struct ColumnFields<'py> {
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
    fn options(self) -> PyResult<ReadOptions> {
        Ok(ReadOptions {
            missing: self.missing.parse().map_err(of_table)?,
            ordered: self.ordered.into_iter().map(|(name, levels)| (ColumnRef(name), levels)).collect(),
            front: Front::Python,
            ..ReadOptions::default()
        })
    }
}

/// Reads a list of columns; a model gives the inputs that it knows.
fn read(
    py: Python<'_>,
    columns: Vec<ColumnFields<'_>>,
    reading: Reading,
    known: impl FnOnce(&ReadOptions) -> Option<Vec<Known>>,
) -> PyResult<Table> {
    let mut options = reading.options()?;
    options.exactly = known(&options);
    // what a model knows is not read by wish
    if options.exactly.is_some() {
        options.ordered.clear();
    }
    let columns = columns.into_iter().map(ColumnFields::cells).collect::<PyResult<Vec<_>>>()?;
    py.detach(|| read_columns(NAME, columns, &options)).map_err(of_table)
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
    fn new(py: Python<'_>, columns: Vec<ColumnFields<'_>>, reading: Reading) -> PyResult<Self> {
        let table = read(py, columns, reading, |_| None)?;
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
    cells: Vec<ColumnFields<'_>>,
    reading: Reading,
) -> PyResult<(usize, Vec<f64>, Vec<String>)> {
    let mut columns = Vec::new();
    let table = read(py, cells, reading, |options| {
        let (known, places) = needlenet_io::known_inputs(model, options);
        columns = places;
        Some(known)
    })?;
    let n = table.n_rows;
    let values = columns.iter().flat_map(|&at| table.values[at * n..(at + 1) * n].iter().copied()).collect();
    Ok((n, values, table.notes))
}
