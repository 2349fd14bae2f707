//! Neither speed nor the processor changes a result: supports and objectives of small problems are those that were stored.
//!
//! A change that is meant to move them stores them again: `make store`. `ONLY=survival` solves the problems with this word in their
//! names alone, as an emulated processor is slow (`docs/results/trust`).
#![allow(clippy::unwrap_used)]

mod made;

use needlenet::{Data, Group, GroupKind, Outcome, Penalty, Settings, SparseColumns, fit};
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
        (
            "nothing to find, 60 x 40",
            table((made::gaussian(2400, 11), made::gaussian(60, 12))),
            small.clone(),
        ),
        ("survival, 120 x 40, network", survival(120, 40), small.clone()),
        ("counts, 120 x 40, network", counts(120, 40), small.clone()),
        ("linear law with weights, 80 x 100, network", weighted(80, 100), small.clone()),
        ("a category and a sparse table, 120 x 30, network", with_category(120, 30), small),
    ]
}

/// Half of the times are censored; the log hazard bends.
fn survival(n: usize, p: usize) -> Data {
    let (x, noise) = (made::gaussian(n * p, 13), made::gaussian(2 * n, 14));
    let log_risk = |i: usize| 2.0 * x[i] + 1.5 * x[n + i].abs();
    let times = (0..n).map(|i| (noise[i] - log_risk(i)).exp()).collect();
    let events = (0..n).map(|i| noise[n + i] > 0.0).collect();
    Data::new(x, made::names(p), Outcome::Survival { times, events, strata: Vec::new() }).unwrap()
}

fn counts(n: usize, p: usize) -> Data {
    let (x, noise) = (made::gaussian(n * p, 15), made::gaussian(n, 16));
    let count = |i: usize| (0.8 * x[i] + 0.6 * x[n + i].abs() + 0.3 * noise[i]).exp().round();
    let counts = (0..n).map(count).collect();
    Data::new(x, made::names(p), Outcome::Counts(counts)).unwrap()
}

fn weighted(n: usize, p: usize) -> Data {
    let (x, y) = made::linear(n, p, 17);
    made::regression(x, y).with_weights((0..n).map(|i| 0.5 * (i % 5) as f64).collect()).unwrap()
}

/// Cells of which most are zero, and a category of four levels.
fn with_category(n: usize, p: usize) -> Data {
    let (noise, mut cells) =
        (made::gaussian(n * p, 18), SparseColumns { starts: vec![0], ..Default::default() });
    for column in noise.chunks(n) {
        for (row, v) in column.iter().enumerate().filter(|(_, v)| **v > 1.0) {
            cells.rows.push(row as u32);
            cells.values.push((3.0 * v).round());
        }
        cells.starts.push(cells.rows.len());
    }
    let level = |i: usize| (7 * i * i + 3 * i) % 4;
    let mut names = made::names(p);
    let first = names.len();
    for l in 0..4 {
        let rows = (0..n).filter(|i| level(*i) == l);
        cells.rows.extend(rows.map(|i| i as u32));
        cells.values.resize(cells.rows.len(), 1.0);
        cells.starts.push(cells.rows.len());
        names.push(format!("stage={l}"));
    }
    let error = made::gaussian(n, 19);
    let of_cell = |i: usize| if noise[i] > 1.0 { (3.0 * noise[i]).round() } else { 0.0 };
    let y = (0..n).map(|i| [0.0, 4.0, 0.0, -4.0][level(i)] + of_cell(i) + 0.5 * error[i]).collect();
    let levels = (0..4).map(|l| l.to_string()).collect();
    let columns = (first..first + 4).collect();
    let stage = Group { name: "stage".into(), kind: GroupKind::Category { levels }, columns };
    Data::sparse(cells, names, Outcome::Regression(y)).unwrap().with_groups(vec![stage]).unwrap()
}

#[test]
fn supports_and_objectives_are_those_that_were_stored() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let solved: Vec<Stored> = problems()
        .into_iter()
        .filter(|(problem, ..)| problem.contains(&only))
        .map(|(problem, data, settings)| {
            let model = fit(data, &settings).unwrap();
            let mut selected: Vec<String> = model.selected().into_iter().map(String::from).collect();
            selected.sort();
            let (lambda, objective) = (model.lambda, model.certificate.objective);
            Stored { problem: problem.into(), selected, lambda, objective }
        })
        .collect();
    assert!(!solved.is_empty(), "no problem has {only} in its name");
    if std::env::var_os("STORE").is_some() && only.is_empty() {
        std::fs::write(FILE, serde_json::to_string_pretty(&solved).unwrap() + "\n").unwrap();
        return;
    }
    let mut stored: Vec<Stored> = serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap();
    stored.retain(|stored| stored.problem.contains(&only));
    assert_eq!(stored.len(), solved.len());
    for (stored, solved) in stored.iter().zip(&solved) {
        assert_eq!((&stored.problem, &stored.selected), (&solved.problem, &solved.selected));
        for (before, now) in [(stored.lambda, solved.lambda), (stored.objective, solved.objective)] {
            let difference = (now - before).abs();
            assert!(difference <= 1e-9 * before.abs(), "{}: {before} is now {now}", stored.problem);
        }
    }
}
