//! `--report`: the page of a fit or of a saved model.

use std::path::Path;

use needlenet::{Data, Model};
use needlenet_io::write_atomically;
use needlenet_report::{Evidence, Report, Source};

use crate::args::TableArgs;
use crate::failure::Failure;
use crate::names;

/// Writes the page of a fit with its table, atomically.
pub fn of_fit(
    path: &Path,
    model: &Model,
    report: &Report,
    data: &Data,
    source: &Source,
) -> Result<(), Failure> {
    let evidence = Evidence::of_data(model, report, data);
    Ok(write_atomically(path, report.page(model, &evidence, source).as_bytes())?)
}

/// Writes the page of a model alone.
pub fn of_model(path: &Path, model: &Model, report: &Report, file: &Path) -> Result<(), Failure> {
    let source = Source { name: file_name(file), command: command(), notes: Vec::new() };
    of_shards(path, model, report, &source)
}

/// Writes the page of a fit of shards, which has no samples.
pub fn of_shards(path: &Path, model: &Model, report: &Report, source: &Source) -> Result<(), Failure> {
    let evidence = Evidence::of_model(model, report);
    Ok(write_atomically(path, report.page(model, &evidence, source).as_bytes())?)
}

/// The origin of a fit.
pub fn source(table: &TableArgs, notes: &[String]) -> Source {
    let mut notes = notes.to_vec();
    let list: Vec<&str> = names::each(&table.exclude).map(String::as_str).collect();
    if !list.is_empty() {
        notes.push(format!("left out on request: {}", list.join(", ")));
    }
    let name = if table.file == "-" { "standard input".into() } else { file_name(Path::new(&table.file)) };
    Source { name, command: command(), notes }
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// The command line as it was typed, quoted for a shell.
fn command() -> Option<String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let quoted = shlex::try_join(words.iter().map(String::as_str)).ok()?;
    Some(format!("needlenet {quoted}"))
}
