//! `needlenet compare`.

use crate::program::{Workspace, small_table};

#[test]
fn two_models_are_compared_needle_by_needle() {
    let workspace = Workspace::new();
    workspace.write("t.csv", &small_table());
    let fit = "fit t.csv --target y --exclude kind --hidden none --draws 200";
    assert_eq!(workspace.run(&format!("{fit} --out whole.json")).code, 0);
    assert_eq!(
        workspace.run(&format!("{fit} --exclude a --exclude c --exclude d --seed 2 --out part.json")).code,
        0
    );
    let report = workspace.run("compare whole.json part.json --json").json();
    assert_eq!(report["both"], serde_json::json!(["b"]));
    assert_eq!(report["models"][0]["only"], serde_json::json!(["c"]));
    assert_eq!(report["models"][1]["only"], serde_json::json!([]));
    assert_eq!(report["needles"][1]["strength"][1], serde_json::Value::Null);
    assert_eq!(report["models"][1]["seed"], 2);
    let text = workspace.run("compare whole.json part.json").text();
    assert!(text.contains("whole.json") && text.contains("1 needle in both"), "{text}");
}

#[test]
fn a_category_is_compared_as_one_needle() {
    let workspace = Workspace::new();
    let mut table = String::from("stage,age,y\n");
    for row in 0..120 {
        let (stage, age) = (["I", "II", "III"][row % 3], (row * 37) % 101);
        let y = 10.0 * f64::from(u8::from(stage == "III")) + (row * 13 % 7) as f64 / 7.0;
        table += &format!("{stage},{age},{y}\n");
    }
    workspace.write("t.csv", &table);
    assert_eq!(workspace.run("fit t.csv --target y --hidden none --draws 200 --out m.json --quiet").code, 0);
    let report = workspace.run("compare m.json m.json --json").json();
    assert_eq!(report["both"], serde_json::json!(["stage"]));
    assert_eq!(report["needles"][0]["shape"], serde_json::json!(["columns", "columns"]));
    assert!(report["needles"][0]["strength"][0].as_f64().unwrap() > 1.0, "{report}");
}

#[test]
fn models_of_different_tasks_are_refused() {
    let workspace = Workspace::new();
    workspace.write("t.csv", &small_table());
    let fit = "fit t.csv --hidden none --draws 200";
    assert_eq!(workspace.run(&format!("{fit} --target y --exclude kind --out y.json")).code, 0);
    assert_eq!(workspace.run(&format!("{fit} --target kind --exclude y --out kind.json")).code, 0);
    workspace.run("compare y.json kind.json").refuses(&["y.json is a regression", "same task"]);
    workspace.run("compare y.json nowhere.json").refuses(&["nowhere.json"]);
}
