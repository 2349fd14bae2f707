//! `lab real`, `lab whole` and `lab splits`.

use std::fmt::Write;
use std::path::Path;

use needlenet_io::{check_outputs, write_atomically};
use needlenet_lab::{
    OverTables, RealTable, Result as LabResult, Split, TablesEnded, draw_seed, read_real, to_csv, whole_table,
};
use needlenet_report::align;
use serde::Serialize;

use super::args::{FolderArgs, RealArgs, SplitsArgs, WholeArgs};
use super::progress::Bar;
use super::studies::note_run;
use crate::failure::Failure;
use crate::interrupt;
use crate::output;

/// Runs learners on splits of every table of a folder, or continues such a run.
pub fn run(args: &RealArgs) -> Result<(), Failure> {
    let over = over_tables(&args.on, args.replicates);
    run_over_tables(&args.on, "real", |out, watcher| over.run_splits(out, watcher))
}

/// What the arguments ask for.
pub(super) fn over_tables(args: &FolderArgs, replicates: u64) -> OverTables {
    let FolderArgs { folder, sets, long } = args;
    OverTables {
        tables: folder.clone(),
        sets: sets.clone(),
        learners: long.learners.clone(),
        replicates,
        seed: long.seed,
        threads: long.threads,
        mix_versions: long.mix_versions,
    }
}

/// Runs the missing rows, and reports the tables that were left out.
pub(super) fn run_over_tables(
    args: &FolderArgs,
    name: &'static str,
    run: impl FnOnce(&Path, &Bar) -> LabResult<TablesEnded>,
) -> Result<(), Failure> {
    interrupt::says(interrupt::STUDY);
    let long = &args.long;
    output::note_threads(long.threads, long.quiet);
    note_run(&long.out, name)?;
    let bar = Bar::new(long.quiet);
    let ended = run(&long.out, &bar);
    bar.finish();
    let ended = ended?;
    let mut notes: Vec<String> =
        ended.left_out.iter().map(|reason| format!("a table was left out: {reason}")).collect();
    notes.push(format!("{} rows made, {} were there before", ended.made, ended.before));
    output::notes(&notes, long.quiet);
    Ok(())
}

/// Fits whole tables and prints what each learner finds.
pub fn whole(args: &WholeArgs) -> Result<(), Failure> {
    let tables: Vec<_> = args.tables.iter().map(|path| (path.as_path(), "a table")).collect();
    check_outputs(&tables, &[("--out", args.out.as_deref())])?;
    let mut lines = Vec::new();
    let mut rows = vec![["table", "learner", "inputs", "neurons", "converged", "seconds"].map(String::from)];
    let mut found = String::new();
    for path in &args.tables {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = file.split('.').next().unwrap_or_default().to_owned();
        let table = RealTable { name, path: path.clone() };
        let sample = read_real(path)?;
        if let Some(name) = args.watch.iter().find(|name| !sample.names.contains(name)) {
            return Err(Failure::Usage(format!("{}: has no input \"{name}\" to watch", path.display())));
        }
        for learner in &args.learners {
            let row = whole_table(&table, &sample, learner)?;
            lines.extend(to_csv(&row, lines.is_empty())?);
            let count = |number: Option<usize>| number.map_or("-".into(), |number| number.to_string());
            let converged = match row.converged {
                Some(1) => "yes",
                Some(_) => "no",
                None => "-",
            };
            rows.push([
                row.set.clone(),
                row.learner.clone(),
                count(row.selected),
                count(row.neurons),
                converged.into(),
                format!("{:.2}", row.seconds),
            ]);
            let names: Vec<&str> = row.names.split_whitespace().collect();
            let _ = writeln!(found, "\n{}, {}: {}", row.set, row.learner, row.names);
            for watched in &args.watch {
                let verdict = if names.contains(&watched.as_str()) { "found" } else { "not found" };
                let _ = writeln!(found, "    {watched}: {verdict}");
            }
            if row.stop.starts_with("failed") {
                let _ = writeln!(found, "    {}", row.stop);
            }
        }
    }
    if let Some(path) = &args.out {
        write_atomically(path, &lines)?;
    }
    let mut text = String::new();
    align(&mut text, &rows, [true, true, false, false, true, false]);
    text.push_str(&found);
    output::print(text.as_bytes())
}

/// Prints the splits of a table, so that other programs can use the same.
pub fn splits(args: &SplitsArgs) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct One {
        split: u64,
        seed: u64,
        train: Vec<usize>,
        test: Vec<usize>,
    }
    let sample = read_real(&args.table)?;
    let splits: Vec<One> = (0..args.replicates)
        .map(|split| {
            let seed = draw_seed(args.seed, split);
            let Split { train, test } = Split::new(&sample.outcome, seed);
            One { split, seed, train, test }
        })
        .collect();
    output::print(&output::to_json(&splits)?)
}
