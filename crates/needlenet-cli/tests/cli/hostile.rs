//! What a careless or hostile user could ask for: refused or bounded, with true advice.

use std::time::{Duration, Instant};

use crate::program::{Workspace, small_table};

const FIT: &str = "fit t.csv --target y --exclude kind --hidden none --draws 200";

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("t.csv", &small_table());
    workspace
}

#[test]
fn a_result_never_replaces_its_table_or_its_model_also_through_a_link() {
    let workspace = workspace();
    assert_eq!(workspace.run(&format!("{FIT} --out m.json")).code, 0);
    let (table, model) = (workspace.read("t.csv"), workspace.read("m.json"));
    std::fs::hard_link(workspace.path("t.csv"), workspace.path("hard.csv")).unwrap();
    std::fs::hard_link(workspace.path("m.json"), workspace.path("hard.json")).unwrap();
    let mut tables = vec!["t.csv", "./t.csv", "hard.csv"];
    let mut models = vec!["m.json", "hard.json"];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("t.csv", workspace.path("soft.csv")).unwrap();
        std::os::unix::fs::symlink("m.json", workspace.path("soft.json")).unwrap();
        tables.push("soft.csv");
        models.push("soft.json");
    }
    for file in &tables {
        workspace.run(&format!("{FIT} --out {file}")).refuses(&["--out", "would replace the table"]);
        workspace.run(&format!("{FIT} --report {file}")).refuses(&["--report", "would replace the table"]);
        workspace.run(&format!("predict m.json t.csv --out {file}")).refuses(&["would replace the table"]);
    }
    for file in &models {
        workspace.run(&format!("predict m.json t.csv --out {file}")).refuses(&["would replace the model"]);
        workspace.run(&format!("show m.json --report {file}")).refuses(&["would replace the model"]);
    }
    workspace.run(&format!("{FIT} --out new --report ./new")).refuses(&["another result of this command"]);
    assert_eq!((workspace.read("t.csv"), workspace.read("m.json")), (table, model));
}

/// The table need not even be readable: the refusal comes first.
#[test]
fn such_a_result_is_refused_before_anything_is_read() {
    let workspace = Workspace::new();
    workspace.write("t.csv", "\0\0\0");
    workspace.run("fit t.csv --target y --out t.csv").refuses(&["would replace the table"]);
}

#[cfg(unix)]
#[test]
fn a_table_on_standard_input_is_not_replaced_either() {
    let workspace = workspace();
    let table = std::fs::File::open(workspace.path("t.csv")).unwrap();
    let line = "fit - --target y --exclude kind --hidden none --draws 200 --out t.csv";
    let mut command = crate::program::program(workspace.path(".").as_path(), line);
    let done: crate::program::Done = command.stdin(table).output().unwrap().into();
    done.refuses(&["would replace the table"]);
    assert_eq!(workspace.read("t.csv"), small_table());
}

