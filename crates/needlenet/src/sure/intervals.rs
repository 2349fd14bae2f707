//! Confidence intervals for the strengths of the needles, given which inputs are needles.
//!
//! On complementary halves the network of the model is refitted with its needles held. With the
//! strengths `a_b` and `b_b` of a needle in the halves of pair `b`, the standard error of its strength `s` in all samples is
//!
//! $$ \mathrm{se}^2 = \frac{1}{4B} \sum_b (a_b - b_b)^2, $$
//!
//! the standard error of the mean of two independent halves. The interval is `s` minus or plus 1.96 of it. The curves of the same
//! refits give the bands of `bands.rs`.
//! Cost: `2 B` refits of half the samples. Tested in `tests/sure.rs`; coverage in `docs/how-sure.md`.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bands::{Curves, EffectBand, Half};
use super::splines::{Correction, Splines};
use super::steps::Steps;
use crate::error::{Error, Result};
use crate::local::active::Live;
use crate::local::descent::Limits;
use crate::local::working_set::Setting;
use crate::model::{Model, Task, strengths};
use crate::network::{Inputs, Sweep};
use crate::outcome::Loss;
use crate::prepared::Prepared;
use crate::refit::refit;
use crate::settings::Settings;
use crate::table::{Data, Scaling};

/// The normal quantile of a two-sided level of .05.
const QUANTILE: f64 = 1.959963984540054;
/// No interval if the number of parameters exceeds this part of the samples of a half.
const MOST_PARAMETERS: f64 = 0.25;
/// No interval if a larger part of the refits did not converge.
const MOST_STOPPED: f64 = 0.1;

/// The nominal 95% interval of the strength of a needle, given which inputs are needles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrengthInterval {
    /// The lower end, at least 0.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The standard error of the strength.
    pub standard_error: f64,
    /// The mean strength over the halves. If it is far above the strength, a half is too small for the network.
    pub mean_of_halves: f64,
}

/// The interval and the band of each needle.
pub(crate) type Sizes = (Vec<Option<StrengthInterval>>, Vec<Option<EffectBand>>);

/// The interval and the band of each needle; none where the halves are too small for the network of the model.
pub(super) fn of_halves(data: &Data, model: &Model, halves: &[Vec<usize>], steps: &Steps) -> Result<Sizes> {
    let count = model.needles.len();
    let none = (vec![None; count], vec![None; count]);
    if count == 0 {
        return Ok(none);
    }
    let inputs: Vec<usize> = model.inputs().map(|input| input.index).collect();
    let problem = Prepared::new(data.of_columns(&inputs).ungrouped(), &model.settings)?;
    let columns: Vec<_> = inputs.iter().map(|&j| data.column(j)).collect();
    let columns: Vec<&[f64]> = columns.iter().map(AsRef::as_ref).collect();
    let curves = Curves::of(model, &columns, &data.samples(), problem.loss.size());
    let held = Held { model, problem: &problem, splines: curves.splines() };
    let live = held.live();
    if live.parameters_in_use() > MOST_PARAMETERS * problem.loss.size() / 2.0 {
        return Ok(none);
    }
    let refits: Vec<Option<Refit>> =
        halves.par_iter().map(|rows| held.refitted(&live, rows, steps)).collect();
    if !steps.observer.go_on() {
        return Err(Error::Interrupted);
    }
    let stopped = refits.iter().filter(|refit| refit.is_none()).count();
    if stopped as f64 > MOST_STOPPED * refits.len() as f64 {
        return Ok(none);
    }
    let both = |pair: &[Option<Refit>]| match pair {
        [Some(a), Some(b)] => Some([a.clone(), b.clone()]),
        _ => None,
    };
    let pairs: Vec<[Refit; 2]> = refits.chunks(2).filter_map(both).collect();
    let interval = |at: usize| {
        let strengths: Vec<[f64; 2]> =
            pairs.iter().map(|[a, b]| [a.strengths[at], b.strengths[at]]).collect();
        interval_of(model.needles[at].strength, &strengths)
    };
    let half = |refit: &Refit| Some((held.model_of(&live, &refit.theta), refit.correction.clone()?));
    let of_pair = |pair: &[Refit; 2]| -> Option<[Half; 2]> {
        let [a, b] = pair.each_ref().map(half);
        Some([a?, b?])
    };
    let halves: Option<Vec<[Half; 2]>> = pairs.iter().map(of_pair).collect();
    let whole = held.correction(&*problem.loss, &live, &(0..problem.table.n).collect::<Vec<_>>());
    let bands = match (halves, whole) {
        (Some(halves), Some(whole)) => curves.bands(&(model.clone(), whole), &halves, QUANTILE),
        _ => vec![None; count],
    };
    Ok(((0..count).map(interval).collect(), bands))
}

