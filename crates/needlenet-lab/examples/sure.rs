//! Whether the p-values of `sure` hold their level, and what they find.
//!
//! `cargo run -p needlenet-lab --example sure -- level reps=200 seed=1 > docs/results/sure/level.csv`
//!
//! `level`: an input beside a needle, which does not matter itself, tested by itself; with the true law of the input and
//! with each estimated one. Inputs are a chain, `x_j = rho x_(j-1) + ...`, and the outcome depends on the first.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use needlenet::internals::sure::{LawPlan, Left};
use needlenet::{Data, Outcome, Penalty, Settings, Shown};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// How the outcome depends on the first inputs.
#[derive(Clone, Copy, Debug)]
enum Law {
    /// `x1 + noise`
    Straight,
    /// `2 |x1| + noise`
    Bent,
    /// Two classes, log odds `2 x1`.
    Classes,
    /// Hazard `exp(x1)`, three in ten censored.
    Survival,
    /// Counts of mean `exp(x1 / 2)`.
    Counts,
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    rng.sample(StandardNormal)
}

/// A chain of standard Gaussian inputs, one column after the other.
fn chain(n: usize, p: usize, rho: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut x: Vec<f64> = Vec::with_capacity(n * p);
    for j in 0..p {
        for i in 0..n {
            let own = normal(rng);
            x.push(if j == 0 { own } else { rho * x[(j - 1) * n + i] + (1.0 - rho * rho).sqrt() * own });
        }
    }
    x
}

fn outcome(law: Law, x: &[f64], n: usize, rng: &mut ChaCha8Rng) -> Outcome {
    match law {
        Law::Straight => Outcome::Regression((0..n).map(|i| x[i] + normal(rng)).collect()),
        Law::Bent => Outcome::Regression((0..n).map(|i| 2.0 * x[i].abs() + normal(rng)).collect()),
        Law::Classes => {
            let label = |i: usize, u: f64| if u < 1.0 / (1.0 + (-2.0 * x[i]).exp()) { "b" } else { "a" };
            let labels: Vec<&str> = (0..n).map(|i| label(i, rng.random())).collect();
            Outcome::from_labels(&labels)
        }
        Law::Counts => {
            let mut count = |mean: f64| {
                let (mut k, mut left) = (0.0, rng.random::<f64>());
                let floor = (-mean).exp();
                while left > floor {
                    left *= rng.random::<f64>();
                    k += 1.0;
                }
                k
            };
            Outcome::Counts((0..n).map(|i| count((x[i] / 2.0).exp())).collect())
        }
        Law::Survival => {
            let times = (0..n).map(|i| -rng.random::<f64>().ln() * (-x[i]).exp()).collect();
            let events = (0..n).map(|_| rng.random::<f64>() < 0.7).collect();
            Outcome::Survival { times, events, strata: Vec::new() }
        }
    }
}

fn names(p: usize) -> Vec<String> {
    (1..=p).map(|j| format!("x{j}")).collect()
}

fn word(shown: &Shown) -> String {
    match shown {
        Shown::Straight => "straight".into(),
        Shown::Bent => "bent".into(),
        Shown::With(name) => format!("with {name}"),
    }
}

fn settings() -> Settings {
    Settings { threads: 1, draws: 1000, ..Settings::default() }
}

fn level(reps: u64, seed: u64, cells: &[(Law, usize, usize, f64)]) {
    let plans = [
        ("l1", LawPlan { penalty: Penalty::L1, joined: false }),
        ("l1 joined", LawPlan { penalty: Penalty::L1, joined: true }),
        ("harder", LawPlan { penalty: Penalty::Harder { nu: 0.1 }, joined: false }),
        ("harder joined", LawPlan { penalty: Penalty::Harder { nu: 0.1 }, joined: true }),
    ];
    println!("outcome,n,p,rho,rep,law,p_value,shown");
    let settings = settings();
    for (at, &(law, n, p, rho)) in cells.iter().enumerate() {
        for rep in 0..reps {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(1_000_000 * at as u64 + rep);
            let x = chain(n, p, rho, &mut rng);
            let y = outcome(law, &x, n, &mut rng);
            let mean: Vec<f64> = (0..n).map(|i| rho * (x[i] + x[2 * n + i]) / (1.0 + rho * rho)).collect();
            let data = Data::new(x, names(p), y).unwrap();
            let left = Left::new(&data, 1, &settings).unwrap();
            let row = |name: &str, (p_value, shown): (f64, Shown)| {
                println!("{law:?},{n},{p},{rho},{rep},{name},{p_value},{}", word(&shown));
            };
            row("true", left.known(&mean));
            for (name, plan) in &plans {
                row(name, left.estimated(plan).unwrap());
            }
        }
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let what = args.next().unwrap_or_default();
    let rest: Vec<String> = args.collect();
    let number = |key: &str, default: u64| {
        let value = rest.iter().find_map(|a| a.strip_prefix(key).map(str::to_owned));
        value.map_or(default, |v| v.parse().expect("a number"))
    };
    let (reps, seed) = (number("reps=", 100), number("seed=", 1));
    let mut cells = Vec::new();
    match what.as_str() {
        "level" => {
            for law in [Law::Straight, Law::Bent, Law::Classes, Law::Survival, Law::Counts] {
                cells.extend([0.5, 0.9].map(|rho| (law, 200, 50, rho)));
            }
            level(reps, seed, &cells);
        }
        "wide" => {
            for law in [Law::Straight, Law::Classes, Law::Survival] {
                cells.extend([0.5, 0.9].map(|rho| (law, 100, 500, rho)));
            }
            level(reps, seed, &cells);
        }
        _ => println!("level or wide, then reps=, seed="),
    }
}
