//! Tests of the mathematics, which need the inside of the crate.

mod blocks;
mod certificate;
mod gradients;
mod null_level;
mod penalties;
mod predictor;
mod products;
mod same_function;
mod swap;
mod traces;
mod zero_threshold;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use crate::network::Link;
use crate::outcome::{Classes, Loss, Numbers};

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
    let labels = |m: usize| (0..n).map(|i| (i * i + i / 3) % m).collect::<Vec<_>>();
    let classes = |m, link| Box::new(Classes::new(labels(m), m, link)) as Box<dyn Loss>;
    vec![
        Box::new(Numbers::new(gaussian(n, 77))),
        classes(2, Link::Softmax),
        classes(2, Link::Logit),
        classes(4, Link::Softmax),
        classes(4, Link::Logit),
    ]
}

/// The same, each also at a noise that is held.
pub(crate) fn losses_at_noise(n: usize) -> Vec<Box<dyn Loss>> {
    losses(n).into_iter().flat_map(|loss| [loss.at_noise(0.3), loss]).collect()
}
