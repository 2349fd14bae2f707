//! Inputs that are always in are told with their coefficients, in the text and in JSON.
#![allow(clippy::unwrap_used)]

use needlenet::{Data, Outcome, Settings, fit};
use needlenet_report::{Report, Run};

/// Numbers between -1 and 1 from a recurrence.
fn uniform(count: usize) -> Vec<f64> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count).map(|_| 2.0 * next() - 1.0).collect()
}

#[test]
fn inputs_that_are_always_in_are_named_with_their_coefficients() {
    let n = 80;
    let mut x = uniform(4 * n);
    let y: Vec<f64> = (0..n).map(|i| 3.0 * x[i] + 2.0 * x[n + i] + 0.3 * x[3 * n + i]).collect();
    // in other units the coefficient is 0.3
    x[..n].iter_mut().for_each(|v| *v = 50.0 + 10.0 * *v);
    x.truncate(3 * n);
    let names = ["age", "gene1", "gene2"].map(String::from).to_vec();
    let data = Data::new(x, names, Outcome::Regression(y)).unwrap().with_always(&["age"]).unwrap();
    let settings = Settings { hidden: Vec::new(), draws: 200, threads: 1, ..Settings::default() };
    let report = Report::new(&fit(data, &settings).unwrap(), &Run::default());
    assert_eq!(report.selected, ["gene1"]);
    // the noise has a standard deviation of 0.17, the coefficient a standard error of 0.004
    assert!((report.always[0].coefficient - 0.3).abs() < 0.016, "{:?}", report.always);
    let text = report.text();
    assert!(text.contains("adjusted for age (+0.3") || text.contains("adjusted for age (+0.29"), "{text}");
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["always"][0]["name"], "age");
    assert_eq!(json["always"][0]["coefficient"], report.always[0].coefficient);
}
