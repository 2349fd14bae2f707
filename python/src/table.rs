//! NumPy memory of any number type and order, read where it lies.
//!
//! The learner keeps its own table, in its own order, so one copy is made, straight from the user's memory
//! and without the GIL; prediction copies the columns of the needles only.

use needlenet::{Data, Outcome, SparseColumns};
use numpy::ndarray::ArrayView2;
use numpy::{Element, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::failure::of_learner;

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

impl Asked<'_> {
    /// The classes come in the program's order, so that both fit the same problem.
    fn outcome(self) -> PyResult<Outcome> {
        match self {
            Asked::Quantity(y) => Ok(Outcome::Regression(y.as_array().to_vec())),
            Asked::Classes(names, codes) => {
                let label = |code: &i64| names.get(usize::try_from(*code).ok()?).map(String::as_str);
                let labels: Option<Vec<&str>> = codes.as_array().iter().map(label).collect();
                let labels = labels.ok_or_else(|| PyTypeError::new_err("a class has no name"))?;
                Ok(Outcome::from_labels(&labels))
            }
            Asked::Counts(word, y) if word == "counts" => Ok(Outcome::Counts(y.as_array().to_vec())),
            Asked::Counts(word, _) => Err(PyTypeError::new_err(format!("\"{word}\" is no kind of outcome"))),
            Asked::Survival(times, events, strata) => Ok(Outcome::Survival {
                times: times.as_array().to_vec(),
                events: events.as_array().to_vec(),
                strata,
            }),
        }
    }
}

/// Starts of the columns, rows and values of the cells, and the number of samples of a sparse table, as Python gives them.
type Cells<'py> = (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, f64>, usize);

/// The inputs as the learner takes them.
enum Inputs {
    Dense(Vec<f64>),
    Sparse(SparseColumns),
}

impl Inputs {
    fn new(x: &Bound<'_, PyAny>) -> PyResult<(Self, usize)> {
        let Ok((starts, rows, values, _)) = x.extract::<Cells<'_>>() else {
            let p = x.cast::<PyUntypedArray>()?.shape().last().copied().unwrap_or(0);
            let every: Vec<usize> = (0..p).collect();
            return Ok((Inputs::Dense(columns(x, &every)?), p));
        };
        let starts: Result<Vec<usize>, _> = starts.as_array().iter().map(|s| usize::try_from(*s)).collect();
        let starts =
            starts.map_err(|_| PyTypeError::new_err("a sparse column starts before the first cell"))?;
        let p = starts.len().saturating_sub(1);
        let (rows, values) = (rows.as_array().to_vec(), values.as_array().to_vec());
        Ok((Inputs::Sparse(SparseColumns { starts, rows, values }), p))
    }
}

/// The table and its outcome, checked.
pub fn data(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    names: Option<Vec<String>>,
    asked: Asked<'_>,
    samples: Samples<'_>,
) -> PyResult<Data> {
    let outcome = asked.outcome()?;
    let (inputs, p) = Inputs::new(x)?;
    let names = names.unwrap_or_else(|| positions(p));
    let [weights, offset] = [samples.0, samples.1].map(|v| v.map(|v| v.as_array().to_vec()));
    py.detach(|| {
        let data = match inputs {
            Inputs::Dense(values) => Data::new(values, names, outcome)?,
            Inputs::Sparse(cells) => Data::sparse(cells, names, outcome)?,
        };
        let data = if let Some(offset) = offset { data.with_offset(offset)? } else { data };
        if let Some(weights) = weights { data.with_weights(weights) } else { Ok(data) }
    })
    .map_err(of_learner)
}

/// The program's names for the columns of a table without names: `x1`, `x2`, ...
fn positions(p: usize) -> Vec<String> {
    (1..=p).map(|j| format!("x{j}")).collect()
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
    kinds
        .iter()
        .find_map(|read| read(x, wanted))
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
