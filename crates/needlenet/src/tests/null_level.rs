//! The level of the threshold, by simulation.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{gaussian, standardised};
use crate::activation::Activation;
use crate::network::{Link, Network};
use crate::outcome::{Classes, Loss, Numbers};
use crate::settings::Settings;
use crate::table::{Design, Samples};
use crate::threshold::Threshold;

const N: usize = 60;
const P: usize = 30;
const ALPHA: f64 = 0.05;

/// The share of null data sets whose `lambda_0` exceeds their own `lambda_QUT` is alpha, within four
/// standard errors of the simulation (of the data sets, and of each threshold).
fn check_level(draw: impl Fn(u64) -> Box<dyn Loss>, hidden: &[usize]) {
    let x = Design::dense(standardised(N, P, 31), N);
    let settings = Settings { alpha: ALPHA, draws: 1000, seed: 9, ..Settings::default() };
    let repeats = 600;
    let above = (0..repeats)
        .filter(|&r| {
            let loss = draw(r);
            let network = Network::new(P, hidden, loss.n_outputs(), &Activation::default());
            let [t] = Threshold::simulate(&x, &*loss, [&network], &settings, &());
            t.lambda_zero > t.lambda_qut
        })
        .count() as f64;
    let share = above / repeats as f64;
    let error = (ALPHA * (1.0 - ALPHA) * (1.0 / repeats as f64 + 1.0 / 1000.0)).sqrt();
    assert!((share - ALPHA).abs() < 4.0 * error, "share {share}");
}

#[test]
fn null_data_exceed_the_threshold_in_a_share_of_alpha_in_regression() {
    check_level(
        |r| Box::new(Numbers::new(gaussian(N, 1000 + r).iter().map(|v| 3.0 * v + 7.0).collect())),
        &[20],
    );
}

/// Labels with probabilities that are not equal, independent of the inputs.
fn unbalanced(r: u64, cumulated: &[f64], link: Link) -> Box<dyn Loss> {
    let mut rng = ChaCha8Rng::seed_from_u64(5000 + r);
    let labels: Vec<usize> = (0..N)
        .map(|_| {
            let u: f64 = rng.random();
            cumulated.iter().position(|c| u < *c).unwrap_or(cumulated.len() - 1)
        })
        .collect();
    Box::new(Classes::new(labels, cumulated.len(), Samples::default(), link))
}

#[test]
fn null_data_exceed_the_threshold_in_a_share_of_alpha_in_two_unbalanced_classes() {
    check_level(|r| unbalanced(r, &[0.3, 1.0], Link::Softmax), &[20]);
}

#[test]
fn null_data_exceed_the_threshold_in_a_share_of_alpha_in_four_unbalanced_classes() {
    check_level(|r| unbalanced(r, &[0.15, 0.3, 0.5, 1.0], Link::Logit), &[20]);
    check_level(|r| unbalanced(r, &[0.15, 0.3, 0.5, 1.0], Link::Softmax), &[]);
}

/// The gain without one sample is the smallest gain of the tables with one row less, each with its own empty model.
#[test]
fn gain_without_one_sample_is_that_of_the_other_samples() {
    let y: Vec<f64> = gaussian(12, 41).iter().enumerate().map(|(i, e)| i as f64 + e).collect();
    let out: Vec<f64> = (0..12).map(|i| i as f64).collect();
    let loss = Numbers::new(y);
    let without = |row: usize| {
        let rows: Vec<usize> = (0..12).filter(|&i| i != row).collect();
        let (part, out): (_, Vec<f64>) = (loss.of_rows(&rows), rows.iter().map(|&i| out[i]).collect());
        let value = part.evaluate(&out, &mut vec![0.0; out.len()]);
        part.deviance(part.null_loss()) - part.deviance(value)
    };
    let least = (0..12).map(without).fold(f64::INFINITY, f64::min);
    assert!((loss.gain_without_one(&out, false) - least).abs() < 1e-9 * least);
}
