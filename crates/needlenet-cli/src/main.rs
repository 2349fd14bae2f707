//! The program: from a table to its needles.
//!
//! Arguments as typed (`args.rs`), as checked (`choices.rs`), then the learner, then a report for a person
//! or a machine, composed by the crate `needlenet-report`. Exit codes: 0 done, 1 bad input or usage, 2 did not
//! converge, 130 ended by Ctrl-C.

mod args;
mod cells;
mod choices;
mod compare;
mod doctor;
mod failure;
mod interrupt;
mod lab;
mod ledger;
mod names;
mod output;
mod page;
mod predict;
mod progress;
mod shards;
mod table;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use clap::{CommandFactory, Parser};
use needlenet::{Data, Model, Settings, SureOptions, sure_resumed, threads};
use needlenet_io::{Folder, SureLedger, check_outputs, kept_beside, load_model, save_model};
use needlenet_report::{Report, Run, ThresholdReport};

use crate::args::{Cli, Command, FitArgs, ShowArgs, ThresholdArgs};
use crate::failure::Failure;
use crate::ledger::Keeping;

const FAILED: u8 = 1;
const NOT_CONVERGED: u8 = 2;

fn main() -> ExitCode {
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { FAILED.into() } else { ExitCode::SUCCESS };
        }
    };
    // a panic is reported in one line too
    std::panic::set_hook(Box::new(|_| {}));
    let done = std::panic::catch_unwind(|| run(command)).unwrap_or_else(|fault| {
        let text = fault.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| fault.downcast_ref::<&str>().copied()).unwrap_or("unknown");
        Err(Failure::Usage(format!(
            "this is a bug of needlenet ({text}); please report it with the command and, if you can, the table"
        )))
    });
    match done {
        Ok(code) => code.into(),
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            output::complain(&failure.to_string());
            FAILED.into()
        }
    }
}

fn run(command: Command) -> Result<u8, Failure> {
    match command {
        Command::Fit(args) => return fit(&args),
        Command::Shard(args) => shards::shard(&args)?,
        Command::Show(args) => show(&args)?,
        Command::Doctor(args) => doctor::doctor(&args)?,
        Command::Compare(args) => compare::compare(&args)?,
        Command::Predict(args) => predict::predict(&args)?,
        Command::Threshold(args) => threshold(&args)?,
        Command::Lab(command) => lab::run(&command)?,
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "needlenet", &mut script);
            output::print(&script)?;
        }
        Command::Man { out_dir } => man(out_dir.as_deref())?,
    }
    Ok(0)
}

fn fit(args: &FitArgs) -> Result<u8, Failure> {
    let settings = Settings {
        tolerance: args.tolerance,
        max_iterations: args.max_iterations,
        ..choices::settings(&args.problem)?
    };
    settings.check()?;
    let samples = args.table.samples.samples.as_deref().map(Path::new);
    let mut inputs = vec![(Path::new(&args.table.file), "the table")];
    inputs.extend(samples.map(|path| (path, "the table of samples")));
    check_outputs(&inputs, &[("--out", args.out.as_deref()), ("--report", args.report.as_deref())])?;
    interrupt::says(interrupt::FIT);
    if Folder::is_at(&args.table.file) {
        return fit_folder(args, &settings);
    }
    let loaded = table::load(&args.table, args.problem.task)?;
    output::notes(&loaded.notes, args.quiet);
    output::note_threads(settings.threads, args.quiet);

    // the learner consumes its table; a page and the tests need it again
    let kept = (args.report.is_some() || args.sure).then(|| loaded.data.clone());
    let start = Instant::now();
    let bar = progress::Bar::new(args.quiet);
    let fitted = needlenet::fit_observed(loaded.data, &settings, &bar);
    let mut model = fitted.map_err(Failure::of_data(&args.table.file))?;
    let ledger = match kept.as_ref().filter(|_| args.sure) {
        Some(data) => add_sure(args, data, &mut model, &bar)?,
        None => None,
    };
    bar.finish();
    let run = Run {
        class_counts: loaded.class_counts,
        task_reason: loaded.task_reason,
        threads: threads(settings.threads),
        seconds: Some(start.elapsed().as_secs_f64()),
        ..Run::default()
    };
    interrupt::says(interrupt::WRITING);
    if let Some(path) = &args.out {
        save_model(path, &model)?;
    }
    ledger.into_iter().for_each(SureLedger::remove);
    let report = Report::new(&model, &run);
    if let (Some(path), Some(data)) = (&args.report, &kept) {
        page::of_fit(path, &model, &report, data, &page::source(&args.table, &loaded.notes))?;
    }
    told(args, &report)
}

