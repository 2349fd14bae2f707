//! Neither speed nor the processor changes a result: supports and objectives of small problems are those that were stored.
//!
//! A change that is meant to move them stores them again:
//! `STORE=1 cargo test -p needlenet --test stored_problems`.
#![allow(clippy::unwrap_used)]

mod made;

use needlenet::{Data, Outcome, Penalty, Settings, fit};
use serde::{Deserialize, Serialize};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stored/problems.json");

#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    problem: String,
    selected: Vec<String>,
    lambda: f64,
    objective: f64,
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
            Stored { problem: problem.into(), selected, lambda, objective }
        })
        .collect();
    if std::env::var_os("STORE").is_some() {
        std::fs::write(FILE, serde_json::to_string_pretty(&solved).unwrap() + "\n").unwrap();
        return;
    }
    let stored: Vec<Stored> = serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap();
    assert_eq!(stored.len(), solved.len());
    for (stored, solved) in stored.iter().zip(&solved) {
        assert_eq!((&stored.problem, &stored.selected), (&solved.problem, &solved.selected));
        for (before, now) in [(stored.lambda, solved.lambda), (stored.objective, solved.objective)] {
            let difference = (now - before).abs();
            assert!(difference <= 1e-9 * before.abs(), "{}: {before} is now {now}", stored.problem);
        }
    }
}
