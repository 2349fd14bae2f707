//! The part of a column that the other inputs do not explain, and the law of its redraws.
//!
//! The regressors of `x_j` are those that a linear LASSO finds at its own threshold, those found for the outcome, and the inputs
//! that are always in. The second list is needed if an input drives the outcome and its relation to `x_j` is too weak for the LASSO to
//! find. The law depends on the kind of the column:
//!
//! - *numbers*: `x_j = mu + e` by least squares, with the residuals as the law of `e`;
//! - *two values*: the probability of the larger one by logistic regression, a different one for each sample;
//! - *counts*: `mu = exp(linear)` by a Poisson regression, and the residuals over `sqrt(mu)` as the law of `e / sqrt(mu)`, whatever
//!   their dispersion. If the Gaussian likelihood of the law of numbers is larger, as for ages, that law is used.
//!
//! A fit with `q` regressors reduces the residual variance by the factor `(n - q - 1) / n`, so redraws are scaled by the root of its
//! inverse.
//! Cost: one search, and a regression of a few columns. Tested below and in `tests/sure.rs`.

use faer::Side;
use faer::linalg::solvers::Solve;

use super::Distillation;
use super::distil::{ended, support, varies};
use super::tail::Law;
use crate::activation::Activation;
use crate::error::Result;
use crate::local::descent::{Limits, descend};
use crate::local::objective::Problem;
use crate::network::{Inputs, Link, Network, Sweep};
use crate::outcome::{Classes, Counts, Loss};
use crate::penalty::Penalty;
use crate::prepared::Prepared;
use crate::product::{gram, multiply, view, view_mut};
use crate::progress::Observer;
use crate::search::plan::Plan;
use crate::settings::Settings;
use crate::table::{Data, Samples, Scaling};

/// The regressors of an input are at most this part of the samples; those that are always in count, and are all kept.
const MOST_REGRESSORS: f64 = 0.5;
/// The least pivot of least squares, relative to the squares of a standardised column.
const LEAST_PIVOT: f64 = 1e-8;
/// Precision of the regressions of chances and counts, in units of the null statistic.
const OF_LAW: Limits =
    Limits { tolerance: 1e-8, max_iterations: 1000, max_newton: usize::MAX, least_gain: 0.0 };

/// How an input is explained by the others. `docs/how-sure.md` has the level of each choice.
#[derive(Debug, Clone, Copy)]
pub struct LawPlan {
    /// The penalty of the linear model that finds the regressors.
    pub penalty: Penalty,
    /// Whether those found for the outcome are regressors too.
    pub joined: bool,
    /// Whether columns of two values and counts have a law of their own.
    pub by_kind: bool,
}

impl Default for LawPlan {
    fn default() -> Self {
        LawPlan { penalty: Penalty::L1, joined: true, by_kind: true }
    }
}

/// A column as its mean given the others plus a residual, in units of its standard deviation.
#[derive(Debug, Clone)]
pub(crate) struct InputLeft {
    pub mean: Vec<f64>,
    /// The unit of the residual of each sample.
    pub spread: Vec<f64>,
    /// What is left, over the spread.
    pub residual: Vec<f64>,
    /// The law of a redrawn residual.
    pub law: Law,
    pub end: Option<Distillation>,
}

impl InputLeft {
    /// Of column `j`, explained by the others but `dropped`; those `found` for the outcome are regressors in any case.
    pub fn of(
        data: &Data,
        j: usize,
        dropped: &[usize],
        found: &[usize],
        (settings, plan): (&Settings, &LawPlan),
        observer: &dyn Observer,
    ) -> Result<Self> {
        let samples = data.samples();
        let column = data.column(j);
        let left = data.without(dropped).filter(|(left, _)| varies(left));
        let (own, end) = match left {
            None => (Vec::new(), None),
            Some((left, kept)) => {
                let law = of_law(settings, plan.penalty);
                let mut problem = Prepared::new(left.explaining(column.to_vec())?, &law)?;
                let chosen = problem.chosen(&law, &Plan::default(), observer)?;
                (support(&problem, &chosen, &kept), Some(ended(&chosen)))
            }
        };
        let found = if plan.joined { found } else { &[] };
        let always = data.not_searched().columns();
        let regressors = regressors(always, [&own, found], column.len());
        let columns: Vec<f64> =
            regressors.iter().flat_map(|&k| standardised(&data.column(k), &samples)).collect();
        Ok(InputLeft { end, ..InputLeft::by(&column, &columns, &samples, plan.by_kind) })
    }

    /// The law that fits the kind of a column, given its regressors.
    fn by(column: &[f64], regressors: &[f64], samples: &Samples, by_kind: bool) -> Self {
        let numbers = || InputLeft::of_numbers(column, regressors, samples);
        match Kind::of(column) {
            Kind::TwoValues(values) if by_kind => {
                InputLeft::of_two_values(column, values, regressors, samples).unwrap_or_else(numbers)
            }
            Kind::Counts if by_kind => {
                let (counts, numbers) = (InputLeft::of_counts(column, regressors, samples), numbers());
                let better = |counts: &InputLeft| counts.fits(samples) > numbers.fits(samples);
                counts.filter(better).unwrap_or(numbers)
            }
            _ => numbers(),
        }
    }

