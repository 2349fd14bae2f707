//! `fit --sure --out` that was stopped goes on where it was.

use crate::program::{Workspace, small_table};

const FIT: &str =
    "fit t.csv --target y --exclude kind --hidden none --draws 200 --sure --pairs 4 --out m.json";

/// The answer of a run that nobody stopped, and its ledger as a kill after the last piece would leave it.
fn whole() -> (Workspace, String) {
    let workspace = Workspace::new();
    workspace.write("t.csv", &small_table());
    let done = workspace.run(FIT);
    assert_eq!(done.code, 0, "{}", done.err);
    let model = workspace.read("m.json");
    (workspace, model)
}

#[test]
fn ledger_goes_when_the_model_is_saved() {
    let (workspace, _) = whole();
    assert!(!workspace.path("m.json.sure").exists());
}

#[test]
fn finished_work_is_not_done_again_and_torn_lines_are_dropped() {
    let (workspace, model) = whole();
    // the model as the first line has it, and two halves that a fit would never give
    let mut file: serde_json::Value = serde_json::from_str(&model).unwrap();
    let head = file["model"].as_object_mut().unwrap();
    head.remove("sure");
    let head = serde_json::to_string(head).unwrap();
    let half = |half: usize| format!("{{\"half\":{{\"half\":{half},\"found\":[0],\"converged\":true}}}}\n");
    let ledger = format!("{head}\n{}{}{{\"half\":{{\"ha", half(0), half(1));
    workspace.write("m.json.sure", &ledger);
    let report = workspace.run(&format!("{FIT} --json"));
    assert!(report.err.contains("going on from 2 finished"), "{}", report.err);
    let needles = &report.json()["needles"];
    // of eight halves two say that the needle is not there
    assert_eq!(needles[0]["frequency"], 0.75, "{needles}");
}

#[test]
fn ledger_of_another_table_is_not_used() {
    let (workspace, model) = whole();
    workspace.write("m.json.sure", "{}\n{\"half\":{\"half\":0,\"found\":[0],\"converged\":true}}\n");
    let done = workspace.run(FIT);
    assert!(!done.err.contains("going on"), "{}", done.err);
    assert_eq!(workspace.read("m.json"), model);
}
