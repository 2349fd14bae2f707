//! Units, shifts and the order of rows and columns do not matter.
#![allow(clippy::unwrap_used)]

mod made;

use needlenet::{Data, Fitted, Model, Outcome, Penalty, Prediction, Settings, fit};

const N: usize = 150;
const P: usize = 12;

fn settings() -> Settings {
    Settings { hidden: vec![12], draws: 500, ..Settings::default() }
}

fn needles(model: &Model) -> Vec<usize> {
    let mut found: Vec<usize> = model.needles.iter().map(|n| n.index).collect();
    found.sort_unstable();
    found
}

/// Predictions at the samples of a table.
fn predictions(model: &Model, x: &[f64]) -> Vec<f64> {
    let columns: Vec<&[f64]> = model.needles.iter().map(|n| &x[n.index * N..(n.index + 1) * N]).collect();
    match model.predict(N, &columns, Fitted::Refit).unwrap() {
        Prediction::Numbers(y) => y,
        Prediction::Classes { probabilities, .. } => probabilities,
    }
}

fn assert_close(a: &[f64], b: &[f64], scale: f64) {
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() < 1e-6 * scale, "{a} {b}");
    }
}

#[test]
fn support_and_predictions_follow_the_units_of_y() {
    let (x, y) = made::nonlinear(N, P, 3);
    for penalty in [Penalty::L1, Penalty::Harder { nu: 0.1 }, Penalty::Mcp { a: 3.0 }] {
        let settings = Settings { penalty, ..settings() };
        let model = fit(made::regression(x.clone(), y.clone()), &settings).unwrap();
        let base = predictions(&model, &x);
        for (scale, shift) in [(1e-6, 0.0), (1e6, 0.0), (1e-6, 3e-5), (1e6, -2e7), (1e3, 1e3)] {
            let moved: Vec<f64> = y.iter().map(|v| scale * v + shift).collect();
            let other = fit(made::regression(x.clone(), moved), &settings).unwrap();
            assert_eq!(needles(&model), needles(&other), "{penalty:?} {scale} {shift}");
            let back: Vec<f64> = predictions(&other, &x).iter().map(|v| (v - shift) / scale).collect();
            assert_close(&base, &back, 10.0);
            let ratio = other.certificate.objective / model.certificate.objective / scale;
            assert!((ratio - 1.0).abs() < 1e-6);
        }
    }
}

#[test]
fn support_and_predictions_follow_the_units_of_the_inputs() {
    let (x, y) = made::nonlinear(N, P, 4);
    let model = fit(made::regression(x.clone(), y.clone()), &settings()).unwrap();
    assert_eq!(needles(&model), [0, 1]);
    let moved: Vec<f64> = x
        .chunks(N)
        .enumerate()
        .flat_map(|(j, column)| {
            let scale = [1e-7, -3.0, 1e5, 0.1, -1e4][j % 5];
            column.iter().map(move |v| scale * v + scale * j as f64).collect::<Vec<_>>()
        })
        .collect();
    let other = fit(made::regression(moved.clone(), y), &settings()).unwrap();
    assert_eq!(needles(&other), [0, 1]);
    assert_close(&predictions(&model, &x), &predictions(&other, &moved), 10.0);
}

#[test]
fn support_follows_a_permutation_of_rows_and_columns_in_regression_and_classification() {
    let (x, y) = made::nonlinear(N, P, 5);
    let labels: Vec<String> =
        y.iter().map(|v| String::from(if *v > 10.0 { "high" } else { "low" })).collect();
    for outcome in [Outcome::Regression(y), Outcome::from_labels(&labels)] {
        let model = fit(Data::new(x.clone(), made::names(P), outcome.clone()).unwrap(), &settings()).unwrap();
        let row = |i: usize| (i * 49 + 11) % N;
        let column = |j: usize| (j * 5 + 7) % P;
        let moved: Vec<f64> = (0..N * P).map(|at| x[column(at / N) * N + row(at % N)]).collect();
        let names = (0..P).map(|j| format!("x{}", column(j) + 1)).collect();
        let outcome = match outcome {
            Outcome::Regression(y) => Outcome::Regression((0..N).map(|i| y[row(i)]).collect()),
            Outcome::Classification { labels, classes } => {
                Outcome::Classification { labels: (0..N).map(|i| labels[row(i)]).collect(), classes }
            }
            other => panic!("{other:?}"),
        };
        let other = fit(Data::new(moved.clone(), names, outcome).unwrap(), &settings()).unwrap();
        assert_eq!(model.selected(), other.selected());
        assert!(!model.needles.is_empty());
        assert_eq!(model.certificate, other.certificate);
        let (a, b) = (predictions(&model, &x), predictions(&other, &moved));
        let per_row = a.len() / N;
        for i in 0..N {
            assert_close(
                &a[row(i) * per_row..(row(i) + 1) * per_row],
                &b[i * per_row..(i + 1) * per_row],
                1.0,
            );
        }
    }
}
