//! `lab make` and `lab compare`: tables whose needles are known, and how a model compares with the truth.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use needlenet::Outcome;
use needlenet_io::{load_model, write_atomically};
use needlenet_lab::{Design, Draw};
use needlenet_report::{align, number, plural, shape_name, shown};
use serde::{Deserialize, Serialize};

use super::args::MakeArgs;
use crate::failure::Failure;
use crate::output;

/// The column of the outcome in a made table.
const TARGET: &str = "target";

/// The largest number of cells of a made table: 100 million take some 2 GB of text.
const MOST_CELLS: usize = 100_000_000;

/// The file beside a made table.
#[derive(Debug, Serialize, Deserialize)]
struct Truth {
    design: String,
    task: String,
    target: String,
    needles: Vec<String>,
    n: usize,
    p: usize,
    s: usize,
    noise: f64,
    seed: u64,
}

/// Writes a table and the file with its needles.
pub fn make(args: &MakeArgs) -> Result<(), Failure> {
    let usual: Design = args.design.parse().map_err(|error| Failure::Usage(format!("{error}")))?;
    let design = Design {
        n: args.n.unwrap_or(usual.n),
        p: args.p.unwrap_or(usual.p),
        s: args.s.unwrap_or(usual.s),
        noise: args.noise.unwrap_or(usual.noise),
        ..usual
    };
    check(&design)?;
    if args.test.saturating_mul(design.p) > MOST_CELLS {
        return Err(Failure::Usage(format!("--test {}: give at most {MOST_CELLS} cells", args.test)));
    }
    let draw = design.draw(args.seed);
    let truth = Truth {
        design: args.design.clone(),
        task: match draw.outcome {
            Outcome::Regression(_) => "regression",
            Outcome::Classification { .. } => "classification",
            Outcome::Counts(_) => "counts",
            Outcome::Survival { .. } => "survival",
        }
        .into(),
        target: TARGET.into(),
        needles: draw.needles.iter().map(|&at| draw.names[at].clone()).collect(),
        n: design.n,
        p: design.p,
        s: design.s,
        noise: design.noise,
        seed: args.seed,
    };
    write_atomically(&args.out, table(&design, &draw).as_bytes())?;
    if args.test > 0 {
        let fresh = design.draw_test(args.seed, args.test);
        let path = args.out.with_extension("test.csv");
        write_atomically(&path, table_with_mean(&Design { n: args.test, ..design }, &fresh).as_bytes())?;
    }
    let truth_file = truth_path(&args.out);
    write_atomically(&truth_file, &output::to_json(&truth)?)?;
    let size = format!("{}, {}", plural(design.n, "sample"), plural(design.p, "input"));
    output::say(&format!(
        "{}: {size}, outcome \"{TARGET}\"; the truth is in {}",
        args.out.display(),
        truth_file.display()
    ));
    Ok(())
}

fn truth_path(table: &Path) -> PathBuf {
    table.with_extension("truth.json")
}

fn check(design: &Design) -> Result<(), Failure> {
    let refuse = |what: String| Err(Failure::Usage(what));
    let Design { n, p, s, noise, .. } = *design;
    if n < 2 || p < 1 || n.saturating_mul(p) > MOST_CELLS {
        return refuse(format!(
            "--n {n} --p {p}: give at least 2 samples and 1 input, and at most {MOST_CELLS} cells"
        ));
    }
    if s > p {
        return refuse(format!(
            "--s {s}: there are only {}; give at most as many needles",
            plural(p, "input")
        ));
    }
    if !(noise >= 0.0 && noise.is_finite()) {
        return refuse(format!("--noise {noise}: give a finite number of at least 0"));
    }
    match design.law.refuses(s) {
        Some(accepted) => refuse(format!("--s {s}: this design has {accepted}")),
        None => Ok(()),
    }
}

fn table(design: &Design, draw: &Draw) -> String {
    cells(design, draw, None)
}

/// The same with the noiseless mean as the last column: the log odds in classification.
fn table_with_mean(design: &Design, draw: &Draw) -> String {
    cells(design, draw, Some(&draw.mean))
}

fn cells(design: &Design, draw: &Draw, mean: Option<&[f64]>) -> String {
    let n = design.n;
    let last = if mean.is_some() { ",mean" } else { "" };
    let outcome = if let Outcome::Survival { .. } = draw.outcome { "time,event" } else { TARGET };
    let mut out = format!("{},{outcome}{last}\n", draw.names.join(","));
    for i in 0..n {
        for j in 0..design.p {
            let _ = write!(out, "{},", draw.x[j * n + i]);
        }
        let _ = match &draw.outcome {
            Outcome::Regression(y) => write!(out, "{}", y[i]),
            Outcome::Classification { labels, classes } => write!(out, "{}", classes[labels[i]]),
            Outcome::Counts(counts) => write!(out, "{}", counts[i]),
            Outcome::Survival { times, events, .. } => write!(out, "{},{}", times[i], u8::from(events[i])),
        };
        let _ = match mean {
            Some(mean) => writeln!(out, ",{}", mean[i]),
            None => writeln!(out),
        };
    }
    out
}

/// Prints the truth beside what a model found.
pub fn compare(truth: &Path, model: &Path) -> Result<(), Failure> {
    let file = truth.display();
    let bytes = std::fs::read(truth).map_err(|error| {
        Failure::Usage(format!("{file}: cannot be read: {error}; give the file that lab make wrote"))
    })?;
    let truth: Truth = serde_json::from_slice(&bytes).map_err(|error| {
        Failure::Usage(format!(
            "{file}: is not the truth of a made table ({error}); give the file that lab make wrote"
        ))
    })?;
    let model = load_model(model)?;
    let true_names: HashSet<&str> = truth.needles.iter().map(String::as_str).collect();
    let found: HashSet<&str> = model.selected().into_iter().collect();

    let mut rows = vec![["truth", "found", "strength", "effect"].map(String::from)];
    for name in &truth.needles {
        rows.push(match model.needles.iter().find(|needle| needle.name == *name) {
            Some(needle) => {
                [name.clone(), name.clone(), number(needle.strength), shape_name(needle.shape).into()]
            }
            None => [name.clone(), "-".into(), String::new(), "missed".into()],
        });
    }
    for needle in model.needles.iter().filter(|needle| !true_names.contains(needle.name.as_str())) {
        let name = shown(&needle.name, 28);
        rows.push(["-".into(), name, number(needle.strength), "not in the truth".into()]);
    }
    let mut out = String::new();
    align(&mut out, &rows, [true, true, false, true]);
    let hits = true_names.intersection(&found).count();
    let verdict = if true_names == found { "exactly the truth" } else { "not exactly the truth" };
    let _ = writeln!(
        out,
        "{hits} of {} found, {} not in the truth: {verdict}",
        plural(true_names.len(), "needle"),
        found.len() - hits
    );
    output::print(out.as_bytes())
}
