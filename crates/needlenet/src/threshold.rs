//! Quantile universal threshold (paper, Theorem 2).
//!
//! $$\lambda_{\mathrm{QUT}} = F_\Lambda^{-1}(1-\alpha)$$
//!
//! `Lambda = lambda_0(Y_0, X)` is the smallest penalty whose fit is empty when the outcome carries
//! no signal: `Y_0` is Gaussian in regression (its law does not depend on mean and variance) and
//! multinomial with the observed proportions in classification.
//! Cost: O(draws * n * p), one matrix product per block of draws and columns (in tall tables of draws and
//! rows), shared out over the threads; each draw has its own random stream. Memory: a few megabytes a thread.
//! Very many samples: O(n p^2 + draws * p^2), `X'Y` being drawn by its own law (`law.rs`).
//! Tested in `src/tests/null_level.rs`.

mod law;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::law::Law;
use crate::loss::{Loss, NullStatistic};
use crate::network::Network;
use crate::product::{dot, multiply, multiply_add, view, view_mut};
use crate::progress::Observer;
use crate::settings::Settings;

/// Columns of the product computed at once: two blocks of this size stay in the cache.
const DRAW_COLUMNS: usize = 96;
const INPUT_BLOCK: usize = 512;
/// Rows of the outcome held at once.
const ROW_BLOCK: usize = 8192;

/// `lambda_QUT`, how precisely it is known, and the data's own `lambda_0`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// The level: the chance of finding anything where there is nothing.
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
    /// The share of null draws at or above the data's `lambda_zero`, counting the data themselves.
    pub fn p_value(&self) -> f64 {
        let above = self.draws.iter().filter(|d| **d >= self.lambda_zero).count();
        (above + 1) as f64 / (self.draws.len() + 1) as f64
    }

    /// The same threshold for statistics that are smaller by a factor.
    pub(crate) fn divided_by(self, factor: f64) -> Self {
        Threshold {
            alpha: self.alpha,
            lambda_qut: self.lambda_qut / factor,
            standard_error: self.standard_error / factor,
            lambda_zero: self.lambda_zero / factor,
            draws: self.draws.into_iter().map(|draw| draw / factor).collect(),
        }
    }

    pub(crate) fn simulate(
        x: &[f64],
        loss: &Loss,
        network: &Network,
        settings: &Settings,
        observer: &dyn Observer,
    ) -> Self {
        let alpha = settings.alpha;
        let statistic = NullStatistic::new(loss, network, settings.penalty.is_grouped());
        let mut draws = null_draws(x, loss, &statistic, settings, observer);
        draws.sort_by(f64::total_cmp);
        let lambda_zero = largest(x, loss.n(), &statistic.observed(loss), 1, &statistic)[0];
        let (lambda_qut, standard_error) = quantile(&draws, 1.0 - alpha);
        Threshold { alpha, lambda_qut, standard_error, lambda_zero, draws }
    }
}

fn null_draws(
    x: &[f64],
    loss: &Loss,
    statistic: &NullStatistic,
    settings: &Settings,
    observer: &dyn Observer,
) -> Vec<f64> {
    let Settings { draws: n_draws, seed, .. } = *settings;
    let n = loss.n();
    let columns = statistic.n_columns(loss);
    let law = if n > ROW_BLOCK { Law::of(x, n, statistic) } else { None };
    let per_block = (DRAW_COLUMNS / columns).max(1);
    let blocks: Vec<usize> = (0..n_draws).step_by(per_block).collect();
    blocks
        .into_par_iter()
        .flat_map_iter(|first| {
            let count = per_block.min(n_draws - first);
            if !observer.go_on() {
                return vec![0.0; count];
            }
            let stream = |draw: usize| {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                rng.set_stream((first + draw) as u64);
                rng
            };
            if let Some(law) = &law {
                return law.largest((0..count).map(stream).collect(), columns, statistic);
            }
            if n > ROW_BLOCK {
                return largest_of_tall(x, n, columns, (0..count).map(stream).collect(), statistic);
            }
            let mut y = vec![0.0; n * columns * count];
            for (draw, y) in y.chunks_mut(n * columns).enumerate() {
                statistic.draw(&mut stream(draw), n, y);
            }
            largest(x, n, &y, count, statistic)
        })
        .collect()
}

/// `lambda_0` of each of `count` outcomes, laid side by side in `y`.
fn largest(x: &[f64], n: usize, y: &[f64], count: usize, statistic: &NullStatistic) -> Vec<f64> {
    let columns = y.len() / (n * count);
    let mut largest = vec![0.0f64; count];
    let mut product = vec![0.0; INPUT_BLOCK * columns * count];
    for x in x.chunks(INPUT_BLOCK * n) {
        let rows = x.len() / n;
        let product = &mut product[..rows * columns * count];
        multiply(
            view_mut(product, rows, columns * count),
            view(x, n, rows).transpose(),
            view(y, n, columns * count),
        );
        for (largest, product) in largest.iter_mut().zip(product.chunks(rows * columns)) {
            *largest = largest.max(statistic.largest_row(product, rows));
        }
    }
    largest
}

