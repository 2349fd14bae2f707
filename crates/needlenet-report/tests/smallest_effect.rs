//! The smallest effect that a page and the doctor tell: above it the result is not empty, below it a linear LASSO is empty.

#![allow(clippy::unwrap_used, reason = "a step that fails fails the test")]

use needlenet::{Data, Outcome, Penalty, Settings, fit, threshold};
use needlenet_report::{Evidence, Measure, Report, Run, SmallestEffect, Survey, smallest_effect};

/// Values in (-1, 1) from a recurrence.
fn uniform(count: usize) -> Vec<f64> {
    let mut state = 7_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        2.0 * (state >> 11) as f64 / (1_u64 << 53) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// Centred, with norm 1.
fn standard(v: &[f64]) -> Vec<f64> {
    let mean = v.iter().sum::<f64>() / v.len() as f64;
    let norm = v.iter().map(|v| (v - mean).powi(2)).sum::<f64>().sqrt();
    v.iter().map(|v| (v - mean) / norm).collect()
}

/// The part of `v` that is orthogonal to standardised columns, standardised.
fn beside(v: &[f64], others: &[&[f64]]) -> Vec<f64> {
    let mut rest = standard(v);
    for other in others {
        let along: f64 = rest.iter().zip(*other).map(|(v, o)| v * o).sum();
        rest.iter_mut().zip(*other).for_each(|(v, o)| *v -= along * o);
    }
    standard(&rest)
}

fn survey(data: &Data, settings: &Settings) -> (bool, SmallestEffect) {
    let model = fit(data.clone(), settings).unwrap();
    let mut survey = Survey::new(&model, data, &[]);
    (0..data.n_features()).for_each(|j| survey.add(j, "x", &data.column(j)));
    let smallest = survey.smallest_effect(model.threshold.lambda_qut, model.threshold.lambda_zero);
    (model.needles.is_empty(), smallest.unwrap())
}

#[test]
fn above_the_smallest_correlation_the_result_is_not_empty_and_below_it_the_lasso_is() {
    let n = 200;
    let draws = uniform(3 * n);
    let a = standard(&draws[..n]);
    let b = beside(&draws[n..2 * n], &[&a]);
    let rest = beside(&draws[2 * n..], &[&a, &b]);
    let table = |r: f64| {
        let y = (0..n).map(|i| r * a[i] + (1.0 - r * r).sqrt() * rest[i]).collect();
        let names = vec!["a".into(), "b".into()];
        Data::new([a.clone(), b.clone()].concat(), names, Outcome::Regression(y)).unwrap()
    };
    let network = Settings { hidden: vec![4], draws: 1000, ..Settings::default() };
    let lasso = Settings { hidden: Vec::new(), penalty: Penalty::L1, ..network.clone() };
    for settings in [&lasso, &network] {
        let (empty, bound) = survey(&table(0.01), settings);
        assert!(empty);
        assert_eq!(bound.measure, Measure::Correlation);
        // the rows are sorted by outcome, so the null draws, and the bound, differ a little from table to table
        let mut found = 0;
        for step in -20..=20 {
            let r = bound.value * (1.0 + f64::from(step) / 200.0);
            let (empty, own) = survey(&table(r), settings);
            let above = r > own.value;
            assert!(!(above && empty), "{r} {own:?}");
            assert!(above || empty || !settings.hidden.is_empty(), "{r} {own:?}");
            found += usize::from(above);
        }
        assert!(found > 5 && found < 35, "{found} of 41 are above the bound");
    }
}

/// Three classes of 50, 40 and 60 samples; one input whose class means have the effect that is wanted, and one that has none.
fn classes(effect: f64) -> Data {
    let sizes = [50, 40, 60];
    let labels: Vec<usize> = (0..3).flat_map(|t| vec![t; sizes[t]]).collect();
    let n = labels.len();
    // the effect of the values (1, -1, c) is chosen by mixing in values of class mean zero
    let mean = |v: &[f64], t: usize| {
        let own = (0..n).filter(|i| labels[*i] == t).map(|i| v[i]);
        own.sum::<f64>() / sizes[t] as f64
    };
    let shift = standard(&labels.iter().map(|t| [1.0, -1.0, 0.2][*t]).collect::<Vec<_>>());
    let within =
        |v: &[f64]| -> Vec<f64> { standard(&(0..n).map(|i| v[i] - mean(v, labels[i])).collect::<Vec<_>>()) };
    let draws = uniform(2 * n);
    let (noise, hay) = (within(&draws[..n]), within(&draws[n..]));
    let largest: f64 =
        (0..3).map(|t| sizes[t] as f64 * mean(&shift, t).abs()).sum::<f64>() / (n as f64).sqrt();
    let part = effect / largest;
    let x: Vec<f64> = (0..n).map(|i| part * shift[i] + (1.0 - part * part).sqrt() * noise[i]).collect();
    let names = ["first", "second", "third"];
    let outcome = Outcome::from_labels(&labels.iter().map(|t| names[*t]).collect::<Vec<_>>());
    Data::new([x, hay].concat(), vec!["a".into(), "hay".into()], outcome).unwrap()
}

#[test]
fn above_the_smallest_distance_of_class_means_the_result_is_not_empty() {
    let settings = Settings { hidden: vec![4], draws: 1000, ..Settings::default() };
    let (empty, bound) = survey(&classes(0.02), &settings);
    assert!(empty);
    assert_eq!(bound.measure, Measure::ClassMeans);
    assert!(bound.value > 0.1 && bound.is_possible(), "{bound:?}");
    let mut found = 0;
    for step in -10..=10 {
        let effect = bound.value * (1.0 + f64::from(step) / 100.0);
        let (empty, own) = survey(&classes(effect), &settings);
        let above = effect > own.value;
        assert!(!(above && empty), "{effect} {own:?}");
        // the threshold itself is exceeded exactly there
        let threshold = threshold(classes(effect), &settings).unwrap();
        assert_eq!(above, threshold.lambda_zero > threshold.lambda_qut, "{effect} {own:?}");
        found += usize::from(above);
    }
    assert!(found > 3 && found < 18, "{found} of 21 are above the bound");
}

#[test]
fn the_page_of_three_classes_tells_the_distance_of_the_class_means() {
    let data = classes(0.02);
    let settings = Settings { hidden: vec![4], draws: 1000, ..Settings::default() };
    let model = fit(data.clone(), &settings).unwrap();
    let report = Report::new(&model, &Run::default());
    let page = report.page(&model, &Evidence::of_data(&model, &report, &data), &Default::default());
    assert!(page.contains("the class means of some input are"), "{page}");
    let doctor = threshold(data.clone(), &settings).unwrap();
    let told = smallest_effect(&data, &doctor, &doctor).unwrap();
    assert!(page.contains(&told.condition()), "{told:?}");
}
