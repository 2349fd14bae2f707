//! Whether the p-values of `sure` hold their level, and what they find.
//!
//! `cargo run -p needlenet-lab --example sure -- level reps=200 seed=1 > docs/results/sure/level.csv`
//!
//! `level`: an input beside a needle, which does not matter itself, tested by itself; with the true law of the input and
//! with each estimated one. Inputs are a chain, `x_j = rho x_(j-1) + ...`, and the outcome depends on the first.
//! `small`: the same with 100 samples. `wide`: the same with more inputs than samples. `blocks`: the same with blocks of 50 inputs, each pair related, where the
//! law of an input has no few terms. `kinds`: the tested input is 0 or 1, or a count, with a chance or a mean that depends on the needle.
//! `mixed`: the needle is always in, and the tested input is a category of four levels whose chances depend on it.
//! `family`: whole tables, fitted, and every needle tested. `coverage`: how often the interval of a strength and the band of an
//! effect curve hold the true one. `tables`: the tables of `family`, for other programs.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use needlenet::internals::sure::{LawPlan, Left, sizes};
use needlenet::{Data, Group, GroupKind, Outcome, Penalty, Settings, Shown, SureOptions, fit, sure};
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

/// Of Poisson's law.
fn count(mean: f64, rng: &mut ChaCha8Rng) -> f64 {
    let (mut k, mut left) = (0.0, rng.random::<f64>());
    let floor = (-mean).exp();
    while left > floor {
        left *= rng.random::<f64>();
        k += 1.0;
    }
    k
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
        Law::Counts => Outcome::Counts((0..n).map(|i| count((x[i] / 2.0).exp(), rng)).collect()),
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

/// With the word `linear` the outcome is fitted without hidden layers, in a tenth of the time.
fn settings() -> Settings {
    let usual = Settings { threads: 1, draws: 1000, ..Settings::default() };
    if std::env::args().any(|word| word == "linear") {
        Settings { hidden: Vec::new(), ..usual }
    } else {
        usual
    }
}

fn level(reps: u64, seed: u64, inputs: Inputs, all: bool, cells: &[(Law, usize, usize, f64)]) {
    let plan = |penalty, joined| LawPlan { penalty, joined, by_kind: true };
    let plans = [
        ("l1", plan(Penalty::L1, false)),
        ("l1 joined", plan(Penalty::L1, true)),
        ("harder", plan(Penalty::Harder { nu: 0.1 }, false)),
        ("harder joined", plan(Penalty::Harder { nu: 0.1 }, true)),
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

/// What the tested input is, given the needle `x1`.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// 1 with log odds `4 x1`, otherwise 0.
    Steep,
    /// 1 with log odds `x1 - 2`, otherwise 0: about 15 of 100.
    Rare,
    /// Counts of mean `exp(x1)`.
    Counts,
}

impl Kind {
    fn mean(self, x: f64) -> f64 {
        match self {
            Kind::Steep => 1.0 / (1.0 + (-4.0 * x).exp()),
            Kind::Rare => 1.0 / (1.0 + (2.0 - x).exp()),
            Kind::Counts => x.exp(),
        }
    }

    fn draw(self, x: f64, rng: &mut ChaCha8Rng) -> f64 {
        match self {
            Kind::Counts => count(self.mean(x), rng),
            _ => f64::from(u8::from(rng.random::<f64>() < self.mean(x))),
        }
    }
}

/// The second input is of a kind of its own; the others are independent.
fn kinds(reps: u64, seed: u64, cells: &[(Law, Kind, usize, usize)]) {
    println!("outcome,kind,n,p,rep,law,p_value,shown");
    let settings = settings();
    for rep in 0..reps {
        for (at, &(law, kind, n, p)) in cells.iter().enumerate() {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(1_000_000 * (300 + at as u64) + rep);
            let mut x = chain(n, p, 0.0, &mut rng);
            let means: Vec<f64> = (0..n).map(|i| kind.mean(x[i])).collect();
            (0..n).for_each(|i| x[n + i] = kind.draw(x[i], &mut rng));
            let y = outcome(law, &x, n, &mut rng);
            let data = Data::new(x, names(p), y).unwrap();
            let left = Left::new(&data, 1, &settings).unwrap();
            let row = |name: &str, (p_value, shown): (f64, Shown)| {
                println!("{law:?},{kind:?},{n},{p},{rep},{name},{p_value},{}", word(&shown));
            };
            if !matches!(kind, Kind::Counts) {
                row("true", left.known(&means));
            }
            for (name, by_kind) in [("as numbers", false), ("by kind", true)] {
                row(name, left.estimated(&LawPlan { by_kind, ..LawPlan::default() }).unwrap());
            }
        }
    }
}

/// The first input is always in and drives the outcome; a category of four levels goes with it and is tested.
fn mixed(reps: u64, seed: u64, cells: &[(Law, usize, usize)]) {
    println!("outcome,n,p,rep,p_value,shown");
    let settings = settings();
    for rep in 0..reps {
        for (at, &(law, n, p)) in cells.iter().enumerate() {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(1_000_000 * (400 + at as u64) + rep);
            let mut x = chain(n, p, 0.5, &mut rng);
            for i in 0..n {
                let sum: f64 = (0..4).map(|level| (f64::from(level) * x[i]).exp()).sum();
                let (mut left, mut own) = (sum * rng.random::<f64>(), 0);
                while own < 3 && left > (own as f64 * x[i]).exp() {
                    left -= (own as f64 * x[i]).exp();
                    own += 1;
                }
                (0..4).for_each(|level| x[(1 + level) * n + i] = f64::from(u8::from(level == own)));
            }
            let y = outcome(law, &x, n, &mut rng);
            let levels = ["a", "b", "c", "d"].map(String::from).to_vec();
            let kind = GroupKind::Category { levels };
            let category = Group { name: "stage".into(), kind, columns: vec![1, 2, 3, 4] };
            let data = Data::new(x, names(p), y).unwrap();
            let data = data.with_groups(vec![category]).unwrap().with_always(&["x1"]).unwrap();
            let left = Left::new(&data, 1, &settings).unwrap();
            let (p_value, shown) = left.estimated(&LawPlan::default()).unwrap();
            println!("{law:?},{n},{p},{rep},{p_value},{}", word(&shown));
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

/// How the outcome depends on `x1` and `x3` where intervals and bands are measured.
#[derive(Clone, Copy, Debug)]
enum Curve {
    /// `x1 + noise`
    Straight,
    /// `2 |x1| + noise`
    Bent,
    /// `x1^2 + noise`
    Parabola,
    /// `x1 + x3^2 + noise`
    Both,
    /// `2 x1 x3 + noise`
    Product,
    /// `2 sin(2 x1) + noise`
    Sine,
    /// Two classes, log odds `2 x1`.
    Classes,
    /// Counts of mean `exp(x1 / 2)`.
    Counts,
    /// Hazard `exp(x1)`, three in ten censored.
    Survival,
}

impl Curve {
    /// What the curve is the mean of.
    fn height(self, x1: f64, x3: f64) -> f64 {
        match self {
            Curve::Straight | Curve::Survival => x1,
            Curve::Bent => 2.0 * x1.abs(),
            Curve::Parabola => x1 * x1,
            Curve::Both => x1 + x3 * x3,
            Curve::Product => 2.0 * x1 * x3,
            Curve::Sine => 2.0 * (2.0 * x1).sin(),
            Curve::Classes => 2.0 * x1,
            Curve::Counts => (x1 / 2.0).exp(),
        }
    }

    /// The strengths of `x1` and `x3`: root mean squares of the slope, of standard Gaussian inputs.
    fn strengths(self) -> [f64; 2] {
        match self {
            Curve::Straight | Curve::Survival => [1.0, 0.0],
            Curve::Bent | Curve::Classes | Curve::Parabola => [2.0, 0.0],
            Curve::Both => [1.0, 2.0],
            Curve::Product => [2.0, 2.0],
            // E cos^2(2 x) = (1 + exp(-8)) / 2
            Curve::Sine => [4.0 * ((1.0 + (-8f64).exp()) / 2.0).sqrt(), 0.0],
            Curve::Counts => [0.5, 0.0],
        }
    }

    fn outcome(self, x: &[f64], n: usize, rng: &mut ChaCha8Rng) -> Outcome {
        match self {
            Curve::Classes => outcome(Law::Classes, x, n, rng),
            Curve::Counts => outcome(Law::Counts, x, n, rng),
            Curve::Survival => outcome(Law::Survival, x, n, rng),
            _ => Outcome::Regression((0..n).map(|i| self.height(x[i], x[2 * n + i]) + normal(rng)).collect()),
        }
    }
}

/// Whether intervals of strength and bands hold the truth.
fn coverage(reps: u64, seed: u64, cells: &[(Curve, usize, usize)]) {
    println!(
        "law,n,p,rep,input,truth,strength,standard_error,mean_of_halves,low,high,band_values,band_holds,mean_width,missed"
    );
    for rep in 0..reps {
        for (at, &(law, n, p)) in cells.iter().enumerate() {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(1_000_000 * (200 + at as u64) + rep);
            let x = chain(n, p, 0.5, &mut rng);
            let data = Data::new(x.clone(), names(p), law.outcome(&x, n, &mut rng)).unwrap();
            let model = fit(data.clone(), &settings()).unwrap();
            let (intervals, bands) = sizes(&data, &model, 50).unwrap();
            for (needle, (interval, band)) in model.needles.iter().zip(intervals.into_iter().zip(bands)) {
                let [first, third] = law.strengths();
                let truth = [first, 0.0, third].get(needle.index).copied().unwrap_or(0.0);
                let start = format!("{law:?},{n},{p},{rep},{},{truth},{}", needle.name, needle.strength);
                // the curve is averaged over at most 100 samples, evenly spaced; log hazards have mean zero over all
                let rows: Vec<usize> = (0..n).step_by(n.div_ceil(100)).collect();
                let survival = matches!(law, Curve::Survival);
                let level = if survival { x[..n].iter().sum::<f64>() / n as f64 } else { 0.0 };
                let curve = |v: f64| {
                    let cell = |j: usize, i: usize| if j == needle.index { v } else { x[j * n + i] };
                    let sum: f64 = rows.iter().map(|&i| law.height(cell(0, i), cell(2, i))).sum();
                    sum / rows.len() as f64 - level
                };
                let band = band.map_or(",,,".into(), |band| {
                    let count = band.values.len();
                    let holds = |k: &usize| (band.low[*k]..=band.high[*k]).contains(&curve(band.values[*k]));
                    let width = band.low.iter().zip(&band.high).map(|(l, h)| h - l).sum::<f64>();
                    // which values are missed, from the lowest on
                    let missed: Vec<String> =
                        (0..count).filter(|k| !holds(k)).map(|k| k.to_string()).collect();
                    let held = count - missed.len();
                    format!("{count},{held},{},{}", width / count as f64, missed.join(" "))
                });
                match interval {
                    Some(i) => {
                        let (se, halves) = (i.standard_error, i.mean_of_halves);
                        println!("{start},{se},{halves},{},{},{band}", i.low, i.high)
                    }
                    None => println!("{start},,,,,{band}"),
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
        "small" => {
            for law in [Law::Straight, Law::Classes, Law::Counts, Law::Survival] {
                cells.extend([0.5, 0.9].map(|rho| (law, 100, 50, rho)));
            }
            level(reps, seed, Inputs::Chain, all, &cells);
        }
        "kinds" => kinds(
            reps,
            seed,
            &[
                (Law::Classes, Kind::Steep, 100, 50),
                (Law::Counts, Kind::Counts, 100, 50),
                (Law::Straight, Kind::Rare, 100, 50),
                (Law::Classes, Kind::Rare, 100, 50),
                (Law::Survival, Kind::Steep, 100, 50),
            ],
        ),
        "mixed" => mixed(reps, seed, &[(Law::Straight, 100, 50), (Law::Classes, 150, 50)]),
        "family" => family(reps, seed, &designs()),
        "tables" => {
            let folder = rest.iter().find_map(|a| a.strip_prefix("folder=")).expect("a folder");
            tables(reps, seed, folder, &designs());
        }
        "coverage" => {
            let mut cells = Vec::new();
            for law in
                [Curve::Straight, Curve::Bent, Curve::Parabola, Curve::Both, Curve::Product, Curve::Sine]
            {
                cells.extend([(law, 200, 10), (law, 500, 10)]);
            }
            cells.extend([Curve::Classes, Curve::Counts, Curve::Survival].map(|law| (law, 300, 10)));
            // laws=Bent,Product: only these
            if let Some(laws) = rest.iter().find_map(|a| a.strip_prefix("laws=")) {
                cells.retain(|(law, ..)| laws.split(',').any(|name| name == format!("{law:?}")));
            }
            coverage(reps, seed, &cells);
        }
        _ => println!(
            "level, small, wide, blocks, kinds, mixed, family, tables or coverage, then reps=, seed="
        ),
    }
}
