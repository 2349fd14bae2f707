//! Whether the p-values of `sure` hold their level, and what they find.
//!
//! `cargo run -p needlenet-lab --example sure -- level reps=200 seed=1 > docs/results/sure/level.csv`
//!
//! `level`: an input beside a needle, which does not matter itself, tested by itself; with the true law of the input and
//! with each estimated one. Inputs are a chain, `x_j = rho x_(j-1) + ...`, and the outcome depends on the first.
//! `wide`: the same with more inputs than samples. `blocks`: the same with blocks of 50 inputs, each pair related, where the
//! law of an input has no few terms. `family`: whole tables, fitted, and every needle tested. `coverage`: how
//! often the interval of a strength holds the true one. `tables`: the tables of `family`, for other programs.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use needlenet::internals::sure::{LawPlan, Left, intervals};
use needlenet::{Data, Outcome, Penalty, Settings, Shown, SureOptions, fit, sure};
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

/// Blocks of inputs, each pair in a block correlated by `rho`.
fn blocks(n: usize, p: usize, size: usize, rho: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut x = Vec::with_capacity(n * p);
    let mut factor = Vec::new();
    for j in 0..p {
        if j % size == 0 {
            factor = (0..n).map(|_| normal(rng)).collect::<Vec<f64>>();
        }
        x.extend(factor.iter().map(|f| rho.sqrt() * f + (1.0 - rho).sqrt() * normal(rng)));
    }
    x
}

/// How the inputs are related.
#[derive(Clone, Copy, Debug)]
enum Inputs {
    Chain,
    /// Blocks of so many.
    Blocks(usize),
}

impl Inputs {
    fn draw(self, n: usize, p: usize, rho: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
        match self {
            Inputs::Chain => chain(n, p, rho, rng),
            Inputs::Blocks(size) => blocks(n, p, size, rho, rng),
        }
    }

