//! What predicts: better than the sparse network where that is a poor likeness of the law, the sparse network otherwise, and
//! never far outside the data.
#![allow(clippy::unwrap_used)]

mod made;

use needlenet::{Coding, Data, Fitted, Model, Outcome, Prediction, Settings, fit};

const N: usize = 500;
const P: usize = 12;

type Law = fn(&[f64]) -> f64;

fn of_sample(x: &[f64], law: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let n = x.len() / P;
    (0..n).map(|i| law(&(0..P).map(|j| x[j * n + i]).collect::<Vec<_>>())).collect()
}

fn fitted(law: impl Fn(&[f64]) -> f64, threads: usize) -> Model {
    let x = made::gaussian(N * P, 1);
    let noise = made::gaussian(N, 2);
    let y = of_sample(&x, law).iter().zip(noise).map(|(mean, noise)| mean + noise).collect();
    fit(made::regression(x, y), &Settings { threads, ..Settings::default() }).unwrap()
}

fn predicted(model: &Model, x: &[f64], fitted: Fitted) -> Vec<f64> {
    let n = x.len() / P;
    let columns: Vec<&[f64]> = model.inputs().map(|v| &x[v.index * n..(v.index + 1) * n]).collect();
    match model.predict(n, &columns, fitted).unwrap() {
        Prediction::Numbers(numbers) => numbers,
        Prediction::Classes { probabilities, .. } => probabilities,
    }
}

/// R2 against the law without noise, on fresh samples.
fn r2(model: &Model, law: impl Fn(&[f64]) -> f64, fitted: Fitted) -> f64 {
    let x = made::gaussian(2000 * P, 3);
    let truth = of_sample(&x, law);
    let mean = truth.iter().sum::<f64>() / truth.len() as f64;
    let left: f64 = truth.iter().zip(predicted(model, &x, fitted)).map(|(t, p)| (t - p).powi(2)).sum();
    1.0 - left / truth.iter().map(|t| (t - mean).powi(2)).sum::<f64>()
}

fn steps(x: &[f64]) -> f64 {
    x[..3].iter().map(|v| 2.0 * v.signum()).sum()
}

fn waves(x: &[f64]) -> f64 {
    3.0 * (2.0 * x[0]).sin() + 2.0 * x[1] * x[2]
}

