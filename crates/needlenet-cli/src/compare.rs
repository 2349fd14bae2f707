//! `needlenet compare`: what two models found, side by side.

use std::collections::HashSet;
use std::path::Path;

use needlenet::Model;
use needlenet_io::load_model;
use needlenet_report::{NeedleRow, Report, Run, align, number, shown};
use serde::Serialize;

use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::output;

#[derive(Debug, Serialize)]
struct Compared {
    version: &'static str,
    models: [Side; 2],
    both: Vec<String>,
    needles: Vec<Row>,
}

/// One of the models.
#[derive(Debug, Serialize)]
struct Side {
    file: String,
    task: &'static str,
    n_samples: usize,
    n_features: usize,
    hidden: Vec<usize>,
    penalty: &'static str,
    lambda: f64,
    alpha: f64,
    seed: u64,
    n_selected: usize,
    only: Vec<String>,
    linear: bool,
    noise: Option<f64>,
    converged: bool,
}

/// A needle of either model. Of an input of several columns, the strength is that of its strongest column.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    strength: [Option<f64>; 2],
    shape: [Option<&'static str>; 2],
}

/// Prints the needles of both models, and the other differences.
pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let models = [load_model(&args.first)?, load_model(&args.second)?];
    check(&models, args)?;
    let reports = models.each_ref().map(|model| Report::new(model, &Run::default()));
    let compared = compared(&reports, [&args.first, &args.second]);
    if args.json { output::print(&output::to_json(&compared)?) } else { output::print_text(&text(&compared)) }
}

/// Strengths in different units cannot be compared.
fn check(models: &[Model; 2], args: &CompareArgs) -> Result<(), Failure> {
    let [first, second] = models.each_ref().map(|model| model.task.name());
    if first == second {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{} is a {first} and {} a {second}; give two models of the same task",
        args.first.display(),
        args.second.display()
    )))
}

fn compared(reports: &[Report; 2], files: [&Path; 2]) -> Compared {
    let sets = reports.each_ref().map(|r| r.selected.iter().map(String::as_str).collect::<HashSet<_>>());
    let names = reports[0]
        .selected
        .iter()
        .chain(reports[1].selected.iter().filter(|n| !sets[0].contains(n.as_str())));
    let row = |name: &String| {
        // needles are ranked: of an input of several columns the strongest column comes first
        let found = reports.each_ref().map(|r| {
            r.needles.iter().find(|needle| needle.name == *name || needle.group.as_ref() == Some(name))
        });
        let shape = |needle: &NeedleRow| if needle.group.is_some() { "columns" } else { needle.shape };
        Row {
            name: name.clone(),
            strength: found.map(|needle| needle.map(|needle| needle.strength)),
            shape: found.map(|needle| needle.map(shape)),
        }
    };
    let side = |at: usize| {
        let report = &reports[at];
        let only = |name: &&String| !sets[1 - at].contains(name.as_str());
        Side {
            file: files[at].display().to_string(),
            task: report.task,
            n_samples: report.n_samples,
            n_features: report.n_features,
            hidden: report.hidden.clone(),
            penalty: report.penalty,
            lambda: report.lambda,
            alpha: report.alpha,
            seed: report.seed,
            n_selected: report.n_selected,
            only: report.selected.iter().filter(only).cloned().collect(),
            linear: report.linear,
            noise: report.noise,
            converged: report.converged,
        }
    };
    Compared {
        version: reports[0].version,
        models: [side(0), side(1)],
        both: reports[0].selected.iter().filter(|name| sets[1].contains(name.as_str())).cloned().collect(),
        needles: names.map(row).collect(),
    }
}

fn text(compared: &Compared) -> String {
    let pair = |name: &str, value: fn(&Side) -> String| {
        [name.into(), value(&compared.models[0]), value(&compared.models[1])]
    };
    let facts = [
        pair("", |side| shown(&side.file, 30)),
        pair("samples", |side| side.n_samples.to_string()),
        pair("inputs", |side| side.n_features.to_string()),
        pair("hidden layers", |side| needlenet_report::hidden_layers(&side.hidden)),
        pair("penalty", |side| side.penalty.into()),
        pair("level", |side| side.alpha.to_string()),
        pair("lambda", |side| number(side.lambda)),
        pair("seed", |side| side.seed.to_string()),
        pair("linear", |side| if side.linear { "yes" } else { "no" }.into()),
        pair("noise scale", |side| side.noise.map(number).unwrap_or("-".into())),
        pair("converged", |side| if side.converged { "yes" } else { "NO" }.into()),
        pair("needles", |side| side.n_selected.to_string()),
        pair("in this one only", |side| side.only.len().to_string()),
    ];
    let mut out = String::new();
    align(&mut out, &facts, [true, true, true]);
    let cell = |row: &Row, at: usize| match (row.strength[at], row.shape[at]) {
        (Some(strength), Some(shape)) => format!("{} {shape}", number(strength)),
        _ => "-".into(),
    };
    let mut rows = vec![["needle", "strength", "strength"].map(String::from)];
    rows.extend(compared.needles.iter().map(|row| [shown(&row.name, 28), cell(row, 0), cell(row, 1)]));
    out.push('\n');
    align(&mut out, &rows, [true, true, true]);
    out.push_str(&format!("{} in both\n", needlenet_report::plural(compared.both.len(), "needle")));
    out
}
