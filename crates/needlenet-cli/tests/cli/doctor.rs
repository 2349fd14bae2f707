//! `needlenet doctor`, misspelt columns, and colours.

use std::collections::HashMap;

use serde_json::Value;

use crate::program::{Done, Workspace, program, small_table};

/// The small table with a column of each kind that a doctor should find.
fn ill_table() -> String {
    let mut out = String::new();
    for (row, line) in small_table().lines().enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        let more = if row == 0 {
            "flat,twin,near,row,word,gap,leak".to_owned()
        } else {
            let number = |at: usize| cells[at].parse::<f64>().unwrap();
            let gap = if row == 7 { String::new() } else { format!("{}", (row * row) % 13) };
            format!(
                "1,{},{},{row},blue{row},{gap},{}",
                cells[0],
                number(3) + 0.01 * number(0),
                2.0 * number(5)
            )
        };
        out += &format!("{line},{more}\n");
    }
    out
}

fn by_check(report: &Value) -> HashMap<String, Value> {
    let findings = report["findings"].as_array().unwrap();
    findings.iter().map(|f| (f["check"].as_str().unwrap().to_owned(), f.clone())).collect()
}

#[test]
fn every_ill_column_is_named_and_what_stops_a_fit_is_marked() {
    let workspace = Workspace::new();
    workspace.write("t.csv", &ill_table());
    let line = "doctor t.csv --target y --exclude kind";
    let report = workspace.run(&format!("{line} --json")).json();
    let found = by_check(&report);
    for (check, column, stops) in [
        ("constant", "flat", false),
        ("copy", "twin", false),
        ("near copy", "near", false),
        ("row number", "row", false),
        ("leak", "leak", false),
        ("text", "word", true),
        ("missing", "gap", true),
    ] {
        assert_eq!(found[check]["columns"], serde_json::json!([column]), "{report}");
        assert_eq!(found[check]["stops"], stops, "{check}");
    }
    // what is said to stop a fit does stop it
    workspace
        .run("fit t.csv --target y --exclude kind")
        .refuses_in_lines(3, &["\"word\"", "1 cell is missing"]);
    let text = workspace.run(line).text();
    assert!(text.contains("STOPS text") && text.contains("\"leak\" alone determines the outcome"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_healthy_table_has_no_finding_and_its_smallest_effect() {
    let workspace = Workspace::new();
    workspace.write("t.csv", &small_table());
    let report = workspace.run("doctor t.csv --target y --exclude kind --json").json();
    assert_eq!(report["findings"], serde_json::json!([]));
    assert_eq!((&report["task"], &report["n_samples"]), (&"regression".into(), &50.into()));
    // of 4 inputs and 50 samples: between the 5% bound of a single correlation, 0.28, and Bonferroni's at 0.1%
    let smallest = report["smallest_correlation"].as_f64().unwrap();
    assert!(smallest > 0.28 && smallest < 0.46, "{smallest}");
    // the threshold is that of a fit with default settings
    let of_fit = workspace.run("threshold t.csv --target y --exclude kind --json").json();
    assert_eq!(report["lambda_qut"], of_fit["lambda_qut"]);
    let text = workspace.run("doctor t.csv --target y --exclude kind").text();
    assert!(text.contains("no problem found") && text.contains("cannot be empty"), "{text}");
}

#[test]
fn three_classes_and_categories_have_a_smallest_effect_and_weights_have_none() {
    let workspace = Workspace::new();
    let mut table = String::from("a,stage,weight,kind,y\n");
    for row in 0..90 {
        let (a, kind, stage) = ((row * 37) % 101, ["x", "y", "z"][row % 3], ["I", "II"][row % 2]);
        table += &format!("{a},{stage},{},{kind},{}\n", 1 + row % 2, (row * 53) % 97);
    }
    workspace.write("t.csv", &table);
    let line = "doctor t.csv --target kind --exclude y --exclude weight --exclude stage";
    let report = workspace.run(&format!("{line} --json")).json();
    let smallest = report["smallest_class_distance"].as_f64().unwrap();
    // one input of 90 samples: between one and four standard errors of a mean of 30 samples
    assert!(smallest > 0.18 && smallest < 0.73, "{report}");
    assert!(workspace.run(line).text().contains("the class means of some input"));
    let line = "doctor t.csv --target y --exclude kind --task regression";
    let report = workspace.run(&format!("{line} --exclude weight --json")).json();
    // of 2 inputs and 90 samples: between the 5% bound of a single correlation, 0.21, and Bonferroni's at 0.1%
    let smallest = report["smallest_correlation"].as_f64().unwrap();
    assert!(smallest > 0.2 && smallest < 0.36, "{report}");
    let text = workspace.run(&format!("{line} --weights weight")).text();
    assert!(text.contains("is not computed for survival, weights"), "{text}");
}

#[test]
fn a_class_that_a_column_gives_away_or_that_is_small_is_told() {
    let workspace = Workspace::new();
    let mut table = String::from("a,code,kind\n");
    for row in 0..40 {
        let kind = if row < 4 { "rare" } else { "common" };
        table += &format!("{},{},{kind}\n", (row * 7) % 11, if row < 4 { 2 } else { 1 });
    }
    workspace.write("t.csv", &table);
    let found = by_check(&workspace.run("doctor t.csv --target kind --json").json());
    assert_eq!(found["leak"]["columns"], serde_json::json!(["code"]));
    assert!(found["classes"]["message"].as_str().unwrap().contains("\"rare\" has 4 rows"));
}

#[test]
fn an_outcome_that_cannot_be_explained_stops() {
    let workspace = Workspace::new();
    workspace.write("t.csv", "a,y\n1,5\n2,5\n3,5\n4,5\n5,5\n");
    let report = workspace.run("doctor t.csv --target y --task regression --json").json();
    assert_eq!(by_check(&report)["outcome"]["stops"], true);
    workspace.run("doctor - --target y").refuses(&["give a file"]);
}

#[test]
fn a_misspelt_target_is_answered_with_the_name_meant() {
    let workspace = Workspace::new();
    workspace.write("t.csv", "age,outcome\n1,2\n2,3\n");
    workspace.run("fit t.csv --target outcom").refuses(&["did you mean \"outcome\"?"]);
    workspace.run("fit t.csv --target outcome --exclude aeg").refuses(&["did you mean \"age\"?"]);
}

#[test]
fn colours_are_for_terminals_and_never_with_no_color() {
    let workspace = Workspace::new();
    workspace.write("t.csv", &small_table());
    let line = "fit t.csv --target y --exclude kind --hidden none --draws 200";
    let run = |force: bool, none: bool| {
        let mut command = program(&workspace.path("."), line);
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        if force {
            command.env("CLICOLOR_FORCE", "1");
        }
        if none {
            command.env("NO_COLOR", "1");
        }
        Done::from(command.output().unwrap()).text().contains('\u{1b}')
    };
    assert!(!run(false, false));
    assert!(run(true, false));
    assert!(!run(true, true));
}
