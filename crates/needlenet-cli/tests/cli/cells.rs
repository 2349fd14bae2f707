//! Sparse tables: Matrix Market files with a table of samples.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::program::Workspace;

const LINEAR: &str = "--hidden none --draws 200";
const N: usize = 90;
const GENES: usize = 12;

/// The count of a gene in a cell: most are zero.
fn count(cell: usize, gene: usize) -> usize {
    (cell * 31 + gene * 17 + cell * gene * 7) % 11 % 4
}

/// The outcome: two genes, and the batch.
fn outcome(cell: usize) -> f64 {
    let noise = ((cell * 7919) % 101) as f64 / 101.0 - 0.5;
    2.0 * count(cell, 3) as f64 - 1.5 * count(cell, 8) as f64
        + 0.6 * noise
        + f64::from(u8::from(cell.is_multiple_of(3)))
}

fn batch(cell: usize) -> &'static str {
    if cell.is_multiple_of(3) { "b" } else { "a" }
}

/// A matrix whose rows are the genes, as 10x writes it, its names, the samples in another order, and the same table as CSV.
fn workspace() -> Workspace {
    let workspace = Workspace::new();
    let mut cells = String::new();
    let mut count_of_cells = 0;
    for gene in 0..GENES {
        for cell in (0..N).filter(|&cell| count(cell, gene) > 0) {
            writeln!(cells, "{} {} {}", gene + 1, cell + 1, count(cell, gene)).unwrap();
            count_of_cells += 1;
        }
    }
    let header = "%%MatrixMarket matrix coordinate integer general";
    workspace.write("matrix.mtx", &format!("{header}\n{GENES} {N} {count_of_cells}\n{cells}"));
    let names: String = (0..GENES).map(|gene| format!("g{gene}\tsymbol\n")).collect();
    workspace.write("features.tsv", &names);
    let barcodes: String = (0..N).map(|cell| format!("AC{cell}\n")).collect();
    workspace.write("barcodes.tsv", &barcodes);
    let (mut samples, mut table) = ("barcode,batch,y\n".to_owned(), String::new());
    for cell in (0..N).rev() {
        writeln!(samples, "AC{cell},{},{}", batch(cell), outcome(cell)).unwrap();
    }
    workspace.write("samples.csv", &samples);
    writeln!(table, "{},batch,y", (0..GENES).map(|gene| format!("g{gene}")).collect::<Vec<_>>().join(","))
        .unwrap();
    for cell in 0..N {
        let counts: Vec<String> = (0..GENES).map(|gene| count(cell, gene).to_string()).collect();
        writeln!(table, "{},{},{}", counts.join(","), batch(cell), outcome(cell)).unwrap();
    }
    workspace.write("dense.csv", &table);
    workspace
}

