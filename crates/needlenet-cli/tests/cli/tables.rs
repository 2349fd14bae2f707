//! Tables as people have them: categories, missing cells, spreadsheets, and the examples of `docs/tables.md`.

use std::collections::BTreeSet;
use std::path::Path;

use crate::program::{Workspace, small_table};

const LINEAR: &str = "--hidden none --draws 200";

/// A workspace with the tables of the documentation.
fn with_examples() -> Workspace {
    let workspace = Workspace::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    std::fs::create_dir(workspace.path("cells")).unwrap();
    for part in ["", "cells"] {
        for entry in std::fs::read_dir(folder.join(part)).unwrap().map(Result::unwrap) {
            if entry.path().is_file() {
                let to = workspace.path(part).join(entry.file_name());
                std::fs::copy(entry.path(), to).unwrap();
            }
        }
    }
    workspace
}

fn selected(report: &serde_json::Value) -> BTreeSet<String> {
    report["selected"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_command_of_the_documentation_runs() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tables.md");
    let page = std::fs::read_to_string(page).unwrap();
    let commands: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("    needlenet ")).collect();
    assert!(commands.len() >= 4, "{commands:?}");
    let workspace = with_examples();
    for command in commands {
        let done = workspace.run(command);
        assert_eq!(done.code, 0, "{command}: {}", done.err);
        assert!(!done.out.is_empty(), "{command}");
    }
}

#[test]
fn a_clinical_table_takes_one_round_of_advice() {
    let workspace = with_examples();
    workspace.run("fit clinic.csv --target response").refuses_in_lines(
        3,
        &[
            "\"patient\" looks like an identifier",
            "--exclude",
            "cells are missing",
            "--missing mean, indicator, drop-rows or drop-columns",
        ],
    );
    let fit = format!("fit clinic.csv --target response --exclude patient {LINEAR} --json");
    let expected = BTreeSet::from(["age".to_owned(), "marker_3".to_owned(), "stage".to_owned()]);
    for rule in ["mean", "indicator", "drop-rows"] {
        let done = workspace.run(&format!("{fit} --missing {rule}"));
        assert_eq!(selected(&done.json()), expected, "{rule}");
        assert!(
            done.err.contains("2 columns are read as a category: \"sex\" (2 levels), \"stage\" (4 levels)"),
            "{}",
            done.err
        );
        assert!(done.err.contains("\"smoker\": true and yes are read as 1"), "{}", done.err);
    }
    let sheet = workspace.run(&fit.replace("clinic.csv", "trial.xlsx --sheet Trial --missing mean"));
    assert_eq!(selected(&sheet.json()), expected);
    assert!(sheet.err.contains("is taken for a title"), "{}", sheet.err);
    workspace
        .run(&fit.replace("clinic.csv", "trial.xlsx --sheet trail"))
        .refuses(&["did you mean \"Trial\"?"]);
}

#[test]
fn the_doctor_names_every_column_that_stops_and_no_level_of_a_category() {
    let workspace = with_examples();
    let report = workspace.run("doctor clinic.csv --target response --json").json();
    let findings = report["findings"].as_array().unwrap();
    let stops: Vec<&str> =
        findings.iter().filter(|f| f["stops"] == true).map(|f| f["columns"][0].as_str().unwrap()).collect();
    assert_eq!(stops.len(), 2, "{report}");
    assert_eq!(stops[0], "patient");
    assert!(stops[1].starts_with("marker_"), "{report}");
    assert!(findings.iter().all(|f| f["check"] != "near copy"), "{report}");
}

#[test]
fn a_model_of_a_category_predicts_new_rows_and_refuses_a_level_that_it_does_not_know() {
    let workspace = with_examples();
    workspace
        .run(&format!(
            "fit clinic.csv --target response --exclude patient --missing mean {LINEAR} --out m.json -q"
        ))
        .text();
    let predict = |table: &str, more: &str| {
        workspace.write("new.csv", table);
        workspace.run(&format!("predict m.json new.csv --json {more}"))
    };
    let done = predict("age,stage,marker_3\n60,I,0\n60,III,0\n60,IV,0\n", "");
    let values: Vec<f64> =
        done.json()["predictions"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    // the response was made with 2 for stage III and 3 for stage IV
    assert!(
        (values[1] - values[0] - 2.0).abs() < 0.5 && (values[2] - values[0] - 3.0).abs() < 0.5,
        "{values:?}"
    );
    let unseen = "age,stage,marker_3\n60,V,0\n";
    predict(unseen, "").refuses(&["row 1", "\"V\" is not among the levels", "--unseen mean"]);
    assert_eq!(predict(unseen, "--unseen mean").code, 0);
    // stage I is the most frequent
    let as_mode = predict(unseen, "--unseen mode").json()["predictions"][0].as_f64().unwrap();
    assert!((as_mode - values[0]).abs() < 1e-12, "{as_mode} {values:?}");
}

#[test]
fn a_missing_cell_of_a_prediction_gets_the_mean_of_the_fit() {
    let workspace = Workspace::new();
    workspace.write("t.csv", &small_table());
    workspace.run(&format!("fit t.csv --target y --exclude kind {LINEAR} --out m.json -q")).text();
    let mean: f64 = {
        let table = small_table();
        let b: Vec<f64> =
            table.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().parse().unwrap()).collect();
        b.iter().sum::<f64>() / b.len() as f64
    };
    let predictions = |b: &str, more: &str| {
        workspace.write("new.csv", &format!("b,c\n{b},0.5\n0.9,0.5\n0.8,0.1\n"));
        workspace.run(&format!("predict m.json new.csv --json -q {more}")).json()["predictions"][0]
            .as_f64()
            .unwrap()
    };
    let filled = predictions("", "--missing mean");
    assert!((filled - predictions(&mean.to_string(), "")).abs() < 1e-9);
}

