//! Long runs: nothing is repeated, nothing is mixed, and the rows do not depend on threads or interruptions.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a step that fails fails the test")]

use std::path::Path;

use needlenet_lab::{Experiment, LabError, OverTables, ROWS, Row, Split, Study, Watcher, read_rows};

fn experiment(replicates: u64, threads: usize) -> Experiment {
    Experiment {
        study: Study::named("mixed").unwrap(),
        learners: vec!["sqrt-lasso-qut".into(), "linear-scad".into()],
        points: vec!["2".into(), "6".into()],
        replicates,
        seed: 3,
        threads,
        mix_versions: false,
    }
}

/// Sorted lines without the time, which is the last column.
fn lines(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join(ROWS)).unwrap();
    let mut lines: Vec<String> =
        text.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().0.to_owned()).collect();
    lines.sort();
    lines
}

#[test]
fn rows_do_not_depend_on_the_number_of_threads() {
    let (one, four) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    experiment(3, 1).run(one.path(), &()).unwrap();
    experiment(3, 4).run(four.path(), &()).unwrap();
    assert_eq!(lines(one.path()).len(), 12);
    assert_eq!(lines(one.path()), lines(four.path()));
}

#[test]
fn a_run_that_goes_on_does_only_what_is_missing() {
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    experiment(3, 2).run(whole.path(), &()).unwrap();
    assert_eq!(experiment(1, 2).run(parts.path(), &()).unwrap().made, 4);
    let ended = experiment(3, 2).run(parts.path(), &()).unwrap();
    assert_eq!((ended.before, ended.made), (4, 8));
    assert_eq!(lines(whole.path()), lines(parts.path()));
    assert_eq!(experiment(3, 2).run(parts.path(), &()).unwrap().made, 0);
}

#[test]
fn a_torn_last_line_is_dropped_and_made_again() {
    let (whole, torn) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    experiment(2, 1).run(whole.path(), &()).unwrap();
    let text = std::fs::read_to_string(whole.path().join(ROWS)).unwrap();
    for cut in [1, 20, text.lines().next().unwrap().len() + 5, text.len() - 3] {
        std::fs::write(torn.path().join(ROWS), &text[..cut]).unwrap();
        experiment(2, 1).run(torn.path(), &()).unwrap();
        assert_eq!(lines(whole.path()), lines(torn.path()), "cut after {cut} bytes");
    }
}

#[test]
fn rows_of_another_study_seed_or_version_are_not_mixed_in() {
    let folder = tempfile::tempdir().unwrap();
    experiment(1, 1).run(folder.path(), &()).unwrap();
    let refused = |experiment: Experiment| match experiment.run(folder.path(), &()) {
        Err(LabError::Mixed { .. }) => {}
        other => panic!("{other:?}"),
    };
    refused(Experiment { seed: 4, ..experiment(1, 1) });
    refused(Experiment { study: Study::named("figure1").unwrap(), points: vec![], ..experiment(1, 1) });

    let rows: Vec<Row> = read_rows(folder.path()).unwrap();
    let text = std::fs::read_to_string(folder.path().join(ROWS)).unwrap();
    std::fs::write(folder.path().join(ROWS), text.replace(&rows[0].version, "0.0.1+older")).unwrap();
    refused(experiment(2, 1));
    let mixing = Experiment { mix_versions: true, ..experiment(2, 1) };
    assert_eq!(mixing.run(folder.path(), &()).unwrap().made, 4);
}

#[test]
fn rows_of_other_files_of_the_folder_count_as_done() {
    let folder = tempfile::tempdir().unwrap();
    experiment(2, 1).run(folder.path(), &()).unwrap();
    std::fs::rename(folder.path().join(ROWS), folder.path().join("rows.elsewhere.csv")).unwrap();
    assert_eq!(experiment(3, 1).run(folder.path(), &()).unwrap().made, 4);
}

#[test]
fn two_runs_cannot_write_one_folder_at_a_time() {
    struct Second<'a>(&'a Path);
    impl Watcher<Row> for Second<'_> {
        fn kept(&self, _: &Row, _: usize, _: usize) {
            assert!(matches!(experiment(1, 1).run(self.0, &()), Err(LabError::InUse { .. })));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    experiment(1, 1).run(folder.path(), &Second(folder.path())).unwrap();
}

/// 40 rows: the class is the sign of `b`, but for every tenth row.
fn real_table() -> String {
    let mut table = String::from("a,b,c,target\n");
    for i in 0..40 {
        let [a, b, c] = [7, 11, 13].map(|k| ((i * k + 3) % 19) as f64 - 9.0);
        let up = (b > 0.0) != (i % 10 == 0);
        table += &format!("{a},{b},{c},{}\n", if up { "up" } else { "down" });
    }
    table
}

#[test]
fn real_tables_resume_too_and_leave_out_what_has_no_outcome() {
    let (tables, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(tables.path().join("signs.csv"), real_table()).unwrap();
    std::fs::write(tables.path().join("survival.csv"), "a,time,event\n1,2,0\n3,4,1\n5,6,1\n").unwrap();
    let real = |replicates, threads| OverTables {
        tables: tables.path().to_owned(),
        sets: vec![],
        learners: vec!["linear-l1".into(), "sqrt-lasso-qut".into()],
        replicates,
        seed: 1,
        threads,
        mix_versions: false,
    };
    real(2, 1).run_splits(out.path(), &()).unwrap();
    let ended = real(4, 2).run_splits(out.path(), &()).unwrap();
    assert_eq!((ended.before, ended.made, ended.left_out.len()), (4, 4, 1));
    assert!(ended.left_out[0].contains("survival.csv"), "{:?}", ended.left_out);
    let rows: Vec<needlenet_lab::RealRow> = read_rows(out.path()).unwrap();
    assert_eq!(rows.len(), 8);
    for row in rows {
        assert_eq!((row.n, row.p, row.classes), (40, 3, 2));
        assert_eq!(row.names, "b", "{row:?}");
        assert!(row.accuracy.unwrap() > row.majority.unwrap());
    }
}

#[test]
fn splits_keep_the_shares_of_the_classes_and_cover_every_row_once() {
    let labels: Vec<&str> = (0..50).map(|i| if i < 10 { "rare" } else { "common" }).collect();
    let outcome = needlenet::Outcome::from_labels(&labels);
    let split = Split::new(&outcome, 5);
    assert_eq!(split.train.iter().filter(|row| **row < 10).count(), 7);
    assert_eq!(split.train.len(), 35);
    let mut all = [split.train.clone(), split.test.clone()].concat();
    all.sort_unstable();
    assert_eq!(all, (0..50).collect::<Vec<_>>());
    assert_ne!(split, Split::new(&outcome, 6));
}
