//! `needlenet shard`, and `fit` of the folder it makes.

use std::fmt::Write;

use crate::program::{Workspace, program, small_table};

const LINEAR: &str = "--hidden none --draws 200";

/// A table of 60 rows and more inputs than are searched, of which g7 and g4500 matter; age goes with the outcome too.
fn wide_table() -> String {
    let p = 4600;
    let mut state = 7_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        2.0 * (state >> 40) as f64 / (1_u64 << 24) as f64 - 1.0
    };
    let names: Vec<String> = (0..p).map(|j| format!("g{j}")).collect();
    let mut table = format!("y,age,w,{}\n", names.join(","));
    for row in 0..60 {
        let x: Vec<f64> = (0..p).map(|_| uniform()).collect();
        let age = uniform();
        let y = 3.0 * x[7] - 4.0 * x[4500] + age + 0.1 * uniform();
        let _ = write!(table, "{y},{age},{}", 1 + row % 2);
        x.iter().for_each(|v| {
            let _ = write!(table, ",{v}");
        });
        table.push('\n');
    }
    table
}

fn with_shards(columns: usize) -> Workspace {
    let workspace = Workspace::new();
    workspace.write("wide.csv", &wide_table());
    workspace
        .run(&format!("shard wide.csv --target y --weights w --columns {columns} --out folder --quiet"))
        .text();
    workspace
}

#[test]
fn a_folder_of_shards_has_the_fit_of_its_table() {
    let workspace = with_shards(1000);
    let rest = format!("--target y --weights w --always age {LINEAR} --json");
    let table = workspace.run(&format!("fit wide.csv {rest}")).json();
    let folder = workspace.run(&format!("fit folder {rest}")).json();
    for field in ["selected", "lambda", "lambda_qut", "lambda_zero", "n_features", "n_samples"] {
        assert_eq!(table[field], folder[field], "{field}");
    }
    let selected = table["selected"].as_array().unwrap();
    assert!(["g7", "g4500"].iter().all(|name| selected.contains(&(*name).into())), "{table}");
    let objective = |report: &serde_json::Value| report["objective"].as_f64().unwrap();
    assert!((objective(&table) / objective(&folder) - 1.0).abs() < 1e-9);
    assert!(table["passes"].is_null() && folder["passes"].as_u64().unwrap() >= 3, "{folder}");
    let threshold = workspace.run(&format!("threshold folder {}", rest.replace("--json", ""))).text();
    assert!(threshold.contains("lambda_QUT"), "{threshold}");
}

#[test]
fn a_report_of_shards_says_how_often_they_were_read() {
    let workspace = with_shards(5000);
    let text = workspace.run(&format!("fit folder --target y {LINEAR} --quiet")).text();
    assert!(text.contains(" passes over all columns of the shards\n"), "{text}");
    workspace.run(&format!("fit folder --target y {LINEAR} --quiet --report page.html")).text();
    let page = workspace.read("page.html");
    assert!(page.contains("g4500") && page.contains("folder"), "{page}");
}

#[test]
fn shards_that_changed_are_refused_before_the_fit() {
    let fit = format!("fit folder --target y {LINEAR}");
    let workspace = with_shards(1000);
    let shard = workspace.path("folder/00002.npy");
    let bytes = std::fs::read(&shard).unwrap();
    std::fs::write(&shard, &bytes[..bytes.len() - 8]).unwrap();
    workspace.run(&fit).refuses(&["00002.npy", "bytes where", "make the folder again"]);
    std::fs::remove_file(&shard).unwrap();
    workspace.run(&fit).refuses(&["00002.npy", "cannot be opened"]);
    // a cell that is no number, in a file of the right size
    let mut bad = bytes;
    let end = bad.len();
    bad[end - 8..].copy_from_slice(&f64::NAN.to_le_bytes());
    std::fs::write(&shard, bad).unwrap();
    let manifest = workspace.read("folder/shards.json");
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    manifest["shards"][2].as_object_mut().unwrap().remove("modified");
    workspace.write("folder/shards.json", &manifest.to_string());
    workspace.run(&fit).refuses(&["00002.npy", "row 60, column \"g2998\"", "NaN is not a finite number"]);
    manifest["shards"][3]["names"][0] = "g0".into();
    workspace.write("folder/shards.json", &manifest.to_string());
    workspace.run(&fit).refuses(&["00003.npy", "the column \"g0\" is in", "00000.npy"]);
}

