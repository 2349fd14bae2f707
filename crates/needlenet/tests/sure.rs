//! How sure each needle is: p-values, near copies, halves, intervals.
#![allow(clippy::unwrap_used)]

mod made;

use std::sync::atomic::{AtomicUsize, Ordering};

use made::{classes, gaussian, linear, names, nonlinear, regression};
use needlenet::{Data, Error, Observer, Outcome, Progress, Settings, Shown, Sure, SureOptions, fit, sure};

fn settings() -> Settings {
    Settings { draws: 500, threads: 1, ..Settings::default() }
}

const NO_HALVES: SureOptions = SureOptions { near_copy: 0.9, pairs: 0, cut: 0.9 };

fn fitted(data: &Data, settings: &Settings, options: &SureOptions) -> Sure {
    let model = fit(data.clone(), settings).unwrap();
    sure(data, &model, options, &()).unwrap()
}

#[test]
fn clear_needles_of_every_outcome_have_small_adjusted_p_values() {
    let (n, p) = (200, 10);
    let (x, y) = linear(n, p, 1);
    let (x_classes, labels) = classes(n, p, 2, 2);
    let signal: Vec<f64> = (0..n).map(|i| 2.0 * x[i] - x[n + i]).collect();
    let uniform = |i: usize| ((i * 7919 + 13) % 1009) as f64 / 1009.0 + 0.0004;
    let times: Vec<f64> = (0..n).map(|i| -uniform(i).ln() * (-signal[i]).exp()).collect();
    let events = (0..n).map(|i| i % 5 != 0).collect();
    let counts = (0..n).map(|i| ((signal[i] / 2.0).exp() * 4.0 * uniform(i)).round()).collect();
    let tables = [
        regression(x.clone(), y),
        Data::new(x_classes, names(p), labels).unwrap(),
        Data::new(x.clone(), names(p), Outcome::Survival { times, events, strata: Vec::new() }).unwrap(),
        Data::new(x, names(p), Outcome::Counts(counts)).unwrap(),
    ];
    for data in &tables {
        let sure = fitted(data, &settings(), &NO_HALVES);
        let found: Vec<&str> = sure.needles.iter().map(|needle| needle.name.as_str()).collect();
        assert!(found.contains(&"x1") && found.contains(&"x2"), "{found:?}");
        for needle in sure.needles.iter().filter(|needle| ["x1", "x2"].contains(&needle.name.as_str())) {
            assert!(needle.p_adjusted < 0.01, "{needle:?}");
            assert!(needle.p_adjusted >= needle.p_value && needle.group.is_none());
            assert!(needle.outcome_fit.unwrap().converged() && needle.input_fit.unwrap().converged());
        }
        assert_eq!(sure.n_hypotheses, p);
    }
}

#[test]
fn needles_that_act_together_are_seen_by_their_product() {
    let n = 300;
    let x = gaussian(n * 8, 3);
    let noise = gaussian(n, 4);
    let y = (0..n).map(|i| 2.0 * x[i] * x[n + i] + noise[i]).collect();
    let sure = fitted(&regression(x, y), &settings(), &NO_HALVES);
    let of = |name: &str| sure.needles.iter().find(|needle| needle.name == name).unwrap();
    assert_eq!(of("x1").shown, Shown::With("x2".into()));
    assert_eq!(of("x2").shown, Shown::With("x1".into()));
    assert!(of("x1").p_adjusted < 1e-6 && of("x2").p_adjusted < 1e-6);
}

#[test]
fn near_copies_are_named_and_tested_as_a_group() {
    let n = 100;
    let mut x = gaussian(n * 6, 5);
    // the second input is the first with 1% of other variance
    for i in 0..n {
        x[n + i] = x[i] + 0.1 * x[n + i];
    }
    let noise = gaussian(n, 6);
    let y = (0..n).map(|i| x[i] + noise[i]).collect();
    let sure = fitted(&regression(x, y), &settings(), &NO_HALVES);
    let needle = &sure.needles[0];
    let group = needle.group.as_ref().unwrap();
    assert_eq!(group.copies.len(), 1);
    assert!((0.98..1.0).contains(&group.copies[0].correlation));
    assert!(["x1", "x2"].contains(&group.copies[0].name.as_str()) && group.copies[0].name != needle.name);
    assert!(group.p_adjusted < 1e-6, "{group:?}");
    assert!(needle.p_value > 100.0 * group.p_value, "{needle:?}");
}

