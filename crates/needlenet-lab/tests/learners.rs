//! What the competitors do, on designs that are easy enough to know the answer.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a step that fails fails the test")]

use needlenet::{Fitted, Outcome, Penalty, Prediction, Settings, fit, metrics, threshold};
use needlenet_lab::{
    Design, Learner, Sample, Spinn, SpinnDropout, Split, SqrtLassoValidation, StandardNetwork, learner,
};

fn draws(name: &str, n: usize, p: usize, s: usize, seed: u64) -> (Sample, Sample, Vec<usize>, Vec<f64>) {
    let design = Design { n, p, s, ..name.parse::<Design>().unwrap() };
    let (draw, test) = (design.draw(seed), design.draw_test(seed, 500));
    let (needles, mean) = (draw.needles.clone(), test.mean.clone());
    (draw.into(), test.into(), needles, mean)
}

fn numbers(predicted: &Prediction) -> &[f64] {
    match predicted {
        Prediction::Numbers(numbers) => numbers,
        other => panic!("{other:?}"),
    }
}

fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

#[test]
fn spinn_keeps_the_needles_of_an_easy_nonlinear_law_and_predicts_it() {
    for learner in [&Spinn::default() as &dyn Learner, &SpinnDropout::default()] {
        let (train, test, needles, mean) = draws("nonlinear", 400, 12, 2, 3);
        let learned = learner.learn(&train, &test, 3).unwrap();
        let selected = learned.selected.unwrap();
        assert!(needles.iter().all(|needle| selected.contains(needle)), "{needles:?} {selected:?}");
        let error = metrics::mean_squared_error(numbers(&learned.predicted), &mean).sqrt();
        assert!(error < 0.2 * deviation(&mean), "{error} against {}", deviation(&mean));
    }
}

#[test]
fn spinn_finds_exactly_the_needles_when_the_penalty_alone_decides() {
    // one lambda, large enough for the hay and small enough for a strong linear law
    let only = Spinn { lambdas: vec![0.3], parts: vec![0.1], first_steps: 2000, ..Spinn::default() };
    let (train, test, needles, _) = draws("linear", 1000, 10, 3, 2);
    assert_eq!(only.learn(&train, &test, 2).unwrap().selected.unwrap(), needles);
}

#[test]
fn spinn_learns_classes() {
    let (train, test, needles, _) = draws("classes", 500, 8, 2, 1);
    let learned = Spinn::default().learn(&train, &test, 1).unwrap();
    let selected = learned.selected.unwrap();
    assert!(needles.iter().all(|needle| selected.contains(needle)));
    let (Prediction::Classes { labels, .. }, Outcome::Classification { labels: truth, .. }) =
        (&learned.predicted, &test.outcome)
    else {
        panic!("classes are expected")
    };
    assert!(metrics::accuracy(labels, truth) > 0.8);
}

#[test]
fn regression_on_labels_finds_and_predicts_two_classes_and_refuses_other_outcomes() {
    let (train, test, needles, _) = draws("class-sphere", 500, 10, 3, 1);
    let on_labels = learner("needlenet-on-labels").unwrap();
    let learned = on_labels.learn(&train, &test, 1).unwrap();
    assert_eq!(learned.selected.unwrap(), needles);
    let (Prediction::Classes { labels, probabilities }, Outcome::Classification { labels: truth, .. }) =
        (&learned.predicted, &test.outcome)
    else {
        panic!("classes are expected")
    };
    // the best rule has .84
    assert!(metrics::accuracy(labels, truth) > 0.77);
    assert!(probabilities.iter().all(|p| (0.0..=1.0).contains(p)));
    assert!(probabilities.chunks(2).zip(labels).all(|(p, label)| (p[1] > 0.5) == (*label == 1)));
    for name in ["three-mixed", "linear"] {
        let (train, test, ..) = draws(name, 60, 5, 3, 1);
        let refused = on_labels.learn(&train, &test, 1).unwrap_err().to_string();
        assert!(refused.contains("two classes"), "{refused}");
    }
}

#[test]
fn standard_network_predicts_a_law_of_few_inputs_and_selects_nothing() {
    let (train, test, _, mean) = draws("nonlinear", 500, 2, 2, 1);
    let learned = StandardNetwork::default().learn(&train, &test, 1).unwrap();
    assert_eq!(learned.selected, None);
    let error = metrics::mean_squared_error(numbers(&learned.predicted), &mean).sqrt();
    assert!(error < 0.1 * deviation(&mean), "{error}");
}

#[test]
fn validation_takes_the_lambda_of_the_grid_with_the_lowest_error_on_the_held_out_part() {
    let (train, test, ..) = draws("linear", 60, 40, 3, 11);
    let tuned = SqrtLassoValidation { points: 9, smallest: 0.1 };
    let learned = tuned.learn(&train, &test, 11).unwrap();

    // by hand: every penalty, each judged on the rows the split holds out
    let split = Split::new(&train.outcome, 11);
    let (learning, held_out) = (train.rows(&split.train), train.rows(&split.test));
    let linear = Settings { hidden: vec![], penalty: Penalty::L1, draws: 100, ..Settings::default() };
    let lambda_zero = threshold(learning.data().unwrap(), &linear).unwrap().lambda_zero;
    let predictions = |at: &Sample, lambda: f64| {
        let settings = Settings { lambda: Some(lambda), ..linear.clone() };
        let model = fit(learning.data().unwrap(), &settings).unwrap();
        let columns: Vec<_> = model.inputs().map(|input| at.column(input.index)).collect();
        let columns: Vec<&[f64]> = columns.iter().map(AsRef::as_ref).collect();
        numbers(&model.predict(at.n(), &columns, Fitted::Penalised).unwrap()).to_vec()
    };
    let Outcome::Regression(y) = &held_out.outcome else { panic!("a number is expected") };
    let error = |lambda: f64| metrics::mean_squared_error(&predictions(&held_out, lambda), y);
    let grid: Vec<f64> = (0..9).map(|i| lambda_zero * 0.1f64.powf(f64::from(i) / 8.0)).collect();
    let best = grid.iter().copied().min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap();
    assert!(best < grid[0], "a law with signal is not predicted best by the empty model");
    assert_eq!(numbers(&learned.predicted), predictions(&test, best));
}

#[test]
fn every_learner_gives_the_same_result_again() {
    let (train, test, ..) = draws("linear", 50, 10, 2, 6);
    for name in [
        "needlenet",
        "lasso-ann-3",
        "linear-scad",
        "sqrt-lasso-validation",
        "spinn-dropout",
        "standard-network",
    ] {
        let [a, b] = [(), ()].map(|()| learner(name).unwrap().learn(&train, &test, 6).unwrap());
        assert_eq!(a.selected, b.selected, "{name}");
        assert_eq!(numbers(&a.predicted), numbers(&b.predicted), "{name}");
        assert_eq!(a.objective, b.objective, "{name}");
    }
}

#[test]
fn a_learner_never_sees_the_outcome_it_is_tested_on() {
    let (train, test, ..) = draws("linear", 50, 10, 2, 6);
    let Outcome::Regression(y) = &test.outcome else { panic!("a number is expected") };
    let turned = Sample { outcome: Outcome::Regression(y.iter().map(|v| -v).collect()), ..test.clone() };
    for name in ["needlenet", "sqrt-lasso-validation", "spinn", "standard-network"] {
        let [a, b] = [&test, &turned].map(|test| learner(name).unwrap().learn(&train, test, 6).unwrap());
        assert_eq!(numbers(&a.predicted), numbers(&b.predicted), "{name}");
    }
}
