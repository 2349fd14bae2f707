//! Needles planted among the inputs of a real table: one CSV row per fit on standard output.
//!
//! `cargo run -p needlenet-lab --example planted -- TABLE needles=5 draws=20 seed=1 share=0.8 clearly=0.5`
//!
//! The inputs are those of the table; the outcome is a sum of `needles` of them, drawn at random, with weights from 0.5 to 1 and random
//! signs, and Gaussian noise, so that the sum has `share` of the variance. A planted input counts as found if itself or a
//! near copy (correlation .8 or more) is selected; a selected input is false if it is a near copy of none. `clearly=` and
//! `prune=` change the plan of the search.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, clippy::expect_used)]

use std::collections::HashMap;
use std::path::Path;

use needlenet::internals::{Plan, fit_planned};
use needlenet::{Outcome, Settings};
use needlenet_lab::{Sample, read_real};
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// Correlation from which on inputs are near copies.
const NEAR: f64 = 0.8;

fn main() {
    let mut args = std::env::args().skip(1);
    let table = args.next().expect("a table");
    let options: HashMap<String, f64> = args
        .filter_map(|a| a.split_once('=').map(|(k, v)| (k.to_string(), v.parse().expect("a number"))))
        .collect();
    let option = |key: &str, usual: f64| options.get(key).copied().unwrap_or(usual);
    let (draws, seed) = (option("draws", 20.0) as u64, option("seed", 1.0) as u64);
    let (needles, share) = (option("needles", 5.0) as usize, option("share", 0.8));
    let mut plan = Plan::default();
    plan.clearly = option("clearly", plan.clearly);
    plan.prune = option("prune", f64::from(u8::from(plan.prune))) != 0.0;
    let settings = Settings { threads: 1, ..Settings::default() };
    let inputs = read_real(Path::new(&table)).unwrap();
    let columns: Vec<Vec<f64>> = (0..inputs.p()).map(|j| standardised(inputs.column(j))).collect();
    println!("seed,needles,found,selected,false,exact,objective,linear,exchangeable_truth");
    let mut sums = [0.0; 4];
    for seed in seed..seed + draws {
        let (truth, y) = planted(&columns, needles, share, seed);
        let draw = Sample { outcome: Outcome::Regression(y), ..inputs.clone() };
        let model = fit_planned(draw.data().unwrap(), &settings, &plan, &()).unwrap();
        let near = |a: usize, b: usize| correlation(&columns[a], &columns[b]).abs() >= NEAR;
        let selected: Vec<usize> = model.needles.iter().map(|needle| needle.index).collect();
        let found = truth.iter().filter(|t| selected.iter().any(|s| near(**t, *s))).count();
        let wrong = selected.iter().filter(|s| !truth.iter().any(|t| near(*t, **s))).count();
        let exact = truth.iter().filter(|t| selected.contains(t)).count();
        // planted inputs that are not selected, but named as exchangeable with one that is
        let named = |t: &&usize| {
            let mut others = model.needles.iter().flat_map(|needle| &needle.exchangeable);
            !selected.contains(t) && others.any(|other| other.index == **t)
        };
        let named = truth.iter().filter(named).count();
        println!(
            "{seed},{needles},{found},{},{wrong},{exact},{:.4},{},{named}",
            selected.len(),
            model.certificate.objective,
            u8::from(model.linear)
        );
        let row = [found, wrong, exact, named];
        sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += v as f64 / draws as f64);
    }
    let [found, wrong, exact, named] = sums;
    eprintln!(
        "found {found:.2} of {needles}, false {wrong:.2}, itself {exact:.2}, named as exchangeable {named:.2}"
    );
}

fn standardised(column: &[f64]) -> Vec<f64> {
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    let scale = (column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    column.iter().map(|v| if scale > 0.0 { (v - mean) / scale } else { 0.0 }).collect()
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / a.len() as f64
}

/// The planted inputs and the outcome.
fn planted(columns: &[Vec<f64>], needles: usize, share: f64, seed: u64) -> (Vec<usize>, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = sample(&mut rng, columns.len(), needles).into_vec();
    let n = columns[0].len();
    let mut mean = vec![0.0; n];
    for &j in &truth {
        let size = rng.random_range(0.5..1.0);
        let weight = if rng.random::<bool>() { size } else { -size };
        mean.iter_mut().zip(&columns[j]).for_each(|(m, x)| *m += weight * x);
    }
    let spread = (mean.iter().map(|m| m * m).sum::<f64>() / n as f64).sqrt();
    let noise = spread * ((1.0 - share) / share).sqrt();
    let y = mean.iter().map(|m| m + noise * rng.sample::<f64, _>(StandardNormal)).collect();
    (truth, y)
}
