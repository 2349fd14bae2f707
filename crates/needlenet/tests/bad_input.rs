//! Bad input is an error, not a wrong answer.
#![allow(clippy::unwrap_used)]

mod made;

use needlenet::{Activation, Data, Error, Fitted, Link, Outcome, Penalty, Settings, Stop, fit};

fn quick() -> Settings {
    Settings { hidden: vec![6], draws: 200, ..Settings::default() }
}

#[test]
fn nan_and_infinity_are_named_by_row_and_column() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let (mut x, y) = made::linear(20, 3, 1);
        x[20 + 6] = bad;
        let error = Data::new(x.clone(), made::names(3), Outcome::Regression(y.clone())).unwrap_err();
        assert!(error.to_string().contains("row 7, column \"x2\""), "{error}");
        let mut y = y;
        y[3] = bad;
        x[20 + 6] = 0.0;
        let error = Data::new(x, made::names(3), Outcome::Regression(y)).unwrap_err();
        assert!(matches!(error, Error::OutcomeNotFinite { row: 4, .. }));
    }
}

#[test]
fn outcomes_without_information_are_refused() {
    let x = made::gaussian(30, 1);
    let refused = |outcome| Data::new(x.clone(), made::names(3), outcome).unwrap_err();
    assert!(matches!(refused(Outcome::Regression(vec![4.0; 10])), Error::ConstantOutcome { value: 4.0 }));
    assert!(matches!(refused(Outcome::from_labels(&["a"; 10])), Error::OneClass { .. }));
    let each_its_own: Vec<String> = (0..10).map(|i| i.to_string()).collect();
    assert!(matches!(refused(Outcome::from_labels(&each_its_own)), Error::TooManyClasses { .. }));
    let unused = Outcome::Classification { labels: vec![0; 10], classes: vec!["a".into(), "b".into()] };
    assert!(matches!(refused(unused), Error::EmptyClass { .. }));
    let beyond = Outcome::Classification { labels: vec![5; 10], classes: vec!["a".into(), "b".into()] };
    assert!(matches!(refused(beyond), Error::Shape { .. }));
}

#[test]
fn tables_without_samples_or_inputs_are_refused() {
    let one = Data::new(vec![1.0], made::names(1), Outcome::Regression(vec![1.0]));
    assert!(matches!(one, Err(Error::TooFewSamples { n_samples: 1 })));
    let none = Data::new(vec![], vec![], Outcome::Regression(vec![1.0, 2.0]));
    assert!(matches!(none, Err(Error::NoInputs)));
    let short = Data::new(vec![1.0; 5], made::names(3), Outcome::Regression(vec![1.0, 2.0]));
    assert!(matches!(short, Err(Error::Shape { found: 5, expected: 6, .. })));
}

#[test]
fn constant_columns_are_left_out_and_named() {
    let (mut x, y) = made::linear(40, 4, 1);
    x[80..120].fill(7.5);
    let model = fit(made::regression(x, y.clone()), &quick()).unwrap();
    assert_eq!(model.constant_inputs, ["x3"]);
    assert!(!model.selected().contains(&"x3"));
    let all = made::regression(vec![1.0; 120], y);
    assert_eq!(fit(all, &quick()), Err(Error::AllInputsConstant));
}

#[test]
fn duplicated_columns_are_allowed() {
    let (mut x, y) = made::linear(60, 4, 1);
    let first = x[..60].to_vec();
    x[120..180].copy_from_slice(&first);
    for penalty in ["l1", "harder", "mcp", "group"] {
        let settings = Settings { penalty: penalty.parse().unwrap(), ..quick() };
        let model = fit(made::regression(x.clone(), y.clone()), &settings).unwrap();
        assert!(model.selected().iter().any(|name| ["x1", "x3"].contains(name)), "{penalty}");
    }
}

#[test]
fn a_perfect_fit_ends_cleanly() {
    let x = made::gaussian(50 * 6, 3);
    let y: Vec<f64> = (0..50).map(|i| 3.0 * x[i] - 2.0 * x[50 + i] + 1.0).collect();
    for hidden in [vec![], vec![6]] {
        for penalty in ["l1", "harder", "mcp"] {
            let settings = Settings { penalty: penalty.parse().unwrap(), hidden: hidden.clone(), ..quick() };
            let model = fit(made::regression(x.clone(), y.clone()), &settings).unwrap();
            let mut selected = model.selected();
            selected.sort_unstable();
            assert_eq!(selected, ["x1", "x2"], "{hidden:?} {penalty}");
            assert!(model.certificate.stop.is_converged(), "{hidden:?} {penalty} {:?}", model.certificate);
        }
    }
}

