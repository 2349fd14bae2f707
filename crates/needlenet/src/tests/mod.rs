//! Tests of the mathematics, which need the inside of the crate.

mod blocks;
mod certificate;
mod designs;
mod gradients;
mod null_level;
mod penalties;
mod predictor;
mod products;
mod reference;
mod same_function;
mod shards;
mod sure_level;
mod swap;
mod traces;
mod zero_threshold;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use crate::network::Link;
use crate::outcome::{Classes, Counts, Loss, Numbers, Survival, Ties};
use crate::table::{Samples, TieGroup};

/// Reproducible Gaussian numbers.
pub(crate) fn gaussian(count: usize, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| rng.sample(StandardNormal)).collect()
}

/// Columns of mean 0 and l2 norm `sqrt(n)`.
pub(crate) fn standardised(n: usize, p: usize, seed: u64) -> Vec<f64> {
    let mut x = gaussian(n * p, seed);
    for column in x.chunks_mut(n) {
        let mean = column.iter().sum::<f64>() / n as f64;
        column.iter_mut().for_each(|v| *v -= mean);
        let scale = (column.iter().map(|v| v * v).sum::<f64>() / n as f64).sqrt();
        column.iter_mut().for_each(|v| *v /= scale);
    }
    x
}

/// Every loss and link, with outcomes that have nothing special about them.
pub(crate) fn losses(n: usize) -> Vec<Box<dyn Loss>> {
    let mut losses = losses_of_known_curvature(n);
    losses.push(survival(n, Samples::default(), Ties::Efron));
    losses.push(survival(n, samples(n), Ties::Efron));
    losses
}

/// Those whose curvature is computed exactly: with Efron's ties it is that of one order of the tied events.
pub(crate) fn losses_of_known_curvature(n: usize) -> Vec<Box<dyn Loss>> {
    let labels = |m: usize| (0..n).map(|i| (i * i + i / 3) % m).collect::<Vec<_>>();
    let classes = |m, link| Box::new(Classes::new(labels(m), m, Samples::default(), link)) as Box<dyn Loss>;
    vec![
        Box::new(Numbers::new(gaussian(n, 77))),
        classes(2, Link::Softmax),
        classes(2, Link::Logit),
        classes(4, Link::Softmax),
        classes(4, Link::Logit),
        Box::new(Counts::new(counts(n), Samples::default())),
        survival(n, Samples::default(), Ties::Breslow),
        Box::new(Numbers::with_spread(gaussian(n, 77), Samples { offset: None, ..samples(n) }, 1.0)),
        Box::new(Classes::new(labels(2), 2, samples(n), Link::Softmax)),
        Box::new(Classes::new(labels(2), 2, samples(n), Link::Logit)),
        Box::new(Classes::new(labels(4), 4, Samples { offset: None, ..samples(n) }, Link::Softmax)),
        Box::new(Counts::new(counts(n), samples(n))),
        survival(n, samples(n), Ties::Breslow),
    ]
}

fn counts(n: usize) -> Vec<f64> {
    (0..n).map(|i| ((i * i + i / 3) % 5) as f64).collect()
}

/// Weights that are whole and that are not, and an offset.
fn samples(n: usize) -> Samples {
    let weights = (0..n).map(|i| [1.0, 2.0, 0.5, 3.25][i * i % 4]).collect();
    let offset = gaussian(n, 78).iter().map(|v| 0.3 * v).collect();
    Samples { weights: Some(weights), offset: Some(offset), ..Samples::default() }
}

/// Two strata, with ties, a third of the times censored.
pub(crate) fn survival(n: usize, samples: Samples, ties: Ties) -> Box<dyn Loss> {
    let mut rows: Vec<(usize, i64, bool)> =
        (0..n).map(|i| (i % 2, -((i * 7 % (n / 4)) as i64), i * i % 3 != 0)).collect();
    rows.sort_unstable();
    let times: Vec<f64> = rows.iter().map(|r| -r.1 as f64).collect();
    let strata: Vec<usize> = rows.iter().map(|r| r.0).collect();
    let events: Vec<bool> = rows.iter().map(|r| r.2).collect();
    let groups = TieGroup::all(&times, &strata, &events);
    Box::new(Survival::new(groups, events, samples, ties))
}

/// The same, each also at a noise that is held.
pub(crate) fn losses_at_noise(n: usize) -> Vec<Box<dyn Loss>> {
    at_noise_too(losses(n))
}

pub(crate) fn at_noise_too(losses: Vec<Box<dyn Loss>>) -> Vec<Box<dyn Loss>> {
    losses.into_iter().flat_map(|loss| [loss.at_noise(0.3), loss]).collect()
}
