//! Quantile universal threshold (paper, Theorem 2).
//!
//! $$\lambda_{\mathrm{QUT}} = F_\Lambda^{-1}(1-\alpha)$$
//!
//! `Lambda = lambda_0(Y_0, X)` is the smallest penalty whose fit is empty if the outcome carries no signal. `Y_0` is
//! Gaussian in regression (the law of `Lambda` does not depend on its mean and variance), multinomial with the observed
//! proportions in classification, Poisson for counts, and a permutation of time and event in survival. A permutation of
//! the outcome is valid for every kind of noise (`null.rs`). Cost: O(draws * n * p), one matrix product per block of draws
//! and columns (in tall tables of draws and rows), distributed over the threads; each draw has its own random stream.
//! Memory: a few megabytes per thread. With very many samples: O(n p^2 + draws * p^2), because `X'Y` is drawn from its own
//! law (`law.rs`).
//! Tested in `src/tests/null_level.rs`.

mod at_risk;
mod law;
mod null;
mod pass;
mod projection;
mod statistic;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub(crate) use self::at_risk::{AtRisk, RiskSet};
use self::law::Law;
pub use self::null::NullChoice;
pub(crate) use self::null::{Null, NullLaw};
pub(crate) use self::pass::NullPass;
pub(crate) use self::projection::{Metric, Projection};
pub(crate) use self::statistic::{Across, NullStatistic};
use crate::network::Network;
use crate::outcome::Loss;
use crate::product::{dot, view};
use crate::progress::Observer;
use crate::settings::Settings;
use crate::table::Design;

/// The seed of the null draws, the same for every fit: `lambda_QUT` has a Monte Carlo error, and an input that
/// gains little more than its price would otherwise be selected with some seeds and not with others.
const NULL_SEED: u64 = 1;
/// Rows of the outcome in memory at once.
const ROW_BLOCK: usize = 8192;
/// Numbers of outcomes in memory at once.
const HELD: usize = 1 << 22;
/// The largest number of values that are drawn before they are stored.
const DRAWN: usize = 1 << 19;

/// `lambda_QUT`, its precision, and `lambda_0` of the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// The level: the probability of finding anything if no input matters.
    pub alpha: f64,
    /// The `1 - alpha` quantile of the null draws.
    pub lambda_qut: f64,
    /// Its Monte Carlo standard error.
    pub standard_error: f64,
    /// The smallest penalty at which the empty model is a local minimum for these data.
    pub lambda_zero: f64,
    /// The null draws of `lambda_0`, sorted.
    pub draws: Vec<f64>,
}

impl Threshold {
    /// The share of null draws with `lambda_0` at or above that of the data, counting the data
    /// themselves.
    pub fn p_value(&self) -> f64 {
        let above = self.draws.iter().filter(|d| **d >= self.lambda_zero).count();
        (above + 1) as f64 / (self.draws.len() + 1) as f64
    }

    /// The thresholds of several networks on the same outcome, from the same null draws.
    pub(crate) fn simulate<const N: usize>(
        x: &Design,
        loss: &dyn Loss,
        networks: [&Network; N],
        settings: &Settings,
        observer: &dyn Observer,
    ) -> [Self; N] {
        let (null, statistics) = Threshold::null(loss, networks, settings);
        let n = loss.n();
        let mut observed = Outcomes::new(n, null.columns(n), 1);
        observed.set(0, &null.observed(n));
        let zero = observed.largest(x, &statistics);
        Threshold::of(settings.alpha, &zero, &null_draws(x, &null, &statistics, settings, observer))
    }

    /// The null law, and the statistic of each network.
    pub(crate) fn null<const N: usize>(
        loss: &dyn Loss,
        networks: [&Network; N],
        settings: &Settings,
    ) -> (Null, [NullStatistic; N]) {
        let n = loss.n();
        let permuted = settings.null == NullChoice::Permutation || loss.samples().important;
        let null = if permuted { loss.null().permuted() } else { loss.null() };
        let null = match &loss.samples().always {
            Some(always) => {
                let metric = Metric::of(loss, null.columns(n), null.is_permuted());
                null.beside(Projection::new(always.values(), metric))
            }
            None => null,
        };
        let grouped = settings.penalty.is_grouped();
        let statistics = networks.map(|network| NullStatistic::new(&null, n, network, grouped));
        (null, statistics)
    }

    /// The thresholds, from the statistics of the outcome and those of every null draw, draw after
    /// draw.
    pub(crate) fn of<const N: usize>(alpha: f64, zero: &[f64], drawn: &[f64]) -> [Self; N] {
        std::array::from_fn(|at| {
            let mut draws: Vec<f64> = drawn.iter().skip(at).step_by(N).copied().collect();
            draws.sort_by(f64::total_cmp);
            let (lambda_qut, standard_error) = quantile(&draws, 1.0 - alpha);
            let [lambda_qut, lambda_zero] = [lambda_qut, zero[at]].map(twelve_digits);
            Threshold { alpha, lambda_qut, standard_error, lambda_zero, draws }
        })
    }
}

