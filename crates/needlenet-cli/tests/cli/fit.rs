//! `needlenet fit`, `threshold` and `show`: exit codes, reports, and what is refused.

use std::collections::BTreeSet;

use crate::program::{Workspace, small_table};

/// A linear fit that takes no time.
const LINEAR: &str = "--hidden none --draws 200";

fn with_small_table() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("t.csv", &small_table());
    workspace
}

fn names(value: &serde_json::Value) -> BTreeSet<&str> {
    value.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn a_fit_finds_the_inputs_that_matter_and_says_how_it_ended() {
    let done = with_small_table().run(&format!("fit t.csv --target y --exclude kind {LINEAR}"));
    assert_eq!(done.code, 0, "{}", done.err);
    for words in
        ["50 samples, 4 inputs, regression", "lambda_QUT", "lambda_0", "2 of 4 inputs", "rising", "falling"]
    {
        assert!(done.out.contains(words), "no {words} in:\n{}", done.out);
    }
    assert!(done.out.contains("\nfit   converged\n      objective "), "{}", done.out);
    assert!(done.out.lines().all(|line| line.chars().count() <= 80), "{}", done.out);
    assert!(!done.out.contains('\u{1b}'));
    assert_eq!(done.err, "");
}

#[test]
fn json_has_every_promised_field_and_no_other_line() {
    let done =
        with_small_table().run(&format!("fit t.csv --target y --exclude kind {LINEAR} --json --seed 5"));
    let report = done.json();
    assert_eq!(done.out.lines().count(), 1);
    let promised = "task n_samples n_features classes alpha lambda lambda_qut lambda_qut_standard_error lambda_zero \
                    penalty hidden selected n_selected needles stand_ins neurons active_neurons linear objective loss \
                    kkt_violation stop converged iterations refit noise seed threads seconds warnings version";
    for field in promised.split_whitespace() {
        assert!(!report[field].is_null(), "no {field} in {report}");
    }
    assert_eq!(report["task"], "regression");
    assert_eq!((&report["n_samples"], &report["n_features"]), (&50.into(), &4.into()));
    assert_eq!(names(&report["selected"]), BTreeSet::from(["b", "c"]));
    assert_eq!(report["n_selected"], 2);
    assert_eq!(report["stop"], "converged");
    assert_eq!((&report["seed"], &report["linear"]), (&5.into(), &true.into()));
    assert_eq!(report["lambda"], report["lambda_qut"]);
    assert_eq!(report["needles"][0]["name"], "b");
    assert_eq!(report["needles"][0]["shape"], "rising");
    assert!(report["needles"][1]["mean_slope"].as_f64().unwrap() < 0.0);
}

#[test]
fn the_preset_of_the_paper_says_that_the_outcome_kept_its_unit_and_refuses_a_concave_penalty() {
    let workspace = with_small_table();
    let command = "fit t.csv --target y --exclude kind --draws 200 --preset paper";
    let text = workspace.run(command);
    assert_eq!(text.code, 0, "{}", text.err);
    assert!(text.out.contains("hidden layers 20, penalty l1"), "{}", text.out);
    assert!(text.out.contains("the outcome kept its unit"), "{}", text.out);
    let report = workspace.run(&format!("{command} --hidden 4 --json")).json();
    assert_eq!((&report["hidden"], &report["penalty"]), (&serde_json::json!([4]), &"l1".into()));
    assert_eq!(report["scale_outcome"], false);
    let refused = workspace.run(&format!("{command} --penalty harder"));
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("scale the outcome"), "{}", refused.err);
}

#[test]
fn a_network_reports_its_neurons_and_the_needles_they_join() {
    let workspace = Workspace::new();
    assert_eq!(workspace.run("lab make nonlinear --s 2 --n 120 --p 6 --seed 4 --out d.csv").code, 0);
    let truth: serde_json::Value = serde_json::from_str(&workspace.read("d.truth.json")).unwrap();
    let report = workspace.run("fit d.csv --target target --hidden 8 --draws 200 --json").json();
    assert_eq!(names(&report["selected"]), names(&truth["needles"]));
    assert_eq!(report["hidden"], serde_json::json!([8]));
    let neurons = report["neurons"].as_array().unwrap();
    assert_eq!(report["active_neurons"], neurons.len());
    let joined: BTreeSet<&str> = neurons
        .iter()
        .flat_map(|neuron| neuron["inputs"].as_array().unwrap())
        .map(|input| input["name"].as_str().unwrap())
        .collect();
    assert_eq!(joined, names(&truth["needles"]));
}

