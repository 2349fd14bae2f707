//! How sure each needle is, as Python sees it.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use needlenet::{
    EffectBand, Finished, Frequency, Halves, Observer, Progress, Shown, Sure, SureNeedle, SureOptions,
};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::failure::of_learner;
use crate::model::Model;
use crate::run;
use crate::table::{self, TableFields};

/// How sure a needle is; in Python a dictionary.
#[derive(IntoPyObject)]
pub struct SureNeedleFields {
    name: String,
    p_value: f64,
    p_adjusted: f64,
    shown: &'static str,
    with: Option<String>,
    frequency: Option<f64>,
    strength_interval: Option<(f64, f64)>,
    /// Values of the input, the curve, and its lower and upper ends.
    effect_band: Option<BandFields>,
    /// Names, positions and correlations of near copies, the p-value of the group, and the same by Holm.
    group: Option<GroupFields>,
    converged: bool,
}

type BandFields = (Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>);
type GroupFields = (Vec<(String, usize, f64)>, f64, f64);

impl From<&SureNeedle> for SureNeedleFields {
    fn from(needle: &SureNeedle) -> Self {
        let copies = |group: &needlenet::SureGroup| {
            group.copies.iter().map(|copy| (copy.name.clone(), copy.index, copy.correlation)).collect()
        };
        let (shown, with) = match &needle.shown {
            Shown::Straight => ("straight", None),
            Shown::Bent => ("bent", None),
            Shown::With(name) => ("product", Some(name.clone())),
        };
        let fits = [needle.outcome_fit, needle.input_fit];
        SureNeedleFields {
            name: needle.name.clone(),
            p_value: needle.p_value,
            p_adjusted: needle.p_adjusted,
            shown,
            with,
            frequency: needle.frequency,
            strength_interval: needle.strength_interval.map(|interval| (interval.low, interval.high)),
            effect_band: needle.effect_band.clone().map(|band| {
                let EffectBand { values, effect, low, high } = band;
                (values, effect, low, high)
            }),
            group: needle.group.as_ref().map(|group| (copies(group), group.p_value, group.p_adjusted)),
            converged: fits.iter().flatten().all(|fit| fit.converged()),
        }
    }
}

/// What halves of the samples select; in Python a dictionary.
#[derive(IntoPyObject)]
pub struct HalvesFields {
    pairs: usize,
    n_converged: usize,
    /// Position and share of each column of an input that was selected at least once.
    selected: Vec<(usize, f64)>,
    bounds: BoundFields,
}

impl From<&Halves> for HalvesFields {
    fn from(halves: &Halves) -> Self {
        let columns = |input: &Frequency| match &input.columns[..] {
            [] => vec![(input.index, input.share)],
            columns => columns.iter().map(|&column| (column, input.share)).collect(),
        };
        HalvesFields {
            pairs: halves.pairs,
            n_converged: halves.n_converged,
            selected: halves.selected.iter().flat_map(columns).collect(),
            bounds: halves.bounds.into(),
        }
    }
}

/// Bounds on what chance selects; in Python a dictionary.
#[derive(IntoPyObject)]
pub struct BoundFields {
    cut: f64,
    mean_selected: f64,
    worst_case: Option<f64>,
    unimodal: Option<f64>,
}

impl From<needlenet::SelectionBounds> for BoundFields {
    fn from(bounds: needlenet::SelectionBounds) -> Self {
        BoundFields {
            cut: bounds.cut,
            mean_selected: bounds.q,
            worst_case: bounds.worst_case,
            unimodal: bounds.unimodal,
        }
    }
}

/// How sure the needles are; in Python a dictionary.
#[derive(IntoPyObject)]
pub struct SureFields {
    n_hypotheses: usize,
    needles: Vec<SureNeedleFields>,
    halves: Option<HalvesFields>,
}

impl From<&Sure> for SureFields {
    fn from(sure: &Sure) -> Self {
        SureFields {
            n_hypotheses: sure.n_hypotheses,
            needles: sure.needles.iter().map(SureNeedleFields::from).collect(),
            halves: sure.halves.as_ref().map(HalvesFields::from),
        }
    }
}

