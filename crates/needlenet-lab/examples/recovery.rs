//! Recovery of known needles: one CSV row per fit on standard output.
//!
//! `cargo run --release -p needlenet-lab --example recovery -- N s=8 reps=100 seed=1000 penalty=harder hidden=40`
//!
//! `link=logit` leaves the first class without a score; `regress=1` replaces the classes by the numbers 0, 1, ..
//! and fits a regression, whose prediction is rounded to a class.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use needlenet::{Fitted, Link, Outcome, Prediction, Settings, fit, metrics};
use needlenet_lab::{Columns, Design};

/// One fit.
struct Row {
    recovery: metrics::Recovery,
    mse: f64,
    accuracy: f64,
    seconds: f64,
    converged: bool,
    text: String,
}

/// Runs the replicates on plain threads, so that a fit's time is its own.
fn replicates<T: Send>(reps: u64, workers: usize, run: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let next = AtomicU64::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let r = next.fetch_add(1, Ordering::Relaxed);
            if r >= reps {
                return done;
            }
            done.push((r, run(r)));
        }
    };
    let mut all: Vec<(u64, T)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|t| t.join().expect("a replicate failed")).collect()
    });
    all.sort_by_key(|(r, _)| *r);
    all.into_iter().map(|(_, t)| t).collect()
}