fn selected(report: &serde_json::Value) -> BTreeSet<String> {
    report["selected"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_matrix_of_10x_is_joined_by_barcode_and_gives_the_fit_of_the_dense_table() {
    let workspace = workspace();
    let fit = format!("fit matrix.mtx --samples samples.csv --target y {LINEAR} --json");
    let done = workspace.run(&format!("{fit} --out sparse.json"));
    let sparse = done.json();
    let dense = workspace.run(&format!("fit dense.csv --target y --exclude batch {LINEAR} --json")).json();
    assert_eq!(selected(&sparse), BTreeSet::from(["g3".to_owned(), "g8".to_owned()]), "{}", done.err);
    assert_eq!(sparse["n_features"], GENES);
    for field in ["objective", "loss"] {
        let [a, b] = [&sparse, &dense].map(|report| report[field].as_f64().unwrap());
        assert!((a - b).abs() <= 1e-9 * a.abs(), "{field}: {a} {b}");
    }
    let told = |table: &str| {
        let predicted = workspace.run(&format!("predict sparse.json {table} --json")).json();
        predicted["predictions"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect::<Vec<f64>>()
    };
    let (by_matrix, by_table) = (told("matrix.mtx"), told("dense.csv"));
    assert_eq!(by_matrix.len(), N);
    assert!(by_matrix.iter().zip(&by_table).all(|(a, b)| (a - b).abs() < 1e-9));
}

#[test]
fn inputs_of_the_table_of_samples_are_always_in() {
    let workspace = workspace();
    let always = format!("--target y --always batch {LINEAR} --json");
    let fit = format!("fit matrix.mtx --samples samples.csv {always} --out m.json");
    let sparse = workspace.run(&fit).json();
    let dense = workspace.run(&format!("fit dense.csv {always}")).json();
    assert_eq!(selected(&sparse), selected(&dense));
    assert_eq!(sparse["always"][0]["name"], "batch=b");
    let [a, b] = [&sparse, &dense].map(|report| report["always"][0]["coefficient"].as_f64().unwrap());
    assert!((a - b).abs() < 1e-6, "{a} {b}");
    workspace.run("predict m.json matrix.mtx").refuses(&["needs \"batch\"", "--samples FILE"]);
    let predicted = workspace.run("predict m.json matrix.mtx --samples samples.csv --json").json();
    assert_eq!(predicted["predictions"].as_array().unwrap().len(), N);
}

#[test]
fn without_names_beside_it_the_rows_of_the_table_say_how_the_matrix_lies() {
    let workspace = workspace();
    std::fs::remove_file(workspace.path("features.tsv")).unwrap();
    std::fs::remove_file(workspace.path("barcodes.tsv")).unwrap();
    let mut samples = "y\n".to_owned();
    (0..N).for_each(|cell| writeln!(samples, "{}", outcome(cell)).unwrap());
    workspace.write("y.csv", &samples);
    let done = workspace.run(&format!("fit matrix.mtx --samples y.csv --target y {LINEAR} --json"));
    assert_eq!(selected(&done.json()), BTreeSet::from(["x4".to_owned(), "x9".to_owned()]));
    assert!(done.err.contains("in the order of the samples"), "{}", done.err);
    workspace.write("y.csv", "y\n1\n2\n3\n");
    workspace
        .run(&format!("fit matrix.mtx --samples y.csv --target y {LINEAR}"))
        .refuses(&["12 x 90", "3 samples"]);
}

#[test]
fn samples_that_do_not_fit_are_refused_and_those_left_out_are_told() {
    let workspace = workspace();
    let fit = format!("fit matrix.mtx --samples samples.csv --target y {LINEAR}");
    workspace.run(&format!("fit matrix.mtx --target y {LINEAR}")).refuses(&["matrix.mtx", "--samples FILE"]);
    workspace
        .run(&format!("fit dense.csv --samples samples.csv --target y {LINEAR}"))
        .refuses(&["Matrix Market"]);
    workspace.run(&format!("{fit} --out samples.csv")).refuses(&["samples.csv", "the table of samples"]);
    let whole = workspace.read("samples.csv");
    let some: String = whole.lines().take(61).map(|line| format!("{line}\n")).collect();
    workspace.write("samples.csv", &some);
    let done = workspace.run(&format!("{fit} --json"));
    assert_eq!(done.json()["n_samples"], 60);
    assert!(done.err.contains("30 of 90 samples of matrix.mtx have no row"), "{}", done.err);
    workspace.write("samples.csv", &whole.replace("AC5,", "AC7,"));
    workspace.run(&fit).refuses(&["\"AC7\" is there twice"]);
    workspace.write("samples.csv", &whole.replace("AC5,", "GT5,"));
    workspace.run(&fit).refuses(&["\"GT5\" is no barcode of the matrix"]);
    workspace.write("samples.csv", &whole.replace("barcode,", "cell,"));
    assert_eq!(workspace.run(&format!("{fit} --id cell --json")).json()["n_samples"], N);
}

#[test]
fn only_and_exclude_choose_among_the_inputs_of_a_matrix() {
    let workspace = workspace();
    let fit = |more: &str| {
        let command = format!("fit matrix.mtx --samples samples.csv --target y {LINEAR} --json {more}");
        workspace.run(&command)
    };
    let sparse = fit("--only g[0-5] --exclude g2 --always batch").json();
    let dense = format!(
        "fit dense.csv --target y {LINEAR} --json --only g[0-5] --only batch --exclude g2 --always batch"
    );
    let dense = workspace.run(&dense).json();
    assert_eq!(selected(&sparse), BTreeSet::from(["g3".to_owned()]));
    let [a, b] = [&sparse, &dense].map(|report| report["objective"].as_f64().unwrap());
    assert!((a - b).abs() <= 1e-9 * a, "{a} {b}");
    assert_eq!(fit("--exclude g8 --exclude -1").json()["n_features"], GENES - 2);
    fit("--only h*").refuses(&["matrix.mtx", "h*", "no column matches"]);
}

#[test]
fn two_inputs_of_a_matrix_with_the_same_name_are_refused() {
    let workspace = workspace();
    workspace.write("features.tsv", &workspace.read("features.tsv").replace("g5\t", "g3\t"));
    let fit = format!("fit matrix.mtx --samples samples.csv --target y {LINEAR}");
    workspace.run(&fit).refuses(&["matrix.mtx", "\"g3\"", "4", "6"]);
}

#[test]
fn an_hdf5_file_is_refused_with_what_to_do() {
    let workspace = workspace();
    std::fs::write(workspace.path("cells.h5ad"), b"\x89HDF\r\n\x1a\n\0\0\0\0").unwrap();
    for more in ["", "--samples samples.csv"] {
        workspace.run(&format!("fit cells.h5ad --target y {more}")).refuses(&[
            "cells.h5ad",
            "HDF5",
            "anndata.read_h5ad",
            "matrix.mtx",
        ]);
    }
    workspace.run("doctor cells.h5ad --target y").refuses(&["HDF5"]);
}

#[test]
fn the_doctor_looks_at_a_matrix_too() {
    let workspace = workspace();
    let report = workspace.run("doctor matrix.mtx --samples samples.csv --target y --json").json();
    assert_eq!((report["n_samples"].as_u64(), report["n_features"].as_u64()), (Some(90), Some(12)));
    assert!(report["smallest_correlation"].as_f64().unwrap() < 1.0, "{report}");
}