    /// The mean of the second input given all others.
    fn mean(self, x: &[f64], n: usize, rho: f64) -> Vec<f64> {
        match self {
            Inputs::Chain => (0..n).map(|i| rho * (x[i] + x[2 * n + i]) / (1.0 + rho * rho)).collect(),
            Inputs::Blocks(size) => {
                let slope = rho / (1.0 + (size - 2) as f64 * rho);
                let others = |i: usize| (0..size).filter(|j| *j != 1).map(|j| x[j * n + i]).sum::<f64>();
                (0..n).map(|i| slope * others(i)).collect()
            }
        }
    }
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

fn level(reps: u64, seed: u64, inputs: Inputs, all: bool, cells: &[(Law, usize, usize, f64)]) {
    let plans = [
        ("l1", LawPlan { penalty: Penalty::L1, joined: false }),
        ("l1 joined", LawPlan { penalty: Penalty::L1, joined: true }),
        ("harder", LawPlan { penalty: Penalty::Harder { nu: 0.1 }, joined: false }),
        ("harder joined", LawPlan { penalty: Penalty::Harder { nu: 0.1 }, joined: true }),
    ];
    let plans: Vec<_> = plans.into_iter().filter(|(name, _)| all || *name == "l1 joined").collect();
    println!("outcome,n,p,rho,rep,law,p_value,shown");
    let settings = settings();
    // a run that is cut short has as many of each cell
    for rep in 0..reps {
        for (at, &(law, n, p, rho)) in cells.iter().enumerate() {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(1_000_000 * at as u64 + rep);
            let x = inputs.draw(n, p, rho, &mut rng);
            let y = outcome(law, &x, n, &mut rng);
            let mean = inputs.mean(&x, n, rho);
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

/// What a table is drawn from: needles come first.
#[derive(Clone, Copy, Debug)]
enum Design {
    /// No needle.
    Null,
    /// No needle, two classes.
    NullClasses,
    /// `.5 (x1 + x2 + x3 + x4)`
    Linear,
    /// `2 |x1 - x2| + 2 |x3 - x4|`
    Pairs,
    /// `x1 x2`
    Product,
    /// Two classes, log odds `1.5 (x1 + x2)`.
    TwoClasses,
    /// Hazard `exp(.7 (x1 + x2))`, three in ten censored.
    Hazard,
}

impl Design {
    fn needles(self) -> usize {
        match self {
            Design::Null | Design::NullClasses => 0,
            Design::Linear | Design::Pairs => 4,
            Design::Product | Design::TwoClasses | Design::Hazard => 2,
        }
    }

    /// Needles and hay in turn, so that every needle has hay beside it.
    fn place(self, needle: usize) -> usize {
        2 * needle
    }

    fn outcome(self, x: &[f64], n: usize, rng: &mut ChaCha8Rng) -> Outcome {
        let at = |j: usize, i: usize| x[self.place(j) * n + i];
        let mut numbers =
            |f: &dyn Fn(usize) -> f64| Outcome::Regression((0..n).map(|i| f(i) + normal(rng)).collect());
        match self {
            Design::Null => numbers(&|_| 0.0),
            Design::Linear => numbers(&|i| 0.5 * (0..4).map(|j| at(j, i)).sum::<f64>()),
            Design::Pairs => {
                numbers(&|i| 2.0 * (at(0, i) - at(1, i)).abs() + 2.0 * (at(2, i) - at(3, i)).abs())
            }
            Design::Product => numbers(&|i| at(0, i) * at(1, i)),
            Design::NullClasses | Design::TwoClasses => {
                let slope = if self.needles() > 0 { 1.5 } else { 0.0 };
                let chance = |i: usize| 1.0 / (1.0 + (-slope * (at(0, i) + at(1, i))).exp());
                let labels: Vec<&str> =
                    (0..n).map(|i| if rng.random::<f64>() < chance(i) { "b" } else { "a" }).collect();
                Outcome::from_labels(&labels)
            }
            Design::Hazard => {
                let hazard = |i: usize| (0.7 * (at(0, i) + at(1, i))).exp();
                let times = (0..n).map(|i| -rng.random::<f64>().ln() / hazard(i)).collect();
                let events = (0..n).map(|_| rng.random::<f64>() < 0.7).collect();
                Outcome::Survival { times, events, strata: Vec::new() }
            }
        }
    }
}

/// Fits tables, and tests their needles: one row for each needle, or one with no name if there is none.
fn family(reps: u64, seed: u64, cells: &[(Design, usize, usize, f64)]) {
    println!("design,n,p,rho,rep,needles,found,input,is_needle,p_value,p_adjusted,shown");
    let options = SureOptions { pairs: 0, ..SureOptions::default() };
    for rep in 0..reps {
        for (at, &(design, n, p, rho)) in cells.iter().enumerate() {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(1_000_000 * (100 + at as u64) + rep);
            let x = chain(n, p, rho, &mut rng);
            let y = design.outcome(&x, n, &mut rng);
            let data = Data::new(x, names(p), y).unwrap();
            let model = fit(data.clone(), &settings()).unwrap();
            let sure = sure(&data, &model, &options, &()).unwrap();
            let start = format!("{design:?},{n},{p},{rho},{rep},{},{}", design.needles(), sure.needles.len());
            if sure.needles.is_empty() {
                println!("{start},,,,,");
            }
            for (needle, found) in sure.needles.iter().zip(&model.needles) {
                let is_needle = (0..design.needles()).any(|j| design.place(j) == found.index);
                let (p_value, adjusted) = (needle.p_value, needle.p_adjusted);
                println!("{start},{},{is_needle},{p_value},{adjusted},{}", needle.name, word(&needle.shown));
            }
        }
    }
}

/// Writes tables for other programs: the outcome comes first.
fn tables(reps: u64, seed: u64, folder: &str, cells: &[(Design, usize, usize, f64)]) {
    for rep in 0..reps {
        for (at, &(design, n, p, rho)) in cells.iter().enumerate() {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(1_000_000 * (100 + at as u64) + rep);
            let x = chain(n, p, rho, &mut rng);
            let Outcome::Regression(y) = design.outcome(&x, n, &mut rng) else { continue };
            let row = |i: usize| {
                let cells = std::iter::once(y[i]).chain((0..p).map(|j| x[j * n + i]));
                cells.map(|v| v.to_string()).collect::<Vec<_>>().join(",")
            };
            let text: Vec<String> = (0..n).map(row).collect();
            let file = format!("{folder}/{design:?}_{n}_{p}_{rho}_{rep}.csv");
            std::fs::write(file, text.join("\n")).unwrap();
        }
    }
}

/// Whether intervals of strength hold the true one: `b x1 + c x3^2 + noise`, strengths `b` and `2 c`.
fn coverage(reps: u64, seed: u64, cells: &[(usize, usize, f64, f64)]) {
    println!("n,p,b,c,rep,input,truth,strength,standard_error,mean_of_halves,low,high");
    for rep in 0..reps {
        for (at, &(n, p, b, c)) in cells.iter().enumerate() {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(1_000_000 * (200 + at as u64) + rep);
            let x = chain(n, p, 0.5, &mut rng);
            let y = (0..n).map(|i| b * x[i] + c * x[2 * n + i].powi(2) + normal(&mut rng)).collect();
            let data = Data::new(x, names(p), Outcome::Regression(y)).unwrap();
            let model = fit(data.clone(), &settings()).unwrap();
            let intervals = intervals(&data, &model, 50).unwrap();
            for (needle, interval) in model.needles.iter().zip(intervals) {
                let truth = [b, 0.0, 2.0 * c].get(needle.index).copied().unwrap_or(0.0);
                let start = format!("{n},{p},{b},{c},{rep},{},{truth},{}", needle.name, needle.strength);
                match interval {
                    Some(i) => {
                        println!("{start},{},{},{},{}", i.standard_error, i.mean_of_halves, i.low, i.high)
                    }
                    None => println!("{start},,,,"),
                }
            }
        }
    }
}

fn designs() -> Vec<(Design, usize, usize, f64)> {
    let mut cells = vec![(Design::Null, 100, 50, 0.5), (Design::NullClasses, 100, 50, 0.5)];
    for design in [Design::Linear, Design::Pairs, Design::Product, Design::TwoClasses, Design::Hazard] {
        cells.push((design, 200, 50, 0.5));
    }
    cells.push((Design::Linear, 200, 50, 0.9));
    cells
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
    // every way to estimate the law of an input, not only the one in use
    let all = rest.iter().any(|a| a == "all");
    let mut cells = Vec::new();
    match what.as_str() {
        "level" => {
            for law in [Law::Straight, Law::Bent, Law::Classes, Law::Survival, Law::Counts] {
                cells.extend([0.5, 0.9].map(|rho| (law, 200, 50, rho)));
            }
            level(reps, seed, Inputs::Chain, all, &cells);
        }
        "wide" => {
            for law in [Law::Straight, Law::Classes, Law::Survival] {
                cells.extend([0.5, 0.9].map(|rho| (law, 100, 500, rho)));
            }
            level(reps, seed, Inputs::Chain, all, &cells);
        }
        "blocks" => {
            for law in [Law::Straight, Law::Classes, Law::Survival] {
                cells.extend([(70, 0.7), (200, 0.7)].map(|(n, rho)| (law, n, 500, rho)));
            }
            level(reps, seed, Inputs::Blocks(50), all, &cells);
        }
        "family" => family(reps, seed, &designs()),
        "tables" => {
            let folder = rest.iter().find_map(|a| a.strip_prefix("folder=")).expect("a folder");
            tables(reps, seed, folder, &designs());
        }
        "coverage" => coverage(
            reps,
            seed,
            &[(200, 10, 1.0, 0.0), (200, 10, 0.0, 1.0), (200, 50, 1.0, 1.0), (500, 50, 0.3, 0.3)],
        ),
        _ => println!("level, wide, blocks, family, tables or coverage, then reps=, seed="),
    }
}
