//! Tables of more samples than are explored at once.
#![allow(clippy::unwrap_used)]

mod made;

use std::collections::BTreeSet;

use needlenet::{Data, Model, Settings, fit};

const N: usize = 30_000;
const P: usize = 20;

fn settings() -> Settings {
    Settings { hidden: vec![10], draws: 200, ..Settings::default() }
}

fn assert_found(model: &Model, needles: &[&str]) {
    let selected: BTreeSet<&str> = model.selected().into_iter().collect();
    assert_eq!(selected, needles.iter().copied().collect());
    assert!(model.certificate.stop.is_converged() && model.certificate.kkt_violation <= 1e-6);
    assert_eq!(model.n_samples, N);
}

#[test]
fn a_tall_regression_finds_its_needles_and_its_noise() {
    let (x, y) = made::nonlinear(N, P, 1);
    let model = fit(made::regression(x, y), &settings()).unwrap();
    assert_found(&model, &["x1", "x2"]);
    // the noise has standard deviation 1
    assert!((model.noise.unwrap() - 1.0).abs() < 0.03, "{:?}", model.noise);
}

#[test]
fn an_input_too_weak_for_a_part_of_the_samples_is_found_on_all_of_them() {
    let (x, mut y) = made::nonlinear(N, 10, 2);
    // root n times its correlation with the noise is 3.2 on 4,096 samples, and 8.7 on 30,000; a weight, a neuron and
    // the row above must lower the squared residual by about lambda^2 = 9 each
    y.iter_mut().zip(&x[2 * N..3 * N]).for_each(|(y, x)| *y += 0.05 * x);
    let model = fit(made::regression(x, y), &settings()).unwrap();
    assert_found(&model, &["x1", "x2", "x3"]);
}

#[test]
fn tall_classes_find_their_needles_with_the_same_bits_on_one_and_two_threads() {
    let (x, outcome) = made::classes(N, P, 2, 3);
    let with = |threads| {
        let data = Data::new(x.clone(), made::names(P), outcome.clone()).unwrap();
        let mut model = fit(data, &Settings { threads, ..settings() }).unwrap();
        model.settings.threads = 0;
        model
    };
    let model = with(2);
    assert_found(&model, &["x1", "x2"]);
    assert_eq!(model, with(1));
}

#[test]
fn a_tall_regression_is_the_same_bit_for_bit_on_one_and_two_threads() {
    let (x, y) = made::nonlinear(10_000, 5, 4);
    let with = |threads| {
        let mut model =
            fit(made::regression(x.clone(), y.clone()), &Settings { threads, ..settings() }).unwrap();
        model.settings.threads = 0;
        model
    };
    assert_eq!(with(1), with(2));
}
