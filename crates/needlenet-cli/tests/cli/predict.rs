//! `needlenet predict`, `show` and `lab`: from a table to a model file to predictions.

use std::fmt::Write;
use std::io::Read;

use crate::program::{Workspace, program, small_table};

fn with_model(target: &str, other: &str) -> Workspace {
    let workspace = Workspace::new();
    workspace.write("t.csv", &small_table());
    let line =
        format!("fit t.csv --target {target} --exclude {other} --hidden none --draws 200 --out m.json");
    let done = workspace.run(&line);
    assert_eq!(done.code, 0, "{}", done.err);
    workspace
}

/// The cells of a column of the small table.
fn column(at: usize) -> Vec<String> {
    small_table().lines().skip(1).map(|line| line.split(',').nth(at).unwrap().to_owned()).collect()
}

#[test]
fn predictions_from_a_model_file_follow_the_outcome() {
    let workspace = with_model("y", "kind");
    let done = workspace.run("predict m.json t.csv");
    assert_eq!(done.code, 0, "{}", done.err);
    let lines: Vec<&str> = done.out.lines().collect();
    assert_eq!((lines[0], lines.len()), ("prediction,outside", 51));
    for (line, y) in lines[1..].iter().zip(column(5)) {
        let (predicted, outside) = line.split_once(',').unwrap();
        assert_eq!(outside, "false");
        // the noise of the table is at most 0.1
        assert!(
            (predicted.parse::<f64>().unwrap() - y.parse::<f64>().unwrap()).abs() < 0.15,
            "{predicted} {y}"
        );
    }
    assert_eq!(workspace.run("predict m.json t.csv --out p.csv").text(), "");
    assert_eq!(workspace.read("p.csv"), done.out);
    let json = workspace.run("predict m.json t.csv --json").json();
    assert_eq!(json["predictions"].as_array().unwrap().len(), 50);
    assert_eq!(
        json["predictions"][0].as_f64().unwrap(),
        lines[1].split(',').next().unwrap().parse::<f64>().unwrap()
    );
    assert_eq!(json["outside"], serde_json::json!(vec![false; 50]));
    assert_ne!(workspace.run("predict m.json t.csv --penalised").text(), done.out);
}

#[test]
fn a_row_outside_the_data_of_the_fit_is_flagged() {
    let workspace = with_model("y", "kind");
    workspace.write("far.csv", "b,c\n0,0\n0,1e6\n");
    let out = workspace.run("predict m.json far.csv").text();
    let flags: Vec<&str> = out.lines().map(|line| line.rsplit(',').next().unwrap()).collect();
    assert_eq!(flags, ["outside", "false", "true"]);
}

#[test]
fn only_the_columns_of_the_needles_are_read_in_any_order() {
    let workspace = with_model("y", "kind");
    let whole = workspace.run("predict m.json t.csv").text();
    let table: String = small_table()
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            format!("{},some text,{}\n", cells[2], cells[1])
        })
        .collect();
    workspace.write("few.csv", &table.replacen("some text", "id", 1));
    assert_eq!(workspace.run("predict m.json few.csv").text(), whole);
    workspace.write("less.csv", "a,b\n1,2\n");
    workspace.run("predict m.json less.csv").refuses(&["less.csv", "\"c\""]);
    assert_eq!(workspace.run_with("predict m.json -", &small_table()).text(), whole);
}

#[test]
fn class_predictions_have_a_label_and_probabilities_that_sum_to_1() {
    let workspace = with_model("kind", "y");
    let out = workspace.run("predict m.json t.csv").text();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "class,probability_large,probability_small,outside");
    let mut right = 0;
    for (line, kind) in lines[1..].iter().zip(column(4)) {
        let cells: Vec<&str> = line.split(',').collect();
        let (large, small): (f64, f64) = (cells[1].parse().unwrap(), cells[2].parse().unwrap());
        assert!((large + small - 1.0).abs() < 1e-12);
        assert_eq!(cells[0], if large >= small { "large" } else { "small" });
        right += usize::from(cells[0] == kind);
    }
    assert!(right >= 45, "{right} of 50");
    let json = workspace.run("predict m.json t.csv --json").json();
    assert_eq!(json["classes"], serde_json::json!(["large", "small"]));
    assert_eq!(json["probabilities"].as_array().unwrap().len(), 50);
}

#[test]
fn dropped_rows_are_told_by_their_numbers() {
    let workspace = with_model("y", "kind");
    workspace.write("gaps.csv", "b,c\n1,1\n,1\n0,1\n");
    workspace.run("predict m.json gaps.csv").refuses(&["gaps.csv", "row 2", "--missing"]);
    let out = workspace.run("predict m.json gaps.csv --missing drop-rows").text();
    let rows: Vec<&str> = out.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(rows, ["row", "1", "3"]);
    assert_eq!(workspace.run("predict m.json gaps.csv --missing mean").text().lines().count(), 4);
    workspace.run("predict m.json gaps.csv --missing drop-columns").refuses(&["drop-rows"]);
}