/// Tests and halves that are finished: in memory, and in a file if there is one.
#[pyclass(frozen, module = "needlenet._needlenet")]
pub struct SureLedger {
    file: Option<needlenet_io::SureLedger>,
    finished: Mutex<Vec<Finished>>,
}

#[pymethods]
impl SureLedger {
    /// Goes on from the file at `path`, if it is of this model.
    #[new]
    fn new(path: Option<PathBuf>, model: &Bound<'_, Model>) -> PyResult<Self> {
        let Some(path) = path else { return Ok(SureLedger { file: None, finished: Mutex::default() }) };
        let (file, finished) = needlenet_io::SureLedger::open(&path, &model.get().parts().0)
            .map_err(|error| PyOSError::new_err(error.to_string()))?;
        Ok(SureLedger { file: Some(file), finished: Mutex::new(finished) })
    }

    /// Adds a piece, as [`sure_piece`] gives it.
    fn append(&self, text: &str) -> PyResult<()> {
        let piece = needlenet_io::piece_from_text(text);
        self.keep(&piece.ok_or_else(|| PyValueError::new_err("no finished piece of work"))?);
        Ok(())
    }
}

impl SureLedger {
    fn keep(&self, piece: &Finished) {
        self.file.iter().for_each(|file| file.append(piece));
        self.finished.lock().unwrap_or_else(PoisonError::into_inner).push(piece.clone());
    }

    fn finished(&self) -> Vec<Finished> {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Watched by Python, and kept in a ledger.
struct Keeping<'a>(&'a run::Watch, &'a SureLedger);

impl Observer for Keeping<'_> {
    fn step(&self, progress: Progress) -> bool {
        self.0.step(progress)
    }

    fn go_on(&self) -> bool {
        self.0.go_on()
    }

    fn finished(&self, piece: &Finished) {
        self.1.keep(piece);
    }
}

type Options = (f64, usize, f64);

fn options((near_copy, pairs, cut): Options) -> SureOptions {
    SureOptions { near_copy, pairs, cut }
}

/// The model with how sure its needles are, from the table of its fit and what the ledger has.
#[pyfunction]
#[pyo3(signature = (model, table, asked, ledger, progress=None))]
pub fn sure(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    table: TableFields<'_>,
    asked: Options,
    ledger: &Bound<'_, SureLedger>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Model> {
    let (data, _) = table::data(py, table)?;
    let (mut fitted, seconds) = model.get().parts();
    let (asked, ledger) = (options(asked), ledger.get());
    let finished = ledger.finished();
    let sure = run::watched(py, progress.as_ref(), |watch| {
        needlenet::sure_resumed(&data, &fitted, &asked, &finished, &Keeping(watch, ledger))
    })?;
    fitted.sure = Some(sure);
    Ok(Model::new(fitted, seconds))
}

/// The pieces of work that the ledger does not have.
#[pyfunction]
pub fn sure_missing(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    table: TableFields<'_>,
    asked: Options,
    ledger: &Bound<'_, SureLedger>,
) -> PyResult<Vec<usize>> {
    let (data, _) = table::data(py, table)?;
    let (fitted, _) = model.get().parts();
    let finished = ledger.get().finished();
    needlenet::sure_missing(&data, &fitted, &options(asked), &finished).map_err(of_learner)
}

/// One piece of work, as a line of text.
#[pyfunction]
pub fn sure_piece(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    table: TableFields<'_>,
    asked: Options,
    at: usize,
) -> PyResult<String> {
    let (data, _) = table::data(py, table)?;
    let (fitted, _) = model.get().parts();
    let asked = options(asked);
    let piece = run::watched(py, None, |watch| needlenet::sure_piece(&data, &fitted, &asked, at, watch))?;
    needlenet_io::piece_to_text(&piece).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Shah and Samworth's bounds on what complementary pairs select by chance.
#[pyfunction]
pub fn selection_bounds(q: f64, p: usize, cut: f64, pairs: usize) -> PyResult<BoundFields> {
    needlenet::selection_bounds(q, p, cut, pairs).map(BoundFields::from).map_err(of_learner)
}
