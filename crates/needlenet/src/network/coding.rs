//! How the inputs of the smooth network are coded.
//!
//! *Saturated*: $s(x) = 3 \tanh(x / 3)$ leaves a standardised input nearly as it is within two standard deviations, and bounds
//! the influence of far values.
//!
//! *Ranks*: $s(x) = \sqrt{12}\,(F(x) - 1/2)$, where `F` is the distribution function of the samples of the fit, with ties at the
//! middle of their ranks. An input with long tails, such as a concentration or a count of words, has most of its samples within a
//! small part of its range; its ranks are spread evenly. `F` is linear between at most `KNOTS` knots, and constant outside.
//! Cost: O(n log n) an input to find the knots, O(n log KNOTS) to apply them.

use serde::{Deserialize, Serialize};

use crate::elementary::tanh;
use crate::table::Samples;

/// Standard deviations at which an input saturates.
const SATURATION: f64 = 3.0;
/// The largest number of knots of a distribution function, not counting the last.
const KNOTS: usize = 100;

/// A value and its score, ascending in both.
type Knot = (f64, f64);

/// The coding of every input of a smooth network.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coding {
    /// Standardised, and bounded at three standard deviations.
    #[default]
    Saturated,
    /// By its rank among the samples of the fit: the knots of each input, as pairs of a standardised value and its score.
    Ranks(Vec<Vec<(f64, f64)>>),
}

impl Coding {
    /// By ranks; `x` has the standardised inputs side by side.
    pub(crate) fn ranks(x: &[f64], samples: &Samples, n: usize) -> Self {
        Coding::Ranks(x.chunks(n).map(|column| knots(column, samples)).collect())
    }

    /// The inputs as the network sees them; `x` is `n x inputs`, standardised.
    pub(crate) fn apply(&self, x: &[f64], n: usize) -> Vec<f64> {
        match self {
            Coding::Saturated => x.iter().map(|v| SATURATION * tanh(v / SATURATION)).collect(),
            Coding::Ranks(knots) => {
                let of_column = |(column, knots): (&[f64], &Vec<Knot>)| {
                    column.iter().map(|v| score(knots, *v)).collect::<Vec<_>>()
                };
                x.chunks(n).zip(knots).flat_map(of_column).collect()
            }
        }
    }

    /// The coding after the sign of some inputs has changed. Every coding is odd, so their scores change sign.
    pub(crate) fn turned(self, signs: impl Iterator<Item = f64>) -> Self {
        let Coding::Ranks(mut knots) = self else { return self };
        for (knots, sign) in knots.iter_mut().zip(signs) {
            if sign < 0.0 {
                knots.reverse();
                knots.iter_mut().for_each(|knot| *knot = (-knot.0, -knot.1));
            }
        }
        Coding::Ranks(knots)
    }

    /// The coding of the inputs in another order.
    pub(crate) fn reordered(&mut self, order: &[usize]) {
        if let Coding::Ranks(knots) = self {
            *knots = order.iter().map(|&from| knots[from].clone()).collect();
        }
    }

    /// Whether the coding is valid for this many inputs; a model file may be damaged or forged.
    pub(crate) fn is_valid(&self, inputs: usize) -> bool {
        let Coding::Ranks(knots) = self else { return true };
        let ascends = |pair: &[Knot]| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1;
        let is_finite = |knot: &Knot| knot.0.is_finite() && knot.1.is_finite();
        knots.len() == inputs
            && knots.iter().all(|k| !k.is_empty() && k.iter().all(is_finite) && k.windows(2).all(ascends))
    }
}

/// The knots of a column: the first value of each of `KNOTS` equal parts of the ranks (a part may be empty because of ties), and
/// the last value.
fn knots(column: &[f64], samples: &Samples) -> Vec<Knot> {
    let mut order: Vec<usize> = (0..column.len()).collect();
    order.sort_by(|a, b| column[*a].total_cmp(&column[*b]));
    let total = samples.total(column.len());
    let (mut knots, mut below, mut part) = (Vec::new(), 0.0, usize::MAX);
    let ties: Vec<&[usize]> = order.chunk_by(|a, b| column[*a] == column[*b]).collect();
    for (at, tie) in ties.iter().enumerate() {
        let weight: f64 = tie.iter().map(|&i| samples.weight(i)).sum();
        let rank = (below + 0.5 * weight) / total;
        let own = (rank * KNOTS as f64) as usize;
        if own != part || at + 1 == ties.len() {
            knots.push((column[tie[0]], 12.0f64.sqrt() * (rank - 0.5)));
            part = own;
        }
        below += weight;
    }
    knots
}

fn score(knots: &[Knot], value: f64) -> f64 {
    let above = knots.partition_point(|knot| knot.0 < value);
    match (above.checked_sub(1).map(|at| knots[at]), knots.get(above)) {
        (Some(low), Some(high)) => low.1 + (high.1 - low.1) * ((value - low.0) / (high.0 - low.0)),
        (Some(last), None) => last.1,
        (None, first) => first.map_or(0.0, |knot| knot.1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_do_not_see_a_monotone_change_of_an_input() {
        let x: Vec<f64> = (0..50).map(|i| f64::from(i * 37 % 50) / 10.0 - 2.0).collect();
        let bent: Vec<f64> = x.iter().map(|v| v.exp()).collect();
        let coded = |x: &[f64]| Coding::ranks(x, &Samples::default(), 50).apply(x, 50);
        let (a, b) = (coded(&x), coded(&bent));
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12));
        // fifty evenly spread scores: mean 0, variance 1 - 1 / 50^2
        assert!(a.iter().sum::<f64>().abs() < 1e-12);
        assert!((a.iter().map(|v| v * v).sum::<f64>() / 50.0 - (1.0 - 1.0 / 2500.0)).abs() < 1e-12);
    }

    #[test]
    fn ties_have_the_middle_of_their_ranks_and_far_values_the_last_score() {
        let x = [0.0, 0.0, 0.0, 1.0];
        let coding = Coding::ranks(&x, &Samples::default(), 4);
        let scores = coding.apply(&[0.0, 1.0, 0.5, 9.0, -9.0], 5);
        let expected = [-0.125, 0.375, 0.125, 0.375, -0.125].map(|rank| rank * 12.0f64.sqrt());
        assert!(scores.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{scores:?}");
    }

    #[test]
    fn a_turned_coding_is_that_of_the_turned_input() {
        let x = [0.3, -1.0, 2.0, 0.3, 5.0];
        let negative = x.map(|v| -v);
        let of = |x: &[f64]| Coding::ranks(x, &Samples::default(), 5);
        let (Coding::Ranks(turned), Coding::Ranks(expected)) =
            (of(&x).turned([-1.0].into_iter()), of(&negative))
        else {
            unreachable!()
        };
        assert_eq!(turned[0].len(), expected[0].len());
        for (a, b) in turned[0].iter().zip(&expected[0]) {
            assert!(a.0 == b.0 && (a.1 - b.1).abs() < 1e-15, "{turned:?} {expected:?}");
        }
    }
}
