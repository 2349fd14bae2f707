//! Numbers at the edge of what a table can hold, for every outcome: a certified answer or a clear error. Never a NaN in a
//! result, never an endless loop. A fit that did not converge says so and counts as no answer: it is allowed only where an
//! outcome can be separated (no finite weights are best) or where weights differ by nine orders.
#![allow(clippy::unwrap_used, clippy::panic)]

mod made;

use std::time::{Duration, Instant};

use needlenet::{Data, Error, Fitted, Model, Outcome, Prediction, Settings, Stop, Ties, fit};

const OUTCOMES: [&str; 5] = ["numbers", "two classes", "three classes", "counts", "survival"];

/// No fit of these small tables takes longer, also on a slow machine.
const LONGEST: Duration = Duration::from_secs(120);

/// An outcome that follows a score and a little noise.
fn outcome(kind: &str, score: &[f64]) -> Outcome {
    let n = score.len();
    let noise = made::gaussian(n, 77);
    let y: Vec<f64> = score.iter().zip(&noise).map(|(s, e)| s + 0.1 * e).collect();
    let mut sorted = y.clone();
    sorted.sort_by(f64::total_cmp);
    let cut = |m: usize| {
        let class = |v: &f64| (1..m).filter(|t| *v >= sorted[t * n / m]).count();
        let labels: Vec<String> = y.iter().map(|v| format!("c{}", class(v))).collect();
        Outcome::from_labels(&labels)
    };
    match kind {
        "numbers" => Outcome::Regression(y),
        "two classes" => cut(2),
        "three classes" => cut(3),
        "counts" => Outcome::Counts(y.iter().map(|v| v.clamp(-5.0, 3.0).exp().round()).collect()),
        _ => Outcome::Survival {
            times: y.iter().map(|v| (-v).exp()).collect(),
            events: (0..n).map(|i| i % 5 > 0).collect(),
            strata: Vec::new(),
        },
    }
}

fn settings() -> Settings {
    Settings { hidden: vec![4], draws: 200, threads: 1, ..Settings::default() }
}

/// Fits, and checks what every result and every error must keep.
fn fitted(what: &str, data: Result<Data, Error>) -> Result<Model, Error> {
    let start = Instant::now();
    let columns: Vec<Vec<f64>> = data
        .as_ref()
        .map_or(Vec::new(), |data| (0..data.n_features()).map(|j| data.column(j).to_vec()).collect());
    let result = data.and_then(|data| fit(data, &settings()));
    assert!(start.elapsed() < LONGEST, "{what}: {:?}", start.elapsed());
    match &result {
        Err(error) => {
            let text = error.to_string();
            assert!(text.len() < 400 && !text.contains("NaN"), "{what}: {text}");
        }
        Ok(model) => check(what, model, &columns),
    }
    result
}

fn check(what: &str, model: &Model, columns: &[Vec<f64>]) {
    let end = &model.certificate;
    assert!(end.objective.is_finite() && end.kkt_violation.is_finite(), "{what}: {end:?}");
    assert!(end.stop.is_converged() || !model.converged(), "{what}: {end:?}");
    // what is called converged is certified; a residual of zero has no gradient
    let certified = end.kkt_violation <= settings().tolerance || end.stop == Stop::PerfectFit;
    assert!(certified || !model.converged(), "{what}: {end:?}");
    model.check().unwrap_or_else(|error| panic!("{what}: {error}"));
    for needle in &model.needles {
        assert!(needle.strength.is_finite() && needle.mean_slope.is_finite(), "{what}: {needle:?}");
    }
    let inputs: Vec<&[f64]> = model.inputs().map(|input| columns[input.index].as_slice()).collect();
    let n = columns[0].len();
    for fitted in [Fitted::Predictor, Fitted::Refit, Fitted::Penalised] {
        let finite = match model.predict(n, &inputs, fitted).unwrap_or_else(|error| panic!("{what}: {error}"))
        {
            Prediction::Numbers(values) => values.iter().all(|v| v.is_finite()),
            Prediction::Classes { probabilities, .. } => {
                probabilities.iter().all(|p| (0.0..=1.0).contains(p))
            }
        };
        assert!(finite, "{what}: {fitted:?}");
    }
}

/// 60 samples of 4 inputs, and the score of the first.
fn table() -> (Vec<f64>, Vec<f64>) {
    let x = made::gaussian(60 * 4, 3);
    let score = x[..60].to_vec();
    (x, score)
}

