//! PESR, TPR, FDR and PE of each learner at each point (paper, section 3).

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Band, median, rank};
use crate::replicate::Row;

/// One learner at one point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudySummary {
    /// The study.
    pub study: String,
    /// The design.
    pub design: String,
    /// Samples.
    pub n: usize,
    /// Inputs.
    pub p: usize,
    /// Needles.
    pub s: usize,
    /// The learner.
    pub learner: String,
    /// Replicates.
    pub replicates: usize,
    /// Of these, without a result.
    pub failed: usize,
    /// Of these, not at a stationary point.
    pub not_converged: usize,
    /// Probability of exact support recovery.
    pub pesr: Option<f64>,
    /// Its lower end.
    pub pesr_low: Option<f64>,
    /// Its upper end.
    pub pesr_high: Option<f64>,
    /// True positive rate.
    pub tpr: Option<f64>,
    /// Its lower end.
    pub tpr_low: Option<f64>,
    /// Its upper end.
    pub tpr_high: Option<f64>,
    /// False discovery rate.
    pub fdr: Option<f64>,
    /// Its lower end.
    pub fdr_low: Option<f64>,
    /// Its upper end.
    pub fdr_high: Option<f64>,
    /// True positive rate of the needles with an adjusted p-value below .05.
    pub sure_tpr: Option<f64>,
    /// Its lower end.
    pub sure_tpr_low: Option<f64>,
    /// Its upper end.
    pub sure_tpr_high: Option<f64>,
    /// False discovery rate of the needles with an adjusted p-value below .05.
    pub sure_fdr: Option<f64>,
    /// Its lower end.
    pub sure_fdr_low: Option<f64>,
    /// Its upper end.
    pub sure_fdr_high: Option<f64>,
    /// Error of prediction: the root of the mean of the squared errors.
    pub pe: Option<f64>,
    /// Its lower end.
    pub pe_low: Option<f64>,
    /// Its upper end.
    pub pe_high: Option<f64>,
    /// Share of classes predicted.
    pub accuracy: Option<f64>,
    /// Its lower end.
    pub accuracy_low: Option<f64>,
    /// Its upper end.
    pub accuracy_high: Option<f64>,
    /// Median seconds of a fit.
    pub seconds: Option<f64>,
}

/// Summarises rows, point after point, the learners in the order of the list.
pub fn summarise(rows: &[Row]) -> Vec<StudySummary> {
    let mut groups: BTreeMap<_, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        let point = (&row.study, &row.design, row.n, row.p, row.s);
        groups.entry((point, rank(&row.learner))).or_default().push(row);
    }
    groups.values().map(|rows| summary(rows)).collect()
}

fn summary(rows: &[&Row]) -> StudySummary {
    let values =
        |of: &dyn Fn(&Row) -> Option<f64>| -> Vec<f64> { rows.iter().filter_map(|row| of(row)).collect() };
    let pesr = Band::share(&values(&|row| row.exact.map(f64::from)));
    let tpr = Band::rate(&values(&|row| row.tpr));
    let fdr = Band::rate(&values(&|row| row.fdr));
    let sure_tpr = Band::rate(&values(&|row| row.sure_tpr));
    let sure_fdr = Band::rate(&values(&|row| row.sure_fdr));
    let pe = Band::root_mean_square(&values(&|row| row.pe));
    let accuracy = Band::rate(&values(&|row| row.accuracy));
    let first = rows[0];
    StudySummary {
        study: first.study.clone(),
        design: first.design.clone(),
        n: first.n,
        p: first.p,
        s: first.s,
        learner: first.learner.clone(),
        replicates: rows.len(),
        failed: rows.iter().filter(|row| row.stop.starts_with("failed")).count(),
        not_converged: rows.iter().filter(|row| row.converged == Some(0)).count(),
        pesr: pesr.map(|b| b.value),
        pesr_low: pesr.map(|b| b.low),
        pesr_high: pesr.map(|b| b.high),
        tpr: tpr.map(|b| b.value),
        tpr_low: tpr.map(|b| b.low),
        tpr_high: tpr.map(|b| b.high),
        fdr: fdr.map(|b| b.value),
        fdr_low: fdr.map(|b| b.low),
        fdr_high: fdr.map(|b| b.high),
        sure_tpr: sure_tpr.map(|b| b.value),
        sure_tpr_low: sure_tpr.map(|b| b.low),
        sure_tpr_high: sure_tpr.map(|b| b.high),
        sure_fdr: sure_fdr.map(|b| b.value),
        sure_fdr_low: sure_fdr.map(|b| b.low),
        sure_fdr_high: sure_fdr.map(|b| b.high),
        pe: pe.map(|b| b.value),
        pe_low: pe.map(|b| b.low),
        pe_high: pe.map(|b| b.high),
        accuracy: accuracy.map(|b| b.value),
        accuracy_low: accuracy.map(|b| b.low),
        accuracy_high: accuracy.map(|b| b.high),
        seconds: median(rows.iter().map(|row| row.seconds).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Study;

    #[test]
    fn criteria_are_means_over_the_replicates_of_one_learner_at_one_point() {
        let study = Study::named("classes").unwrap();
        let made = crate::replicate(&study, &study.points[0], "sqrt-lasso-qut", 1, 0).unwrap();
        let row = |exact, tpr, fdr, pe| Row {
            exact: Some(exact),
            tpr: Some(tpr),
            fdr: Some(fdr),
            pe: Some(pe),
            ..made.clone()
        };
        let other = Row { learner: "cart".into(), exact: None, tpr: None, fdr: None, ..made.clone() };
        let rows = [row(1, 1.0, 0.0, 3.0), other, row(0, 0.5, 0.2, 4.0)];
        let summaries = summarise(&rows);
        assert_eq!(summaries.len(), 2);
        let ours = &summaries[0];
        assert_eq!((ours.learner.as_str(), ours.replicates), ("sqrt-lasso-qut", 2));
        assert_eq!((ours.pesr, ours.tpr, ours.fdr), (Some(0.5), Some(0.75), Some(0.1)));
        assert_eq!(ours.pe, Some(12.5f64.sqrt()));
        assert_eq!((summaries[1].learner.as_str(), summaries[1].pesr), ("cart", None));
    }
}
