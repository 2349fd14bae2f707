//! The null law of survival with inputs that are always in: it draws which of the samples at risk has each event.
//!
//! At each time of an event, the sample that has it is drawn from those at risk, with a chance proportional to its risk
//! `e^offset`, where the offset contains the null fit. The draw `y` of a sample is its number of events minus the expected
//! number given the earlier draws. So its mean is zero, and its covariance is the curvature of the partial likelihood at the
//! empty model. With Efron's ties a drawn sample is no longer at risk for the other events of that time; with Breslow's it is.
//! A permutation would not be valid: if risks differ, the variances of the residuals differ too. Cost: O(n + events * log n)
//! per draw. Tested below, and the level in `tests/always_in.rs`.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::elementary::exp;

/// The largest number of draws for a row with an event, whatever its weight.
const MOST_COPIES: f64 = 64.0;
/// After this many draws of samples that are no longer at risk, the remaining ones are searched in
/// order.
const MOST_TRIES: usize = 50;
/// A remaining risk below this part of the total is rounding error.
const NONE_LEFT: f64 = 1e-12;

/// The samples at risk at one time: the rows of the stratum up to `end`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct RiskSet {
    pub starts_stratum: bool,
    pub end: usize,
    /// The total weight of the events, and the rows that have them.
    pub events: f64,
    pub rows: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct AtRisk {
    sets: Vec<RiskSet>,
    /// The risk of a row at weight 1, relative to the largest of its stratum.
    of_copy: Vec<f64>,
    of_row: Vec<f64>,
    /// Cumulative over the rows of a stratum.
    cumulated: Vec<f64>,
    leaves: bool,
}

impl AtRisk {
    /// The rows are sorted by stratum, longest times first; with `leaves`, a sample can have only one event of a time.
    pub fn new(sets: Vec<RiskSet>, log_risks: Vec<f64>, weight: impl Fn(usize) -> f64, leaves: bool) -> Self {
        let mut of_copy = log_risks;
        let n = of_copy.len();
        let starts = starts_of(&sets);
        for (from, to) in starts.iter().zip(starts[1..].iter().chain([&n])) {
            let top = of_copy[*from..*to].iter().copied().fold(f64::NEG_INFINITY, f64::max);
            of_copy[*from..*to].iter_mut().for_each(|v| *v = exp(*v - top));
        }
        let of_row: Vec<f64> = of_copy.iter().enumerate().map(|(i, risk)| risk * weight(i)).collect();
        let mut cumulated = of_row.clone();
        for i in (1..n).filter(|i| starts.binary_search(i).is_err()) {
            cumulated[i] += cumulated[i - 1];
        }
        AtRisk { sets, of_copy, of_row, cumulated, leaves }
    }

    /// The first row of each stratum.
    pub fn starts(&self) -> Vec<usize> {
        starts_of(&self.sets)
    }

    pub fn draw(&self, rng: &mut ChaCha8Rng, y: &mut [f64]) {
        y.fill(0.0);
        let mut gone = vec![0.0; y.len()];
        let mut rates = Vec::with_capacity(self.sets.len());
        let (mut start, mut before) = (0, 0);
        for set in &self.sets {
            if set.starts_stratum {
                start = before;
            }
            before = set.end;
            rates.push(self.draw_set(rng, start, set, y, &mut gone));
        }
        // subtract the expected numbers, from the shortest time on
        let (mut end, mut ahead) = (y.len(), 0.0);
        for (at, (set, rate)) in self.sets.iter().zip(&rates).enumerate().rev() {
            ahead += rate;
            let first = if at == 0 { 0 } else { self.sets[at - 1].end };
            (first..end).for_each(|i| y[i] -= self.of_row[i] * ahead);
            end = first;
            if set.starts_stratum {
                ahead = 0.0;
            }
        }
    }