#[test]
fn a_million_threads_become_as_many_as_there_are_cores_and_it_is_said() {
    let workspace = workspace();
    let start = Instant::now();
    let done = workspace.run(&format!("{FIT} --threads 1000000 --json"));
    assert!(done.err.contains("--threads 1000000 is more than the machine has"), "{}", done.err);
    let few = workspace.run(&format!("{FIT} --threads 1 --json"));
    assert_eq!(few.err, "");
    assert_eq!(done.json()["selected"], few.json()["selected"]);
    let study = "lab run mixed --learners sqrt-lasso-qut --points 2 --replicates 1 --threads 1000000 --out r";
    let done = workspace.run(study);
    assert!(done.code == 0 && done.err.contains("--threads 1000000"), "{}", done.err);
    let mut command = crate::program::program(workspace.path("").as_path(), FIT);
    let output = command.env("RAYON_NUM_THREADS", "1000000").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn memory_has_a_bound_that_the_user_can_move() {
    let workspace = workspace();
    let line = |size: &str| format!("{FIT} --max-memory {size}");
    workspace.run(&line("1kB")).refuses(&["more than 1.0 kB of memory", "--max-memory"]);
    assert_eq!(workspace.run(&line("500MB")).code, 0);
    assert_eq!(workspace.run(&line("0.5GiB")).code, 0);
    assert_eq!(workspace.run(&line("much")).code, 1);
    assert_eq!(workspace.run(&format!("{FIT} --out m.json")).code, 0);
    workspace.run("predict m.json t.csv --max-memory 100B").refuses(&["--max-memory"]);
    workspace.run("doctor t.csv --target y --max-memory 100B").refuses(&["--max-memory"]);
}

#[test]
fn numbers_that_cannot_be_used_are_named_for_what_they_are() {
    let workspace = Workspace::new();
    let table = |x: &dyn Fn(i32) -> String, y: &dyn Fn(i32) -> String| {
        let rows: String = (0..40).map(|row| format!("{},{},{}\n", x(row), (row * 7) % 11, y(row))).collect();
        format!("a,b,y\n{rows}")
    };
    let plain = |row: i32| row.to_string();
    let fit = "fit t.csv --target y --draws 200 --hidden none";
    workspace.write("t.csv", &table(&|row| format!("{}e306", row * 4), &plain));
    workspace.run(fit).refuses(&["column \"a\"", "4e306 is larger in size than 1e150", "another unit"]);
    workspace.write("t.csv", &table(&plain, &|row| format!("{}e306", row)));
    workspace.run(fit).refuses(&["outcome", "1e306 is larger in size than 1e150"]);
    workspace.write("t.csv", &table(&|row| format!("{}e-310", row), &plain));
    workspace.run(fit).refuses(&["column \"a\" has a standard deviation of", "e-309", "another unit"]);
    // 1e14 and a few units: every column is beyond the 13th digit
    let offset = |row: i32| format!("{}", 100_000_000_000_000_i64 + i64::from(row % 7));
    let rows: String = (0..40).map(|row| format!("{},{row}\n", offset(row))).collect();
    workspace.write("t.csv", &format!("a,y\n{rows}"));
    workspace.run(fit).refuses(&["column \"a\" varies by 6 around 100000000000000", "subtract a constant"]);
    let rows: String = (0..40).map(|row| format!("7,{row}\n")).collect();
    workspace.write("t.csv", &format!("a,y\n{rows}"));
    workspace.run(fit).refuses(&["every input column is constant, so nothing"]);
}

#[test]
fn predict_advises_only_what_it_can_do() {
    let workspace = workspace();
    assert_eq!(workspace.run(&format!("{FIT} --out m.json")).code, 0);
    let header = small_table().lines().next().unwrap().to_owned();
    let bad = [
        format!("{header}\n1,x,1,1,large,1\n"),
        format!("{header}\n1,,1,1,large,1\n"),
        format!("{header}\n1,inf,1,1,large,1\n"),
        format!("{header}\n1,1 or 5,1,1,large,1\n"),
        "a,y\n1,2\n".to_owned(),
        header.clone(),
    ];
    let help = workspace.run("predict --help").text();
    let mut seen = 0;
    for table in &bad {
        workspace.write("new.csv", table);
        for more in ["", " --missing mean", " --missing drop-rows"] {
            let done = workspace.run(&format!("predict m.json new.csv{more}"));
            // a missing cell of a needle is the mean of the fit, if that is asked for
            let is_filled = table.contains("1,,1") && more.ends_with("mean");
            assert_eq!(done.code == 0, is_filled, "{table}: {}", done.err);
            let words = done.err.split(|c: char| !(c.is_alphanumeric() || c == '-'));
            for option in words.filter(|word| word.starts_with("--")) {
                assert!(help.contains(option), "{option}: {}", done.err);
                seen += 1;
            }
            assert!(!done.err.contains("drop-columns") || more.is_empty(), "{}", done.err);
        }
    }
    assert!(seen >= 5, "{seen}");
}

#[test]
fn truth_values_are_not_called_text() {
    let workspace = Workspace::new();
    let rows: String = (0..40).map(|row| format!("{row},{},{}\n", (row * 7) % 11, row % 3 == 0)).collect();
    workspace.write("t.csv", &format!("a,b,y\n{rows}"));
    let fit = "fit t.csv --target y --draws 200 --hidden none";
    let reason = workspace.run(&format!("{fit} --json")).json()["task_reason"].as_str().unwrap().to_owned();
    assert_eq!(reason, "\"y\" is true or false");
    workspace.run(&format!("{fit} --task regression")).refuses(&["\"y\" is true or false, not numbers"]);
    workspace.write("t.csv", &format!("a,b,y\n{rows}1,1,perhaps\n"));
    workspace.run(&format!("{fit} --task regression")).refuses(&["\"y\" is text (\"true\")"]);
}

#[test]
fn a_list_of_no_columns_is_not_offered() {
    let workspace = Workspace::new();
    let rows: String = (0..40).map(|row| format!("{},1\n", row + 1)).collect();
    workspace.write("t.csv", &format!("t,e\n{rows}"));
    let done = workspace.run("fit t.csv --time t --event e --strata s");
    done.refuses(&["there is no column \"s\"; give one of its 2 names (\"t\", \"e\")"]);
    workspace.write("t.csv", "y\n1\n2\n");
    workspace.run("fit t.csv --target z").refuses(&["no column \"z\"; the only one is \"y\""]);
}