    /// With a known mean given the others, in units of the column; of 0 and 1 that is the chance of 1.
    #[cfg(feature = "internals")]
    pub fn known(column: &[f64], mean: &[f64], samples: &Samples) -> Self {
        let scaling = Scaling::of(column, samples).unwrap_or(Scaling { mean: 0.0, scale: 1.0 });
        if Kind::of(column) == Kind::TwoValues([0.0, 1.0]) {
            return InputLeft::around_chances(column, [0.0, 1.0], mean.to_vec(), scaling);
        }
        let mean = mean.iter().map(|m| scaling.apply(*m)).collect();
        InputLeft::around(&standardised(column, samples), mean, samples)
    }

    /// In units of the standard deviation.
    fn around(x: &[f64], mean: Vec<f64>, samples: &Samples) -> Self {
        let residual: Vec<f64> = x.iter().zip(&mean).map(|(x, m)| x - m).collect();
        let law = Law::of_residuals(&residual, samples, 1.0);
        InputLeft { spread: vec![1.0; x.len()], mean, residual, law, end: None }
    }

    /// Two values, of which the larger has these chances.
    fn around_chances(column: &[f64], [low, high]: [f64; 2], chances: Vec<f64>, scaling: Scaling) -> Self {
        let gap = (high - low) / scaling.scale;
        let heads = |v: &f64| f64::from(u8::from(*v == high));
        InputLeft {
            mean: chances.iter().map(|p| scaling.apply(low) + gap * p).collect(),
            spread: vec![gap; column.len()],
            residual: column.iter().zip(&chances).map(|(v, p)| heads(v) - p).collect(),
            law: Law::of_chances(chances),
            end: None,
        }
    }

    fn of_numbers(column: &[f64], regressors: &[f64], samples: &Samples) -> Self {
        let x = standardised(column, samples);
        let mean = least_squares(regressors, &x, samples);
        let left = InputLeft::around(&x, mean, samples);
        left.widened(regressors.len() / x.len(), samples)
    }

    /// Two values: the chance of the larger one by logistic regression.
    fn of_two_values(
        column: &[f64],
        values: [f64; 2],
        regressors: &[f64],
        samples: &Samples,
    ) -> Option<Self> {
        let scaling = Scaling::of(column, samples)?;
        // the output of the logit link is the log odds of the first class
        let labels = column.iter().map(|v| usize::from(*v == values[0])).collect();
        let loss = Classes::new(labels, 2, weights_of(samples), Link::Logit);
        let chances = fitted(&loss, regressors)?.iter().map(|o| 1.0 / (1.0 + libm::exp(-o))).collect();
        let left = InputLeft::around_chances(column, values, chances, scaling);
        Some(left.widened(regressors.len() / column.len(), samples))
    }

    /// Counts: a mean that is the exponential of a linear function, and a spread that is its root.
    fn of_counts(column: &[f64], regressors: &[f64], samples: &Samples) -> Option<Self> {
        let scaling = Scaling::of(column, samples)?;
        let loss = Counts::new(column.to_vec(), weights_of(samples));
        let means: Vec<f64> = fitted(&loss, regressors)?.iter().map(|o| libm::exp(*o)).collect();
        if !means.iter().all(|m| *m > 0.0 && m.is_finite()) {
            return None;
        }
        let residual: Vec<f64> = column.iter().zip(&means).map(|(v, m)| (v - m) / m.sqrt()).collect();
        let left = InputLeft {
            mean: means.iter().map(|m| scaling.apply(*m)).collect(),
            spread: means.iter().map(|m| m.sqrt() / scaling.scale).collect(),
            law: Law::of_residuals(&residual, samples, 1.0),
            residual,
            end: None,
        };
        Some(left.widened(regressors.len() / column.len(), samples))
    }

    /// With the law scaled up for the `q` regressors and the mean that were fitted.
    fn widened(self, q: usize, samples: &Samples) -> Self {
        let total = samples.total(self.mean.len());
        let left = (total - q as f64 - 1.0).max(1.0);
        InputLeft { law: self.law.widened((total / left).sqrt()), ..self }
    }

    /// The Gaussian log likelihood at the best variance, up to a constant.
    fn fits(&self, samples: &Samples) -> f64 {
        let n = self.mean.len();
        let total = samples.total(n);
        let squares = samples.sum(n, |i| self.residual[i].powi(2)) / total;
        -samples.sum(n, |i| libm::log(self.spread[i]))
            - total / 2.0 * libm::log(squares.max(f64::MIN_POSITIVE))
    }

    /// The root mean square of what is left, in units of the standard deviation.
    pub fn size(&self, samples: &Samples) -> f64 {
        let n = self.mean.len();
        let squares = samples.sum(n, |i| (self.residual[i] * self.spread[i]).powi(2));
        (squares / samples.total(n)).sqrt()
    }
}