    /// Draws the samples that have the events of one time, from the rows at risk, which begin at `start`. Returns the expected
    /// number of events of a row of risk 1.
    fn draw_set(
        &self,
        rng: &mut ChaCha8Rng,
        start: usize,
        set: &RiskSet,
        y: &mut [f64],
        gone: &mut [f64],
    ) -> f64 {
        let count = set.events.min(MOST_COPIES * set.rows as f64).ceil();
        if count < 1.0 {
            return 0.0;
        }
        let copies = set.events / count;
        let (size, whole) = (copies.sqrt(), self.cumulated[set.end - 1]);
        let (mut rate, mut left) = (0.0, whole);
        let mut left_at: Vec<(usize, f64, f64)> = Vec::new();
        for _ in 0..count as usize {
            if left <= NONE_LEFT * whole {
                break;
            }
            rate += size / left;
            let row = self.draw_row(rng, start..set.end, left, gone);
            y[row] += size;
            if self.leaves {
                let risk = (copies * self.of_copy[row]).min(self.of_row[row] - gone[row]);
                gone[row] += risk;
                left -= risk;
                left_at.push((row, risk, rate));
            }
        }
        for (row, risk, rate_so_far) in left_at {
            y[row] += risk * (rate - rate_so_far);
            gone[row] = 0.0;
        }
        rate
    }

    fn draw_row(&self, rng: &mut ChaCha8Rng, rows: std::ops::Range<usize>, left: f64, gone: &[f64]) -> usize {
        let (cumulated, last) = (&self.cumulated[rows.clone()], rows.end - 1);
        for _ in 0..MOST_TRIES {
            let target = rng.random::<f64>() * cumulated[cumulated.len() - 1];
            let row = (rows.start + cumulated.partition_point(|c| *c <= target)).min(last);
            if gone[row] == 0.0 || rng.random::<f64>() * self.of_row[row] >= gone[row] {
                return row;
            }
        }
        let mut target = rng.random::<f64>() * left;
        let reached = |i: &usize| {
            target -= self.of_row[*i] - gone[*i];
            target < 0.0
        };
        rows.clone().find(reached).or_else(|| rows.rev().find(|i| gone[*i] < self.of_row[*i])).unwrap_or(last)
    }
}

fn starts_of(sets: &[RiskSet]) -> Vec<usize> {
    let ends = [0].into_iter().chain(sets.iter().map(|set| set.end));
    sets.iter().zip(ends).filter(|(set, _)| set.starts_stratum).map(|(_, first)| first).collect()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use crate::outcome::Ties;
    use crate::table::{AlwaysIn, Samples};
    use crate::tests::{gaussian, survival};
    use crate::threshold::projection::Metric;

    /// The covariance of the draws along a direction equals the curvature, within four standard errors of 20,000 draws, and
    /// each draw sums to zero.
    #[test]
    fn draws_have_the_covariance_of_the_partial_likelihood() {
        let n = 60;
        let offset: Vec<f64> = gaussian(n, 4).iter().map(|v| 0.8 * v).collect();
        let weights = (0..n).map(|i| [1.0, 2.0, 1.0, 3.0][i % 4]).collect();
        let always = Some(AlwaysIn::new(gaussian(n, 7), n));
        // with Efron's ties the curvature is that of one order of the tied events, so it cannot be compared
        for weights in [None, Some(weights)] {
            let offset = Some(offset.clone().into());
            let samples = Samples { weights, offset, always: always.clone(), ..Samples::default() };
            let loss = survival(n, samples, Ties::Breslow);
            let null = loss.null();
            let metric = Metric::of(&*loss, 1, false);
            let directions = gaussian(4 * n, 9);
            let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
            let (mut y, mut sums, draws) = (vec![0.0; n], [(0.0, 0.0); 4], 20_000);
            for _ in 0..draws {
                null.draw(&mut rng, n, &mut y);
                assert!(y.iter().sum::<f64>().abs() < 1e-9);
                for (sum, d) in sums.iter_mut().zip(directions.chunks(n)) {
                    let along: f64 = y.iter().zip(d).map(|(a, b)| a * b).sum();
                    *sum = (sum.0 + along, sum.1 + along * along);
                }
            }
            for ((first, second), d) in sums.iter().zip(directions.chunks(n)) {
                let expected: f64 = metric.times(d).iter().zip(d).map(|(a, b)| a * b).sum();
                let (mean, variance) = (first / draws as f64, second / draws as f64);
                assert!(mean.abs() < 4.0 * (expected / draws as f64).sqrt(), "{mean}");
                let error = expected * (2.0 / draws as f64).sqrt();
                assert!((variance - expected).abs() < 4.0 * error, "{variance} {expected}");
            }
        }
    }
}
