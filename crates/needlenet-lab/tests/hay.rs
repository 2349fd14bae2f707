//! `lab hay`: what the shuffled columns are, and that a run goes on where it ended.

#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::path::Path;

use needlenet::Outcome;
use needlenet_lab::{HayExperiment, HayRow, OverTables, Sample, hay_table, read_real, read_rows, with_hay};

fn sample() -> Sample {
    let n = 60;
    let x: Vec<f64> = (0..2 * n).map(|i| f64::from((i * 7919 + 13) % 101)).collect();
    let labels = (0..n as usize).map(|i| if i == 59 { 2 } else { i % 2 }).collect();
    let classes = ["a", "b", "c"].map(String::from).to_vec();
    Sample { x, names: vec!["u".into(), "v".into()], outcome: Outcome::Classification { labels, classes } }
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

#[test]
fn hay_has_the_values_of_a_real_column_in_another_order() {
    let table = sample();
    let mixed = with_hay(&table, 5, 60, 3);
    assert_eq!(mixed.p(), 7);
    assert_eq!(mixed.outcome, table.outcome);
    assert_eq!((mixed.column(0), mixed.column(1)), (table.column(0), table.column(1)));
    for (j, name) in mixed.names.iter().enumerate().skip(2) {
        let giver = usize::from(name.ends_with(":v"));
        assert_eq!(sorted(mixed.column(j)), sorted(table.column(giver)), "{name}");
        assert_ne!(mixed.column(j), table.column(giver), "{name}");
    }
    let of_first = mixed.names.iter().filter(|name| name.ends_with(":u")).count();
    assert!((2..=3).contains(&of_first), "{of_first} of 5 shuffled columns are of the first input");
}

#[test]
fn another_seed_shuffles_in_another_way_and_the_same_seed_in_the_same() {
    let table = sample();
    assert_eq!(with_hay(&table, 4, 60, 1), with_hay(&table, 4, 60, 1));
    assert_ne!(with_hay(&table, 4, 60, 1).x, with_hay(&table, 4, 60, 2).x);
}

#[test]
fn a_class_that_is_not_among_the_chosen_samples_is_dropped() {
    let table = sample();
    let without = (0..50).map(|seed| with_hay(&table, 1, 20, seed)).find(|mixed| {
        let Outcome::Classification { classes, .. } = &mixed.outcome else { return false };
        classes.len() == 2
    });
    let Some(Outcome::Classification { labels, classes }) = without.map(|mixed| mixed.outcome) else {
        unreachable!("20 of 60 samples miss the one of the third class in most draws")
    };
    assert_eq!(classes, ["a", "b"]);
    assert!(labels.len() == 20 && labels.iter().all(|label| *label < 2));
}

fn experiment(tables: &Path) -> HayExperiment {
    let over = OverTables {
        tables: tables.to_owned(),
        sets: Vec::new(),
        learners: vec!["linear-harder".into()],
        replicates: 2,
        seed: 5,
        threads: 1,
        mix_versions: false,
    };
    HayExperiment { over, hay: 6, rows: 100 }
}

#[test]
fn a_run_finds_the_needle_counts_the_hay_and_is_not_repeated() {
    let here = tempfile::tempdir().unwrap();
    let (tables, out) = (here.path().join("tables"), here.path().join("out"));
    std::fs::create_dir_all(&tables).unwrap();
    let value = |i: u32, k: u32| f64::from((i * 7919 + k * 104_729 + i * i * 31) % 1009);
    let mut text = String::from("u,v,target\n");
    for i in 0..120 {
        let (u, v) = (value(i, 1), value(i, 2));
        writeln!(text, "{u},{v},{}", 3.0 * u + 1.0 + 0.01 * value(i, 3)).unwrap();
    }
    std::fs::write(tables.join("law.csv"), text).unwrap();
    std::fs::write(tables.join("none.csv"), "a,b\n1,2\n3,4\n").unwrap();
    let ended = experiment(&tables).run(&out, &()).unwrap();
    assert_eq!((ended.before, ended.made, ended.left_out.len()), (0, 2, 1));
    let rows: Vec<HayRow> = read_rows(&out).unwrap();
    assert!(rows.iter().all(|row| row.n == 100 && row.p == 2 && row.hay == 6 && row.names.contains('u')));
    let again = experiment(&tables).run(&out, &()).unwrap();
    assert_eq!((again.before, again.made), (2, 0));
    let other = HayExperiment { hay: 7, ..experiment(&tables) };
    assert!(other.run(&out, &()).unwrap_err().to_string().contains("6 shuffled columns"));
    let text = hay_table(&rows);
    assert!(text.contains("| all 1 tables | | | | linear-harder | 2 | "), "{text}");
    assert!(read_real(&tables.join("law.csv")).is_ok());
}
