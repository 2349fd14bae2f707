//! The table of a fit with its outcome, and NumPy memory of any number type and order, read where it lies.
//!
//! The learner keeps its own table, in its own order, so one copy is made, straight from the user's memory
//! and without the GIL; prediction copies the columns of the needles only.

use needlenet::{Data, Outcome};
use needlenet_io::Structure;
use numpy::ndarray::{ArrayView1, ArrayView2};
use numpy::{Element, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::failure::{of_learner, of_table};
use crate::frame::{Inputs, Rules, Source, Values};

/// The outcome as Python gives it.
#[derive(FromPyObject)]
pub enum Asked<'py> {
    /// A number per sample.
    Quantity(PyReadonlyArray1<'py, f64>),
    /// The text of each class, and the class of each sample.
    Classes(Vec<String>, PyReadonlyArray1<'py, i64>),
    /// The word "counts", and a count per sample.
    Counts(String, PyReadonlyArray1<'py, f64>),
    /// The time of each sample, whether its event was seen, and its stratum if there are several.
    Survival(PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, bool>, Vec<String>),
}

/// Weights and offset of the samples, as Python gives them.
#[derive(Default, FromPyObject)]
pub struct Samples<'py>(Option<PyReadonlyArray1<'py, f64>>, Option<PyReadonlyArray1<'py, f64>>);

impl Samples<'_> {
    /// Those of all rows.
    pub fn of_all(&self) -> (Option<Vec<f64>>, Option<Vec<f64>>) {
        let all = |v: &Option<PyReadonlyArray1<'_, f64>>| v.as_ref().map(|v| v.as_array().to_vec());
        (all(&self.0), all(&self.1))
    }
}

/// Some rows of a column, counted from 1; all of them if none are named.
fn taken<T: Clone>(values: ArrayView1<'_, T>, rows: Option<&[usize]>) -> Vec<T> {
    match rows {
        Some(rows) => rows.iter().filter_map(|row| values.get(row - 1)).cloned().collect(),
        None => values.to_vec(),
    }
}

impl Asked<'_> {
    fn len(&self) -> usize {
        match self {
            Asked::Quantity(y) | Asked::Counts(_, y) | Asked::Survival(y, ..) => y.as_array().len(),
            Asked::Classes(_, codes) => codes.as_array().len(),
        }
    }

    /// The outcome of some rows. The classes come in the program's order, so that both fit the same problem.
    pub fn outcome(self, rows: Option<&[usize]>) -> PyResult<Outcome> {
        match self {
            Asked::Quantity(y) => Ok(Outcome::Regression(taken(y.as_array(), rows))),
            Asked::Classes(names, codes) => {
                let label = |code: &i64| names.get(usize::try_from(*code).ok()?).map(String::as_str);
                let labels: Option<Vec<&str>> = taken(codes.as_array(), rows).iter().map(label).collect();
                let labels = labels.ok_or_else(|| PyTypeError::new_err("a class has no name"))?;
                Ok(Outcome::from_labels(&labels))
            }
            Asked::Counts(word, y) if word == "counts" => Ok(Outcome::Counts(taken(y.as_array(), rows))),
            Asked::Counts(word, _) => Err(PyTypeError::new_err(format!("\"{word}\" is no kind of outcome"))),
            Asked::Survival(times, events, strata) => Ok(Outcome::Survival {
                times: taken(times.as_array(), rows),
                events: taken(events.as_array(), rows),
                strata: taken(ArrayView1::from(&strata), rows),
            }),
        }
    }
}

/// A table, its names if it is an array, its outcome, the samples, and what the user says about it; in Python a tuple.
pub type TableFields<'py> = (Bound<'py, PyAny>, Option<Vec<String>>, Asked<'py>, Samples<'py>, Option<Rules>);

/// The table and its outcome, checked, and what the reader did that the user should know.
pub fn data(py: Python<'_>, table: TableFields<'_>) -> PyResult<(Data, Vec<String>)> {
    let (x, names, asked, samples, rules) = table;
    let rules = rules.unwrap_or_default();
    let source = Source::new(&x)?;
    let inputs = py.detach(|| Inputs::new(source, names, &rules))?;
    let rows = inputs.rows.as_deref();
    if let Some(n) = inputs.n_rows.filter(|n| *n != asked.len()) {
        return Err(PyValueError::new_err(format!(
            "X has {n} rows and y {}; give as many of both",
            asked.len()
        )));
    }
    let outcome = asked.outcome(rows)?;
    let [weights, offset] = [samples.0, samples.1].map(|v| v.map(|v| taken(v.as_array(), rows)));
    let structure = Structure::new("X", (&inputs.names, &inputs.groups), &rules.groups, &rules.always);
    let structure = structure.map_err(of_table)?;
    let made = py.detach(|| {
        let data = match inputs.cells {
            Values::Dense(values) => Data::new(values, inputs.names, outcome)?,
            Values::Sparse(cells) => Data::sparse(cells, inputs.names, outcome)?,
        };
        let data = structure.apply(data)?;
        let data = if let Some(offset) = offset { data.with_offset(offset)? } else { data };
        if let Some(weights) = weights { data.with_weights(weights) } else { Ok(data) }
    });
    Ok((made.map_err(of_learner)?, inputs.notes))
}

/// Some columns, one after the other.
pub fn columns(x: &Bound<'_, PyAny>, wanted: &[usize]) -> PyResult<Vec<f64>> {
    let kinds = [
        of_kind::<f64>,
        of_kind::<f32>,
        of_kind::<i64>,
        of_kind::<i32>,
        of_kind::<i16>,
        of_kind::<i8>,
        of_kind::<u64>,
        of_kind::<u32>,
        of_kind::<u16>,
        of_kind::<u8>,
        of_kind::<bool>,
    ];
    // cells that came over a network may lie anywhere, and are then copied
    let aligned = x.getattr("flags").and_then(|flags| flags.getattr("aligned")?.is_truthy()).unwrap_or(true);
    let x = if aligned { x.clone() } else { x.call_method0("copy")? };
    kinds
        .iter()
        .find_map(|read| read(&x, wanted))
        .ok_or_else(|| PyTypeError::new_err("the table is not a two-dimensional array of numbers"))
}

/// A number type of NumPy.
trait Number: Element + Copy + Sync {
    fn as_f64(self) -> f64;
}

macro_rules! number {
    ($($kind:ty),*) => { $(impl Number for $kind {
        fn as_f64(self) -> f64 {
            self as f64
        }
    })* };
}
number!(f64, f32, i64, i32, i16, i8, u64, u32, u16, u8);

impl Number for bool {
    fn as_f64(self) -> f64 {
        f64::from(u8::from(self))
    }
}

/// The columns, if the table is of this type and has them all.
fn of_kind<T: Number>(x: &Bound<'_, PyAny>, wanted: &[usize]) -> Option<Vec<f64>> {
    let array = x.cast::<PyArray2<T>>().ok()?.readonly();
    let view = array.as_array();
    let inside = wanted.iter().all(|j| *j < view.ncols());
    inside.then(|| x.py().detach(|| gather(view, wanted)))
}

fn gather<T: Number>(view: ArrayView2<'_, T>, wanted: &[usize]) -> Vec<f64> {
    let mut values = Vec::with_capacity(view.nrows() * wanted.len());
    for &j in wanted {
        values.extend(view.column(j).iter().map(|v| v.as_f64()));
    }
    values
}
