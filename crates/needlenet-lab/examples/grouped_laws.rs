//! Laws of categories and groups without a straight effect of their own: one CSV row for each fit on standard output.
//!
//! `cargo run -p needlenet-lab --example grouped_laws -- draws=20 seed=1 levels=4 noise=1 law=xor`; without `law=` all laws.
//!
//! A table has 400 samples, 6 categories `c0..c5` of `levels` equally frequent levels, 3 groups `g0..g2` of 4 Gaussian
//! columns, and 20 Gaussian numbers `x0..x19`. A category has the score -1 in half of its levels and 1 in the others, so its mean
//! effect is zero in each law but `levels`. The signal is divided by its deviation; noise is Gaussian with deviation `noise`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use needlenet::{Data, Group, GroupKind, Outcome, Settings, fit};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

const N: usize = 400;
const CATEGORIES: usize = 6;
const GROUPS: usize = 3;
const WIDTH: usize = 4;
const NUMBERS: usize = 20;

/// One sample before it is coded.
struct Row {
    score: [f64; CATEGORIES],
    group: [[f64; WIDTH]; GROUPS],
    x: [f64; NUMBERS],
}

/// The name of a law, its needles, and its value.
type Law = (&'static str, &'static [&'static str], fn(&Row) -> f64);

const LAWS: [Law; 9] = [
    ("null", &[], |_| 0.0),
    ("levels", &["c0"], |r| r.score[0]),
    ("category times number", &["c0", "x0"], |r| r.score[0] * r.x[0]),
    ("number times number", &["x0", "x1"], |r| r.x[0] * r.x[1]),
    ("xor of categories", &["c0", "c1"], |r| r.score[0] * r.score[1]),
    ("xor of signs", &["x0", "x1"], |r| r.x[0].signum() * r.x[1].signum()),
    ("bent group", &["g0"], |r| r.group[0][0].abs() + r.group[0][1].abs()),
    ("bent numbers", &["x0", "x1"], |r| r.x[0].abs() + r.x[1].abs()),
    ("group times category", &["g0", "c0"], |r| r.score[0] * (r.group[0][0] + r.group[0][1])),
];

fn main() {
    let options: HashMap<String, String> = std::env::args()
        .skip(1)
        .filter_map(|a| a.split_once('=').map(|(k, v)| (k.into(), v.into())))
        .collect();
    let number = |key: &str, usual: u64| options.get(key).map_or(usual, |v| v.parse().unwrap());
    let (draws, first, levels) = (number("draws", 20), number("seed", 1), number("levels", 4) as usize);
    let noise: f64 = options.get("noise").map_or(0.5, |v| v.parse().unwrap());
    println!("law,levels,noise,seed,needles,found,false,exact,seconds,selected");
    for (at, (law, needles, value)) in LAWS.iter().enumerate() {
        if options.get("law").is_some_and(|wanted| !law.contains(wanted.as_str())) {
            continue;
        }
        for seed in first..first + draws {
            let data = draw(1000 * at as u64 + seed, levels, noise, *value);
            let start = Instant::now();
            let model = fit(data, &Settings { threads: 1, ..Settings::default() }).unwrap();
            let input = |needle: &needlenet::Needle| needle.group.clone().unwrap_or(needle.name.clone());
            let selected: BTreeSet<String> = model.needles.iter().map(input).collect();
            let found = needles.iter().filter(|needle| selected.contains(**needle)).count();
            let wrong = selected.len() - found;
            println!(
                "{law},{levels},{noise},{seed},{},{found},{wrong},{},{:.1},{}",
                needles.len(),
                u8::from(found == needles.len() && wrong == 0),
                start.elapsed().as_secs_f64(),
                Vec::from_iter(selected).join("+")
            );
        }
    }
}

/// The table and its outcome.
fn draw(seed: u64, levels: usize, noise: f64, law: fn(&Row) -> f64) -> Data {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let p = CATEGORIES * levels + GROUPS * WIDTH + NUMBERS;
    let mut values = vec![0.0; N * p];
    let mut signal = Vec::with_capacity(N);
    for i in 0..N {
        let level: [usize; CATEGORIES] = std::array::from_fn(|_| random.random_range(0..levels));
        let mut gaussian = || random.sample::<f64, _>(StandardNormal);
        let row = Row {
            score: level.map(|level| if level < levels / 2 { -1.0 } else { 1.0 }),
            group: std::array::from_fn(|_| std::array::from_fn(|_| gaussian())),
            x: std::array::from_fn(|_| gaussian()),
        };
        let coded =
            level.iter().flat_map(|own| (0..levels).map(move |level| f64::from(u8::from(*own == level))));
        let cells = coded.chain(row.group.iter().flatten().copied()).chain(row.x);
        cells.enumerate().for_each(|(j, cell)| values[j * N + i] = cell);
        signal.push(law(&row));
    }
    let mean = signal.iter().sum::<f64>() / N as f64;
    let deviation = (signal.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / N as f64).sqrt();
    let y = signal.iter().map(|s| {
        s / if deviation > 0.0 { deviation } else { 1.0 } + noise * random.sample::<f64, _>(StandardNormal)
    });
    let y = y.collect();
    let of = |kind: &str, count: usize, width: usize| -> Vec<String> {
        (0..count)
            .flat_map(|of| (0..width).map(move |at| (of, at)))
            .map(|(of, at)| format!("{kind}{of}={at}"))
            .collect()
    };
    let mut names = of("c", CATEGORIES, levels);
    names.extend(of("g", GROUPS, WIDTH));
    names.extend((0..NUMBERS).map(|at| format!("x{at}")));
    let category = |at: usize| Group {
        name: format!("c{at}"),
        kind: GroupKind::Category { levels: (0..levels).map(|level| level.to_string()).collect() },
        columns: (at * levels..(at + 1) * levels).collect(),
    };
    let start = CATEGORIES * levels;
    let given = |at: usize| Group {
        name: format!("g{at}"),
        kind: GroupKind::Given,
        columns: (start + at * WIDTH..start + (at + 1) * WIDTH).collect(),
    };
    let groups = (0..CATEGORIES).map(category).chain((0..GROUPS).map(given)).collect();
    Data::new(values, names, Outcome::Regression(y)).unwrap().with_groups(groups).unwrap()
}
