//! Prediction on random 70/30 splits of real tables: one CSV row per fit.
//!
//! `cargo run --release -p needlenet-lab --example real -- FOLDER golub,khan splits=20 penalty=harder hidden=40`
//!
//! Other options: `alpha=` the level, `first=` the seed of the first split, `rows=` the most samples to learn from, `parts=` a folder that
//! receives both parts of every split, reduced to the inputs that the model predicts with, for other learners to be
//! compared on the same inputs (`docs/results/real/boosting.py`), `numbers=` the tables whose outcome is a quantity although it
//! has few values.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, clippy::expect_used)]

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use needlenet::{Fitted, Model, Outcome, Prediction, Settings, fit, metrics};
use needlenet_lab::read_real as read;
use needlenet_lab::{Sample, Split};

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = args.next().expect("a folder");
    let names = args.next().expect("names of data sets, separated by commas");
    let options: HashMap<String, String> =
        args.filter_map(|a| a.split_once('=').map(|(k, v)| (k.to_string(), v.to_string()))).collect();
    let number = |key: &str| options.get(key).map(|v| v.parse::<f64>().expect(key));
    let mut settings = Settings { threads: number("threads").unwrap_or(1.0) as usize, ..Settings::default() };
    if let Some(penalty) = options.get("penalty") {
        settings.penalty = penalty.parse().unwrap();
    }
    if let Some(hidden) = options.get("hidden") {
        settings.hidden =
            if hidden == "none" { vec![] } else { hidden.split(',').map(|w| w.parse().unwrap()).collect() };
    }
    settings.alpha = number("alpha").unwrap_or(settings.alpha);
    settings.draws = number("draws").map_or(settings.draws, |v| v as usize);
    let splits = number("splits").unwrap_or(5.0) as u64;
    let first = number("first").unwrap_or(0.0) as u64;
    let most = number("rows").map_or(usize::MAX, |v| v as usize);
    println!(
        "set,split,quality,log_loss,quality_of_refit,log_loss_of_refit,predictor,selected,neurons,kkt,stop,seconds"
    );
    for name in names.split(',') {
        let mut sample = read(Path::new(&format!("{folder}/{name}.csv.gz"))).unwrap();
        if options.get("numbers").is_some_and(|names| names.split(',').any(|n| n == name)) {
            sample.outcome = as_numbers(&sample.outcome);
        }
        let (mut qualities, mut selected, mut seconds) = (vec![], vec![], vec![]);
        for split in first..first + splits {
            let parts = Split::new(&sample.outcome, split);
            let train = sample.rows(&spread(&parts.train, most));
            let test = sample.rows(&parts.test);
            let start = Instant::now();
            let model = fit(train.data().unwrap(), &settings).unwrap();
            let time = start.elapsed().as_secs_f64();
            let (quality, log_loss) = judged(&model, &test, Fitted::Predictor);
            let (of_refit, log_loss_of_refit) = judged(&model, &test, Fitted::Refit);
            println!(
                "{name},{split},{quality:.4},{log_loss:.4},{of_refit:.4},{log_loss_of_refit:.4},{},{},{},{:.1e},{:?},{time:.3}",
                u8::from(model.predictor.is_some()),
                model.inputs().count(),
                model.neurons.len(),
                model.certificate.kkt_violation,
                model.certificate.stop
            );
            if let Some(parts) = options.get("parts") {
                for (part, sample) in [("train", &train), ("test", &test)] {
                    std::fs::write(format!("{parts}/{name}.{split}.{part}.csv"), csv(&model, sample))
                        .unwrap();
                }
            }
            qualities.push(quality);
            selected.push(model.inputs().count() as f64);
            seconds.push(time);
        }
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        eprintln!(
            "{name}: R2 or accuracy {:.3} inputs {:.1} seconds {:.2}",
            mean(&qualities),
            mean(&selected),
            mean(&seconds)
        );
    }
}

/// Classes whose names are numbers, as these numbers.
fn as_numbers(outcome: &Outcome) -> Outcome {
    match outcome {
        Outcome::Classification { labels, classes } => {
            Outcome::Regression(labels.iter().map(|l| classes[*l].parse().unwrap()).collect())
        }
        numbers => numbers.clone(),
    }
}

/// At most `most` of the rows, evenly spread: they are sorted by class.
fn spread(rows: &[usize], most: usize) -> Vec<usize> {
    let kept = rows.len().min(most);
    (0..kept).map(|at| rows[at * rows.len() / kept]).collect()
}

/// R2 or accuracy, and the mean log loss of classes.
fn judged(model: &Model, test: &Sample, fitted: Fitted) -> (f64, f64) {
    let columns: Vec<_> = model.inputs().map(|v| test.column(v.index)).collect();
    let columns: Vec<&[f64]> = columns.iter().map(AsRef::as_ref).collect();
    match (&test.outcome, model.predict(test.n(), &columns, fitted).unwrap()) {
        (Outcome::Regression(y), Prediction::Numbers(predicted)) => {
            let mean = y.iter().sum::<f64>() / y.len() as f64;
            let left: f64 = y.iter().zip(&predicted).map(|(y, p)| (y - p) * (y - p)).sum();
            (1.0 - left / y.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>(), f64::NAN)
        }
        (
            Outcome::Classification { labels, classes },
            Prediction::Classes { probabilities, labels: predicted },
        ) => {
            let losses =
                labels.iter().enumerate().map(|(i, l)| -probabilities[i * classes.len() + l].max(1e-15).ln());
            (metrics::accuracy(&predicted, labels), losses.sum::<f64>() / labels.len() as f64)
        }
        _ => unreachable!(),
    }
}

/// The inputs of the model and the outcome.
fn csv(model: &Model, sample: &Sample) -> String {
    let mut text: String = model.inputs().map(|input| format!("{},", input.name)).collect();
    text.push_str("target\n");
    for i in 0..sample.n() {
        model.inputs().for_each(|input| write!(text, "{},", sample.column(input.index)[i]).unwrap());
        match &sample.outcome {
            Outcome::Regression(y) => writeln!(text, "{}", y[i]).unwrap(),
            Outcome::Classification { labels, .. } => writeln!(text, "{}", labels[i]).unwrap(),
            Outcome::Counts(counts) => writeln!(text, "{}", counts[i]).unwrap(),
            Outcome::Survival { times, .. } => writeln!(text, "{}", times[i]).unwrap(),
        }
    }
    text
}
