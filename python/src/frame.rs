//! Tables of Python, read by the rules of the program: which columns are categories, which cells are missing, which columns
//! are one input.
//!
//! A table is passed as an object with `__arrow_c_stream__` (polars, pyarrow, duckdb), whose columns are read in place, as
//! named columns (pandas), as one array of numbers, or as the cells of a sparse matrix. Tested in
//! `python/tests/test_frames.py`.

use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_pyarrow::FromPyArrow;
use arrow_schema::{ArrowError, FieldRef, Schema, SchemaRef};
use needlenet::SparseColumns;
use needlenet_io::{
    Cells, ColumnRef, Front, Group, Missing, ReadOptions, Table, read_batches, read_columns, read_values,
};
use numpy::{PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::failure::{of_learner, of_table};
use crate::table::columns;

/// The name of the table in errors.
const NAME: &str = "X";

/// The user's rules for the table; in Python a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Rules {
    missing: String,
    unseen: String,
    dates: String,
    category: Vec<String>,
    ordered: Vec<(String, Vec<String>)>,
    pub groups: Vec<(String, String)>,
    pub always: Vec<String>,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            missing: "error".into(),
            unseen: "error".into(),
            dates: "error".into(),
            category: Vec::new(),
            ordered: Vec::new(),
            groups: Vec::new(),
            always: Vec::new(),
        }
    }
}

impl Rules {
    /// The options of the readers.
    pub fn options(&self) -> PyResult<ReadOptions> {
        let column = |name: &String| ColumnRef(name.clone());
        Ok(ReadOptions {
            missing: self.missing.parse().map_err(|_| word("missing", &self.missing, MISSING))?,
            unseen: self.unseen.parse().map_err(|_| word("unseen", &self.unseen, UNSEEN))?,
            categories: self.category.iter().map(column).collect(),
            ordered: self.ordered.iter().map(|(name, levels)| (column(name), levels.clone())).collect(),
            dates_as_days: match self.dates.as_str() {
                "error" => false,
                "days" => true,
                other => return Err(word("dates", other, "'error' or 'days'")),
            },
            front: Front::Python,
            // the table is in memory already
            max_memory: Some(u64::MAX),
            ..ReadOptions::default()
        })
    }
}

const MISSING: &str = "'error', 'mean', 'indicator', 'drop-rows' or 'drop-columns'";
const UNSEEN: &str = "'error', 'mode' or 'mean'";

fn word(name: &str, value: &str, accepted: &str) -> PyErr {
    PyValueError::new_err(format!("{name} is {value:?}; accepted: {accepted}"))
}

/// The cells of a column, from Python.
#[derive(FromPyObject)]
enum PyCells<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    /// Levels, the level of each row, and whether they are ordered.
    Category(Vec<String>, PyReadonlyArray1<'py, i64>, bool),
    /// Days since 1970-01-01, alone in a tuple.
    Days((PyReadonlyArray1<'py, f64>,)),
    /// A description of a column that has neither numbers nor words.
    Other(String),
    Words(Vec<Option<String>>),
}

impl From<PyCells<'_>> for Cells {
    fn from(cells: PyCells<'_>) -> Self {
        match cells {
            PyCells::Numbers(values) => Cells::Numbers(values.as_array().to_vec()),
            PyCells::Category(levels, codes, ordered) => {
                Cells::Category { levels, codes: codes.as_array().to_vec(), ordered }
            }
            PyCells::Days((days,)) => Cells::Dates(days.as_array().to_vec()),
            PyCells::Other(kind) => Cells::Other(kind),
            PyCells::Words(words) => Cells::Words(words),
        }
    }
}

/// A sparse table as scipy keeps it: whether rows follow each other (CSR) or columns (CSC), where each begins, the places and the values
/// of the cells, and the number of columns. It is read where it lies; the learner's copy is the only one.
#[derive(FromPyObject)]
struct SparseFields<'py>(bool, Places<'py>, Places<'py>, Numbers<'py>, usize);