#[test]
fn groups_and_inputs_that_are_always_in_are_checked_by_name() {
    let workspace = Workspace::new();
    workspace.write("t.csv", &small_table());
    workspace.write("g.csv", "input,group\nb,first\nd,first\n");
    let fit = format!("fit t.csv --target y --exclude kind {LINEAR} --json");
    let report = workspace.run(&format!("{fit} --groups g.csv")).json();
    assert_eq!(selected(&report), BTreeSet::from(["c".to_owned(), "first".to_owned()]));
    workspace.write("bad.csv", "input,group\nbb,first\n");
    workspace.run(&format!("{fit} --groups bad.csv")).refuses(&["no input \"bb\""]);
    workspace.write("bad.csv", "name,group\nb,first\n");
    workspace.run(&format!("{fit} --groups bad.csv")).refuses(&["bad.csv", "columns input and group"]);
    workspace.run(&format!("{fit} --groups nowhere.csv")).refuses(&["nowhere.csv"]);
    workspace
        .run(&format!("{fit} --always A"))
        .refuses(&["always: there is no input \"A\"; did you mean \"a\"?"]);
}

/// Every option that takes names splits them at commas, keeps a comma in double quotes, and knows patterns.
#[test]
fn all_options_with_names_have_one_rule() {
    let workspace = Workspace::new();
    workspace.write("t.csv", &small_table().replacen("a,b,c", "a,\"b,mg\",c", 1));
    let fit = |options: &str| workspace.run(&format!("fit t.csv --target y {LINEAR} --json {options}"));
    for (options, inputs) in [
        ("--exclude kind,a", 3),
        ("--exclude kind --exclude a,c", 2),
        ("--exclude \"b,mg\",[ac],kind", 1),
        ("--exclude 1,-2", 3),
        ("--only \"b,mg\",d", 2),
        ("--only a,b*", 2),
    ] {
        assert_eq!(fit(options).json()["n_features"], inputs, "{options}");
    }
    for names in ["a,\"b,mg\"", "a,b*", "[ab]*"] {
        let report = fit(&format!("--exclude kind --always {names}")).json();
        let always = report["always"].as_array().unwrap().iter().map(|input| input["name"].as_str().unwrap());
        assert_eq!(always.collect::<BTreeSet<_>>(), BTreeSet::from(["a", "b,mg"]), "{names}");
    }
    let row = |row: usize| format!("{},{},{},{row}.5\n", row % 2, row % 3, row % 4);
    workspace.write("t.csv", &format!("u,\"v,w\",z,y\n{}", (0..40).map(row).collect::<String>()));
    for (options, categories) in [
        ("--category u,\"v,w\"", "2 columns are read as a category: \"u\" (2 levels), \"v,w\" (3 levels)"),
        ("--category *", "3 columns are read as a category"),
        ("--ordered v*=2,1,0 --category u", "1 column is read as a category: \"u\""),
    ] {
        assert!(fit(options).err.contains(categories), "{options}: {}", fit(options).err);
    }
    fit("--ordered \"v,w\"=0,1").refuses(&["\"v,w\" has \"2\" in row 3", "ordered levels (\"0\", \"1\")"]);
    fit("--category 2").refuses(&["category: there is no input \"2\""]);
    fit("--exclude u,,z").refuses_in_lines(3, &["--exclude", "a name is empty"]);
    fit("--always \"u").refuses_in_lines(3, &["--always", "not closed"]);
}

