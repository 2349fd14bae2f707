//! What the other inputs do not explain: of the outcome, and of the input that is tested.
//!
//! *The outcome* is fitted by the whole search without the tested inputs; others may take their place. Its working
//! residuals are the derivative of the loss by the outputs of the refit, `r = -dL/dmu`: residuals of numbers, observed minus
//! expected of classes and counts, martingale residuals of survival.
//!
//! *The input* `x_j` is regressed on the inputs that a linear LASSO finds at its own threshold, and on those found for the
//! outcome: `x_j = mu_j + e_j` by least squares. The second list guards against an input that drives the outcome
//! and is related to `x_j`, too faintly to be found by the first.
//! Cost: two searches. Tested in `tests/sure.rs`.

use faer::Side;
use faer::linalg::solvers::Solve;

use super::Distillation;
use crate::error::Result;
use crate::model::{Ingredients, of_descent, of_solution};
use crate::network::{Inputs, Sweep};
use crate::penalty::Penalty;
use crate::prepared::Prepared;
use crate::product::{gram, multiply, view, view_mut};
use crate::progress::Observer;
use crate::search::plan::Plan;
use crate::settings::Settings;
use crate::table::{Data, Samples, Scaling};

/// The regressors of an input are at most this part of the samples.
const MOST_REGRESSORS: f64 = 0.5;
/// The least pivot of least squares, relative to the squares of a standardised column.
const LEAST_PIVOT: f64 = 1e-8;

/// The outcome without what the others explain.
pub(crate) struct OutcomeLeft {
    /// For each output its working residuals, with the weight of the rows.
    pub residuals: Vec<Vec<f64>>,
    /// The inputs that were found, as positions in the table.
    pub found: Vec<usize>,
    pub end: Option<Distillation>,
}

impl OutcomeLeft {
    /// Without the inputs `dropped`.
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
        let x = Inputs::of(&table.x, &live.columns, None);
        let mut sweep = Sweep::new(&live.network, table.n);
        sweep.forward(&live.network, &chosen.refitted.end.point.theta, &x);
        let residuals = working_residuals(&problem, &sweep.out);
        Ok(OutcomeLeft { residuals, found: support(&problem, &chosen, &kept), end: Some(ended(&chosen)) })
    }
}

fn varies(data: &Data) -> bool {
    (0..data.n_features()).any(|j| Scaling::of(&data.column(j), &data.samples()).is_some())
}

fn ended(chosen: &Ingredients) -> Distillation {
    Distillation {
        n_selected: chosen.refitted.live.columns.len(),
        fit: of_solution(&chosen.found.solution, 1.0),
        refit: of_descent(&chosen.refitted.end, 1.0),
    }
}

/// The inputs in use, as positions in the table of which `kept` were kept; ascending.
fn support(problem: &Prepared, chosen: &Ingredients, kept: &[usize]) -> Vec<usize> {
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
    // of two outputs that do not see a common shift one is the other's negative
    let outputs = if loss.n_contrasts() <= 1 { 1 } else { loss.n_outputs() };
    let in_order = |column: &[f64]| {
        let mut residuals = vec![0.0; n];
        column.iter().zip(&problem.table.rows).for_each(|(d, &row)| residuals[row] = -d);
        residuals
    };
    derivative.chunks(n).take(outputs).map(in_order).collect()
}

/// How an input is explained by the others. `docs/results/sure/law.csv` has the level of each choice.
#[derive(Debug, Clone, Copy)]
pub struct LawPlan {
    /// The penalty of the linear model that finds the regressors.
    pub penalty: Penalty,
    /// Whether those found for the outcome are regressors too.
    pub joined: bool,
}

impl Default for LawPlan {
    fn default() -> Self {
        LawPlan { penalty: Penalty::L1, joined: true }
    }
}