/// `lambda_0` of one null outcome for each random stream, where the outcomes are too long to be held: they are
/// drawn some rows at a time, and `X'(y - m) = X'y - m X'1` centres them in the end.
fn largest_of_tall(
    x: &[f64],
    n: usize,
    columns: usize,
    mut streams: Vec<ChaCha8Rng>,
    statistic: &NullStatistic,
) -> Vec<f64> {
    let (p, width) = (x.len() / n, columns * streams.len());
    let x = view(x, n, p);
    let mut y = vec![0.0; ROW_BLOCK * (width + 1)];
    // the last column is all ones, for X'1
    let mut product = vec![0.0; p * (width + 1)];
    let mut sums = vec![(0.0, 0.0); width];
    for first in (0..n).step_by(ROW_BLOCK) {
        let rows = ROW_BLOCK.min(n - first);
        let (drawn, ones) = y[..rows * (width + 1)].split_at_mut(rows * width);
        ones.fill(1.0);
        for (rng, y) in streams.iter_mut().zip(drawn.chunks_mut(rows * columns)) {
            statistic.draw_rows(rng, rows, y);
        }
        for ((sum, squares), y) in sums.iter_mut().zip(drawn.chunks(rows)) {
            *sum += y.iter().sum::<f64>();
            *squares += dot(y, y);
        }
        multiply_add(
            view_mut(&mut product, p, width + 1),
            x.subrows(first, rows).transpose(),
            view(&y[..rows * (width + 1)], rows, width + 1),
        );
    }
    let (products, of_ones) = product.split_at_mut(p * width);
    for (product, (sum, squares)) in products.chunks_mut(p).zip(sums) {
        let (mean, scale) = statistic.moments(n, sum, squares);
        product.iter_mut().zip(&*of_ones).for_each(|(v, one)| *v = (*v - mean * one) * scale);
    }
    products.chunks(p * columns).map(|product| statistic.largest_row(product, p)).collect()
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
    use crate::tests::{gaussian, standardised};

    /// The statistics of a regression and of three classes, with the number of their columns.
    fn statistics(n: usize, p: usize) -> [(NullStatistic, usize); 2] {
        let labels = (0..n).map(|i| i * i % 3).collect();
        let losses = [
            Loss::ResidualNorm { y: gaussian(n, 2) },
            Loss::CrossEntropy { labels, n_classes: 3, link: Link::Softmax },
        ];
        losses.map(|loss| {
            let network = Network::new(p, &[4], loss.n_outputs(), &Activation::default());
            let statistic = NullStatistic::new(&loss, &network, false);
            let columns = statistic.n_columns(&loss);
            (statistic, columns)
        })
    }

    #[test]
    fn outcomes_of_tall_tables_need_not_be_held() {
        let (n, p) = (ROW_BLOCK + 100, 7);
        let x = standardised(n, p, 1);
        for (statistic, columns) in statistics(n, p) {
            let streams: Vec<ChaCha8Rng> = (0..5).map(ChaCha8Rng::seed_from_u64).collect();
            let mut y = vec![0.0; n * columns * streams.len()];
            for (rng, y) in streams.iter().zip(y.chunks_mut(n * columns)) {
                statistic.draw(&mut rng.clone(), n, y);
            }
            let held = largest(&x, n, &y, streams.len(), &statistic);
            let summed = largest_of_tall(&x, n, columns, streams, &statistic);
            for (held, summed) in held.iter().zip(&summed) {
                assert!((held - summed).abs() < 1e-11 * held, "{held} {summed}");
            }
        }
    }

    #[test]
    fn outcomes_drawn_by_their_law_have_the_same_quantiles() {
        let (n, p, count) = (3000, 7, 20_000);
        let mut x = standardised(n, p, 1);
        // inputs that have something in common
        for i in 0..n {
            x[n + i] += 0.8 * x[i];
        }
        for (statistic, columns) in statistics(n, p) {
            let streams = |seed: u64| (0..count).map(move |k| ChaCha8Rng::seed_from_u64(seed + k));
            let mut by_law = Law::new(&x, n).unwrap().largest(streams(0).collect(), columns, &statistic);
            let mut y = vec![0.0; n * columns];
            let mut simulated: Vec<f64> = streams(1 << 20)
                .map(|mut rng| {
                    statistic.draw(&mut rng, n, &mut y);
                    largest(&x, n, &y, 1, &statistic)[0]
                })
                .collect();
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
        let statistic = |n: usize, rare: usize| {
            let labels = (0..n).map(|i| usize::from(i < rare)).collect();
            let loss = Loss::CrossEntropy { labels, n_classes: 2, link: Link::Softmax };
            NullStatistic::new(&loss, &Network::new(1, &[], 2, &Activation::default()), false)
        };
        assert!(statistic(1_000_000, 500_000).is_normal(1_000_000, 1.6));
        assert!(!statistic(1_000_000, 10_000).is_normal(1_000_000, 1.6));
        assert!(!statistic(1_000_000, 500_000).is_normal(1_000_000, 20.0));
        assert!(!statistic(10_000, 5000).is_normal(10_000, 1.6));
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
