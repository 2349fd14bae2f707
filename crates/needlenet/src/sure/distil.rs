//! The part of the outcome that the other inputs do not explain.
//!
//! The outcome is fitted by the whole search without the tested inputs; others may take their place, and inputs that are
//! always in stay. The working residuals are the derivative of the loss by the outputs of the refit, `r = -dL/dmu`: residuals of
//! numbers, observed minus expected of classes and counts, martingale residuals of survival.
//! Cost: one search. Tested in `tests/sure.rs`.

use super::Distillation;
use crate::error::Result;
use crate::model::{Ingredients, of_descent, of_solution};
use crate::network::{Inputs, Sweep};
use crate::prepared::Prepared;
use crate::progress::Observer;
use crate::search::plan::Plan;
use crate::settings::Settings;
use crate::table::{Data, Scaling};

/// The working residuals of the outcome, fitted without the tested inputs.
pub(crate) struct OutcomeLeft {
    /// For each output its working residuals, with the weight of the rows.
    pub residuals: Vec<Vec<f64>>,
    /// The columns that were found, as positions in the table, ascending.
    pub found: Vec<usize>,
    pub end: Option<Distillation>,
}

impl OutcomeLeft {
    /// Without the columns `dropped`.
    pub fn of(data: &Data, dropped: &[usize], settings: &Settings, observer: &dyn Observer) -> Result<Self> {
        let left = data.without(dropped).filter(|(left, _)| varies(left));
        let Some((left, kept)) = left else {
            let problem = Prepared::new(data.clone(), settings)?;
            let residuals = working_residuals(&problem, &problem.loss.null_outputs());
            return Ok(OutcomeLeft { residuals, found: Vec::new(), end: None });
        };
        let mut problem = Prepared::new(left, settings)?;
        let chosen = problem.chosen(settings, &Plan::default(), observer)?;
        let (live, table) = (&chosen.refitted.live, &problem.table);
        let x = Inputs::of(&table.x, &live.columns, table.samples.always.as_ref());
        let mut sweep = Sweep::new(&live.network, table.n);
        sweep.forward(&live.network, &chosen.refitted.end.point.theta, &x);
        let residuals = working_residuals(&problem, &sweep.out);
        Ok(OutcomeLeft { residuals, found: support(&problem, &chosen, &kept), end: Some(ended(&chosen)) })
    }
}

/// Whether any column that is searched varies.
pub(super) fn varies(data: &Data) -> bool {
    let samples = data.samples();
    let searched = (0..data.n_features()).filter(|j| !data.not_searched().takes(*j));
    searched.into_iter().any(|j| Scaling::of(&data.column(j), &samples).is_some())
}

pub(super) fn ended(chosen: &Ingredients) -> Distillation {
    Distillation {
        n_selected: chosen.refitted.live.columns.len(),
        fit: of_solution(&chosen.found.solution, 1.0),
        refit: of_descent(&chosen.refitted.end, 1.0),
    }
}

/// The columns in use, as positions in the table of which `kept` were kept; ascending.
pub(super) fn support(problem: &Prepared, chosen: &Ingredients, kept: &[usize]) -> Vec<usize> {
    let columns = &chosen.refitted.live.columns;
    let mut found: Vec<usize> = columns.iter().map(|&column| kept[problem.table.inputs[column]]).collect();
    found.sort_unstable();
    found
}

/// In the order of the table's rows.
fn working_residuals(problem: &Prepared, out: &[f64]) -> Vec<Vec<f64>> {
    let (loss, n) = (&problem.loss, problem.table.n);
    let mut derivative = vec![0.0; out.len()];
    loss.evaluate(out, &mut derivative);
    // of two outputs with a common shift the residuals of one are the negative of the other's
    let outputs = if loss.n_contrasts() <= 1 { 1 } else { loss.n_outputs() };
    let in_order = |column: &[f64]| {
        let mut residuals = vec![0.0; n];
        column.iter().zip(&problem.table.rows).for_each(|(d, &row)| residuals[row] = -d);
        residuals
    };
    derivative.chunks(n).take(outputs).map(in_order).collect()
}
