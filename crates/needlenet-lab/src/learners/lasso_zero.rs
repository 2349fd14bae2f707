//! LASSO-zero (Descloux and Sardy, 2021): basis pursuit, repeated with noise columns beside the inputs.
//!
//! $$(\hat\beta^{(k)}, \hat\gamma^{(k)}) = \arg\min \lVert\beta\rVert_1 + \lVert\gamma\rVert_1
//!   \text{ such that } y = X\beta + G^{(k)}\gamma, \qquad k = 1 .. M$$
//!
//! `G^(k)` is a dictionary of `n` Gaussian columns, standardised like the inputs. Input `j` is kept if the median
//! over `k` of its coefficients exceeds `tau s` in size, `s` being the median absolute deviation of all noise
//! coefficients that are not zero. `tau` is the quantile universal threshold: under the null, where `y` is noise,
//! the largest median over `s` exceeds it with probability `alpha`; `s` makes it free of the noise level.
//! The kept inputs predict by least squares. Cost: `M (draws + 1)` linear programs, in parallel over the draws.
//! Tested below and in `tests/lasso_zero.rs`.

use faer::Mat;
use faer::prelude::SolveLstsq;
use needlenet::{Error, Outcome, Prediction, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::basis_pursuit::basis_pursuit;
use super::standardised::{Standardised, mean_and_deviation};
use super::{Learned, Learner};
use crate::sample::Sample;
use crate::summary::median;

/// The streams of a seed below this one belong to the designs.
const FIRST_STREAM: u64 = 1000;

/// A linear program counts as solved up to this error: 100 times the tolerance of the solver. On riboflavin the
/// largest of 610 errors was 6e-15.
const SOLVED: f64 = 1e-6;

/// LASSO-zero at the quantile universal threshold.
#[derive(Debug, Clone, Copy)]
pub struct LassoZero {
    /// Noise dictionaries.
    pub dictionaries: usize,
    /// Null draws. The threshold is the `alpha (draws + 1)`-th largest of their statistics, which has level
    /// `alpha` exactly if this is a whole number: the statistic of a null table and those of the draws are
    /// exchangeable. More draws make it less random, and the learner slower.
    pub draws: usize,
    /// The level.
    pub alpha: f64,
}

impl Default for LassoZero {
    /// 30 dictionaries as in the authors' package, which also has 100 null draws, and the level .05.
    fn default() -> Self {
        LassoZero { dictionaries: 30, draws: 99, alpha: 0.05 }
    }
}

/// The results of the dictionaries for one outcome.
struct Medians {
    /// The median coefficient of each input.
    beta: Vec<f64>,
    /// The scale of the noise coefficients.
    noise: f64,
    /// The mean of the sums that were minimised.
    objective: f64,
    /// The largest error of the linear programs.
    error: f64,
}

impl Medians {
    /// The largest median, in units of the noise coefficients.
    fn statistic(&self) -> f64 {
        self.beta.iter().fold(0.0, |largest: f64, b| largest.max(b.abs())) / self.noise
    }
}

impl Learner for LassoZero {
    fn learn(&self, train: &Sample, test: &Sample, seed: u64) -> Result<Learned> {
        // refuses what needlenet refuses, with the same message
        train.data()?;
        let scale = Standardised::of(train);
        let (x, Outcome::Regression(y)) = (scale.inputs(train), scale.outcome(train)) else {
            return Err(Error::Conflict {
                what: "lasso-zero takes a number as outcome".into(),
                remedy: "choose another learner for classes",
            });
        };
        // draw 0 is the table itself
        let of_draw = |draw: usize| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(FIRST_STREAM + draw as u64);
            if draw == 0 {
                self.medians(&x, &y, &mut rng)
            } else {
                self.medians(&x, &gaussian_column(y.len(), &mut rng), &mut rng)
            }
        };
        let mut nulls: Vec<Medians> = (0..=self.draws).into_par_iter().map(of_draw).collect();
        let found = nulls.remove(0);
        let tau = self.threshold(nulls.iter().map(Medians::statistic).collect());
        let selected: Vec<usize> =
            (0..train.p()).filter(|&j| found.beta[j].abs() > tau * found.noise).collect();
        let error = nulls.iter().map(|null| null.error).fold(found.error, f64::max);
        Ok(Learned {
            predicted: Prediction::Numbers(least_squares(train, test, &selected)),
            selected: Some(selected),
            sure: None,
            stand_ins: Vec::new(),
            neurons: None,
            objective: found.objective,
            kkt: None,
            stop: format!("tau {tau:.3}, largest error of a linear program {error:.1e}"),
            converged: Some(error < SOLVED),
        })
    }
}

