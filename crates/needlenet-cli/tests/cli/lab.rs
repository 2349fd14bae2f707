//! The laboratory from outside: a study survives being killed, and one replicate is the row of the study.

use std::time::{Duration, Instant};

use crate::program::{Workspace, program};

const STUDY: &str = "lab run mixed --learners sqrt-lasso-qut,linear-harder --points 2,8 --seed 5 --quiet";

/// The rows of a file without the time, sorted.
fn rows(text: &str) -> Vec<String> {
    let mut rows: Vec<String> =
        text.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().0.to_owned()).collect();
    rows.sort();
    rows
}

#[test]
fn a_study_killed_at_any_moment_goes_on_to_the_same_rows() {
    let here = Workspace::new();
    here.run(&format!("{STUDY} --replicates 20 --threads 2 --out whole")).text();
    let whole = rows(&here.read("whole/rows.csv"));
    assert_eq!(whole.len(), 80);

    let killed = format!("{STUDY} --replicates 20 --threads 2 --out killed");
    let count = |here: &Workspace| {
        std::fs::read_to_string(here.path("killed/rows.csv")).map_or(0, |text| text.lines().count())
    };
    for least in [3, 20, 45] {
        let mut child = program(here.path("").as_path(), &killed).spawn().unwrap();
        let start = Instant::now();
        while count(&here) < least && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        // SIGKILL where there are signals: the program cannot prepare for it
        child.kill().unwrap();
        child.wait().unwrap();
        let there = count(&here);
        assert!((least..80).contains(&there), "{there} lines: it was to be killed in the middle");
    }
    here.run(&killed).text();
    assert_eq!(rows(&here.read("killed/rows.csv")), whole);
}

#[test]
fn one_replicate_prints_the_line_that_the_study_appends() {
    let here = Workspace::new();
    here.run(&format!("{STUDY} --replicates 2 --out study")).text();
    let whole = rows(&here.read("study/rows.csv"));
    let line = "lab replicate mixed --learner linear-harder --point 8 --replicate 1 --seed 5";
    let one = rows(&here.run(line).text());
    assert_eq!(one.len(), 1);
    assert!(whole.contains(&one[0]), "{} not in {whole:?}", one[0]);
}

#[test]
fn summary_writes_a_table_and_a_page() {
    let here = Workspace::new();
    here.run(&format!("{STUDY} --replicates 3 --out study")).text();
    let page = here.run("lab summary study").text();
    assert_eq!(page, here.read("study/summary.md"));
    assert!(page.contains("### PESR") && page.contains("| linear-harder |"), "{page}");
    let table = here.read("study/summary.csv");
    assert_eq!(table.lines().count(), 5);
    assert!(table.lines().nth(1).unwrap().starts_with("mixed,mixed,70,250,2,linear-harder,3,"), "{table}");
    assert!(here.read("study/runs.jsonl").contains("lab run mixed"));
}

#[test]
fn sure_adds_the_shares_of_needles_with_a_small_adjusted_p_value() {
    let here = Workspace::new();
    let line = "lab run mixed --learners sqrt-lasso-qut --points 2 --replicates 1 --seed 5 --quiet --sure --out study";
    here.run(line).text();
    let text = here.read("study/rows.csv");
    let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let at = |name: &str| names.iter().position(|own| *own == name).unwrap();
    let row = |learner: &str| -> Vec<String> {
        let line = text.lines().find(|line| line.contains(learner)).unwrap();
        line.split(',').map(String::from).collect()
    };
    assert_eq!(row("sqrt-lasso-qut")[at("sure_fdr")], "");
    let sure = row("needlenet-sure");
    assert_eq!((&sure[at("sure_fdr")][..], &sure[at("sure_tpr")][..]), ("0.0", "1.0"), "{text}");
    let page = here.run("lab summary study").text();
    assert!(page.contains("### FDR of needles with an adjusted p-value below .05"), "{page}");

    // rows of a version without these columns can be read, and are not written to
    let older = text.replace("sure_tpr,sure_fdr,", "");
    std::fs::create_dir(here.path("older")).unwrap();
    here.write("older/rows.csv", &format!("{}\n", older.lines().next().unwrap()));
    here.run(&line.replace("--out study", "--out older")).refuses(&["other columns", "another folder"]);
}

#[test]
fn fresh_samples_come_with_their_noiseless_mean() {
    let here = Workspace::new();
    here.run("lab make linear --s 1 --n 20 --p 3 --seed 4 --test 15 --out d.csv").text();
    assert_eq!(here.read("d.csv").lines().count(), 21);
    let truth: serde_json::Value = serde_json::from_str(&here.read("d.truth.json")).unwrap();
    let test = here.read("d.test.csv");
    let mut lines = test.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    assert_eq!(head[3..], ["target", "mean"]);
    let needle = head.iter().position(|name| *name == truth["needles"][0].as_str().unwrap()).unwrap();
    let number = |text: &str| text.parse::<f64>().unwrap();
    assert_eq!(lines.clone().count(), 15);
    // the linear design has the coefficient 3
    assert!(lines.all(|row| (number(row[4]) - 3.0 * number(row[needle])).abs() < 1e-12));
}

#[test]
fn whole_tables_say_which_watched_inputs_were_found() {
    let here = Workspace::new();
    here.run("lab make linear --s 2 --n 60 --p 5 --seed 1 --out d.csv").text();
    let truth: serde_json::Value = serde_json::from_str(&here.read("d.truth.json")).unwrap();
    let needle = truth["needles"][0].as_str().unwrap().to_owned();
    let text = here.run(&format!("lab whole d.csv --watch {needle} --learners linear-l1,needlenet")).text();
    assert_eq!(text.matches(&format!("{needle}: found")).count(), 2, "{text}");
    here.run("lab whole d.csv --watch x99").refuses(&["d.csv", "\"x99\""]);
}

#[test]
fn names_that_mean_nothing_are_refused_with_those_that_do() {
    let here = Workspace::new();
    here.run("lab run figure9 --out o").refuses(&["\"figure9\"", "figure1", "figure2"]);
    here.run("lab run figure1 --learners lasso --out o").refuses(&["\"lasso\"", "sqrt-lasso-qut"]);
    here.run("lab run figure2 --points 3 --out o").refuses(&["3 is no point of figure2", "0, 2, 4"]);
    here.run("lab summary nowhere").refuses(&["nowhere"]);
}

#[test]
fn splits_are_printed_row_by_row() {
    let here = Workspace::new();
    here.run("lab make classes --n 40 --p 4 --seed 2 --out d.csv").text();
    let splits = here.run("lab splits d.csv --replicates 2 --seed 3").json();
    let rows = |split: usize, part: &str| splits[split][part].as_array().unwrap().len();
    assert_eq!((rows(0, "train") + rows(0, "test"), rows(1, "train")), (40, rows(0, "train")));
    assert_eq!(splits[1]["seed"], 3_000_001);
    assert_ne!(splits[0]["test"], splits[1]["test"]);
}
