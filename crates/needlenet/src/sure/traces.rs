//! The traces of one input in the residuals of the outcome, and one p-value from all of them.
//!
//! With residuals `r` of the outcome and `x_j = mu + e`, the traces are
//!
//! $$ \sum_i r_i e_i, \qquad \sum_i r_i (x_{ij}^2 - \mathrm{E}\, x_{ij}^2), \qquad \sum_i r_i x_{ik} e_i : $$
//!
//! straight, bent, and the products with other inputs. Each is centred given the others, so it has mean zero if either
//! the fit of the outcome or that of `x_j` is right. Its chance is taken over redraws of `e` (`tail.rs`). The p-value is that
//! of a weighted Bonferroni correction: each kind of trace has a share of the level, and each of `q` products of one kind has `1/q`
//! of that share. Products with the inputs found for the outcome are a kind of their own; that list does not depend on `x_j`.
//! The columns of an input have equal shares of the level. A column of two values has no bent trace, because its square is a linear
//! function of it.
//! Cost: O(n p) a column, and a few tails. Tested in `tests/sure.rs`.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::distil::OutcomeLeft;
use super::law::{InputLeft, standardised};
use super::tail::{LEAST_TAIL, Trace};
use crate::table::{Data, Samples};

/// Shares of the level: straight, bent, products with inputs found for the outcome, products with any other.
const SHARES: [f64; 4] = [0.5, 0.25, 0.125, 0.125];
/// If the residual is below this part of the standard deviation, the others determine the input and it is not tested.
const LEAST_RESIDUAL: f64 = 1e-6;

/// The kind of trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// Along a straight line.
    Straight,
    /// By its square.
    Bent,
    /// By its product with another input.
    With(String),
}

/// The p-value of an input and its strongest trace.
pub(crate) struct Tested {
    pub p_value: f64,
    pub shown: Shown,
}

/// Tests one input by its columns, where `dropped` are left out of both fits.
pub(crate) fn test(data: &Data, dropped: &[usize], outcome: &OutcomeLeft, columns: &[InputLeft]) -> Tested {
    let samples = data.samples();
    let others = (0..data.n_features()).filter(|k| dropped.binary_search(k).is_err());
    let is_known =
        |k: &usize| outcome.found.binary_search(k).is_ok() || data.not_searched().columns().contains(k);
    let (known, unknown): (Vec<usize>, Vec<usize>) = others.partition(is_known);
    let mut best = Tested { p_value: 1.0, shown: Shown::Straight };
    // chances over all outputs and columns
    let chances = (outcome.residuals.len() * columns.len()) as f64;
    for input in columns.iter().filter(|input| input.size(&samples) > LEAST_RESIDUAL) {
        let offered = [1, usize::from(input.law.has_squares()), known.len(), unknown.len()];
        let whole: f64 =
            SHARES.iter().zip(offered).filter(|(_, count)| *count > 0).map(|(share, _)| share).sum();
        let times = |kind: usize| offered[kind] as f64 * chances * whole / SHARES[kind];
        for r in &outcome.residuals {
            let test = Test { r, input, samples: &samples };
            let mut offer = |kind: usize, tail: f64, shown: &dyn Fn() -> Shown| {
                let p_value = (tail * times(kind)).clamp(LEAST_TAIL, 1.0);
                if p_value < best.p_value {
                    best = Tested { p_value, shown: shown() };
                }
            };
            offer(0, test.straight(), &|| Shown::Straight);
            if input.law.has_squares() {
                offer(1, test.bent(), &|| Shown::Bent);
            }
            for (kind, partners) in [(2, &known), (3, &unknown)] {
                if let Some(k) = test.best_partner(data, partners) {
                    offer(kind, test.product(data, k), &|| Shown::With(data.names()[k].clone()));
                }
            }
        }
    }
    best
}

struct Test<'a> {
    r: &'a [f64],
    input: &'a InputLeft,
    samples: &'a Samples,
}

impl Test<'_> {
    fn chance(&self, trace: &Trace) -> f64 {
        let value = trace.at(&self.input.residual, &self.input.law);
        trace.two_sided(value, &self.input.law, self.samples)
    }

    /// The factor of each residual in a sum over `r e factor`.
    fn straight_by(&self, factor: impl Fn(usize) -> f64) -> Vec<f64> {
        self.r
            .iter()
            .zip(&self.input.spread)
            .enumerate()
            .map(|(i, (r, spread))| r * spread * factor(i))
            .collect()
    }

    fn straight(&self) -> f64 {
        self.chance(&Trace { straight: self.straight_by(|_| 1.0), square: None })
    }

    fn bent(&self) -> f64 {
        let square = self.r.iter().zip(&self.input.spread).map(|(r, spread)| r * spread * spread).collect();
        let straight = self.straight_by(|i| 2.0 * self.input.mean[i]);
        self.chance(&Trace { straight, square: Some(square) })
    }

    fn product(&self, data: &Data, k: usize) -> f64 {
        let x = standardised(&data.column(k), self.samples);
        self.chance(&Trace { straight: self.straight_by(|i| x[i]), square: None })
    }

    /// The input whose product with this one has the largest trace, over its standard deviation.
    fn best_partner(&self, data: &Data, partners: &[usize]) -> Option<usize> {
        let factors = self.straight_by(|_| 1.0);
        let traces: Vec<f64> = partners
            .par_iter()
            .map(|&k| {
                let x = standardised(&data.column(k), self.samples);
                let (mut sum, mut squares) = (0.0, 0.0);
                for (i, ((x, factor), e)) in x.iter().zip(&factors).zip(&self.input.residual).enumerate() {
                    sum += factor * x * e;
                    squares += factor * x * factor * x / self.samples.copies(i);
                }
                if squares > 0.0 { sum.abs() / squares.sqrt() } else { 0.0 }
            })
            .collect();
        let largest = traces.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)))?;
        Some(partners[largest.0])
    }
}
