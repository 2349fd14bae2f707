//! An outcome that keeps its unit, as in the paper.
#![allow(clippy::unwrap_used, clippy::panic)]

mod made;

use needlenet::{Fitted, Model, Prediction, Settings, fit};

const N: usize = 150;
const P: usize = 12;

fn paper() -> Settings {
    Settings { draws: 500, ..Settings::paper() }
}

fn needles(model: &Model) -> Vec<usize> {
    let mut found: Vec<usize> = model.needles.iter().map(|n| n.index).collect();
    found.sort_unstable();
    found
}

/// Predictions at the samples of a table.
fn predictions(model: &Model, x: &[f64], fitted: Fitted) -> Vec<f64> {
    let columns: Vec<&[f64]> = model.needles.iter().map(|n| &x[n.index * N..(n.index + 1) * N]).collect();
    match model.predict(N, &columns, fitted).unwrap() {
        Prediction::Numbers(y) => y,
        Prediction::Classes { .. } => panic!("classes"),
    }
}

fn deviation(y: &[f64]) -> f64 {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    (y.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / y.len() as f64).sqrt()
}

#[test]
fn an_outcome_of_deviation_1_gives_the_same_fit_in_its_own_unit() {
    for (x, y) in [made::linear(N, P, 3), made::nonlinear(N, P, 3)] {
        let scale = deviation(&y);
        let y: Vec<f64> = y.iter().map(|v| v / scale).collect();
        let own = fit(made::regression(x.clone(), y.clone()), &paper()).unwrap();
        let scaled = Settings { scale_outcome: true, ..paper() };
        let scaled = fit(made::regression(x.clone(), y), &scaled).unwrap();
        assert_eq!(needles(&own), needles(&scaled));
        assert!((own.certificate.objective / scaled.certificate.objective - 1.0).abs() < 1e-6);
        assert!((own.noise.unwrap() / scaled.noise.unwrap() - 1.0).abs() < 1e-4);
        for fitted in [Fitted::Penalised, Fitted::Refit] {
            let both = predictions(&own, &x, fitted).into_iter().zip(predictions(&scaled, &x, fitted));
            for (a, b) in both {
                assert!((a - b).abs() < 1e-4, "{a} {b}");
            }
        }
    }
}

/// In a small unit the neurons are straight over all samples; in a large one every neuron bends at the middle of the data,
/// and two needles of a straight law can cost more than they explain.
#[test]
fn a_linear_law_is_certified_in_large_and_small_units_and_found_in_small_ones() {
    let (x, y) = made::linear(N, P, 3);
    for unit in [1e-5, 1e-3, 0.1, 1.0, 10.0, 1e3] {
        let y: Vec<f64> = y.iter().map(|v| unit * (v + 1.0)).collect();
        let model = fit(made::regression(x.clone(), y), &paper()).unwrap();
        assert!(model.converged(), "{unit} {:?} {:?}", model.certificate, model.refit);
        assert!(needles(&model).contains(&0), "{unit}");
        if unit <= 0.1 {
            assert_eq!(needles(&model), [0, 1], "{unit}");
            // the law is 2 x1 - x2 with noise of deviation 1
            assert!((model.needles[0].strength / unit - 2.0).abs() < 0.3, "{unit}");
            assert!((model.noise.unwrap() / unit - 1.0).abs() < 0.2, "{unit}");
        }
    }
}

/// The needles of `10 |x1 - x2|` leave no linear trend; the l1 problem has a minimum on them in the unit of the outcome.
#[test]
fn the_paper_finds_a_bend_in_the_unit_of_the_outcome() {
    let found = (1..=5).filter(|seed| {
        let x = made::gaussian(500 * 20, *seed);
        let noise = made::gaussian(500, seed + 1_000_000);
        let y = (0..500).map(|i| 10.0 * (x[i] - x[500 + i]).abs() + noise[i]).collect();
        let model = fit(made::regression(x, y), &paper()).unwrap();
        assert!(model.converged());
        needles(&model) == [0, 1]
    });
    assert!(found.count() >= 4);
}

#[test]
fn a_perfect_fit_is_found_in_large_and_small_units() {
    let x = made::gaussian(N * P, 3);
    for unit in [1e-6, 1.0, 1e6] {
        let y: Vec<f64> = (0..N).map(|i| unit * (2.0 * x[i] - x[N + i])).collect();
        let linear = Settings { hidden: Vec::new(), ..paper() };
        let model = fit(made::regression(x.clone(), y), &linear).unwrap();
        assert!(model.converged(), "{unit} {:?}", model.certificate);
        assert_eq!(needles(&model), [0, 1], "{unit}");
    }
}
