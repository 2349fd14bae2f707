//! Accuracy and number of inputs on random stratified 70/30 splits: one CSV row per fit.
//!
//! `cargo run --release -p needlenet-lab --example real -- FOLDER golub,khan splits=20 penalty=harder hidden=40`
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, clippy::expect_used)]

use std::collections::HashMap;
use std::time::Instant;

use needlenet::{Data, Fitted, Outcome, Prediction, Settings, fit, metrics};
use needlenet_io::{ReadOptions, read_table};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

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
    settings.draws = number("draws").map_or(settings.draws, |v| v as usize);
    let splits = number("splits").unwrap_or(5.0) as u64;
    println!("set,split,accuracy,majority,selected,neurons,lambda_ratio,kkt,stop,seconds");
    for name in names.split(',') {
        let read = ReadOptions { target: Some("target".into()), ..ReadOptions::default() };
        let table = read_table(&format!("{folder}/{name}.csv.gz"), &read).unwrap();
        let Outcome::Classification { labels, classes } =
            Outcome::from_labels(&table.target.as_ref().unwrap().text)
        else {
            unreachable!()
        };
        let (mut accuracies, mut selected, mut seconds) = (vec![], vec![], vec![]);
        for split in 0..splits {
            let (train, test) = stratified(&labels, classes.len(), split);
            let columns = |rows: &[usize]| -> Vec<f64> {
                table.values.chunks(table.n_rows).flat_map(|c| rows.iter().map(move |&i| c[i])).collect()
            };
            let pick = |rows: &[usize]| -> Vec<usize> { rows.iter().map(|&i| labels[i]).collect() };
            let outcome = Outcome::Classification { labels: pick(&train), classes: classes.clone() };
            let data = Data::new(columns(&train), table.names.clone(), outcome).unwrap();
            let start = Instant::now();
            let model = fit(data, &settings).unwrap();
            let time = start.elapsed().as_secs_f64();
            let x = columns(&test);
            let n = test.len();
            let values: Vec<&[f64]> = model.inputs().map(|v| &x[v.index * n..(v.index + 1) * n]).collect();
            let Prediction::Classes { labels: predicted, .. } =
                model.predict(n, &values, Fitted::Refit).unwrap()
            else {
                unreachable!()
            };
            let truth = pick(&test);
            let accuracy = metrics::accuracy(&predicted, &truth);
            let majority =
                (0..classes.len()).map(|t| truth.iter().filter(|l| **l == t).count()).max().unwrap_or(0);
            println!(
                "{name},{split},{accuracy:.4},{:.4},{},{},{:.3},{:.1e},{:?},{time:.3}",
                majority as f64 / n as f64,
                model.inputs().count(),
                model.neurons.len(),
                model.threshold.lambda_zero / model.threshold.lambda_qut,
                model.certificate.kkt_violation,
                model.certificate.stop
            );
            accuracies.push(accuracy);
            selected.push(model.inputs().count() as f64);
            seconds.push(time);
        }
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        eprintln!(
            "{name}: accuracy {:.3} inputs {:.1} seconds {:.2}",
            mean(&accuracies),
            mean(&selected),
            mean(&seconds)
        );
    }
}

/// 70% of each class for training.
fn stratified(labels: &[usize], classes: usize, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for t in 0..classes {
        let mut rows: Vec<usize> = (0..labels.len()).filter(|i| labels[*i] == t).collect();
        rows.shuffle(&mut rng);
        let cut = (0.7 * rows.len() as f64).round() as usize;
        train.extend_from_slice(&rows[..cut]);
        test.extend_from_slice(&rows[cut..]);
    }
    (train, test)
}