/// An input as the sum of what others say of it and a residual, in units of its standard deviation.
#[derive(Debug, Clone)]
pub(crate) struct InputLeft {
    pub mean: Vec<f64>,
    pub residual: Vec<f64>,
    pub end: Option<Distillation>,
}

impl InputLeft {
    /// Of input `j`, explained by the others but `dropped`; those `found` for the outcome are regressors in any case.
    pub fn of(
        data: &Data,
        j: usize,
        dropped: &[usize],
        found: &[usize],
        (settings, plan): (&Settings, &LawPlan),
        observer: &dyn Observer,
    ) -> Result<Self> {
        let samples = data.samples();
        let x = standardised(&data.column(j), &samples);
        let left = data.without(dropped).filter(|(left, _)| varies(left));
        let Some((left, kept)) = left else {
            return Ok(InputLeft { mean: vec![0.0; x.len()], residual: x, end: None });
        };
        let law = of_law(settings, plan.penalty);
        let mut problem = Prepared::new(left.explaining(data.column(j).to_vec())?, &law)?;
        let chosen = problem.chosen(&law, &Plan::default(), observer)?;
        let found = if plan.joined { found } else { &[] };
        let regressors = regressors(support(&problem, &chosen, &kept), found, x.len());
        let columns: Vec<f64> =
            regressors.iter().flat_map(|&k| standardised(&data.column(k), &samples)).collect();
        let mean = least_squares(&columns, &x, &samples);
        let residual = x.iter().zip(&mean).map(|(x, m)| x - m).collect();
        Ok(InputLeft { mean, residual, end: Some(ended(&chosen)) })
    }
}

/// The settings of a fit of an input by others: those of the outcome would not fit it.
fn of_law(settings: &Settings, penalty: Penalty) -> Settings {
    Settings {
        hidden: Vec::new(),
        penalty,
        seed: settings.seed,
        threads: settings.threads,
        draws: settings.draws,
        tolerance: settings.tolerance,
        max_iterations: settings.max_iterations,
        ..Settings::default()
    }
}

/// Both lists, as far as the samples can bear them.
fn regressors(own: Vec<usize>, found: &[usize], n: usize) -> Vec<usize> {
    let most = (MOST_REGRESSORS * n as f64) as usize;
    let mut joined = own;
    joined.truncate(most);
    for k in found {
        if joined.len() < most && !joined.contains(k) {
            joined.push(*k);
        }
    }
    joined
}

/// Mean 0 and standard deviation 1; zero if the values do not vary.
pub(crate) fn standardised(column: &[f64], samples: &Samples) -> Vec<f64> {
    match Scaling::of(column, samples) {
        Some(scaling) => column.iter().map(|v| scaling.apply(*v)).collect(),
        None => vec![0.0; column.len()],
    }
}

/// The fit of standardised `x` by standardised columns.
fn least_squares(columns: &[f64], x: &[f64], samples: &Samples) -> Vec<f64> {
    let (n, q) = (x.len(), columns.len() / x.len());
    if q == 0 {
        return vec![0.0; n];
    }
    let roots: Vec<f64> = (0..n).map(|i| samples.weight(i).sqrt()).collect();
    let weighed = |v: &[f64]| v.iter().zip(roots.iter().cycle()).map(|(v, w)| v * w).collect::<Vec<f64>>();
    let (left, right) = (weighed(columns), weighed(x));
    let mut squares = gram(view(&left, n, q), 1.0);
    for at in 0..q {
        squares[(at, at)] += LEAST_PIVOT * samples.total(n);
    }
    let mut products = faer::Mat::zeros(q, 1);
    multiply(products.as_mut(), view(&left, n, q).transpose(), view(&right, n, 1));
    let mut mean = vec![0.0; n];
    if let Ok(factor) = squares.llt(Side::Lower) {
        let coefficients = factor.solve(&products);
        multiply(view_mut(&mut mean, n, 1), view(columns, n, q), coefficients.as_ref());
    }
    mean
}