/// The statistics of every null draw, draw after draw.
fn null_draws(
    x: &Design,
    null: &Null,
    statistics: &[NullStatistic],
    settings: &Settings,
    observer: &dyn Observer,
) -> Vec<f64> {
    let n_draws = settings.draws;
    let n = x.n();
    let columns = null.columns(n);
    let law = if n > ROW_BLOCK { Law::of(x, null) } else { None };
    // outcomes that cannot be drawn in parts are stored whole, a limited number at once
    let by_rows = n > ROW_BLOCK && null.is_drawn_by_rows();
    let most = if by_rows || law.is_some() { usize::MAX } else { HELD / (n * columns) };
    let (rows, _) = x.block();
    let per_block = (rows / columns).min(most).max(1);
    let sums = if by_rows && law.is_none() { x.map(|column| column.iter().sum::<f64>()) } else { Vec::new() };
    let blocks: Vec<usize> = (0..n_draws).step_by(per_block).collect();
    blocks
        .into_par_iter()
        .flat_map_iter(|first| {
            let count = per_block.min(n_draws - first);
            if !observer.go_on() {
                return vec![0.0; count * statistics.len()];
            }
            match &law {
                Some(law) => law.largest(streams(first, count), columns, null, statistics),
                None if by_rows => {
                    largest_of_tall(x, &sums, columns, streams(first, count), &null.law, statistics)
                }
                None => Outcomes::of_null(null, n, first, count).largest(x, statistics),
            }
        })
        .collect()
}

/// The random streams of some null draws.
fn streams(first: usize, count: usize) -> Vec<ChaCha8Rng> {
    let of = |draw: usize| {
        let mut rng = ChaCha8Rng::seed_from_u64(NULL_SEED);
        rng.set_stream(draw as u64);
        rng
    };
    (first..first + count).map(of).collect()
}

/// How many outcomes of so many numbers are drawn before they are stored: a line of the cache holds eight.
fn at_once(size: usize) -> usize {
    (DRAWN / size).clamp(1, 8)
}

/// Several outcomes in the memory order of the product: sample after sample; for each sample the first column of all
/// outcomes, then the second.
struct Outcomes {
    n: usize,
    count: usize,
    y: Vec<f64>,
}

impl Outcomes {
    fn new(n: usize, columns: usize, count: usize) -> Self {
        Outcomes { n, count, y: vec![0.0; n * columns * count] }
    }

    /// The null draws `first..first + count`.
    fn of_null(null: &Null, n: usize, first: usize, count: usize) -> Self {
        let draw = |mut rng, y: &mut [f64]| null.draw(&mut rng, n, y);
        Outcomes::drawn(n, null.columns(n), streams(first, count), draw)
    }

    /// Draws an outcome of `columns` columns from each random stream.
    fn drawn(
        n: usize,
        columns: usize,
        streams: Vec<ChaCha8Rng>,
        draw: impl Fn(ChaCha8Rng, &mut [f64]),
    ) -> Self {
        let (size, together) = (n * columns, at_once(n * columns));
        let mut outcomes = Outcomes::new(n, columns, streams.len());
        let mut drawn = vec![0.0; size * together.min(streams.len())];
        for (group, streams) in streams.chunks(together).enumerate() {
            let drawn = &mut drawn[..size * streams.len()];
            drawn.chunks_mut(size).zip(streams).for_each(|(y, rng)| draw(rng.clone(), y));
            outcomes.set(group * together, drawn);
        }
        outcomes
    }

    /// Stores outcomes, one after the other and each column by column, as those from `first` on.
    fn set(&mut self, first: usize, drawn: &[f64]) {
        let (n, rows) = (self.n, self.y.len() / self.n);
        let size = rows / self.count * n;
        for (i, sample) in self.y.chunks_mut(rows).enumerate() {
            for (t, column) in sample.chunks_mut(self.count).enumerate() {
                let values = drawn[t * n + i..].iter().step_by(size);
                column[first..].iter_mut().zip(values).for_each(|(to, v)| *to = *v);
            }
        }
    }

    /// The statistics of each, on the inputs `x`.
    fn largest(&self, x: &Design, statistics: &[NullStatistic]) -> Vec<f64> {
        let Outcomes { n, count, y } = self;
        let rows = y.len() / n;
        let mut largest = LargestRows::new(statistics, *count);
        let (_, at_once) = x.block();
        let mut product = vec![0.0; rows * at_once.min(x.p())];
        for first in (0..x.p()).step_by(at_once) {
            let inputs = first..x.p().min(first + at_once);
            let product = &mut product[..rows * inputs.len()];
            x.multiply(product, view(y, rows, *n), inputs);
            largest.raise(rows / count, product);
        }
        largest.values()
    }
}