#[test]
fn a_linear_law_is_reported_as_a_linear_model_though_a_network_was_asked_for() {
    let command = "fit t.csv --target y --exclude kind --hidden 4 --draws 200";
    let report = with_small_table().run(&format!("{command} --json")).json();
    assert_eq!(names(&report["selected"]), BTreeSet::from(["b", "c"]));
    assert_eq!((&report["hidden"], &report["linear"]), (&serde_json::json!([]), &true.into()));
    assert_eq!(report["active_neurons"], 0);
    let text = with_small_table().run(command).text();
    assert!(text.contains("the linear model is reported"), "{text}");
}

#[test]
fn text_labels_are_classes_and_the_report_counts_them() {
    let workspace = with_small_table();
    let report = workspace.run(&format!("fit t.csv --target kind --exclude y {LINEAR} --json")).json();
    assert_eq!(report["task"], "classification");
    assert_eq!(names(&report["classes"]), BTreeSet::from(["large", "small"]));
    assert_eq!(report["class_counts"][0].as_u64().unwrap() + report["class_counts"][1].as_u64().unwrap(), 50);
    assert_eq!(report["selected"], serde_json::json!(["b"]));
    // the log odds meant are those of the second class, which has small b
    assert_eq!(
        (&report["needles"][0]["class"], &report["needles"][0]["shape"]),
        (&"small".into(), &"falling".into())
    );
    let text = workspace.run(&format!("fit t.csv --target kind --exclude y {LINEAR}")).text();
    assert!(text.contains("2 classes: large (") && text.contains("because \"kind\" is text"), "{text}");
}

#[test]
fn the_target_may_be_given_by_number_and_the_table_on_standard_input() {
    let workspace = with_small_table();
    let by_name = workspace.run(&format!("threshold t.csv --target y --exclude kind {LINEAR} --json")).json();
    for target in ["6", "-1"] {
        let line = format!("threshold - --target {target} --exclude 5 {LINEAR} --json");
        assert_eq!(workspace.run_with(&line, &small_table()).json(), by_name);
    }
}

#[test]
fn a_table_without_header_numbers_its_columns() {
    let workspace = Workspace::new();
    let rows: String = small_table().lines().skip(1).map(|line| line.replace(',', ";") + "\n").collect();
    workspace.write("rows.txt", &rows);
    let line = format!("fit rows.txt --no-header --delimiter ; --target 6 --exclude x5 {LINEAR} --json");
    assert_eq!(names(&workspace.run(&line).json()["selected"]), BTreeSet::from(["x2", "x3"]));
}

#[test]
fn missing_cells_are_refused_with_their_place_unless_a_rule_is_given() {
    let workspace = Workspace::new();
    let mut lines: Vec<String> = small_table().lines().map(String::from).collect();
    lines[3] = lines[3].splitn(2, ',').last().map(|rest| format!("gap,{rest}")).unwrap();
    workspace.write("gaps.csv", &lines.join("\n"));
    let fit = format!("fit gaps.csv --target y --exclude kind {LINEAR} --json");
    workspace.run(&fit).refuses(&["gaps.csv", "row 3", "\"a\"", "gap", "--missing-marker"]);
    let marked = format!("{fit} --missing-marker gap");
    workspace.run(&marked).refuses(&["gaps.csv", "1 cell", "row 3", "\"a\"", "--missing"]);
    for (rule, n, p) in [("mean", 50, 4), ("drop-rows", 49, 4), ("drop-columns", 50, 3)] {
        let done = workspace.run(&format!("{marked} --missing {rule}"));
        let report = done.json();
        assert_eq!((&report["n_samples"], &report["n_features"]), (&n.into(), &p.into()), "{rule}");
        assert!(done.err.starts_with("note: "), "{}", done.err);
    }
    let quiet = workspace.run(&format!("{marked} --missing mean --quiet"));
    assert_eq!((quiet.code, quiet.err.as_str()), (0, ""));
}