/// The fit of a table in shards.
fn fit_folder(args: &FitArgs, settings: &Settings) -> Result<u8, Failure> {
    shards::refuse_sure(args)?;
    let book = args.out.as_deref().map(kept_beside);
    let loaded = shards::load(&args.table, args.problem.task, book.as_deref())?;
    if book.is_some() {
        interrupt::says(interrupt::SHARDS);
    }
    output::notes(&loaded.notes, args.quiet);
    output::note_threads(settings.threads, args.quiet);
    let start = Instant::now();
    let bar = progress::Bar::new(args.quiet);
    let fitted = needlenet::fit_sharded(loaded.data, settings, &bar);
    bar.finish();
    let model = fitted.map_err(Failure::of_data(&args.table.file))?;
    let run = Run {
        class_counts: loaded.class_counts,
        task_reason: loaded.task_reason,
        threads: threads(settings.threads),
        seconds: Some(start.elapsed().as_secs_f64()),
        ..Run::default()
    };
    interrupt::says(interrupt::WRITING);
    if let Some(path) = &args.out {
        save_model(path, &model)?;
    }
    // a file that stays is of no use and does no harm
    book.into_iter().for_each(|book| drop(std::fs::remove_file(book)));
    let report = Report::new(&model, &run);
    if let Some(path) = &args.report {
        page::of_shards(path, &model, &report, &page::source(&args.table, &loaded.notes))?;
    }
    told(args, &report)
}

/// Prints a report and returns the exit code.
fn told(args: &FitArgs, report: &Report) -> Result<u8, Failure> {
    output::warnings(&report.warnings, args.quiet);
    let code = if report.converged { 0 } else { NOT_CONVERGED };
    match print_report(report, args.json) {
        Err(failure) if !failure.is_closed_pipe() => Err(failure),
        _ => Ok(code),
    }
}

/// Computes how sure the needles are. Finished parts are kept in a file beside the model until the
/// model is saved.
fn add_sure(
    args: &FitArgs,
    data: &Data,
    model: &mut Model,
    bar: &progress::Bar,
) -> Result<Option<SureLedger>, Failure> {
    let options = SureOptions { pairs: args.pairs, ..SureOptions::default() };
    let (ledger, finished) = match &args.out {
        Some(out) => {
            let (ledger, finished) = ledger::open(out, model)?;
            (Some(ledger), finished)
        }
        None => (None, Vec::new()),
    };
    if !finished.is_empty() {
        let note = format!("--sure: going on from {} finished tests and halves", finished.len());
        output::notes(&[note], args.quiet);
    }
    let keeping = Keeping { bar, ledger: ledger.as_ref() };
    let sure = sure_resumed(data, model, &options, &finished, &keeping);
    model.sure = Some(sure.map_err(Failure::of_data(&args.table.file))?);
    Ok(ledger)
}

fn show(args: &ShowArgs) -> Result<(), Failure> {
    check_outputs(&[(&args.model, "the model")], &[("--report", args.report.as_deref())])?;
    let model = load_model(&args.model)?;
    let run = Run { threads: threads(model.settings.threads), ..Run::default() };
    let report = Report::new(&model, &run);
    if let Some(path) = &args.report {
        page::of_model(path, &model, &report, &args.model)?;
    }
    output::warnings(&report.warnings, false);
    print_report(&report, args.json)
}

fn print_report(report: &Report, json: bool) -> Result<(), Failure> {
    if json { output::print(&output::to_json(report)?) } else { output::print_text(&report.text()) }
}

fn threshold(args: &ThresholdArgs) -> Result<(), Failure> {
    let settings = choices::settings(&args.problem)?;
    output::note_threads(settings.threads, args.quiet);
    let bad = Failure::of_data(&args.table.file);
    let (found, n_features, outcome) = if Folder::is_at(&args.table.file) {
        let loaded = shards::load(&args.table, args.problem.task, None)?;
        output::notes(&loaded.notes, args.quiet);
        let (n_features, outcome) = (loaded.data.n_features(), loaded.data.outcome().clone());
        (needlenet::threshold_sharded(loaded.data, &settings, &()).map_err(bad)?, n_features, outcome)
    } else {
        let loaded = table::load(&args.table, args.problem.task)?;
        output::notes(&loaded.notes, args.quiet);
        let (n_features, outcome) = (loaded.data.n_features(), loaded.data.outcome().clone());
        (needlenet::threshold(loaded.data, &settings).map_err(bad)?, n_features, outcome)
    };
    let report = ThresholdReport::new(&found, n_features, &outcome, settings.seed);
    if args.json { output::print(&output::to_json(&report)?) } else { output::print_text(&report.text()) }
}

fn man(out_dir: Option<&Path>) -> Result<(), Failure> {
    if let Some(folder) = out_dir {
        return clap_mangen::generate_to(Cli::command(), folder)
            .map_err(|error| Failure::Usage(format!("{}: cannot be written: {error}", folder.display())));
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    output::print(&page)
}