/// The running maximum over the rows of `X' Y`, for each of several statistics and outcomes.
struct LargestRows<'a> {
    statistics: &'a [NullStatistic],
    /// For each statistic, the index of the one with which it shares its maxima.
    shares: Vec<usize>,
    largest: Vec<Vec<f64>>,
}

impl<'a> LargestRows<'a> {
    fn new(statistics: &'a [NullStatistic], count: usize) -> Self {
        let first = |s: &NullStatistic| statistics.iter().position(|t| s.is_multiple_of(t)).unwrap_or(0);
        let shares: Vec<usize> = statistics.iter().map(first).collect();
        LargestRows { statistics, shares, largest: vec![vec![0.0; count]; statistics.len()] }
    }

    fn raise(&mut self, columns: usize, product: &[f64]) {
        for (at, largest) in self.largest.iter_mut().enumerate().filter(|(at, _)| self.shares[*at] == *at) {
            self.statistics[at].raise(largest, columns, product);
        }
    }

    /// Outcome after outcome.
    fn values(&self) -> Vec<f64> {
        let of = |outcome: usize| {
            let each = self.statistics.iter().zip(&self.shares);
            each.map(move |(statistic, share)| statistic.value(self.largest[*share][outcome]))
        };
        (0..self.largest[0].len()).flat_map(of).collect()
    }
}

/// `lambda_0` of one null outcome for each random stream, for outcomes too long for the memory. They are drawn
/// some rows at a time, and centred at the end by `X'(y - m) = X'y - m X'1`; `sums` are `X'1`.
fn largest_of_tall(
    x: &Design,
    sums: &[f64],
    columns: usize,
    mut streams: Vec<ChaCha8Rng>,
    law: &NullLaw,
    statistics: &[NullStatistic],
) -> Vec<f64> {
    let (n, p, count) = (x.n(), x.p(), streams.len());
    let rows = columns * count;
    let mut product = vec![0.0; rows * p];
    let mut of_draws = vec![(0.0, 0.0); rows];
    let (mut drawn, ones) = (Vec::new(), vec![1.0; ROW_BLOCK.min(n)]);
    for first in (0..n).step_by(ROW_BLOCK) {
        let samples = ROW_BLOCK.min(n - first);
        let (size, together) = (samples * columns, at_once(samples * columns));
        let mut block = Outcomes::new(samples, columns, count);
        for (group, streams) in streams.chunks_mut(together).enumerate() {
            drawn.resize(size * streams.len(), 0.0);
            for (at, (rng, drawn)) in streams.iter_mut().zip(drawn.chunks_mut(size)).enumerate() {
                law.draw_rows(rng, samples, drawn);
                for (t, y) in drawn.chunks(samples).enumerate() {
                    let (sum, squares) = &mut of_draws[t * count + group * together + at];
                    *sum += dot(y, &ones[..samples]);
                    *squares += dot(y, y);
                }
            }
            block.set(group * together, &drawn);
        }
        let y = view(&block.y, rows, samples);
        x.multiply_add_rows(&mut product, y, first..first + samples);
    }
    let moments: Vec<_> = of_draws.iter().map(|(sum, squares)| law.moments(n, *sum, *squares)).collect();
    for (product, of_ones) in product.chunks_mut(rows).zip(sums) {
        product.iter_mut().zip(&moments).for_each(|(v, (mean, scale))| *v = (*v - mean * of_ones) * scale);
    }
    let mut largest = LargestRows::new(statistics, count);
    largest.raise(columns, &product);
    largest.values()
}

/// Rounded to 40 bits, so that dense and sparse products, which sum in different orders, give the same value.
fn twelve_digits(value: f64) -> f64 {
    const DROPPED: u64 = 1 << 12;
    f64::from_bits((value.to_bits() + DROPPED / 2) & !(DROPPED - 1))
}