#[test]
fn inputs_that_are_always_in_are_adjusted_for_and_needed_at_prediction() {
    let workspace = with_examples();
    let fit = format!("fit clinic.csv --target response --exclude patient --missing mean {LINEAR}");
    let report = workspace.run(&format!("{fit} --always age,sex,stage --out m.json --json")).json();
    assert_eq!(selected(&report), BTreeSet::from(["marker_3".to_owned()]));
    let names: BTreeSet<&str> =
        report["always"].as_array().unwrap().iter().map(|input| input["name"].as_str().unwrap()).collect();
    assert!(names.contains("age") && names.iter().any(|name| name.starts_with("stage")), "{report}");
    let predicted = workspace.run("predict m.json new_patients.csv --missing mean --json").json();
    assert!(!predicted["predictions"].as_array().unwrap().is_empty());
    workspace.write("few.csv", "marker_3,age\n0.5,60\n");
    workspace.run("predict m.json few.csv").refuses(&["stage"]);
}

#[test]
fn patterns_ordered_levels_dates_and_decimal_marks_reach_the_reader() {
    let workspace = Workspace::new();
    let mut table = String::from("id;gene_1;gene_2;grade;day;y\n");
    for (row, line) in small_table().lines().skip(1).enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        let grade = ["low", "mid", "high"][row % 3];
        let text =
            format!("p{row};{};{};{grade};2024-01-{:02};{}", cells[1], cells[2], row % 28 + 1, cells[5]);
        table += &format!("{}\n", text.replace('.', ","));
    }
    workspace.write("t.csv", &table);
    let fit = format!("fit t.csv --target y {LINEAR} --json");
    let done = workspace.run(&format!("{fit} --only gene_*"));
    assert_eq!(selected(&done.json()), BTreeSet::from(["gene_1".to_owned(), "gene_2".to_owned()]));
    assert!(done.err.contains("numbers have decimal commas"), "{}", done.err);
    let done = workspace.run(&format!("{fit} --exclude i? --ordered grade=low,mid,high --dates days"));
    assert_eq!(done.json()["n_features"], 4);
    let graded = format!("{fit} --only grade --ordered grade=low,mid,high --lambda 0.001 --out m.json");
    assert_eq!(workspace.run(&graded).json()["groups"][0]["kind"], "ordered");
    // the model knows the levels
    workspace.write("new.csv", "grade\nhigh\nlow\n");
    assert_eq!(
        workspace.run("predict m.json new.csv --json").json()["predictions"].as_array().unwrap().len(),
        2
    );
    workspace.write("new.csv", "grade\nhuge\n");
    workspace.run("predict m.json new.csv").refuses(&["\"huge\"", "low"]);
    workspace.run(&format!("{fit} --exclude id")).refuses(&["\"day\" looks like a date", "--dates days"]);
    workspace.run(&format!("{fit} --ordered grade")).refuses(&["--ordered", "grade=low,mid,high"]);
    workspace.run(&format!("{fit} --only snp_*")).refuses(&["\"snp_*\"", "no column matches it"]);
}

#[test]
fn the_columns_of_survival_may_hold_words() {
    let workspace = Workspace::new();
    let mut table = String::from("x,z,months,died,site\n");
    for row in 0..80 {
        let x = f64::from(row * 37 % 80) / 40.0 - 1.0;
        let months = (60.0 * (-1.5 * x).exp() * (1.0 + f64::from(row % 7) / 10.0)).round();
        table += &format!(
            "{x},{},{months},{},{}\n",
            row * 13 % 29,
            ["yes", "no"][usize::from(row % 5 == 0)],
            ["north", "south"][row as usize % 2]
        );
    }
    workspace.write("t.csv", &table);
    let line = format!("fit t.csv --time months --event died --strata site {LINEAR} --out m.json --json");
    assert_eq!(workspace.run(&line).json()["task"], "survival");
    let out = workspace.run("predict m.json t.csv --at 50 --strata site").text();
    assert_eq!(out.lines().count(), 81);
    workspace.run("fit t.csv --time months --event x").refuses(&["row", "--event"]);
    workspace
        .run("fit t.csv --time months --event died --weights site")
        .refuses(&["--weights", "holds text"]);
}

#[test]
fn columns_that_cannot_be_used_are_listed_one_a_line() {
    let workspace = Workspace::new();
    let row = |i: usize| format!("P{i},2024-03-{:02},{}.5\n", i % 28 + 1, i * 7 % 11);
    workspace.write("t.csv", &format!("id,when,y\n{}", (0..40).map(row).collect::<String>()));
    let done = workspace.run("fit t.csv --target y");
    for start in ["  \"id\" looks like an identifier", "  \"when\" looks like a date"] {
        assert!(done.err.lines().any(|line| line.starts_with(start)), "{}", done.err);
    }
}