fn largest(x: &[f64]) -> f64 {
    3.0 * x[..4].iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn laws_that_few_neurons_follow_badly_are_predicted_well() {
    let laws: [(&str, Law, f64); 2] = [("steps", steps, 0.93), ("largest", largest, 0.9)];
    for (name, law, least) in laws {
        let model = fitted(law, 0);
        let (own, of_refit) = (r2(&model, law, Fitted::Predictor), r2(&model, law, Fitted::Refit));
        assert!(own > least, "{name}: {own}, refit {of_refit}");
        assert!(own >= of_refit, "{name}: {own}, refit {of_refit}");
        let held_out = model.held_out.unwrap();
        assert_eq!(own > of_refit, model.predictor.is_some(), "{name}: {held_out:?}");
    }
    assert!(fitted(waves, 0).predictor.is_some());
}

/// Most samples of such an input lie within a small part of its range, where a few smooth neurons see one point.
#[test]
fn inputs_with_long_tails_are_seen_by_their_ranks() {
    let x: Vec<f64> = made::gaussian(N * P, 1).iter().map(|z| (2.0 * z).exp()).collect();
    let law = |x: &[f64]| 2.0 * (2.0 * x[0].ln()).tanh() + 2.0 * x[1].ln().tanh();
    let y = of_sample(&x, law).iter().zip(made::gaussian(N, 2)).map(|(mean, noise)| mean + noise).collect();
    let model = fit(made::regression(x, y), &Settings::default()).unwrap();
    let fresh: Vec<f64> = made::gaussian(2000 * P, 3).iter().map(|z| (2.0 * z).exp()).collect();
    let truth = of_sample(&fresh, law);
    let left = |fitted| -> f64 {
        truth.iter().zip(predicted(&model, &fresh, fitted)).map(|(t, p)| (t - p).powi(2)).sum()
    };
    assert_eq!(model.selected().len(), 2, "{:?}", model.selected());
    assert!(matches!(model.predictor.as_ref().unwrap().coding, Coding::Ranks(_)));
    assert!(left(Fitted::Predictor) < 0.5 * left(Fitted::Refit));
}

#[test]
fn a_linear_law_keeps_the_linear_model_and_pairs_keep_the_sparse_network() {
    let linear = fitted(|x| 2.0 * x[0] - x[1], 0);
    assert!(linear.linear && linear.predictor.is_none());
    let held_out = linear.held_out.unwrap();
    assert!(held_out.predictor > held_out.sparse, "{held_out:?}");
    let pairs = fitted(|x| 10.0 * (x[0] - x[1]).abs() + 10.0 * (x[2] - x[3]).abs(), 0);
    assert!(!pairs.linear && pairs.predictor.is_none());
}

/// A softmax has more weights than a linear model needs; they are no bends that would have to be paid for.
#[test]
fn linear_classes_are_predicted_by_the_linear_model_unless_a_network_is_better_on_held_out_samples() {
    for seed in 0..6 {
        let (x, noise) = (made::gaussian(300 * P, 40 + seed), made::gaussian(300, 50 + seed));
        let score = |i: usize| 2.0 * x[i] - 2.0 * x[300 + i] + x[600 + i] + noise[i];
        let labels: Vec<&str> = (0..300).map(|i| if score(i) > 0.0 { "b" } else { "a" }).collect();
        let data = Data::new(x, made::names(P), Outcome::from_labels(&labels)).unwrap();
        let model = fit(data, &Settings::default()).unwrap();
        let held_out = model.held_out.unwrap();
        assert!(model.used.hidden.is_empty(), "seed {seed}");
        assert!(
            model.predictor.is_none() || held_out.predictor < held_out.sparse,
            "seed {seed}: {held_out:?}"
        );
    }
}

#[test]
fn probabilities_of_a_ball_are_better_than_those_of_the_sparse_network() {
    let x = made::gaussian(N * P, 4);
    let uniform = made::gaussian(N, 5);
    let log_odds = |x: &[f64]| 1.5 * (2.5 - x[..3].iter().map(|v| v * v).sum::<f64>());
    let label = |(odds, u): (&f64, &f64)| {
        // a logistic number from a Gaussian one
        let noise = 1.702 * u;
        if odds + noise > 0.0 { "in" } else { "out" }
    };
    let labels: Vec<&str> = of_sample(&x, log_odds).iter().zip(&uniform).map(label).collect();
    let outcome = Outcome::from_labels(&labels);
    let model = fit(Data::new(x, made::names(P), outcome).unwrap(), &Settings::default()).unwrap();
    let mut found: Vec<usize> = model.needles.iter().map(|needle| needle.index).collect();
    found.sort_unstable();
    assert_eq!(found, [0, 1, 2]);
    let fresh = made::gaussian(2000 * P, 6);
    let noise = made::gaussian(2000, 7);
    let truth: Vec<&str> = of_sample(&fresh, log_odds).iter().zip(&noise).map(label).collect();
    let log_loss = |fitted| {
        let probabilities = predicted(&model, &fresh, fitted);
        let of = |(i, label): (usize, &&str)| -probabilities[2 * i + usize::from(*label == "out")].ln();
        truth.iter().enumerate().map(of).sum::<f64>() / 2000.0
    };
    let (own, of_refit) = (log_loss(Fitted::Predictor), log_loss(Fitted::Refit));
    assert!(own <= of_refit && own < 0.45, "{own}, refit {of_refit}");
}

#[test]
fn the_predictor_has_the_same_bits_on_one_and_two_threads() {
    let with = |threads| {
        let mut model = fitted(waves, threads);
        model.settings.threads = 0;
        model
    };
    let one = with(1);
    assert!(one.predictor.is_some());
    assert_eq!(one, with(2));
}

#[test]
fn samples_outside_the_data_are_flagged_and_a_nonlinear_prediction_stays_near_the_outcomes() {
    let bent: [Law; 2] = [waves, |x| 10.0 * (x[0] - x[1]).abs()];
    for law in bent {
        let model = fitted(law, 0);
        let x = made::gaussian(N * P, 1);
        let columns: Vec<&[f64]> = model.inputs().map(|v| &x[v.index * N..(v.index + 1) * N]).collect();
        let flags = model.outside(N, &columns).unwrap().unwrap();
        assert!(flags.iter().all(|flag| !flag), "a sample of the fit is flagged");
        let y = of_sample(&x, law);
        let (low, high) = y.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
        for far in [10.0, 1e3, 1e9, 1e300] {
            for sign in [1.0, -1.0] {
                let at: Vec<f64> = (0..P).map(|j| if j % 2 == 0 { far } else { sign * far }).collect();
                let columns: Vec<&[f64]> = model.inputs().map(|v| &at[v.index..=v.index]).collect();
                assert_eq!(model.outside(1, &columns).unwrap().unwrap(), [true]);
                for fitted in [Fitted::Predictor, Fitted::Refit, Fitted::Penalised] {
                    let v = predicted(&model, &at, fitted)[0];
                    // half a range beyond the fitted values, which may exceed the outcomes without noise by a little
                    assert!(
                        v > low - (high - low) && v < high + (high - low),
                        "{v} at {far}: {low} to {high}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_linear_model_goes_on_linearly_and_says_so() {
    let model = fitted(|x| 2.0 * x[0] - x[1], 0);
    let at = |v: f64| {
        let x: Vec<f64> = (0..P).map(|j| if j == 0 { v } else { 0.0 }).collect();
        let columns: Vec<&[f64]> = model.inputs().map(|input| &x[input.index..=input.index]).collect();
        (predicted(&model, &x, Fitted::Predictor)[0], model.outside(1, &columns).unwrap().unwrap()[0])
    };
    let ((zero, inside), (near, _), (far, outside)) = (at(0.0), at(1.0), at(1000.0));
    assert!(((far - zero) - 1000.0 * (near - zero)).abs() < 1e-6 * far.abs());
    assert!(!inside && outside);
}