/// The names of the needles where the first column was changed.
fn needles(kind: &str, what: &str, change: impl Fn(f64) -> f64) -> Result<Vec<String>, Error> {
    let (mut x, score) = table();
    x[..60].iter_mut().for_each(|v| *v = change(*v));
    let data = Data::new(x, made::names(4), outcome(kind, &score));
    let model = fitted(&format!("{kind}, {what}"), data)?;
    assert!(model.converged(), "{kind}, {what}: {:?}", model.certificate);
    Ok(model.selected().into_iter().map(str::to_owned).collect())
}

#[test]
fn a_column_of_any_scale_or_offset_gives_the_same_needles() {
    for kind in OUTCOMES {
        let plain = needles(kind, "plain", |v| v).unwrap();
        assert_eq!(plain, ["x1"], "{kind}");
        for scale in [1e-149, 1e-100, 1e-30, 1e30, 1e100, 1e149] {
            assert_eq!(
                needles(kind, &format!("scale {scale:e}"), |v| v * scale).unwrap(),
                plain,
                "{kind} {scale:e}"
            );
        }
        assert_eq!(needles(kind, "offset 1e8", |v| v + 1e8).unwrap(), plain, "{kind}");
        let large = |v: f64| 9_007_199_254_740_992.0 - (v * 1e6).round();
        assert_eq!(needles(kind, "2^53", large).unwrap(), plain, "{kind}");
    }
}

#[test]
fn a_column_that_cannot_be_used_is_named() {
    for kind in OUTCOMES {
        let error = needles(kind, "subnormal", |v| v * 1e-310).unwrap_err();
        assert!(
            matches!(&error, Error::VariesTooLittle { column: Some(name), .. } if name == "x1"),
            "{error}"
        );
        let error = needles(kind, "1e300", |v| v * 1e300).unwrap_err();
        assert!(matches!(&error, Error::InputTooLarge { column, .. } if column == "x1"), "{error}");
        // the others are fitted: what varies beyond the 13th digit is left out as constant
        let left = needles(kind, "offset 1e17", |v| v + 1e17).unwrap();
        assert!(!left.contains(&"x1".to_owned()), "{kind}");
    }
}

#[test]
fn an_outcome_of_any_scale_gives_the_same_needles_or_an_error() {
    let (x, score) = table();
    let of = |change: &dyn Fn(f64) -> f64| {
        let y = score.iter().map(|v| change(*v)).collect();
        fitted("outcome", Data::new(x.clone(), made::names(4), Outcome::Regression(y)))
    };
    for scale in [1e-149, 1e-30, 1e30, 1e149] {
        let model = of(&|v| scale * v).unwrap();
        assert!(model.converged() && model.selected() == ["x1"], "{scale:e}: {:?}", model.certificate);
    }
    assert_eq!(of(&|v| v + 1e8).unwrap().selected(), ["x1"]);
    assert!(matches!(of(&|v| v * 1e300), Err(Error::OutcomeTooLarge { .. })));
    assert!(matches!(of(&|v| v * 1e-310), Err(Error::VariesTooLittle { column: None, .. })));
    // times are ordered only
    for scale in [1e-300, 1e300] {
        let times = score.iter().map(|v| (-v).exp() * scale).collect();
        let outcome = Outcome::Survival { times, events: vec![true; 60], strata: Vec::new() };
        let model = fitted("times", Data::new(x.clone(), made::names(4), outcome)).unwrap();
        assert_eq!(model.selected(), ["x1"], "{scale:e}");
    }
    for most in [1e6, 1e12, 9e15] {
        let counts = score.iter().map(|v| (most * (v - 3.0).exp() / 2.0).round().min(most)).collect();
        let _ = fitted(
            &format!("counts to {most:e}"),
            Data::new(x.clone(), made::names(4), Outcome::Counts(counts)),
        );
    }
}

#[test]
fn weights_and_offsets_of_any_size_give_an_answer_or_an_error() {
    for kind in OUTCOMES {
        let (x, score) = table();
        let data = || Data::new(x.clone(), made::names(4), outcome(kind, &score));
        for weight in [1e-300, 1e-9, 1e9] {
            let weights = (0..60).map(|i| if i % 2 == 0 { weight } else { 1.0 }).collect();
            let _ =
                fitted(&format!("{kind}, weights {weight:e}"), data().and_then(|d| d.with_weights(weights)));
        }
        for offset in [1e-300, 50.0, 800.0, 1e14, 1e300] {
            let offsets = (0..60).map(|i| if i % 2 == 0 { offset } else { 0.0 }).collect();
            let what = format!("{kind}, offset {offset:e}");
            let start = Instant::now();
            if let Ok(model) = data().and_then(|d| d.with_offset(offsets)).and_then(|d| fit(d, &settings())) {
                let end = &model.certificate;
                assert!(end.objective.is_finite() && end.kkt_violation.is_finite(), "{what}: {end:?}");
                assert!(model.needles.iter().all(|needle| needle.strength.is_finite()), "{what}");
                model.check().unwrap_or_else(|error| panic!("{what}: {error}"));
            }
            assert!(start.elapsed() < LONGEST, "{what}");
        }
    }
}

