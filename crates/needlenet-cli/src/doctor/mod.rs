//! `needlenet doctor`: reports what would go wrong with a table, before anything is fitted.
//!
//! The table is read as a fit reads it. If a fit would stop, the finding says so, and the examination continues without
//! the column or with filled cells. The smallest effect that can be found follows from `lambda_QUT` of the default
//! network. Tested in `tests/cli/doctor.rs`.

mod columns;
mod reading;

use std::fmt::Write;

use needlenet::{Data, Settings};
use needlenet_report::{Measure, SmallestEffect, plural, smallest_effect, task_name, wrap};
use serde::Serialize;

use crate::args::{DoctorArgs, TableArgs};
use crate::failure::Failure;
use crate::output;
use crate::table::{self, Loaded};

/// Classes with fewer rows are too small to be learnt.
const FEWEST_OF_A_CLASS: usize = 10;

/// With fewer rows hardly any effect can be distinguished from chance.
const FEWEST_ROWS: usize = 30;

/// A finding for the user.
#[derive(Debug, Serialize)]
pub struct Finding {
    /// The kind of finding.
    check: &'static str,
    /// Whether a fit would refuse the table.
    stops: bool,
    /// The columns concerned.
    columns: Vec<String>,
    /// The finding and its remedy.
    message: String,
}

impl Finding {
    fn new(check: &'static str, columns: Vec<String>, message: String) -> Self {
        Finding { check, stops: false, columns, message }
    }
}

#[derive(Debug, Serialize)]
struct Examined {
    version: &'static str,
    n_samples: usize,
    n_features: usize,
    task: Option<&'static str>,
    task_reason: Option<String>,
    classes: Vec<String>,
    class_counts: Vec<usize>,
    findings: Vec<Finding>,
    alpha: f64,
    lambda_qut: Option<f64>,
    smallest_correlation: Option<f64>,
    smallest_class_distance: Option<f64>,
    #[serde(skip)]
    smallest: Option<SmallestEffect>,
    #[serde(skip)]
    groups: bool,
}

/// Examines a table and prints what was found.
pub fn doctor(args: &DoctorArgs) -> Result<(), Failure> {
    let (read, sparse, mut findings) = reading::read(&args.table)?;
    let (n_samples, n_features) = (read.n_rows, read.names.len());
    let mut examined = Examined {
        version: env!("CARGO_PKG_VERSION"),
        n_samples,
        n_features,
        task: None,
        task_reason: None,
        classes: Vec::new(),
        class_counts: Vec::new(),
        findings: Vec::new(),
        alpha: args.alpha,
        lambda_qut: None,
        smallest_correlation: None,
        smallest_class_distance: None,
        smallest: None,
        groups: false,
    };
    match table::prepare(&args.table, args.task, read, sparse) {
        Ok(loaded) => {
            findings.extend(columns::examine(&loaded.data));
            findings.extend(sizes(&loaded));
            if let Err(error) = add_threshold(&mut examined, &loaded.data, plain(&args.table)) {
                let finding = Finding::new("threshold", Vec::new(), error.to_string());
                findings.push(Finding { stops: true, ..finding });
            }
            examined.task = Some(task_name(loaded.data.outcome()));
            examined.classes = loaded.data.outcome().classes().to_vec();
            (examined.task_reason, examined.class_counts) = (loaded.task_reason, loaded.class_counts);
        }
        Err(failure) => findings.push(Finding {
            stops: true,
            ..Finding::new(
                "outcome",
                args.table.target.iter().chain(&args.table.time).cloned().collect(),
                failure.to_string(),
            )
        }),
    }
    findings.sort_by_key(|finding| !finding.stops);
    examined.findings = findings;
    if args.json { output::print(&output::to_json(&examined)?) } else { output::print_text(&text(&examined)) }
}

/// Rows, classes, and rows against inputs.
fn sizes(loaded: &Loaded) -> Vec<Finding> {
    let mut findings = Vec::new();
    let n = loaded.data.n_samples();
    if n < FEWEST_ROWS {
        let message = format!("only {}: few effects can be distinguished from chance", plural(n, "row"));
        findings.push(Finding::new("rows", Vec::new(), message));
    }
    for (class, count) in loaded.data.outcome().classes().iter().zip(&loaded.class_counts) {
        if *count < FEWEST_OF_A_CLASS {
            let message = format!(
                "the class \"{}\" has {} only: join it with another class",
                needlenet_report::shown(class, 40),
                plural(*count, "row")
            );
            findings.push(Finding::new("classes", Vec::new(), message));
        }
    }
    findings
}

/// Whether the smallest effect has a simple form: no weights, no offset, no inputs that are always in.
fn plain(args: &TableArgs) -> bool {
    args.weights.is_none() && args.offset.is_none() && args.always.is_empty()
}

/// The threshold, and the smallest effect above it.
fn add_threshold(examined: &mut Examined, data: &Data, plain: bool) -> needlenet::Result<()> {
    // the null draws are those of the default fit, so both agree
    let settings = Settings { alpha: examined.alpha, ..Settings::default() };
    let threshold = needlenet::threshold(data.clone(), &settings)?;
    examined.lambda_qut = Some(threshold.lambda_qut);
    examined.groups = !data.groups().is_empty();
    if plain {
        // lambda_0 of a group is weighted; without groups it is proportional to the effect of any column
        let few = Settings { draws: 100, ..settings };
        let single = match examined.groups {
            true => needlenet::threshold(data.clone().with_groups(Vec::new())?, &few)?,
            false => threshold.clone(),
        };
        examined.smallest = smallest_effect(data, &threshold, &single);
    }
    let of = |measure: Measure| examined.smallest.filter(|it| it.measure == measure).map(|it| it.value);
    (examined.smallest_correlation, examined.smallest_class_distance) =
        (of(Measure::Correlation), of(Measure::ClassMeans));
    Ok(())
}

fn text(examined: &Examined) -> String {
    let mut out =
        format!("{}, {}", plural(examined.n_samples, "sample"), plural(examined.n_features, "input"));
    let _ = writeln!(out, "{}", examined.task.map(|task| format!(", {task}")).unwrap_or_default());
    if let Some(reason) = &examined.task_reason {
        wrap(&mut out, &format!("task chosen because {reason}"));
    }
    let counted: Vec<String> = examined
        .classes
        .iter()
        .zip(&examined.class_counts)
        .map(|(class, count)| format!("{} ({count})", needlenet_report::shown(class, 30)))
        .collect();
    if !counted.is_empty() {
        wrap(&mut out, &format!("classes: {}", counted.join(", ")));
    }
    out.push('\n');
    for finding in &examined.findings {
        let mark = if finding.stops { "STOPS" } else { "note" };
        wrap(&mut out, &format!("{mark:<6}{}: {}", finding.check, finding.message));
    }
    if examined.findings.is_empty() {
        out.push_str("no problem found\n");
    }
    out.push('\n');
    match examined.smallest {
        Some(smallest) if smallest.is_possible() => wrap(
            &mut out,
            &format!(
                "At level {} the answer cannot be empty if {}; bends and joint effects may be found below that.{}",
                examined.alpha,
                smallest.condition(),
                if examined.groups {
                    " Inputs of several columns, such as categories, have a bound of their own."
                } else {
                    ""
                }
            ),
        ),
        Some(_) => {
            wrap(&mut out, "With so few samples, no straight-line effect can be distinguished from chance.")
        }
        None => wrap(
            &mut out,
            "How small an effect can be found is not computed for survival, weights, offsets and inputs that are always in.",
        ),
    }
    out
}