#[derive(FromPyObject)]
enum Places<'py> {
    Short(PyReadonlyArray1<'py, i32>),
    Long(PyReadonlyArray1<'py, i64>),
}

#[derive(FromPyObject)]
enum Numbers<'py> {
    Double(PyReadonlyArray1<'py, f64>),
    Single(PyReadonlyArray1<'py, f32>),
}

impl SparseFields<'_> {
    fn cells(&self) -> PyResult<SparseColumns> {
        let SparseFields(by_rows, starts, places, values, p) = self;
        let starts: Option<Vec<usize>> = match starts {
            Places::Short(starts) => starts.as_array().iter().map(|s| usize::try_from(*s).ok()).collect(),
            Places::Long(starts) => starts.as_array().iter().map(|s| usize::try_from(*s).ok()).collect(),
        };
        let starts =
            starts.ok_or_else(|| PyTypeError::new_err("a sparse column starts before the first cell"))?;
        let (of_places, of_values) = (places.len(), values.len());
        if of_places != of_values || starts.last() != Some(&of_places) {
            return Err(PyTypeError::new_err("a sparse table has not as many places as values"));
        }
        // a place that no table has is refused by the learner
        let place: Box<dyn Fn(usize) -> u32> = match places {
            Places::Short(places) => {
                let places = places.as_array();
                Box::new(move |at| u32::try_from(places[at]).unwrap_or(u32::MAX))
            }
            Places::Long(places) => {
                let places = places.as_array();
                Box::new(move |at| u32::try_from(places[at]).unwrap_or(u32::MAX))
            }
        };
        let value: Box<dyn Fn(usize) -> f64> = match values {
            Numbers::Double(values) => {
                let values = values.as_array();
                Box::new(move |at| values[at])
            }
            Numbers::Single(values) => {
                let values = values.as_array();
                Box::new(move |at| f64::from(values[at]))
            }
        };
        if *by_rows {
            return SparseColumns::from_rows(&starts, place, value, *p).map_err(of_learner);
        }
        let rows = (0..of_places).map(place).collect();
        Ok(SparseColumns { starts, rows, values: (0..of_places).map(value).collect() })
    }
}

impl Places<'_> {
    fn len(&self) -> usize {
        match self {
            Places::Short(places) => places.as_array().len(),
            Places::Long(places) => places.as_array().len(),
        }
    }
}

impl Numbers<'_> {
    fn len(&self) -> usize {
        match self {
            Numbers::Double(values) => values.as_array().len(),
            Numbers::Single(values) => values.as_array().len(),
        }
    }
}

/// A table in memory.
pub enum Source {
    Batches(SchemaRef, Vec<RecordBatch>),
    Columns(Vec<(String, Cells)>),
    /// Numbers, column after column, and the number of samples.
    Values(Vec<f64>, usize),
    Sparse(SparseColumns),
}

impl Source {
    /// Takes a table from Python. An Arrow stream is referenced, and an array is copied; the copy becomes the learner's table.
    pub fn new(x: &Bound<'_, PyAny>) -> PyResult<Self> {
        if x.hasattr("__arrow_c_stream__")? {
            let reader = RecordBatchStreamReader::from_pyarrow_bound(x)?;
            let schema = reader.schema();
            let batches: Result<Vec<RecordBatch>, _> = reader.collect();
            let failed = |error: ArrowError| PyValueError::new_err(error.to_string());
            return Ok(Source::Batches(schema, batches.map_err(failed)?));
        }
        if let Ok(sparse) = x.extract::<SparseFields<'_>>() {
            return Ok(Source::Sparse(sparse.cells()?));
        }
        if let Ok(array) = x.cast::<PyUntypedArray>() {
            let (n, p) = match array.shape() {
                [n, p] => (*n, *p),
                _ => return Err(PyTypeError::new_err("the table is not a two-dimensional array of numbers")),
            };
            let every: Vec<usize> = (0..p).collect();
            return Ok(Source::Values(columns(x, &every)?, n));
        }
        let of_python: Vec<(String, PyCells<'_>)> = x.extract()?;
        Ok(Source::Columns(of_python.into_iter().map(|(name, cells)| (name, cells.into())).collect()))
    }