#[test]
fn samples_are_joined_by_their_id() {
    let workspace = with_shards(1000);
    let rest = format!("--target y {LINEAR} --json");
    let before = workspace.run(&format!("fit folder {rest}")).json();
    let samples = workspace.read("folder/samples.csv");
    let mut lines: Vec<&str> = samples.lines().collect();
    lines[1..].reverse();
    workspace.write("folder/samples.csv", &lines.join("\n"));
    assert_eq!(workspace.run(&format!("fit folder {rest}")).json()["objective"], before["objective"]);
    workspace.write("folder/samples.csv", &lines[..60].join("\n"));
    workspace.run(&format!("fit folder {rest}")).refuses(&["samples.csv", "no row has the id \"1\""]);
    lines[1] = lines[2];
    workspace.write("folder/samples.csv", &lines.join("\n"));
    workspace.run(&format!("fit folder {rest}")).refuses(&["samples.csv", "is there twice"]);
}

/// 40 samples of three variants; y is the number of copies at the second, and one genotype is missing.
#[test]
fn genotypes_of_plink_are_shards() {
    let workspace = Workspace::new();
    let copies = |variant: usize, sample: usize| (sample * (variant + 3) + sample / 5) % 3;
    let mut bed = vec![0x6c, 0x1b, 0x01];
    for variant in 0..3 {
        for first in (0..40).step_by(4) {
            let code = |k: usize| match copies(variant, first + k) {
                _ if variant == 0 && first + k == 9 => 1u8,
                2 => 0,
                1 => 2,
                _ => 3,
            };
            bed.push((0..4).fold(0, |byte, k| byte | code(k) << (2 * k)));
        }
    }
    std::fs::write(workspace.path("c.bed"), bed).unwrap();
    workspace.write("c.bim", "1 rs1 0 1 A G\n1 rs2 0 2 A G\n1 rs3 0 3 A G\n");
    let fam: String = (0..40).map(|i| format!("F{i} I{i} 0 0 0 -9\n")).collect();
    workspace.write("c.fam", &fam);
    let rows: String =
        (0..40).rev().map(|i| format!("I{i},{}\n", copies(1, i) as f64 + 0.001 * (i % 7) as f64)).collect();
    workspace.write("s.csv", &format!("iid,y\n{rows}"));
    workspace.run("shard c.bed --target y --samples s.csv --id iid --columns 2 --out folder").text();
    let report = workspace.run(&format!("fit folder --target y --task regression {LINEAR} --json")).json();
    assert_eq!(report["selected"], serde_json::json!(["rs2"]));
    let slope = report["needles"][0]["mean_slope"].as_f64().unwrap();
    assert!(slope > 0.0, "{report}");
    workspace.write("c.bim", "1 rs1 0 1 A G\n1 rs2 0 2 A G\n");
    workspace.run(&format!("fit folder --target y {LINEAR}")).refuses(&[
        "c.bed",
        "bytes where",
        "not of one set",
    ]);
}

#[test]
fn what_shards_cannot_give_is_refused() {
    let workspace = Workspace::new();
    workspace.write("t.csv", &small_table());
    workspace.run("shard t.csv --target y --out folder --quiet").refuses(&["kind", "--exclude"]);
    workspace.run("shard t.csv --target y --exclude kind --out folder --quiet").text();
    workspace.run("shard t.csv --target y --exclude kind --out folder").refuses(&["not empty"]);
    for (option, reason) in [("--sure", "needs the table in memory"), ("--only a", "columns of its files")] {
        let word = option.split_whitespace().next().unwrap();
        workspace.run(&format!("fit folder --target y {option} {LINEAR}")).refuses(&[word, "shards", reason]);
    }
    // few enough to be brought at once
    let report = workspace.run(&format!("fit folder --target y {LINEAR} --json")).json();
    let mut selected: Vec<&str> =
        report["selected"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    selected.sort_unstable();
    assert_eq!((selected, &report["passes"]), (vec!["b", "c"], &1.into()));
}

#[test]
fn a_fit_that_was_killed_goes_on_from_the_finished_shards() {
    let workspace = with_shards(500);
    let fit =
        |out: &str| format!("fit folder --target y --hidden none --draws 20000 --threads 1 --out {out}");
    let (book, model) = (workspace.path("m.json.passes"), workspace.path("m.json"));
    let mut child = program(&workspace.path(""), &fit("m.json")).spawn().unwrap();
    // the answers of the first pass
    while std::fs::metadata(&book).map_or(0, |about| about.len()) < 100_000 {
        assert!(child.try_wait().unwrap().is_none(), "the fit has ended");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(book.exists() && !model.exists());
    let resumed = workspace.run(&fit("m.json"));
    assert!(
        resumed.err.contains("going on from") && resumed.err.contains("m.json.passes"),
        "{}",
        resumed.err
    );
    assert!(!book.exists() && model.exists());
    assert_eq!(workspace.run(&fit("whole.json")).code, 0);
    assert_eq!(workspace.read("m.json"), workspace.read("whole.json"));
}