/// What the values of a column are.
#[derive(Debug, PartialEq)]
enum Kind {
    Numbers,
    /// The smaller and the larger.
    TwoValues([f64; 2]),
    /// Whole numbers, none negative.
    Counts,
}

impl Kind {
    fn of(column: &[f64]) -> Self {
        let (low, high) = column
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (v.min(low), v.max(high)));
        if column.iter().all(|v| *v == low || *v == high) {
            Kind::TwoValues([low, high])
        } else if column.iter().all(|v| *v >= 0.0 && v.fract() == 0.0) {
            Kind::Counts
        } else {
            Kind::Numbers
        }
    }
}

/// The weights without the offset, which belongs to the outcome.
fn weights_of(samples: &Samples) -> Samples {
    Samples { weights: samples.weights.clone(), ..Samples::default() }
}

/// The outputs of a regression on standardised columns; none if it did not converge.
fn fitted(loss: &dyn Loss, columns: &[f64]) -> Option<Vec<f64>> {
    let (network, theta) = regression(loss, columns)?;
    let mut sweep = Sweep::new(&network, loss.n());
    sweep.forward(&network, &theta, &Inputs::all(columns, loss.n()));
    Some(sweep.out)
}

/// A regression on standardised columns: the linear model and its parameters; none if it did not converge.
pub(super) fn regression(loss: &dyn Loss, columns: &[f64]) -> Option<(Network, Vec<f64>)> {
    let n = loss.n();
    let network = Network::new(columns.len() / n, &[], loss.n_outputs(), &Activation::default());
    let x = Inputs::all(columns, n);
    let problem = Problem {
        x: &x,
        loss,
        network: &network,
        penalty: Penalty::L1,
        lambda: 0.0,
        tau: 1.0,
        scale: loss.size().sqrt(),
        ridge: loss.ridge(),
        frozen: None,
        observer: &(),
    };
    let mut theta = vec![0.0; network.n_params()];
    theta[network.last().biases.clone()].copy_from_slice(&loss.null_intercept());
    let mut sweep = Sweep::new(&network, n);
    let end = descend(&problem, theta, OF_LAW, &mut sweep);
    end.stop.is_converged().then_some((network, end.point.theta))
}

/// The settings of the linear fit of an input by the others.
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

/// Those that are always in, then those of the other lists, up to the limit.
fn regressors(always: &[usize], lists: [&[usize]; 2], n: usize) -> Vec<usize> {
    let most = (MOST_REGRESSORS * n as f64) as usize;
    let mut joined = always.to_vec();
    for k in lists.into_iter().flatten() {
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

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, Poisson, StandardNormal};

    use super::*;

    #[test]
    fn chances_of_two_values_follow_their_regressor() {
        let n = 2000;
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let z: Vec<f64> = (0..n).map(|_| rng.sample(StandardNormal)).collect();
        let column: Vec<f64> = z
            .iter()
            .map(|z| if rng.random::<f64>() < 1.0 / (1.0 + (1.0 - 2.0 * z).exp()) { 7.0 } else { 3.0 })
            .collect();
        let samples = Samples::default();
        let left = InputLeft::by(&column, &standardised(&z, &samples), &samples, true);
        // the residual is a coin minus its chance
        let chance =
            |i: usize| if left.residual[i] > 0.0 { 1.0 - left.residual[i] } else { -left.residual[i] };
        let off =
            (0..n).map(|i| (chance(i) - 1.0 / (1.0 + (1.0 - 2.0 * z[i]).exp())).abs()).fold(0.0, f64::max);
        assert!(off < 0.08, "{off}");
    }

    #[test]
    fn counts_have_a_spread_that_grows_and_ages_do_not() {
        let n = 400;
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let z: Vec<f64> = (0..n).map(|_| rng.sample(StandardNormal)).collect();
        let samples = Samples::default();
        let spread = |column: &[f64]| {
            let left = InputLeft::by(column, &standardised(&z, &samples), &samples, true);
            let (low, high) = left.spread.iter().fold((f64::MAX, 0.0f64), |(l, h), s| (s.min(l), s.max(h)));
            high / low
        };
        let counts: Vec<f64> =
            z.iter().map(|z| Poisson::new((1.0 + z).exp()).unwrap().sample(&mut rng)).collect();
        assert!(spread(&counts) > 4.0);
        let ages: Vec<f64> = z
            .iter()
            .map(|z| (50.0 + 10.0 * z + 5.0 * rng.sample::<f64, _>(StandardNormal)).round())
            .collect();
        assert_eq!(spread(&ages), 1.0);
    }

    #[test]
    fn kinds_are_told_by_the_values() {
        assert_eq!(Kind::of(&[2.0, 5.0, 2.0]), Kind::TwoValues([2.0, 5.0]));
        assert_eq!(Kind::of(&[0.0, 1.0, 7.0]), Kind::Counts);
        assert_eq!(Kind::of(&[-1.0, 1.0, 7.0]), Kind::Numbers);
        assert_eq!(Kind::of(&[0.5, 1.0, 7.0]), Kind::Numbers);
    }
}
