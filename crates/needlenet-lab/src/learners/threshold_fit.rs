//! A fit of `needlenet` as a learner of the lab.

use needlenet::{Fitted, Model, Result, Settings, fit};

use super::Learned;
use crate::sample::Sample;

/// Fits and predicts on one thread, so that fits can be timed; the number of threads does not change
/// the result.
pub(super) fn learn(settings: Settings, fitted: Fitted, train: &Sample, test: &Sample) -> Result<Learned> {
    let model = fit(train.data()?, &Settings { threads: 1, ..settings })?;
    learned(&model, fitted, test)
}

/// The result of a fitted model, and its predictions.
pub(super) fn learned(model: &Model, fitted: Fitted, test: &Sample) -> Result<Learned> {
    let columns: Vec<_> = model.inputs().map(|input| test.column(input.index)).collect();
    let columns: Vec<&[f64]> = columns.iter().map(AsRef::as_ref).collect();
    let mut selected: Vec<usize> = model.needles.iter().map(|needle| needle.index).collect();
    selected.sort_unstable();
    Ok(Learned {
        sure: None,
        stand_ins: model.stand_ins.iter().map(|input| input.index).collect(),
        selected: Some(selected),
        predicted: model.predict(test.n(), &columns, fitted)?,
        neurons: (!model.used.hidden.is_empty()).then_some(model.neurons.len()),
        objective: model.certificate.objective,
        kkt: Some(model.certificate.kkt_violation),
        stop: format!("{:?}", model.certificate.stop),
        converged: Some(model.converged()),
    })
}