#[test]
fn exact_copy_says_nothing_by_itself() {
    let n = 100;
    let mut x = gaussian(n * 4, 7);
    x.copy_within(0..n, n);
    let noise = gaussian(n, 8);
    let y = (0..n).map(|i| x[i] + noise[i]).collect();
    let sure = fitted(&regression(x, y), &settings(), &NO_HALVES);
    assert_eq!(sure.needles[0].p_value, 1.0);
    assert!(sure.needles[0].group.as_ref().unwrap().p_adjusted < 1e-6);
}

#[test]
fn single_input_is_tested_against_the_empty_model() {
    let x = gaussian(60, 9);
    let noise = gaussian(60, 10);
    let y = x.iter().zip(&noise).map(|(x, e)| x + e).collect();
    let sure = fitted(&regression(x, y), &settings(), &NO_HALVES);
    assert!(sure.needles[0].p_value < 1e-6 && sure.needles[0].outcome_fit.is_none());
}

#[test]
fn halves_are_the_same_bits_on_any_number_of_threads() {
    let (x, y) = nonlinear(120, 6, 11);
    let data = regression(x, y);
    let options = SureOptions { pairs: 10, ..SureOptions::default() };
    let of = |threads| fitted(&data, &Settings { threads, draws: 300, ..Settings::default() }, &options);
    let (one, two) = (of(1), of(2));
    assert_eq!(one, two);
    let halves = one.halves.as_ref().unwrap();
    assert_eq!((halves.pairs, halves.bounds.cut), (10, 0.9));
    assert_eq!(one.needles[0].frequency, Some(1.0));
    let interval = one.needles[0].strength_interval.unwrap();
    // |x1 - x2| times 10 has slope 10 everywhere; the error of the standard deviation of x1 is 10 / sqrt(2 n) = 0.65
    assert!(interval.low < 10.0 && 10.0 < interval.high + 1.0 && interval.high < 12.0, "{interval:?}");
}

#[test]
fn table_of_another_fit_is_refused() {
    let (x, y) = linear(60, 5, 12);
    let data = regression(x.clone(), y.clone());
    let model = fit(data, &settings()).unwrap();
    let shorter = regression(x[..60 * 4].to_vec(), y.clone());
    let refused = sure(&shorter, &model, &NO_HALVES, &());
    assert_eq!(refused, Err(Error::Shape { what: "inputs", found: 4, expected: 5 }));
    let renamed = (0..5).map(|j| format!("z{j}")).collect();
    let renamed = Data::new(x, renamed, Outcome::Regression(y)).unwrap();
    assert!(matches!(sure(&renamed, &model, &NO_HALVES, &()), Err(Error::MissingInput { .. })));
}

#[test]
fn options_out_of_range_are_refused() {
    let (x, y) = linear(40, 3, 13);
    let data = regression(x, y);
    let model = fit(data.clone(), &settings()).unwrap();
    let options = [
        SureOptions { near_copy: f64::NAN, ..NO_HALVES },
        SureOptions { near_copy: 1.5, ..NO_HALVES },
        SureOptions { cut: 0.5, ..NO_HALVES },
        SureOptions { pairs: 1_000_000, ..NO_HALVES },
    ];
    for options in options {
        assert!(matches!(sure(&data, &model, &options, &()), Err(Error::Parameter { .. })), "{options:?}");
    }
}

#[test]
fn class_of_one_sample_cannot_be_in_both_halves() {
    let x = gaussian(40 * 3, 14);
    let labels: Vec<&str> = (0..40)
        .map(|i| {
            if i == 0 {
                "c"
            } else if x[i] > 0.0 {
                "a"
            } else {
                "b"
            }
        })
        .collect();
    let data = Data::new(x.clone(), names(3), Outcome::from_labels(&labels)).unwrap();
    let model = fit(data.clone(), &settings()).unwrap();
    let options = SureOptions { pairs: 2, ..SureOptions::default() };
    assert!(matches!(sure(&data, &model, &options, &()), Err(Error::Conflict { .. })));
}

/// Stops after some steps.
struct Impatient(AtomicUsize);

impl Observer for Impatient {
    fn step(&self, progress: Progress) -> bool {
        assert!(matches!(progress, Progress::Sure { .. }), "{progress:?}");
        self.0.fetch_add(1, Ordering::Relaxed) < 2
    }
}

#[test]
fn observer_is_told_each_test_and_can_stop() {
    let (x, y) = linear(80, 5, 15);
    let data = regression(x, y);
    let model = fit(data.clone(), &settings()).unwrap();
    let impatient = Impatient(0.into());
    let stopped = sure(&data, &model, &SureOptions::default(), &impatient);
    assert_eq!(stopped, Err(Error::Interrupted));
}