fn main() {
    let mut args = std::env::args().skip(1);
    let name = args.next().expect("a design");
    let options: HashMap<String, String> =
        args.filter_map(|a| a.split_once('=').map(|(k, v)| (k.to_string(), v.to_string()))).collect();
    let number = |key: &str| options.get(key).map(|v| v.parse::<f64>().expect(key));
    let mut design: Design = name.parse().unwrap();
    design.n = number("n").map_or(design.n, |v| v as usize);
    design.p = number("p").map_or(design.p, |v| v as usize);
    design.noise = number("noise").unwrap_or(design.noise);
    if let Some(rho) = number("ar") {
        design.columns = Columns::Autoregressive(rho);
    }
    if let Some(rho) = number("blocks") {
        design.columns = Columns::Blocks(rho);
    }
    let mut settings = Settings { threads: 1, ..Settings::default() };
    if let Some(penalty) = options.get("penalty") {
        settings.penalty = penalty.parse().unwrap();
    }
    if let Some(hidden) = options.get("hidden") {
        settings.hidden =
            if hidden == "none" { vec![] } else { hidden.split(',').map(|w| w.parse().unwrap()).collect() };
    }
    settings.link = match options.get("link").map(String::as_str) {
        None | Some("softmax") => Link::Softmax,
        Some("logit") => Link::Logit,
        Some(other) => panic!("link={other}: give softmax or logit"),
    };
    let regress = number("regress").is_some_and(|v| v != 0.0);
    settings.draws = number("draws").map_or(settings.draws, |v| v as usize);
    let (reps, first) = (number("reps").unwrap_or(20.0) as u64, number("seed").unwrap_or(0.0) as u64);
    let oracle = number("oracle").is_some();
    let workers = number("workers").unwrap_or(2.0) as usize;
    let needles: Vec<usize> =
        options.get("s").map_or(vec![design.s], |s| s.split(',').map(|v| v.parse().unwrap()).collect());
    println!(
        "design,n,p,s,seed,exact,tpr,fdr,selected,objective,kkt,stop,noise,mse,accuracy,linear,neurons,refit_iterations,refit_stop,oracle_objective,oracle_selected,seconds"
    );
    for s in needles {
        design.s = s;
        let rows: Vec<Row> = replicates(reps, workers, |r| {
            let mut draw = design.draw(first + r);
            if regress && let Outcome::Classification { labels, .. } = &draw.outcome {
                draw.outcome = Outcome::Regression(labels.iter().map(|&label| label as f64).collect());
            }
            let start = Instant::now();
            let model = fit(draw.data().unwrap(), &settings).unwrap();
            let seconds = start.elapsed().as_secs_f64();
            let selected: Vec<usize> = model.needles.iter().map(|n| n.index).collect();
            let recovery = metrics::recovery(&selected, &draw.needles);
            let test = design.draw_test(first + r, 1000);
            let columns: Vec<&[f64]> =
                model.inputs().map(|input| &test.x[input.index * 1000..(input.index + 1) * 1000]).collect();
            let (mut mse, mut accuracy) = (f64::NAN, f64::NAN);
            match (model.predict(1000, &columns, Fitted::Predictor).unwrap(), &test.outcome) {
                (Prediction::Numbers(y), Outcome::Regression(_)) => {
                    mse = metrics::mean_squared_error(&y, &test.mean);
                }
                (Prediction::Numbers(y), Outcome::Classification { labels, classes }) => {
                    let last = (classes.len() - 1) as f64;
                    let rounded: Vec<usize> = y.iter().map(|v| v.round().clamp(0.0, last) as usize).collect();
                    accuracy = metrics::accuracy(&rounded, labels);
                }
                (Prediction::Classes { labels: predicted, .. }, Outcome::Classification { labels, .. }) => {
                    accuracy = metrics::accuracy(&predicted, labels);
                }
                (Prediction::Numbers(y), Outcome::Counts(_)) => {
                    let log: Vec<f64> = y.iter().map(|v| v.ln()).collect();
                    mse = metrics::mean_squared_error(&log, &test.mean);
                }
                (Prediction::Numbers(risk), Outcome::Survival { times, events, .. }) => {
                    accuracy = metrics::concordance(times, events, &risk);
                }
                (Prediction::Classes { .. }, _) => unreachable!("no classes to predict"),
            }
            let (oracle, oracle_selected) = if oracle && s > 0 {
                let only = Settings { lambda: Some(model.lambda), draws: 100, ..settings.clone() };
                let model = fit(draw.data_of_needles().unwrap(), &only).unwrap();
                (model.certificate.objective, model.needles.len())
            } else {
                (f64::NAN, 0)
            };
            let c = model.certificate;
            let row = format!(
                "{name},{},{},{s},{},{},{:.3},{:.3},{},{:.4},{:.1e},{:?},{:.4},{mse:.4},{accuracy:.4},{},{},{},{:?},{oracle:.4},{oracle_selected},{seconds:.3}",
                design.n,
                design.p,
                first + r,
                u8::from(recovery.exact),
                recovery.true_positive_rate,
                recovery.false_discovery_rate,
                selected.len(),
                c.objective,
                c.kkt_violation,
                c.stop,
                model.noise.unwrap_or(f64::NAN),
                model.linear,
                model.neurons.len(),
                model.refit.iterations,
                model.refit.stop
            );
            Row { recovery, mse, accuracy, seconds, converged: model.converged(), text: row }
        });
        rows.iter().for_each(|r| println!("{}", r.text));
        let mean = |f: &dyn Fn(&Row) -> f64| rows.iter().map(f).sum::<f64>() / rows.len() as f64;
        let median = |f: &dyn Fn(&Row) -> f64| {
            let mut v: Vec<f64> = rows.iter().map(f).collect();
            v.sort_by(f64::total_cmp);
            v[v.len() / 2]
        };
        eprintln!(
            "{name} n={} p={} s={s}: PESR {:.2} TPR {:.3} FDR {:.3} mse {:.3} accuracy {:.3} seconds {:.2} (max {:.2}) not converged {}",
            design.n,
            design.p,
            mean(&|r| f64::from(u8::from(r.recovery.exact))),
            mean(&|r| r.recovery.true_positive_rate),
            mean(&|r| r.recovery.false_discovery_rate),
            median(&|r| r.mse),
            mean(&|r| r.accuracy),
            median(&|r| r.seconds),
            rows.iter().map(|r| r.seconds).fold(0.0, f64::max),
            rows.iter().filter(|r| !r.converged).count(),
        );
    }
}