#[test]
fn bad_input_and_bad_usage_end_with_one_line_and_exit_code_1() {
    let workspace = with_small_table();
    workspace.write("flat.csv", "a,y\n1,2\n2,2\n3,2\n");
    workspace.write("one.csv", "a,y\n1,2\n");
    workspace.write("empty.csv", "");
    let refuses = |line: &str, words: &[&str]| workspace.run(line).refuses(words);
    refuses("fit nowhere.csv --target y", &["nowhere.csv"]);
    refuses("fit empty.csv --target y", &["empty.csv", "empty"]);
    refuses("fit t.csv --target z", &["t.csv", "\"z\"", "6 names"]);
    workspace.write("id.csv", "a,id,y\n1,p1,2\n2,p2,3\n");
    refuses("fit id.csv --target y", &["id.csv", "\"id\" looks like an identifier", "--exclude"]);
    refuses(
        "fit t.csv --target kind --task regression --exclude y",
        &["t.csv", "text", "--task classification"],
    );
    refuses("fit flat.csv --target y", &["flat.csv", "2 in every row"]);
    refuses("fit one.csv --target y", &["one.csv", "at least 2"]);
    refuses("fit t.csv --target y --alpha 2", &["alpha is 2", "above 0 and below 1"]);
    refuses("fit t.csv --target y --lambda -1", &["lambda is -1"]);
    refuses("fit t.csv --target y --delimiter ab", &["--delimiter"]);
    refuses("show nowhere.json", &["nowhere.json"]);
    refuses("show t.csv", &["t.csv", "not a needlenet model"]);
}

#[test]
fn words_the_command_line_does_not_know_have_exit_code_1_and_help_has_0() {
    let workspace = Workspace::new();
    for line in [
        "fit",
        "fit t.csv",
        "nonsense",
        "fit t.csv --target y --hidden x",
        "fit t.csv --target y --penalty l7",
    ] {
        let done = workspace.run(line);
        assert_eq!((done.code, done.out.as_str()), (1, ""), "{line}: {}", done.err);
        assert!(done.err.starts_with("error: "), "{line}: {}", done.err);
    }
    for line in ["--help", "fit --help", "--version", "help threshold", "completions bash", "man"] {
        let done = workspace.run(line);
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{line}");
        assert!(done.out.contains("needlenet"), "{line}");
    }
    assert!(workspace.run("--help").out.contains("needlenet fit haystack.csv --target target"));
}

#[test]
fn a_fit_that_does_not_converge_is_printed_and_marked_and_has_exit_code_2() {
    let workspace = with_small_table();
    let fit =
        "fit t.csv --target y --exclude kind --hidden 4 --draws 200 --max-iterations 1 --tolerance 1e-12";
    let text = workspace.run(&format!("{fit} --out m.json"));
    assert_eq!(text.code, 2, "{}", text.err);
    assert!(text.out.contains("\nfit   NOT CONVERGED"), "{}", text.out);
    assert!(text.err.contains("warning: the fit did NOT converge"), "{}", text.err);
    let json = workspace.run(&format!("{fit} --json"));
    assert_eq!(json.code, 2);
    let report: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((&report["converged"], &report["stop"]), (&false.into(), &"max_iterations".into()));
    assert!(json.err.contains("warning: the fit did NOT converge"), "{}", json.err);
    assert!(workspace.run("show m.json").out.contains("NOT CONVERGED"));
}

#[test]
fn constant_columns_are_left_out_with_a_warning() {
    let workspace = Workspace::new();
    let table: String = small_table()
        .lines()
        .enumerate()
        .map(|(at, line)| format!("{},{line}\n", if at == 0 { "flat" } else { "7" }))
        .collect();
    workspace.write("t.csv", &table);
    let done = workspace.run(&format!("fit t.csv --target y --exclude kind {LINEAR} --json"));
    let report = done.json();
    assert_eq!(names(&report["selected"]), BTreeSet::from(["b", "c"]));
    assert_eq!(report["n_features"], 5);
    let text = workspace.run(&format!("fit t.csv --target y --exclude kind {LINEAR}")).text();
    assert!(text.contains("1 input left out"), "{text}");
    let warning = report["warnings"][0].as_str().unwrap();
    assert!(warning.contains("flat") && done.err.contains(warning), "{warning}: {}", done.err);
}