/// Intervals and bands by themselves.
#[cfg(feature = "internals")]
pub(crate) fn sizes_only(data: &Data, model: &Model, pairs: usize) -> Result<Sizes> {
    let halves = super::halves::split(data, &model.settings, pairs)?;
    of_halves(data, model, &halves, &Steps::new(&(), &[], 2 * pairs))
}

fn interval_of(strength: f64, pairs: &[[f64; 2]]) -> Option<StrengthInterval> {
    let count = pairs.len() as f64;
    let standard_error = standard_error(pairs.iter().copied());
    let mean_of_halves = pairs.iter().map(|[a, b]| (a + b) / 2.0).sum::<f64>() / count;
    let reach = QUANTILE * standard_error;
    let interval = StrengthInterval {
        low: (strength - reach).max(0.0),
        high: strength + reach,
        standard_error,
        mean_of_halves,
    };
    (standard_error.is_finite() && mean_of_halves.is_finite()).then_some(interval)
}

/// Of a number that halves give in pairs.
pub(super) fn standard_error(pairs: impl Iterator<Item = [f64; 2]>) -> f64 {
    let (squares, count) =
        pairs.fold((0.0, 0.0), |(sum, count), [a, b]| (sum + (a - b).powi(2), count + 1.0));
    (squares / (4.0 * count)).sqrt()
}

/// The refit of a half: its weights, the strength of each input in the units of the model, and the correction by splines.
#[derive(Clone)]
struct Refit {
    theta: Vec<f64>,
    strengths: Vec<f64>,
    correction: Option<Correction>,
}

/// A model beside a table that has its inputs only.
struct Held<'a> {
    model: &'a Model,
    problem: &'a Prepared,
    splines: Option<&'a Splines>,
}