impl LassoZero {
    /// Solves the linear programs of all dictionaries; `x` and `y` are standardised.
    fn medians(&self, x: &[f64], y: &[f64], rng: &mut ChaCha8Rng) -> Medians {
        let n = y.len();
        let p = x.len() / n;
        // all columns sum to zero, so the last equation follows from the others
        let rows = n - 1;
        let mut a: Vec<f64> = x.chunks(n).flat_map(|column| &column[..rows]).copied().collect();
        let mut beta = vec![Vec::with_capacity(self.dictionaries); p];
        let mut gamma = Vec::new();
        let (mut objective, mut error) = (0.0, 0.0f64);
        for _ in 0..self.dictionaries {
            a.truncate(p * rows);
            (0..n).for_each(|_| a.extend_from_slice(&gaussian_column(n, rng)[..rows]));
            let solution = basis_pursuit(&a, &y[..rows], p);
            let zero = solution.zero();
            let exact = |b: &f64| if b.abs() > zero { *b } else { 0.0 };
            beta.iter_mut().zip(&solution.b).for_each(|(of_input, b)| of_input.push(exact(b)));
            gamma.extend(solution.b[p..].iter().map(exact).filter(|g| *g != 0.0));
            objective += solution.l1 / self.dictionaries as f64;
            error = error.max(solution.error);
        }
        let beta = beta.into_iter().map(|of_input| median(of_input).unwrap_or(0.0)).collect();
        Medians { beta, noise: median_absolute_deviation(gamma), objective, error }
    }

    /// The `alpha (draws + 1)`-th largest statistic; rounded to the next larger statistic if that is
    /// not an integer.
    fn threshold(&self, mut statistics: Vec<f64>) -> f64 {
        statistics.sort_by(|a, b| b.total_cmp(a));
        // 0.05 * 100 is not exactly 5 in binary
        let place = (self.alpha * (self.draws + 1) as f64 + 1e-9).floor() as usize;
        if place == 0 { f64::INFINITY } else { statistics[place - 1] }
    }
}

/// Gaussian numbers with mean 0 and standard deviation 1.
fn gaussian_column(n: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut column: Vec<f64> = (0..n).map(|_| rng.sample(StandardNormal)).collect();
    let (mean, sd) = mean_and_deviation(&column);
    column.iter_mut().for_each(|v| *v = (*v - mean) / sd);
    column
}

/// The median absolute deviation from the median; 0 for an empty list.
fn median_absolute_deviation(values: Vec<f64>) -> f64 {
    let Some(middle) = median(values.clone()) else { return 0.0 };
    median(values.iter().map(|v| (v - middle).abs()).collect()).unwrap_or(0.0)
}

/// Predicts at `test` by least squares on the selected inputs of `train`.
fn least_squares(train: &Sample, test: &Sample, selected: &[usize]) -> Vec<f64> {
    let Outcome::Regression(y) = &train.outcome else { return Vec::new() };
    let inputs = |sample: &Sample| {
        // the last column is the intercept
        Mat::from_fn(sample.n(), selected.len() + 1, |i, k| {
            selected.get(k).map_or(1.0, |&j| sample.column(j)[i])
        })
    };
    let outcome = Mat::from_fn(train.n(), 1, |i, _| y[i]);
    let coefficients = inputs(train).col_piv_qr().solve_lstsq(&outcome);
    let predicted = inputs(test) * coefficients;
    (0..test.n()).map(|i| predicted[(i, 0)]).collect()
}
