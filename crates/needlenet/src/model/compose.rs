//! From what was found to the model that is reported, in the user's units and order.

use super::effects::{Needle, effects, is_linear, neurons};
use super::{Baseline, Certificate, Model, Predictor, Task, Used, Weights};
use crate::local::active::Live;
use crate::local::descent::Descent;
use crate::local::working_set::Solution;
use crate::network::{Inputs, Link, Sweep};
use crate::outcome::{Loss, Survival, Ties};
use crate::refit::{Committee, Refitted};
use crate::search::Found;
use crate::settings::Settings;
use crate::table::{Canonical, Scaling, Target, TieGroup};
use crate::threshold::Threshold;

/// What a model is made of.
pub(crate) struct Ingredients {
    pub used: Used,
    pub threshold: Threshold,
    /// The price of a degree of freedom.
    pub price: f64,
    /// The deviance by which a model must be better to be clearly better.
    pub clearly: f64,
    pub found: Found,
    pub refitted: Refitted,
}

/// The model in the user's units.
pub(crate) fn compose(
    table: &Canonical,
    loss: &dyn Loss,
    link: Link,
    asked: &Settings,
    parts: Ingredients,
    committee: Committee,
) -> Model {
    let Ingredients { used, threshold, found, refitted: Refitted { live, end, .. }, .. } = parts;
    let unit = unit(table);
    let left = table.samples.total(table.n) - live.parameters_in_use();
    let noise = end.point.loss / left.max(1.0).sqrt();
    let x = Inputs::of(&table.x, table.n, &live.columns);
    let Committee { predictor, held_out } = committee;
    let outputs = |theta: &[f64]| {
        let mut sweep = Sweep::new(&live.network, table.n);
        sweep.forward(&live.network, theta, &x);
        sweep.out
    };
    // where a common shift of all outputs changes nothing, their mean is zero
    let centred = |theta: &[f64], out: &[f64]| {
        let mut theta = theta.to_vec();
        if loss.n_contrasts() == 0 {
            let mean = table.samples.sum(table.n, |i| out[i]) / table.samples.total(table.n);
            theta.last_mut().into_iter().for_each(|c| *c -= mean);
        }
        theta
    };
    let penalised = centred(&live.theta, &outputs(&live.theta));
    let refitted = centred(&end.point.theta, &outputs(&end.point.theta));
    let of_predictor = |p: &Predictor| p.outputs(&x, live.columns.len(), live.network.n_outputs());
    let predictor = predictor.map(|p| Predictor { weights: centred(&p.weights, &of_predictor(&p)), ..p });
    let out = predictor.as_ref().map_or_else(|| outputs(&refitted), of_predictor);
    let turned = |predictor: Predictor| {
        let weights = in_user_orientation(table, &live.columns, predictor.neurons, &predictor.weights);
        Predictor { weights, ..predictor }
    };
    let oriented = |theta: &[f64]| in_user_orientation(table, &live.columns, live.network.width(), theta);
    Model {
        n_samples: table.n,
        n_features: table.names.len(),
        task: task(table, link, &live, &out, asked.ties),
        offset: table.samples.offset.is_some(),
        weighted: table.samples.weights.is_some(),
        settings: asked.clone(),
        lambda: found.lambda,
        used,
        threshold,
        certificate: of_solution(&found.solution, unit),
        refit: of_descent(&end, unit),
        noise: (!loss.knows_noise()).then_some(unit * noise),
        linear: is_linear(&live.network, &live.theta, &x),
        needles: inputs(table, link, &live, &end.point.theta, &x),
        stand_ins: Vec::new(),
        neurons: neurons(&live.network, &oriented(&live.theta)),
        weights: Weights {
            powers: live.network.layers.iter().map(|l| l.powers.clone()).collect(),
            n_outputs: live.network.n_outputs(),
            penalised: oriented(&penalised),
            refitted: oriented(&refitted),
        },
        predictor: predictor.map(turned),
        held_out,
        output_ranges: out.chunks(table.n).map(range).collect(),
        path: found.stages,
        constant_inputs: table.constant_inputs.iter().map(|&j| table.names[j].clone()).collect(),
        sure: None,
    }
    .ranked()
}

