//! A near copy that explains the samples about as well is named as exchangeable in the text, in JSON and on the page.
#![allow(clippy::unwrap_used)]

use needlenet::{Data, Model, Outcome, Settings, fit};
use needlenet_report::{Evidence, Report, Run, Source};

/// Numbers between -1 and 1 from a recurrence.
fn uniform(count: usize) -> Vec<f64> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count).map(|_| 2.0 * next() - 1.0).collect()
}

/// Of six genes the first acts, with noise of this size; the second is its near copy, with the other sign.
fn model(noise: f64) -> Model {
    let n = 100;
    let mut x = uniform(7 * n);
    for i in 0..n {
        x[n + i] = -x[i] + 0.1 * x[n + i];
    }
    let y = (0..n).map(|i| 2.0 * x[i] + noise * x[6 * n + i]).collect();
    x.truncate(6 * n);
    let names = ["YXLD", "YXLE", "ARGF", "YOAB", "XHLB", "YHDZ"].map(String::from).to_vec();
    let data = Data::new(x, names, Outcome::Regression(y)).unwrap();
    fit(data, &Settings { hidden: Vec::new(), draws: 200, threads: 1, ..Settings::default() }).unwrap()
}

#[test]
fn where_noise_hides_which_of_two_near_copies_acts_the_report_says_that_the_choice_is_open() {
    let model = model(1.5);
    assert_eq!(model.needles.len(), 1);
    let chosen = model.needles[0].name.clone();
    let other = if chosen == "YXLD" { "YXLE" } else { "YXLD" };
    let report = Report::new(&model, &Run::default());
    let json = serde_json::to_value(&report).unwrap();
    let row = &json["needles"][0]["exchangeable"][0];
    assert_eq!(row["name"], other);
    // both have values of variance 1/3, so the correlation is -1 / sqrt(1.01)
    assert!((row["correlation"].as_f64().unwrap() + 0.995).abs() < 0.003, "{row}");
    assert!(row["cost"].as_f64().unwrap() <= 0.5, "{row}");
    let one_line = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let page = report.page(&model, &Evidence::of_model(&model, &report), &Source::default());
    for text in [one_line(report.text()), one_line(page)] {
        assert!(text.contains(&format!("{chosen} could be replaced by {other} (-1.00)")), "{text}");
        assert!(text.contains("the data do not decide between them"), "{text}");
    }
}

#[test]
fn where_the_samples_tell_which_of_two_near_copies_acts_none_is_exchangeable() {
    let model = model(0.05);
    assert_eq!(model.selected(), ["YXLD"]);
    assert!(model.needles[0].exchangeable.is_empty());
    assert!(!Report::new(&model, &Run::default()).text().contains("could be replaced"));
}
