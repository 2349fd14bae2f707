//! Where there is nothing, (almost) nothing is found.
#![allow(clippy::unwrap_used)]

mod made;

use needlenet::{Data, Outcome, Settings, fit};

/// At most so many of `repeats` fits may find something: the 99.9% point of a binomial count with
/// success probability 0.05 and 60 repeats is 9.
const REPEATS: u64 = 60;
const MOST: usize = 9;

fn not_empty(outcome: impl Fn(u64) -> Outcome, n: usize) -> usize {
    (0..REPEATS)
        .filter(|&r| {
            let settings = Settings { hidden: vec![10], draws: 500, ..Settings::default() };
            let data = Data::new(made::gaussian(n * 10, 7000 + r), made::names(10), outcome(r)).unwrap();
            !fit(data, &settings).unwrap().needles.is_empty()
        })
        .count()
}

#[test]
fn null_regressions_select_nothing_in_95_percent_of_draws() {
    let found = not_empty(|r| Outcome::Regression(made::gaussian(80, 8000 + r)), 80);
    assert!(found <= MOST, "{found} of {REPEATS}");
}

#[test]
fn null_classes_select_nothing_in_95_percent_of_draws() {
    let labels = |r| made::gaussian(80, 9000 + r).iter().map(|v| usize::from(*v > 0.5)).collect();
    let classes = vec!["a".to_string(), "b".to_string()];
    let found = not_empty(|r| Outcome::Classification { labels: labels(r), classes: classes.clone() }, 80);
    assert!(found <= MOST, "{found} of {REPEATS}");
}

#[test]
fn a_bend_that_reaches_for_one_far_sample_is_not_found() {
    for r in 0..6 {
        let mut y = made::gaussian(200, 3000 + r);
        y[0] = 15.0;
        let data =
            Data::new(made::gaussian(200 * 20, 4000 + r), made::names(20), Outcome::Regression(y)).unwrap();
        let model = fit(data, &Settings { hidden: vec![10], draws: 500, ..Settings::default() }).unwrap();
        let by_a_line = model.threshold.lambda_zero > model.threshold.lambda_qut;
        assert!(by_a_line || model.needles.is_empty(), "{r}: {:?}", model.selected());
    }
}