#[test]
fn a_model_without_needles_predicts_the_mean_for_every_row() {
    let workspace = Workspace::new();
    workspace.run("lab make linear --s 0 --n 40 --p 5 --seed 2 --out hay.csv").text();
    let table = workspace.read("hay.csv");
    let y: Vec<f64> = table.lines().skip(1).map(|l| l.rsplit(',').next().unwrap().parse().unwrap()).collect();
    let mean = y.iter().sum::<f64>() / 40.0;
    for hidden in ["none", "4"] {
        let fit = format!(
            "fit hay.csv --target target --hidden {hidden} --draws 200 --tolerance 1e-10 --out m.json"
        );
        workspace.run(&fit).text();
        let out = workspace.run("predict m.json hay.csv").text();
        assert_eq!(out.lines().count(), 41);
        for line in out.lines().skip(1) {
            let (told, outside) = line.split_once(',').unwrap();
            assert_eq!(outside, "false");
            // rounding the outcome to a grid of 2^-26 standard deviations, here below 1, moves its mean by half a step
            assert!((told.parse::<f64>().unwrap() - mean).abs() < 2_f64.powi(-27), "{mean}: {told}");
        }
    }
}

#[test]
fn show_prints_the_report_of_the_fit() {
    let workspace = with_model("y", "kind");
    let fit = workspace.run("fit t.csv --target y --exclude kind --hidden none --draws 200 --json").json();
    let show = workspace.run("show m.json --json").json();
    for (field, value) in fit.as_object().unwrap() {
        if !["seconds", "task_reason"].contains(&field.as_str()) {
            assert_eq!(show[field], *value, "{field}");
        }
    }
    let text = workspace.run("show m.json").text();
    assert!(text.contains("2 of 4 inputs found to matter"), "{text}");
}

#[test]
fn a_damaged_model_file_is_refused() {
    let workspace = with_model("y", "kind");
    let text = workspace.read("m.json");
    workspace.write("half.json", &text[..text.len() / 2]);
    workspace.run("predict half.json t.csv").refuses(&["half.json", "cut off"]);
    workspace.write("new.json", &text.replacen("\"version\":4", "\"version\":5", 1));
    workspace.run("show new.json").refuses(&["new.json", "newer needlenet", "upgrade"]);
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let workspace = with_model("y", "kind");
    // more than a pipe holds, so that the program meets the closed end
    let rows: String = (0..40_000).map(|i| format!("{i},{i}\n")).collect();
    workspace.write("long.csv", &format!("b,c\n{rows}"));
    let mut child = program(&workspace.path(""), "predict m.json long.csv").spawn().unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!((child.wait().unwrap().code(), err.as_str()), (Some(0), ""));
    assert_eq!(&first, b"prediction");
}

#[test]
fn a_made_table_tells_its_needles_and_is_compared_with_a_model() {
    let workspace = Workspace::new();
    assert_eq!(workspace.run("lab make linear --s 2 --n 60 --p 6 --seed 4 --noise 0.5 --out d.csv").code, 0);
    let truth: serde_json::Value = serde_json::from_str(&workspace.read("d.truth.json")).unwrap();
    assert_eq!(
        (&truth["design"], &truth["seed"], &truth["target"]),
        (&"linear".into(), &4.into(), &"target".into())
    );
    let fit = workspace.run("fit d.csv --target target --hidden none --draws 200 --json --out m.json").json();
    let sorted = |value: &serde_json::Value| {
        let mut names: Vec<String> = value.as_array().unwrap().iter().map(ToString::to_string).collect();
        names.sort();
        names
    };
    assert_eq!(sorted(&fit["selected"]), sorted(&truth["needles"]));
    let compared = workspace.run("lab compare d.truth.json m.json");
    assert!(
        compared.out.contains("2 of 2 needles found, 0 not in the truth: exactly the truth"),
        "{}",
        compared.out
    );
    for line in
        ["make nonlinear --s 3", "make deep --s 2", "make linear --s 500", "make linear --n 1", "make odd"]
    {
        workspace.run(&format!("lab {line} --out x.csv")).refuses(&[]);
        assert!(!workspace.path("x.csv").exists());
    }
}

/// Classes by the sign of a story that six inputs tell, each with an error of its own, and four inputs of noise.
fn family_table() -> String {
    let mut state = 7_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let mut table = String::from("a,b,c,d,e,f,g,h,i,j,kind\n");
    for _ in 0..60 {
        let story = uniform();
        for j in 0..10 {
            let _ = write!(table, "{:.6},", if j < 6 { story + uniform() } else { uniform() });
        }
        table += if story > 0.0 { "up\n" } else { "down\n" };
    }
    table
}

#[test]
fn stand_ins_are_told_apart_and_read_for_predictions() {
    let workspace = Workspace::new();
    workspace.write("t.csv", &family_table());
    let line = "fit t.csv --target kind --hidden none --penalty l1 --draws 200 --out m.json";
    let told = workspace.run(line).text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("found when the needles are left out"), "{told}");
    let report = workspace.run(&format!("{line} --json")).json();
    let names = |key: &str| -> Vec<String> {
        report[key].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().into()).collect()
    };
    let (needles, stand_ins) = (names("needles"), names("stand_ins"));
    assert!(!needles.is_empty() && !stand_ins.is_empty());
    assert!(stand_ins.iter().all(|name| !needles.contains(name)));
    assert_eq!(report["n_selected"], needles.len());
    assert!(workspace.run("predict m.json t.csv").text().starts_with("class,"));
    workspace
        .write("needles.csv", &format!("{}\n{}\n", needles.join(","), vec!["0"; needles.len()].join(",")));
    workspace.run("predict m.json needles.csv").refuses(&["needles.csv", &stand_ins[0]]);
}