#[test]
fn a_handful_of_samples_gives_an_answer_or_an_error() {
    for kind in OUTCOMES {
        for n in 2..=10 {
            for p in [1, 3] {
                let x = made::gaussian(n * p, n as u64);
                let score = x[..n].to_vec();
                let _ = fitted(
                    &format!("{kind}, n = {n}, p = {p}"),
                    Data::new(x, made::names(p), outcome(kind, &score)),
                );
            }
        }
    }
}

#[test]
fn a_hundred_thousand_inputs_of_twenty_samples_give_an_answer_or_an_error() {
    let x = made::gaussian(20 * 100_000, 9);
    for kind in OUTCOMES {
        let score = x[..20].to_vec();
        let _ = fitted(
            &format!("{kind}, wide"),
            Data::new(x.clone(), made::names(100_000), outcome(kind, &score)),
        );
    }
}

/// An outcome without noise: the second input, or a step of it.
#[test]
fn an_outcome_that_is_a_function_of_one_column_is_found() {
    let (x, _) = table();
    let column = x[60..120].to_vec();
    let labels: Vec<&str> = column.iter().map(|v| if *v > 0.3 { "high" } else { "low" }).collect();
    let exact = [
        ("the column", Outcome::Regression(column.clone())),
        ("its square", Outcome::Regression(column.iter().map(|v| v * v).collect())),
        ("separable classes", Outcome::from_labels(&labels)),
        ("counts", Outcome::Counts(column.iter().map(|v| (v + 4.0).round().max(0.0)).collect())),
        (
            "times",
            Outcome::Survival {
                times: column.iter().map(|v| v.exp()).collect(),
                events: vec![true; 60],
                strata: Vec::new(),
            },
        ),
    ];
    for (what, outcome) in exact {
        let model = fitted(what, Data::new(x.clone(), made::names(4), outcome)).unwrap();
        assert!(model.selected().contains(&"x2"), "{what}: {:?}", model.selected());
    }
}

#[test]
fn identical_rows_give_an_answer_or_an_error() {
    for kind in OUTCOMES {
        // two different rows, each 30 times, and the same with outcomes that contradict each other
        let x: Vec<f64> = (0..60 * 3).map(|at| if at % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let score: Vec<f64> = (0..60).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let _ =
            fitted(&format!("{kind}, two rows"), Data::new(x.clone(), made::names(3), outcome(kind, &score)));
        let against: Vec<f64> = (0..60).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
        let _ = fitted(
            &format!("{kind}, contradicting rows"),
            Data::new(x, made::names(3), outcome(kind, &against)),
        );
    }
}

/// Times in whole years, of which 5% or 70% are those of an event: a certified answer that has the needle.
#[test]
fn heavy_ties_and_few_events_give_a_certified_answer() {
    const N: usize = 600;
    let x = made::gaussian(N * 6, 21);
    let (chance, sorting) = (made::gaussian(N, 22), made::gaussian(N, 23));
    for (share, ties) in
        [(0.05, Ties::Efron), (0.05, Ties::Breslow), (0.7, Ties::Efron), (0.7, Ties::Breslow)]
    {
        let mut order: Vec<usize> = (0..N).collect();
        order.sort_by(|a, b| sorting[*a].total_cmp(&sorting[*b]));
        let events = (0..N).map(|i| order[..(share * N as f64) as usize].contains(&i)).collect();
        let times = (0..N).map(|i| (3.0 - 1.5 * x[i] + chance[i]).max(0.0).ceil() + 1.0).collect();
        let data =
            Data::new(x.clone(), made::names(6), Outcome::Survival { times, events, strata: Vec::new() });
        let model = fit(data.unwrap(), &Settings { ties, draws: 500, ..Settings::default() }).unwrap();
        assert!(model.converged(), "{share} {ties:?}: {:?}", model.certificate);
        assert_eq!(model.selected(), ["x1"], "{share} {ties:?}");
    }
}
