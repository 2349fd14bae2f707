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

/// In a network the best sample counts as one that the fit leaves at the mean: two far samples, each fitted by a bend of its own, then
/// gain no more than one of them.
#[test]
fn in_a_network_the_best_sample_counts_as_not_explained() {
    let y: Vec<f64> = (0..50).map(|i| if i < 2 { 20.0 } else { (i % 2) as f64 }).collect();
    let loss = Numbers::new(y.clone());
    let mean = y.iter().sum::<f64>() / 50.0;
    // both far samples are fitted without error, the others by the mean
    let out: Vec<f64> = y.iter().map(|y| if *y > 10.0 { *y } else { mean }).collect();
    let around_mean = |i: usize| (y[i] - mean).powi(2);
    let before: f64 = (0..50).map(around_mean).sum();
    let after: f64 = (2..50).map(around_mean).sum();
    let (strict, left_out) = (loss.gain_without_one(&out, true), loss.gain_without_one(&out, false));
    let expected = 50.0 * (before / (after + around_mean(0))).ln();
    assert!((strict - expected).abs() < 1e-9 * expected, "{strict} {expected}");
    // if the sample is left out of both sums, the other one still gains almost all
    assert!(left_out > 2.0 * strict, "{left_out} {strict}");
}