impl Held<'_> {
    /// For each column of the table the input of the model, and what a weight of the model is multiplied by.
    fn factors(&self) -> Vec<(usize, f64)> {
        let table = &self.problem.table;
        let scales: Vec<f64> = self.model.inputs().map(|input| input.scaling.scale).collect();
        let factor = |column: usize| {
            let input = table.inputs[column];
            // the scale of the model has the penalty weight in it
            (input, table.signs[column] * table.unit(column) * table.scalings[column].scale / scales[input])
        };
        (0..table.p()).map(factor).collect()
    }

    /// For each input of the table that is always in, its place among those of the model.
    fn places_of_always(&self) -> Vec<usize> {
        let searched = self.model.inputs().count() - self.model.always.len();
        self.problem.table.always.iter().map(|(input, _)| input - searched).collect()
    }

    /// The refit of the model, on the columns of the table.
    fn live(&self) -> Live {
        let network = self.model.network();
        let (width, outputs) = (network.width(), network.n_outputs());
        let own = &self.model.weights.refitted;
        let mut theta = own.clone();
        for (column, (input, factor)) in self.factors().into_iter().enumerate() {
            let own = &own[input * width..(input + 1) * width];
            let to = &mut theta[column * width..(column + 1) * width];
            to.iter_mut().zip(own).for_each(|(w, own)| *w = factor * own);
        }
        let always = network.always().start;
        for (column, place) in self.places_of_always().into_iter().enumerate() {
            for t in 0..outputs {
                let null = self.problem.null_fit[column * outputs + t];
                theta[always + column * outputs + t] = own[always + place * outputs + t] - null;
            }
        }
        Live { columns: (0..self.problem.table.p()).collect(), network, theta }
    }

    /// The model with the weights of a refit in the place of its own.
    fn model_of(&self, live: &Live, theta: &[f64]) -> Model {
        let (network, table) = (&live.network, &self.problem.table);
        let (width, outputs) = (network.width(), network.n_outputs());
        let mut model = self.model.clone();
        let own = &mut model.weights.refitted;
        own.copy_from_slice(theta);
        for (column, (input, factor)) in self.factors().into_iter().enumerate() {
            let from = &theta[column * width..(column + 1) * width];
            let to = &mut own[input * width..(input + 1) * width];
            to.iter_mut().zip(from).for_each(|(own, w)| *own = w / factor);
        }
        let always = network.always().start;
        for (column, place) in self.places_of_always().into_iter().enumerate() {
            for t in 0..outputs {
                let null = self.problem.null_fit[column * outputs + t];
                own[always + place * outputs + t] = theta[always + column * outputs + t] + null;
            }
        }
        // where a common shift of all outputs changes nothing, their mean is zero, as in the model
        if self.problem.loss.n_contrasts() == 0 {
            let alone = network.clone().beside(0);
            let mut sweep = Sweep::new(&alone, table.n);
            sweep.forward(&alone, theta, &Inputs::of(&table.x, &live.columns, None));
            let mean = table.samples.sum(table.n, |i| sweep.out[i]) / table.samples.total(table.n);
            own[network.last().biases.clone()].iter_mut().for_each(|c| *c -= mean);
        }
        model
    }

    /// The refit on some rows; none if it did not converge.
    fn refitted(&self, live: &Live, rows: &[usize], steps: &Steps) -> Option<Refit> {
        let Prepared { table, loss, link, .. } = self.problem;
        let mut is_in = vec![false; table.n];
        rows.iter().for_each(|&row| is_in[row] = true);
        let rows: Vec<usize> = (0..table.n).filter(|i| is_in[table.rows[*i]]).collect();
        let (loss, x) = (loss.of_rows(&rows), table.x.of_rows(&rows));
        let setting = Setting {
            x: &x,
            loss: &*loss,
            penalty: self.model.used.penalty,
            lambda: self.model.lambda,
            tau: 1.0,
            without: &[],
            observer: steps.observer,
        };
        let Settings { tolerance, max_iterations, .. } = self.model.settings;
        let end = refit(
            &setting,
            live,
            Limits { tolerance, max_iterations, max_newton: usize::MAX, least_gain: 0.0 },
        );
        let inputs = setting.inputs(&live.columns);
        let theta = end.point.theta;
        let of_columns = strengths(&live.network, &theta, &inputs, loss.samples(), *link);
        let unit = if let Task::Regression { scaling } = &self.model.task { scaling.scale } else { 1.0 };
        let mut strengths = vec![0.0; of_columns.len()];
        for (column, strength) in of_columns.iter().enumerate() {
            // per standard deviation of the input in this half, so that the error of the deviation counts too
            let deviation =
                Scaling::of(&x.column(column), loss.samples()).map_or(0.0, |scaling| scaling.scale);
            strengths[table.inputs[column]] = unit * strength * deviation;
        }
        let correction = self.correction(&*loss, &Live { theta: theta.clone(), ..live.clone() }, &rows);
        end.stop.is_converged().then_some(Refit { theta, strengths, correction })
    }

    /// What splines add to a refit on some rows of the problem, which are those of the loss.
    fn correction(&self, loss: &dyn Loss, live: &Live, rows: &[usize]) -> Option<Correction> {
        let table = &self.problem.table;
        let x = table.x.of_rows(rows);
        let mut sweep = Sweep::new(&live.network, rows.len());
        let inputs = Inputs::of(&x, &live.columns, loss.samples().always.as_ref());
        sweep.forward(&live.network, &live.theta, &inputs);
        let rows: Vec<usize> = rows.iter().map(|&i| table.rows[i]).collect();
        self.splines?.fitted(loss, &sweep.out, &rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_is_that_of_the_mean_of_two_halves() {
        // halves that differ by 2 or 4: squares 4 and 16, over 8
        let interval = interval_of(5.0, &[[4.0, 6.0], [7.0, 3.0]]).unwrap();
        assert!((interval.standard_error - 2.5f64.sqrt()).abs() < 1e-12);
        assert!((interval.high - (5.0 + QUANTILE * 2.5f64.sqrt())).abs() < 1e-12);
        assert_eq!(interval.mean_of_halves, 5.0);
        assert_eq!(interval_of(1.0, &[[4.0, 6.0], [7.0, 3.0]]).unwrap().low, 0.0);
        assert_eq!(interval_of(1.0, &[]), None);
    }
}
