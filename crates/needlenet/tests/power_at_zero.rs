//! Whenever `lambda_0 > lambda` the fit is not empty.
#![allow(clippy::unwrap_used)]

mod made;

use needlenet::{Data, Link, Penalty, Settings, fit, threshold};

/// `lambda` just below the data's own `lambda_0`, where the way out of the empty model is narrow.
fn is_not_empty_just_below_lambda_zero(data: Data, settings: &Settings) {
    let lambda_zero = threshold(data.clone(), settings).unwrap().lambda_zero;
    for part in [0.97, 0.8] {
        let settings = Settings { lambda: Some(part * lambda_zero), ..settings.clone() };
        let model = fit(data.clone(), &settings).unwrap();
        assert!(!model.needles.is_empty(), "{settings:?}");
        assert!(model.certificate.stop.is_converged(), "{:?} {settings:?}", model.certificate);
    }
}

fn settings(penalty: Penalty, seed: u64) -> Settings {
    Settings { penalty, seed, hidden: vec![10], draws: 200, ..Settings::default() }
}

const PENALTIES: [Penalty; 5] = [
    Penalty::L1,
    Penalty::Group,
    Penalty::Harder { nu: 0.1 },
    Penalty::Scad { a: 3.7 },
    Penalty::Mcp { a: 3.0 },
];

#[test]
fn regression_leaves_the_empty_model_for_every_penalty_and_seed() {
    for seed in 0..3 {
        let (x, y) = made::linear(60, 15, seed);
        for penalty in PENALTIES {
            is_not_empty_just_below_lambda_zero(
                made::regression(x.clone(), y.clone()),
                &settings(penalty, seed),
            );
        }
    }
}

#[test]
fn regression_on_pure_noise_leaves_it_too() {
    for seed in 0..3 {
        let data = made::regression(made::gaussian(60 * 15, seed), made::gaussian(60, 90 + seed));
        is_not_empty_just_below_lambda_zero(data, &settings(Penalty::L1, seed));
    }
}

#[test]
fn classification_leaves_the_empty_model_for_every_penalty_link_and_seed() {
    for (m, link) in [(2, Link::Softmax), (2, Link::Logit), (3, Link::Softmax), (4, Link::Logit)] {
        for seed in 0..2 {
            let (x, outcome) = made::classes(80, 12, m, seed);
            for penalty in PENALTIES {
                let data = Data::new(x.clone(), made::names(12), outcome.clone()).unwrap();
                is_not_empty_just_below_lambda_zero(data, &Settings { link, ..settings(penalty, seed) });
            }
        }
    }
}

#[test]
fn deep_networks_leave_the_empty_model() {
    let (x, y) = made::linear(60, 15, 5);
    for hidden in [vec![8, 4], vec![8, 4, 3]] {
        for penalty in [Penalty::L1, Penalty::Harder { nu: 0.1 }] {
            let settings = Settings { hidden: hidden.clone(), ..settings(penalty, 3) };
            is_not_empty_just_below_lambda_zero(made::regression(x.clone(), y.clone()), &settings);
        }
    }
}

#[test]
fn above_lambda_zero_a_convex_model_is_empty() {
    let (x, y) = made::linear(60, 15, 1);
    let data = made::regression(x, y);
    let linear = Settings { hidden: vec![], penalty: Penalty::L1, draws: 200, ..Settings::default() };
    let lambda_zero = threshold(data.clone(), &linear).unwrap().lambda_zero;
    let model = fit(data, &Settings { lambda: Some(1.001 * lambda_zero), ..linear }).unwrap();
    assert!(model.needles.is_empty() && model.certificate.stop.is_converged());
}
