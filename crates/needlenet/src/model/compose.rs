//! Composes the model that is reported, in the units and the order of the table, from the solution of the search.

use super::effects::{Exchangeable, Needle, Shape, effects, is_linear, neurons, slope_of};
use super::groups::groups_found;
use super::{Baseline, Certificate, Model, Predictor, Task, Used, Weights};
use crate::local::active::Live;
use crate::local::descent::Descent;
use crate::local::working_set::Solution;
use crate::network::{Inputs, Link, Sweep};
use crate::outcome::{Loss, Survival, Ties};
use crate::refit::{Committee, Refitted};
use crate::search::{Exchange, Found};
use crate::settings::Settings;
use crate::table::{Canonical, Scaling, Target, TieGroup};
use crate::threshold::Threshold;

/// The parts from which a model is composed.
pub(crate) struct Ingredients {
    pub used: Used,
    pub threshold: Threshold,
    /// The price of a degree of freedom.
    pub price: f64,
    /// The smallest difference in deviance that counts as clearly better.
    pub clearly: f64,
    pub found: Found,
    pub refitted: Refitted,
}

/// The model in the user's units.
///
/// `null_fit` are the weights of the inputs that are always in at the null model; the network stores changes
/// relative to them.
pub(crate) fn compose(
    table: &Canonical,
    loss: &dyn Loss,
    null_fit: &[f64],
    link: Link,
    asked: &Settings,
    parts: Ingredients,
    committee: Committee,
) -> Model {
    let Ingredients { used, threshold, found, refitted: Refitted { live, end, .. }, .. } = parts;
    let unit = unit(table);
    let left = table.samples.total(table.n) - live.parameters_in_use();
    let noise = end.point.loss / left.max(1.0).sqrt();
    let x = Inputs::of(&table.x, &live.columns, table.samples.always.as_ref());
    let Committee { predictor, held_out } = committee;
    // without the inputs that are always in
    let outputs = |theta: &[f64]| {
        let alone = live.network.clone().beside(0);
        let mut sweep = Sweep::new(&alone, table.n);
        sweep.forward(&alone, theta, &x);
        sweep.out
    };
    // if a common shift of all outputs has no effect, their mean is set to zero
    let centred = |theta: &[f64], out: &[f64]| {
        let mut theta = theta.to_vec();
        if loss.n_contrasts() == 0 {
            let mean = table.samples.sum(table.n, |i| out[i]) / table.samples.total(table.n);
            theta.last_mut().into_iter().for_each(|c| *c -= mean);
        }
        theta
    };
    let of_network = |theta: &[f64]| {
        let (theta, of_always) = theta.split_at(live.network.always().start);
        let mut whole = centred(theta, &outputs(theta));
        whole.extend(of_always.iter().zip(null_fit).map(|(change, null)| null + change));
        whole
    };
    let (mut penalised, mut refitted) = (of_network(&live.theta), of_network(&end.point.theta));
    let of_predictor = |p: &Predictor| {
        let x = table.in_standard_units(&live.columns);
        p.outputs(&Inputs::all(&x, table.n), live.columns.len(), live.network.n_outputs())
    };
    let predictor = predictor.map(|p| Predictor { weights: centred(&p.weights, &of_predictor(&p)), ..p });
    let out = predictor.as_ref().map_or_else(|| outputs(&refitted), of_predictor);
    let mut whole = out.clone();
    if let Some(always) = &table.samples.always {
        let of_always = always.outputs(&refitted[live.network.always()]);
        whole.iter_mut().zip(of_always).for_each(|(out, z)| *out += z);
    }
    let of_always = refitted[live.network.always()].to_vec();
    let always = always(table, link, &of_always);
    for theta in [&mut penalised, &mut refitted] {
        in_order_of_table(table, live.network.n_outputs(), &mut theta[live.network.always()]);
    }
    let turned = |predictor: Predictor| {
        let mut weights = predictor.weights;
        for (weights, &column) in weights.chunks_mut(predictor.neurons).zip(&live.columns) {
            weights.iter_mut().for_each(|w| *w *= table.signs[column]);
        }
        let signs = live.columns.iter().map(|&column| table.signs[column]);
        Predictor { weights, coding: predictor.coding.turned(signs), ..predictor }
    };
    let oriented = |theta: &[f64]| in_user_orientation(table, &live.columns, live.network.width(), theta);
    Model {
        n_samples: table.n,
        n_features: table.names.len(),
        task: task(table, link, &live, &whole, asked.ties),
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
        needles: inputs(table, link, &live, &end.point.theta, &x, &found.exchangeable),
        stand_ins: Vec::new(),
        always,
        groups: groups_found(table, link, &live, &end.point.theta, &of_always, unit),
        n_grouped: (!table.groups.is_empty()).then(|| {
            let grouped: usize = table.groups.iter().map(|group| group.columns.len()).sum();
            table.names.len() - grouped + table.groups.len()
        }),
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
        passes: None,
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

/// The unit of the solved problem: the standard deviation of the outcome, or 1 if the outcome kept its unit and for
/// classes.
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
            let mean_of = |i: usize| libm::exp(out[i] + table.samples.offset(i)).max(f64::MIN_POSITIVE);
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

/// Cumulative sums over ascending times, for each stratum.
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

/// Undoes the sign changes of the canonical form, and converts the columns to units of their standard
/// deviation.
fn in_user_orientation(table: &Canonical, columns: &[usize], width: usize, theta: &[f64]) -> Vec<f64> {
    let mut theta = theta.to_vec();
    for (weights, &column) in theta.chunks_mut(width).zip(columns) {
        weights.iter_mut().for_each(|w| *w *= table.signs[column] / table.unit(column));
    }
    theta
}

/// Sorts the weights of the inputs that are always in, `n_outputs x q`, by their order in the
/// table.
fn in_order_of_table(table: &Canonical, n_outputs: usize, weights: &mut [f64]) {
    let mut sorted: Vec<(usize, Vec<f64>)> = table
        .always
        .iter()
        .map(|(index, _)| *index)
        .zip(weights.chunks(n_outputs).map(<[f64]>::to_vec))
        .collect();
    sorted.sort_by_key(|(index, _)| *index);
    let sorted = sorted.into_iter().flat_map(|(_, weights)| weights);
    weights.iter_mut().zip(sorted).for_each(|(to, from)| *to = from);
}

/// The inputs that are always in, from their weights, `n_outputs x q`.
fn always(table: &Canonical, link: Link, weights: &[f64]) -> Vec<Needle> {
    let Some(always) = &table.samples.always else { return Vec::new() };
    let unit = unit(table);
    let n_outputs = weights.len() / always.len();
    let mut inputs: Vec<Needle> = always
        .columns()
        .zip(weights.chunks(n_outputs))
        .zip(&table.always)
        .map(|((column, weights), (index, scaling))| {
            let (slope, class) = slope_of(weights, link);
            let ends = <[f64; 2]>::from(range(column)).map(|v| scaling.mean + scaling.scale * v);
            Needle {
                name: table.names[*index].clone(),
                index: *index,
                scaling: *scaling,
                strength: unit * slope.abs(),
                mean_slope: unit * slope,
                shape: if slope < 0.0 { Shape::Falling } else { Shape::Rising },
                class,
                range: Some((ends[0], ends[1])),
                group: table.group_of(*index).map(|group| group.name.clone()),
                exchangeable: Vec::new(),
            }
        })
        .collect();
    inputs.sort_by_key(|input| input.index);
    inputs
}

/// The smallest and the largest value.
fn range(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)))
}

