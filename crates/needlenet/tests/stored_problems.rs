//! Speed changes no result: supports and objectives of small problems are those that were stored.
//!
//! A change that is meant to move them stores them again:
//! `STORE=1 cargo test -p needlenet --test stored_problems`.
#![allow(clippy::unwrap_used)]

mod made;

use needlenet::{Data, Outcome, Penalty, Settings, fit};
use serde::{Deserialize, Serialize};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stored/problems.json");

/// The unit of a concave penalty in regression is the noise, which is measured until a round changes it by less than
/// one part in a hundred. Other vector instructions round differently and end at another such unit: there
/// the objective is known no better.
const OTHER_INSTRUCTIONS: f64 = 1e-2;

/// What the products and the activation are computed with.
fn instructions() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") {
        return "avx512f";
    } else if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        return "avx2";
    }
    "other"
}

#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    problem: String,
    selected: Vec<String>,
    lambda: f64,
    objective: f64,
    instructions: String,
}

fn problems() -> Vec<(&'static str, Data, Settings)> {
    // solved further than usual: what is compared is the solution, not the way
    let small = Settings { hidden: vec![8], draws: 500, tolerance: 1e-8, ..Settings::default() };
    let linear = Settings { hidden: vec![], ..small.clone() };
    let l1 = Settings { penalty: Penalty::L1, ..small.clone() };
    let table = |(x, y): (Vec<f64>, Vec<f64>)| made::regression(x, y);
    let classes = |(x, outcome): (Vec<f64>, Outcome)| {
        let p = x.len() / outcome.len();
        Data::new(x, made::names(p), outcome).unwrap()
    };
    vec![
        ("linear law, 60 x 200, linear model", table(made::linear(60, 200, 1)), linear.clone()),
        (
            "linear law, 60 x 200, linear LASSO",
            table(made::linear(60, 200, 2)),
            Settings { penalty: Penalty::L1, ..linear },
        ),
        ("linear law, 80 x 1500, network", table(made::linear(80, 1500, 3)), small.clone()),
        ("nonlinear law, 200 x 20, network", table(made::nonlinear(200, 20, 4)), small.clone()),
        (
            "nonlinear law, 200 x 20, two hidden layers",
            table(made::nonlinear(200, 20, 5)),
            Settings { hidden: vec![8, 4], ..small.clone() },
        ),
        ("linear law, 60 x 100, network, l1", table(made::linear(60, 100, 6)), l1.clone()),
        (
            "linear law, 60 x 100, network, group",
            table(made::linear(60, 100, 7)),
            Settings { penalty: Penalty::Group, ..small.clone() },
        ),
        ("two classes, 80 x 300, network", classes(made::classes(80, 300, 2, 8)), small.clone()),
        ("three classes, 90 x 300, network", classes(made::classes(90, 300, 3, 9)), small.clone()),
        ("three classes, 90 x 300, network, l1", classes(made::classes(90, 300, 3, 10)), l1),
        ("nothing to find, 60 x 40", table((made::gaussian(2400, 11), made::gaussian(60, 12))), small),
    ]
}

#[test]
fn supports_and_objectives_are_those_that_were_stored() {
    let solved: Vec<Stored> = problems()
        .into_iter()
        .map(|(problem, data, settings)| {
            let model = fit(data, &settings).unwrap();
            let mut selected: Vec<String> = model.selected().into_iter().map(String::from).collect();
            selected.sort();
            let (lambda, objective) = (model.lambda, model.certificate.objective);
            Stored {
                problem: problem.into(),
                selected,
                lambda,
                objective,
                instructions: instructions().into(),
            }
        })
        .collect();
    if std::env::var_os("STORE").is_some() {
        std::fs::write(FILE, serde_json::to_string_pretty(&solved).unwrap() + "\n").unwrap();
        return;
    }
    let stored: Vec<Stored> = serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap();
    assert_eq!(stored.len(), solved.len());
    for ((stored, solved), (_, data, settings)) in stored.iter().zip(&solved).zip(problems()) {
        let noise_is_measured =
            settings.penalty.is_concave() && matches!(data.outcome(), Outcome::Regression(_));
        assert_eq!((&stored.problem, &stored.selected), (&solved.problem, &solved.selected));
        let elsewhere = stored.instructions != solved.instructions;
        let tolerance = if noise_is_measured && elsewhere { OTHER_INSTRUCTIONS } else { 1e-9 };
        for (before, now, tolerance) in
            [(stored.lambda, solved.lambda, 1e-9), (stored.objective, solved.objective, tolerance)]
        {
            let difference = (now - before).abs();
            assert!(difference <= tolerance * before.abs(), "{}: {before} is now {now}", stored.problem);
        }
    }
}
