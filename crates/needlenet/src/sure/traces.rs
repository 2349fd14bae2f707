//! The traces of one input in what the others leave of the outcome, and the p-value of the largest.
//!
//! With residuals `r` of the outcome and `x_j = mu + e`, the traces are
//!
//! $$ \sum_i r_i e_i, \qquad \sum_i r_i (x_{ij}^2 - \mathrm{E}\, x_{ij}^2), \qquad \sum_i r_i x_{ik} e_i : $$
//!
//! straight, bent, and the products with other inputs. Each is centred given the others, so it has mean zero if either
//! the fit of the outcome or that of `x_j` is right. Its chance is taken over redraws of `e` (`tail.rs`). The p-value is that
//! of Bonferroni with a share of the level for each kind of trace; a product with one of `q` inputs has `1/q` of the share of
//! its kind. The inputs found for the outcome are a kind of their own, and their list does not depend on `x_j`.
//! Cost: O(n p), and a few tails. Tested in `tests/sure.rs`.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::distil::{InputLeft, OutcomeLeft, standardised};
use super::tail::{LEAST_TAIL, Points, Trace};
use crate::table::{Data, Samples};

/// Shares of the level: straight, bent, products with inputs found for the outcome, products with any other.
const SHARES: [f64; 4] = [0.5, 0.25, 0.125, 0.125];
/// An input whose residual is below this part of its standard deviation says nothing that the others do not.
const LEAST_RESIDUAL: f64 = 1e-6;

/// How an input shows in what the others leave.
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

/// The p-value of an input and the trace that it comes from.
pub(crate) struct Tested {
    pub p_value: f64,
    pub shown: Shown,
}

/// Tests one input.
pub(crate) fn test(data: &Data, dropped: &[usize], outcome: &OutcomeLeft, input: &InputLeft) -> Tested {
    let samples = data.samples();
    let law = Points::of(&input.residual, &samples);
    let mut best = Tested { p_value: 1.0, shown: Shown::Straight };
    let is_left = law.variance.sqrt() > LEAST_RESIDUAL;
    if !is_left {
        return best;
    }
    let others: Vec<usize> = (0..data.n_features()).filter(|k| dropped.binary_search(k).is_err()).collect();
    let (known, unknown): (Vec<usize>, Vec<usize>) =
        others.into_iter().partition(|k| outcome.found.binary_search(k).is_ok());
    let offered = [1, 1, known.len(), unknown.len()];
    let whole: f64 = SHARES.iter().zip(offered).filter(|(_, count)| *count > 0).map(|(share, _)| share).sum();
    // chances over all kinds and outputs
    let times = |kind: usize| offered[kind] as f64 * outcome.residuals.len() as f64 * whole / SHARES[kind];
    for r in &outcome.residuals {
        let test = Test { r, input, law: &law, samples: &samples };
        let mut offer = |kind: usize, tail: f64, shown: &dyn Fn() -> Shown| {
            let p_value = (tail * times(kind)).clamp(LEAST_TAIL, 1.0);
            if p_value < best.p_value {
                best = Tested { p_value, shown: shown() };
            }
        };
        offer(0, test.straight(), &|| Shown::Straight);
        offer(1, test.bent(), &|| Shown::Bent);
        for (kind, partners) in [(2, &known), (3, &unknown)] {
            if let Some(k) = test.best_partner(data, partners) {
                offer(kind, test.product(data, k), &|| Shown::With(data.names()[k].clone()));
            }
        }
    }
    best
}

struct Test<'a> {
    r: &'a [f64],
    input: &'a InputLeft,
    law: &'a Points,
    samples: &'a Samples,
}

impl Test<'_> {
    fn chance(&self, trace: &Trace) -> f64 {
        let value = trace.at(&self.input.residual, self.law.variance);
        trace.two_sided(value, self.law, self.samples)
    }

    fn straight(&self) -> f64 {
        self.chance(&Trace { straight: self.r.to_vec(), square: None })
    }

    fn bent(&self) -> f64 {
        let straight = self.r.iter().zip(&self.input.mean).map(|(r, m)| 2.0 * r * m).collect();
        self.chance(&Trace { straight, square: Some(self.r) })
    }

    fn product(&self, data: &Data, k: usize) -> f64 {
        let x = standardised(&data.column(k), self.samples);
        self.chance(&Trace { straight: self.r.iter().zip(&x).map(|(r, x)| r * x).collect(), square: None })
    }

    /// The input whose product with this one has the largest trace, over its standard deviation.
    fn best_partner(&self, data: &Data, partners: &[usize]) -> Option<usize> {
        let traces: Vec<f64> = partners
            .par_iter()
            .map(|&k| {
                let x = standardised(&data.column(k), self.samples);
                let (mut sum, mut squares) = (0.0, 0.0);
                for (i, ((x, r), e)) in x.iter().zip(self.r).zip(&self.input.residual).enumerate() {
                    sum += r * x * e;
                    squares += r * x * r * x / self.samples.weight(i);
                }
                if squares > 0.0 { sum.abs() / squares.sqrt() } else { 0.0 }
            })
            .collect();
        let largest = traces.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)))?;
        Some(partners[largest.0])
    }
}