/// The inputs of the refit.
fn inputs(
    table: &Canonical,
    link: Link,
    live: &Live,
    theta: &[f64],
    x: &Inputs,
    exchanges: &[Exchange],
) -> Vec<Needle> {
    let signs: Vec<f64> = live.columns.iter().map(|&column| table.signs[column]).collect();
    let unit = unit(table);
    effects(&live.network, theta, x, &signs, &table.samples, link)
        .into_iter()
        .zip(&live.columns)
        .map(|((strength, mean_slope, shape, class), &column)| {
            let index = table.inputs[column];
            let Scaling { mean, scale } = table.scalings[column];
            let (low, high) = range(&table.x.column(column));
            let of_one = table.unit(column);
            let ends = [low, high].map(|v| mean + scale * table.signs[column] * of_one * v);
            Needle {
                name: table.names[index].clone(),
                index,
                scaling: table.scalings[column],
                // a column with a penalty weight has a standard deviation below 1
                strength: unit * strength / (of_one * table.x.weight(column)),
                mean_slope: unit * mean_slope / (of_one * table.x.weight(column)),
                shape,
                class,
                range: Some((ends[0].min(ends[1]), ends[0].max(ends[1]))),
                group: table.group_of(index).map(|group| group.name.clone()),
                exchangeable: exchangeable(table, column, exchanges),
            }
        })
        .collect()
}

/// The near copies that could replace a column, best first. A column of a group is not exchanged
/// alone.
fn exchangeable(table: &Canonical, column: usize, exchanges: &[Exchange]) -> Vec<Exchangeable> {
    let is_alone = |column: usize| table.group_of(table.inputs[column]).is_none();
    let of_column = exchanges.iter().filter(|e| e.old == column && is_alone(e.old) && is_alone(e.new));
    let mut found: Vec<Exchangeable> = of_column
        .map(|e| Exchangeable {
            name: table.names[table.inputs[e.new]].clone(),
            index: table.inputs[e.new],
            correlation: (table.signs[e.old] * table.signs[e.new] * e.correlation).clamp(-1.0, 1.0),
            cost: e.cost,
        })
        .collect();
    found.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(a.index.cmp(&b.index)));
    found
}