#[test]
fn a_fit_that_may_not_iterate_says_so() {
    let (x, y) = made::linear(60, 10, 2);
    let settings =
        Settings { max_iterations: 1, penalty: Penalty::L1, hidden: vec![], draws: 200, ..quick() };
    let model = fit(made::regression(x, y), &settings).unwrap();
    assert_eq!(model.certificate.stop, Stop::MaxIterations);
    assert!(!model.converged() && model.certificate.kkt_violation > settings.tolerance);
}

#[test]
fn parameters_outside_their_range_are_refused() {
    let bad = [
        Settings { alpha: 0.0, ..quick() },
        Settings { alpha: f64::NAN, ..quick() },
        Settings { lambda: Some(-1.0), ..quick() },
        Settings { lambda: Some(f64::NAN), ..quick() },
        Settings { hidden: vec![5, 0], ..quick() },
        Settings { draws: 3, ..quick() },
        Settings { tolerance: 0.0, ..quick() },
        Settings { max_iterations: 0, ..quick() },
        Settings { penalty: Penalty::Harder { nu: 2.0 }, ..quick() },
        Settings { activation: Activation { sharpness: -1.0, ..Activation::default() }, ..quick() },
        Settings { activation: Activation { powers: vec![], ..Activation::default() }, ..quick() },
    ];
    let (x, y) = made::linear(20, 3, 1);
    for settings in bad {
        let error = fit(made::regression(x.clone(), y.clone()), &settings).unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }), "{settings:?}");
    }
    let (x, outcome) = made::classes(30, 3, 2, 1);
    let identity = Settings { link: Link::Identity, ..quick() };
    assert!(matches!(
        fit(Data::new(x, made::names(3), outcome).unwrap(), &identity),
        Err(Error::Conflict { .. })
    ));
}

#[test]
fn a_concave_penalty_refuses_an_outcome_in_its_own_unit() {
    let own_unit = Settings { scale_outcome: false, ..quick() };
    for penalty in [Penalty::Harder { nu: 0.1 }, Penalty::Scad { a: 3.7 }, Penalty::Mcp { a: 3.0 }] {
        let refused = Settings { penalty, ..own_unit.clone() }.check();
        assert!(matches!(refused, Err(Error::Conflict { .. })), "{penalty:?}");
    }
    for penalty in [Penalty::L1, Penalty::Group] {
        assert!(Settings { penalty, ..own_unit.clone() }.check().is_ok(), "{penalty:?}");
    }
}

#[test]
fn prediction_refuses_other_shapes_and_missing_values() {
    let (x, y) = made::linear(60, 4, 1);
    let model = fit(made::regression(x, y), &quick()).unwrap();
    let column = vec![0.5, f64::NAN];
    let columns: Vec<&[f64]> = model.needles.iter().map(|_| column.as_slice()).collect();
    assert!(matches!(model.predict(2, &columns, Fitted::Refit), Err(Error::InputNotFinite { row: 2, .. })));
    assert!(matches!(model.predict(3, &columns, Fitted::Refit), Err(Error::Shape { .. })));
    assert!(matches!(model.predict(2, &[], Fitted::Refit), Err(Error::Shape { .. })));
}

#[test]
fn times_that_are_all_equal_are_refused_unless_strata_match_the_samples() {
    let x = made::gaussian(60, 3);
    let survival = |strata: Vec<String>| {
        let events = (0..30).map(|i| i % 3 == 0).collect();
        Data::new(x.clone(), made::names(2), Outcome::Survival { times: vec![4.0; 30], events, strata })
            .unwrap()
    };
    let refused = fit(survival(Vec::new()), &quick()).unwrap_err().to_string();
    assert!(refused.contains("the time is 4 in every row") && refused.contains("as a class"), "{refused}");
    // ten sets of one case and two controls
    assert!(fit(survival((0..30).map(|i| format!("set {}", i / 3)).collect()), &quick()).is_ok());
}
