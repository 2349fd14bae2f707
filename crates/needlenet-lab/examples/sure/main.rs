//! Whether the p-values of `sure` hold their level, and what they find.
//!
//! `cargo run -p needlenet-lab --example sure -- level reps=200 seed=1 > docs/results/sure/level.csv`
//!
//! `level`: an input beside a needle, which does not matter itself, tested by itself; with the true law of the input and
//! with each estimated one. Inputs are a chain, `x_j = rho x_(j-1) + ...`, and the outcome depends on the first.
//! `small`: the same with 100 samples. `wide`: the same with more inputs than samples. `sizes`: from 70 samples of 4,000 inputs to 1,000
//! samples. `blocks`: the same with blocks of 50 inputs, each pair related, where the
//! law of an input has no few terms. `kinds`: the tested input is 0 or 1, or a count, with a chance or a mean that depends on the needle.
//! `mixed`: the needle is always in, and the tested input is a category of four levels whose chances depend on it.
//! `family`: whole tables, fitted, and every needle tested. `coverage`: how often the interval of a strength and the band of an
//! effect curve hold the true one. `tables`: the tables of `family`, for other programs.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

mod draws;

use needlenet::internals::sure::{LawPlan, Left, sizes};
use needlenet::{Data, Group, GroupKind, Outcome, Penalty, Settings, Shown, SureOptions, fit, sure};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use draws::{Curve, Design, Inputs, Kind, Law, chain, names, outcome};

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
        "sizes" => {
            for law in [Law::Straight, Law::Classes, Law::Survival] {
                cells.extend([(70, 4000), (300, 1000), (1000, 50)].map(|(n, p)| (law, n, p, 0.5)));
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
            "level, small, wide, sizes, blocks, kinds, mixed, family, tables or coverage, then reps=, seed="
        ),
    }
}