#[test]
fn a_table_without_needles_is_told_plainly() {
    let workspace = Workspace::new();
    assert_eq!(workspace.run("lab make linear --s 0 --n 40 --p 5 --seed 2 --out hay.csv").code, 0);
    let done = workspace.run(&format!("fit hay.csv --target target {LINEAR} --out m.json"));
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("no input is found to matter at level 0.05"), "{}", done.out);
    let report = workspace.run("show m.json --json").json();
    assert_eq!((&report["n_selected"], &report["selected"]), (&0.into(), &serde_json::json!([])));
}

#[test]
fn the_threshold_is_that_of_the_fit() {
    let workspace = with_small_table();
    let options = format!("t.csv --target y --exclude kind {LINEAR} --json");
    let threshold = workspace.run(&format!("threshold {options}")).json();
    let fit = workspace.run(&format!("fit {options}")).json();
    for field in ["lambda_qut", "lambda_qut_standard_error", "lambda_zero", "p_value", "alpha", "draws"] {
        assert_eq!(threshold[field], fit[field], "{field}");
    }
    let text = workspace.run(&format!("threshold t.csv --target y --exclude kind {LINEAR}")).text();
    assert!(text.contains("lambda_0 exceeds lambda_QUT"), "{text}");
}

#[test]
fn the_same_seed_gives_the_same_report_on_one_and_two_threads() {
    let workspace = with_small_table();
    let report = |threads| {
        let line =
            format!("fit t.csv --target y --exclude kind --hidden 4 --draws 200 --threads {threads} --json");
        let mut report = workspace.run(&line).json();
        assert_eq!(report["threads"], threads);
        report.as_object_mut().unwrap().retain(|field, _| field != "threads" && field != "seconds");
        report
    };
    assert_eq!(report(1), report(2));
}

#[test]
fn sure_adds_p_values_frequencies_and_intervals_to_text_json_and_model() {
    let workspace = with_small_table();
    let fit = format!("fit t.csv --target y --exclude kind {LINEAR} --sure --pairs 3 --out m.json");
    let text = workspace.run(&fit);
    assert_eq!(text.code, 0, "{}", text.err);
    for words in ["How sure each is", "p-value  adjusted  in halves  strength from-to", "6 halves"] {
        assert!(text.out.contains(words), "no {words} in:\n{}", text.out);
    }
    let one_line = text.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(one_line.contains("Holm's method for all 4 inputs"), "{one_line}");
    assert!(text.out.lines().all(|line| line.chars().count() <= 80), "{}", text.out);
    let report = workspace.run(&format!("{fit} --json")).json();
    for needle in report["needles"].as_array().unwrap() {
        assert!(needle["p_adjusted"].as_f64().unwrap() < 0.01, "{needle}");
        assert!(needle["p_value"].as_f64() <= needle["p_adjusted"].as_f64());
        assert_eq!(needle["frequency"], 1.0);
        let [low, high] = [0, 1].map(|end| needle["strength_interval"][end].as_f64().unwrap());
        let strength = needle["strength"].as_f64().unwrap();
        assert!(low < strength && strength < high, "{needle}");
    }
    assert_eq!((&report["sure"]["n_hypotheses"], &report["sure"]["pairs"]), (&4.into(), &3.into()));
    let shown = workspace.run("show m.json --json").json();
    assert_eq!(shown["needles"], report["needles"]);
}

#[test]
fn without_sure_its_fields_are_null_and_pairs_are_refused() {
    let workspace = with_small_table();
    let report = workspace.run(&format!("fit t.csv --target y --exclude kind {LINEAR} --json")).json();
    for field in ["p_value", "p_adjusted", "frequency", "strength_interval"] {
        assert!(report["needles"][0].as_object().unwrap()[field].is_null(), "{field}");
    }
    assert!(report.as_object().unwrap()["sure"].is_null());
    let refused = workspace.run(&format!("fit t.csv --target y --exclude kind {LINEAR} --pairs 3"));
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("--sure"), "{}", refused.err);
}