pub(crate) fn of_solution(solution: &Solution, unit: f64) -> Certificate {
    Certificate {
        objective: unit * solution.objective,
        loss: unit * solution.loss,
        kkt_violation: solution.kkt_violation,
        iterations: solution.iterations,
        stop: solution.stop,
    }
}

pub(crate) fn of_descent(end: &Descent, unit: f64) -> Certificate {
    Certificate {
        objective: unit * end.point.objective,
        loss: unit * end.point.loss,
        kkt_violation: end.kkt_violation,
        iterations: end.iterations,
        stop: end.stop,
    }
}

/// The unit of the problem as solved: the outcome's standard deviation, or 1 where it kept its unit and in classification.
fn unit(table: &Canonical) -> f64 {
    match &table.target {
        Target::Numbers { scaling, .. } => scaling.scale,
        _ => 1.0,
    }
}

fn task(table: &Canonical, link: Link, live: &Live, out: &[f64], ties: Ties) -> Task {
    match &table.target {
        Target::Numbers { scaling, .. } => Task::Regression { scaling: *scaling },
        Target::Classes { .. } => Task::Classification { classes: table.classes.clone(), link },
        Target::Counts { counts } => {
            let total = table.samples.total(table.n);
            let mean = table.samples.sum(table.n, |i| counts[i]) / total;
            let mean_of = |i: usize| (out[i] + table.samples.offset(i)).exp().max(f64::MIN_POSITIVE);
            let pearson = |i: usize| (counts[i] - mean_of(i)).powi(2) / mean_of(i);
            let left = (total - live.parameters_in_use()).max(1.0);
            Task::Counts { mean, dispersion: table.samples.sum(table.n, pearson) / left }
        }
        Target::Survival { groups, events } => {
            let survival = Survival::new(groups.clone(), events.clone(), table.samples.clone(), ties);
            let steps = survival.baseline(out);
            let n_events = table.samples.sum(table.n, |i| f64::from(u8::from(events[i])));
            Task::Survival { events: n_events, baselines: baselines(&table.strata, groups, &steps) }
        }
    }
}

/// Cumulated over ascending times, of each stratum.
fn baselines(names: &[String], groups: &[TieGroup], steps: &[f64]) -> Vec<Baseline> {
    let mut baselines: Vec<Baseline> = Vec::new();
    for (group, step) in groups.iter().zip(steps) {
        if group.starts_stratum {
            let stratum = names.get(group.stratum).cloned().unwrap_or_default();
            baselines.push(Baseline { stratum, ..Baseline::default() });
        }
        if let Some(baseline) = baselines.last_mut().filter(|_| *step > 0.0) {
            baseline.times.push(group.time);
            baseline.hazards.push(*step);
        }
    }
    for baseline in &mut baselines {
        baseline.times.reverse();
        baseline.hazards.reverse();
        let mut sum = 0.0;
        baseline.hazards.iter_mut().for_each(|h| {
            sum += *h;
            *h = sum;
        });
    }
    baselines
}

/// Undoes the turning of columns in the canonical form.
fn in_user_orientation(table: &Canonical, columns: &[usize], width: usize, theta: &[f64]) -> Vec<f64> {
    let mut theta = theta.to_vec();
    for (weights, &column) in theta.chunks_mut(width).zip(columns) {
        weights.iter_mut().for_each(|w| *w *= table.signs[column]);
    }
    theta
}

/// The least and the largest value.
fn range(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)))
}

/// The inputs of the refit.
fn inputs(table: &Canonical, link: Link, live: &Live, theta: &[f64], x: &Inputs) -> Vec<Needle> {
    let signs: Vec<f64> = live.columns.iter().map(|&column| table.signs[column]).collect();
    let unit = unit(table);
    effects(&live.network, theta, x, &signs, &table.samples, link)
        .into_iter()
        .zip(&live.columns)
        .map(|((strength, mean_slope, shape, class), &column)| {
            let index = table.inputs[column];
            let Scaling { mean, scale } = table.scalings[column];
            let (low, high) = range(&table.x[column * table.n..(column + 1) * table.n]);
            let ends = [low, high].map(|v| mean + scale * table.signs[column] * v);
            Needle {
                name: table.names[index].clone(),
                index,
                scaling: table.scalings[column],
                strength: unit * strength,
                mean_slope: unit * mean_slope,
                shape,
                class,
                range: Some((ends[0].min(ends[1]), ends[0].max(ends[1]))),
            }
        })
        .collect()
}
