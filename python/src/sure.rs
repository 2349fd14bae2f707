//! How sure each needle is, as Python sees it.

use needlenet::{EffectBand, Frequency, Halves, Shown, Sure, SureNeedle, SureOptions};
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

/// The model with how sure its needles are, from the table of its fit.
#[pyfunction]
#[pyo3(signature = (model, table, options, progress=None))]
pub fn sure(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    table: TableFields<'_>,
    options: (f64, usize, f64),
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Model> {
    let (data, _) = table::data(py, table)?;
    let (near_copy, pairs, cut) = options;
    let options = SureOptions { near_copy, pairs, cut };
    let (mut fitted, seconds) = model.get().parts();
    let sure = run::watched(py, progress.as_ref(), |watch| needlenet::sure(&data, &fitted, &options, watch))?;
    fitted.sure = Some(sure);
    Ok(Model::new(fitted, seconds))
}

/// Shah and Samworth's bounds on what complementary pairs select by chance.
#[pyfunction]
pub fn selection_bounds(q: f64, p: usize, cut: f64, pairs: usize) -> PyResult<BoundFields> {
    needlenet::selection_bounds(q, p, cut, pairs).map(BoundFields::from).map_err(of_learner)
}