/// An upper quantile of sorted draws, and its standard error from the binomial spread of its rank.
fn quantile(sorted: &[f64], level: f64) -> (f64, f64) {
    let n = sorted.len() as f64;
    let at = |rank: f64| sorted[(rank.ceil().max(1.0) as usize).min(sorted.len()) - 1];
    let spread = (n * level * (1.0 - level)).sqrt().max(1.0);
    let rank = level * n;
    (at(rank), (at(rank + spread) - at(rank - spread)) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activation::Activation;
    use crate::network::Link;
    use crate::outcome::{Classes, Numbers};
    use crate::table::Samples;
    use crate::tests::{gaussian, standardised};

    /// Numbers and three classes: the null law, the columns, and the statistics of a network and of the linear model.
    fn nulls(n: usize, p: usize) -> [(Null, usize, [NullStatistic; 2]); 2] {
        let labels = (0..n).map(|i| i * i % 3).collect();
        let losses: [Box<dyn Loss>; 2] = [
            Box::new(Numbers::new(gaussian(n, 2))),
            Box::new(Classes::new(labels, 3, Samples::default(), Link::Softmax)),
        ];
        losses.map(|loss| {
            let null = loss.null();
            let statistics = [&[4][..], &[]].map(|hidden| {
                let network = Network::new(p, hidden, loss.n_outputs(), &Activation::default());
                NullStatistic::new(&null, n, &network, false)
            });
            let columns = null.columns(n);
            (null, columns, statistics)
        })
    }

    #[test]
    fn outcomes_of_tall_tables_need_not_be_held() {
        let (n, p) = (ROW_BLOCK + 100, 7);
        let x = Design::dense(standardised(n, p, 1), n);
        for (null, columns, statistics) in nulls(n, p) {
            let streams: Vec<ChaCha8Rng> = (0..5).map(ChaCha8Rng::seed_from_u64).collect();
            let draw = |mut rng, y: &mut [f64]| null.draw(&mut rng, n, y);
            let held = Outcomes::drawn(n, columns, streams.clone(), draw).largest(&x, &statistics);
            let sums = x.map(|column| column.iter().sum::<f64>());
            let summed = largest_of_tall(&x, &sums, columns, streams, &null.law, &statistics);
            assert_eq!(held.len(), 10);
            for (held, summed) in held.iter().zip(&summed) {
                assert!((held - summed).abs() < 1e-11 * held, "{held} {summed}");
            }
        }
    }

    #[test]
    fn outcomes_drawn_by_their_law_have_the_same_quantiles() {
        let (n, p, count) = (3000, 7, 20_000);
        let mut x = standardised(n, p, 1);
        // correlated inputs
        for i in 0..n {
            x[n + i] += 0.8 * x[i];
        }
        let design = Design::dense(x.clone(), n);
        let numbers = Numbers::new(gaussian(n, 2));
        let always: Vec<f64> = gaussian(n, 3).iter().zip(&x).map(|(z, x)| z + x).collect();
        let projection = || Projection::new(&always, Metric::of(&numbers, 1, false));
        let [of_numbers, of_classes] = nulls(n, p);
        let (null, columns, statistics) = of_numbers.clone();
        let beside = (null.beside(projection()), columns, statistics);
        for (null, columns, statistics) in [of_numbers, of_classes, beside] {
            let statistics = &statistics[..1];
            let streams = |seed: u64| (0..count).map(move |k| ChaCha8Rng::seed_from_u64(seed + k));
            let mut by_law =
                Law::new(&x, n, &null).unwrap().largest(streams(0).collect(), columns, &null, statistics);
            let draw = |mut rng, y: &mut [f64]| null.draw(&mut rng, n, y);
            let simulate = |rng| Outcomes::drawn(n, columns, vec![rng], draw).largest(&design, statistics)[0];
            let mut simulated: Vec<f64> = streams(1 << 20).map(simulate).collect();
            by_law.sort_by(f64::total_cmp);
            simulated.sort_by(f64::total_cmp);
            for level in [0.1, 0.5, 0.9, 0.95, 0.99] {
                let ((a, error), (b, _)) = (quantile(&by_law, level), quantile(&simulated, level));
                // four standard errors of a difference
                assert!((a - b).abs() < 4.0 * 2.0f64.sqrt() * error, "{level}: {a} {b} {error}");
            }
        }
    }

    #[test]
    fn classes_are_drawn_one_by_one_unless_each_has_very_many_samples() {
        let law = |n: usize, rare: usize| {
            let labels = (0..n).map(|i| usize::from(i < rare)).collect();
            Classes::new(labels, 2, Samples::default(), Link::Softmax).null()
        };
        assert!(law(1_000_000, 500_000).is_normal(1_000_000, 1.6));
        assert!(!law(1_000_000, 10_000).is_normal(1_000_000, 1.6));
        assert!(!law(1_000_000, 500_000).is_normal(1_000_000, 20.0));
        assert!(!law(10_000, 5000).is_normal(10_000, 1.6));
    }

    #[test]
    fn the_quantile_leaves_a_share_of_alpha_above_it() {
        let draws: Vec<f64> = (1..=1000).map(f64::from).collect();
        let (q, error) = quantile(&draws, 0.95);
        assert_eq!(q, 950.0);
        // the rank of the quantile has standard deviation sqrt(1000 * .95 * .05) = 6.9
        assert!((6.0..=8.0).contains(&error));
    }
}
