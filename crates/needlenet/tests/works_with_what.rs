//! The table "What works with what" of README.md, cell by cell: every "yes" is a fit that finds its needle and gives it a small
//! p-value, and every refusal is an error that says why.
#![allow(clippy::unwrap_used, clippy::panic)]

mod made;

use made::{gaussian, names};
use needlenet::{Data, Group, GroupKind, Outcome, Result, Settings, SparseColumns, SureOptions, fit, sure};

const N: usize = 160;
const P: usize = 6;

/// Inputs of which `x1` matters, `x5` is 0 or 1, and about half of the cells are zero.
fn inputs() -> Vec<f64> {
    let values = gaussian(N * P, 1);
    let cell = |(at, v): (usize, &f64)| match at / N {
        4 => f64::from(u8::from(*v > 0.0)),
        _ if *v > 0.0 => *v,
        _ => 0.0,
    };
    values.iter().enumerate().map(cell).collect()
}

/// The outcomes of each column of README's table.
fn outcomes(column: &str) -> Vec<Outcome> {
    let x = inputs();
    let score: Vec<f64> = x[..N].iter().zip(gaussian(N, 2)).map(|(x, noise)| 2.0 * x + 0.4 * noise).collect();
    let labels = |cuts: &[f64]| {
        let label = |s: &f64| format!("c{}", cuts.iter().filter(|cut| s > cut).count());
        Outcome::from_labels(&score.iter().map(label).collect::<Vec<_>>())
    };
    match column {
        "numbers" => vec![Outcome::Regression(score)],
        "classes" => vec![labels(&[0.5]), labels(&[0.2, 1.5])],
        "counts" => vec![Outcome::Counts(score.iter().map(|s| s.exp().round().min(60.0)).collect())],
        "survival" => vec![Outcome::Survival {
            times: score.iter().map(|s| (-s).exp()).collect(),
            events: (0..N).map(|i| i % 4 > 0).collect(),
            strata: Vec::new(),
        }],
        other => panic!("README has the outcome {other:?}"),
    }
}

fn dense(outcome: Outcome) -> Result<Data> {
    Data::new(inputs(), names(P), outcome)
}

fn sparse(outcome: Outcome) -> Result<Data> {
    let mut cells = SparseColumns { starts: vec![0], ..SparseColumns::default() };
    for column in inputs().chunks(N) {
        let given = column.iter().enumerate().filter(|(_, v)| **v != 0.0);
        given.for_each(|(row, v)| {
            cells.rows.push(row as u32);
            cells.values.push(*v);
        });
        cells.starts.push(cells.rows.len());
    }
    Data::sparse(cells, names(P), outcome)
}

fn group(name: &str, kind: GroupKind, columns: &[usize]) -> Group {
    Group { name: name.into(), kind, columns: columns.to_vec() }
}

fn counts(i: usize) -> f64 {
    [1.0, 2.0][i % 2]
}

fn importance(i: usize) -> f64 {
    [0.5, 1.2, 0.9][i % 3]
}

fn weighted(data: Result<Data>, weight: fn(usize) -> f64) -> Result<Data> {
    data?.with_weights((0..N).map(weight).collect())
}

/// The tables that a row of README promises, for one outcome.
fn tables(row: &str, y: &Outcome) -> Vec<Result<Data>> {
    let always = |data: Result<Data>| data?.with_always(&["x2"]);
    let indicator = || group("x4", GroupKind::WithIndicator, &[3, 4]);
    match row {
        "weights: counts of rows, or importances" => {
            let tables =
                [dense, sparse].map(|make| [counts, importance].map(|w| weighted(make(y.clone()), w)));
            let beside = weighted(always(dense(y.clone())), importance);
            tables.into_iter().flatten().chain([beside]).collect()
        }
        "offset" => vec![
            dense(y.clone())
                .and_then(|data| data.with_offset(gaussian(N, 3).iter().map(|v| 0.2 * v).collect())),
        ],
        "inputs that are always in" => vec![always(dense(y.clone())), always(sparse(y.clone()))],
        "categories, groups" => [dense, sparse]
            .map(|make| {
                let levels = vec!["no".into(), "yes".into()];
                let groups = vec![
                    group("first", GroupKind::Given, &[0, 2]),
                    group("scored", GroupKind::Ordered { levels }, &[4]),
                ];
                make(y.clone())?.with_groups(groups)
            })
            .into(),
        "missing cells" => vec![dense(y.clone()).and_then(|data| {
            let mut named = names(P);
            named[3] = "value".into();
            let data = Data::new((0..P).flat_map(|j| data.column(j).to_vec()).collect(), named, y.clone())?;
            data.with_groups(vec![indicator()])
        })],
        "sparse tables" => vec![sparse(y.clone())],
        "deep networks" | "p-value for each needle" => vec![dense(y.clone())],
        other => panic!("README has the row {other:?}, which is not tested"),
    }
}

/// Fits a table; its first input must be found, with a small p-value.
fn works(data: Data, hidden: &[usize], what: &str) {
    let settings = Settings { hidden: hidden.to_vec(), draws: 200, threads: 1, ..Settings::default() };
    let model = fit(data.clone(), &settings).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(model.needles.iter().any(|needle| needle.name == "x1"), "{what}: {:?}", model.needles);
    let sure = sure(&data, &model, &SureOptions { pairs: 0, ..SureOptions::default() }, &());
    let sure = sure.unwrap_or_else(|error| panic!("{what}, how sure: {error}"));
    let needle = sure.needles.iter().find(|needle| needle.name == "x1").unwrap();
    assert!(needle.p_adjusted < 0.05, "{what}: {needle:?}");
}

#[test]
fn every_cell_of_the_table_in_the_readme_is_true() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    let (_, section) = page.split_once("## What works with what").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let rows: Vec<Vec<&str>> = section
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("|---"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows[0][1..], ["numbers", "classes", "counts", "survival"]);
    assert!(rows.len() >= 10, "{rows:?}");
    for row in &rows[1..] {
        let label = row[0].split(" (").next().unwrap();
        if label.starts_with("tables in shards") {
            // `src/tests/shards` fits every outcome in shards
            continue;
        }
        for (column, cell) in rows[0][1..].iter().zip(&row[1..]) {
            for (at, outcome) in outcomes(column).into_iter().enumerate() {
                let what = format!("{label}, {column} {at}");
                let is_refused = *cell != "yes" && at > 0;
                assert!(*cell == "yes" || cell.contains("refused for more, because"), "{what}: {cell}");
                for data in tables(label, &outcome) {
                    match data {
                        Ok(data) if is_refused => panic!("{what} is not refused: {:?}", data.names()),
                        Ok(data) => {
                            let hidden: &[usize] = if label == "deep networks" { &[4, 3] } else { &[] };
                            works(data, hidden, &what);
                        }
                        Err(error) if is_refused => assert!(error.to_string().len() > 40, "{what}: {error}"),
                        Err(error) => panic!("{what}: {error}"),
                    }
                }
            }
        }
    }
}