    /// The number of samples; none for a sparse table.
    fn n_rows(&self) -> Option<usize> {
        match self {
            Source::Batches(_, batches) => Some(batches.iter().map(RecordBatch::num_rows).sum()),
            Source::Columns(columns) => columns.iter().map(|(_, cells)| cells.len()).max(),
            Source::Values(_, n) => Some(*n),
            Source::Sparse(_) => None,
        }
    }

    /// The table as read; `names`, if given, replace its own.
    pub fn read(self, names: Option<Vec<String>>, options: &ReadOptions) -> PyResult<Table> {
        let read = match self {
            Source::Batches(schema, batches) => {
                read_batches(NAME, &renamed(&schema, names), &batches, options)
            }
            Source::Columns(columns) => {
                let (own, cells): (Vec<String>, Vec<Cells>) = columns.into_iter().unzip();
                let columns = names.unwrap_or(own).into_iter().zip(cells).collect();
                read_columns(NAME, columns, options)
            }
            Source::Values(values, n) if options.exactly.is_some() => {
                let names = names.unwrap_or_else(|| positions(values.len() / n.max(1)));
                let cells = values.chunks(n.max(1)).map(|column| Cells::Numbers(column.to_vec()));
                read_columns(NAME, names.into_iter().zip(cells).collect(), options)
            }
            Source::Values(values, n) => {
                let names = names.unwrap_or_else(|| positions(values.len() / n.max(1)));
                read_values(NAME, names, n, values, options)
            }
            Source::Sparse(_) => {
                return Err(PyValueError::new_err("a sparse table has no missing cells and no categories"));
            }
        };
        read.map_err(of_table)
    }
}

fn renamed(schema: &Schema, names: Option<Vec<String>>) -> Schema {
    let Some(names) = names else { return schema.clone() };
    let field = |(field, name): (&FieldRef, String)| field.as_ref().clone().with_name(name);
    Schema::new(schema.fields().iter().zip(names).map(field).collect::<Vec<_>>())
}

/// The program's names for the columns of a table without names: `x1`, `x2`, ...
pub fn positions(p: usize) -> Vec<String> {
    (1..=p).map(|j| format!("x{j}")).collect()
}

/// The inputs of the learner, with the structure of their columns.
pub struct Inputs {
    pub cells: Values,
    pub names: Vec<String>,
    pub groups: Vec<Group>,
    /// The number of rows of the given table, if known.
    pub n_rows: Option<usize>,
    /// The rows kept, from 1, if some were dropped.
    pub rows: Option<Vec<usize>>,
    pub notes: Vec<String>,
}

/// Dense columns, or sparse ones.
pub enum Values {
    Dense(Vec<f64>),
    Sparse(SparseColumns),
}

impl Inputs {
    /// The inputs of a fit.
    pub fn new(source: Source, names: Option<Vec<String>>, rules: &Rules) -> PyResult<Self> {
        let options = rules.options()?;
        if let Source::Sparse(cells) = source {
            let names = names.unwrap_or_else(|| positions(cells.starts.len().saturating_sub(1)));
            if options.missing != Missing::Error || !(rules.category.is_empty() && rules.ordered.is_empty()) {
                return Err(PyValueError::new_err(
                    "missing, category and ordered are not for sparse tables, where every cell that is not given is 0; \
                     leave them out, or give a dense table",
                ));
            }
            return Ok(Inputs {
                cells: Values::Sparse(cells),
                names,
                groups: Vec::new(),
                n_rows: None,
                rows: None,
                notes: Vec::new(),
            });
        }
        let n_rows = source.n_rows();
        let table = source.read(names, &options)?;
        let dropped = options.missing == Missing::DropRows;
        Ok(Inputs {
            cells: Values::Dense(table.values),
            names: table.names,
            groups: table.groups,
            n_rows,
            rows: dropped.then_some(table.rows),
            notes: table.notes,
        })
    }
}

/// The options with which a model reads a new table. In Python a prediction has as many rows as the table, so no row is
/// dropped.
pub fn for_prediction(rules: &Rules) -> PyResult<ReadOptions> {
    let options = rules.options()?;
    let missing = match options.missing {
        Missing::Mean | Missing::Indicator => Missing::Mean,
        Missing::Error | Missing::DropRows | Missing::DropColumns => Missing::Error,
    };
    Ok(ReadOptions { missing, ..options })
}
