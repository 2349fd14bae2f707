//! The level at full size: on tables where nothing matters, how often something is found; and the share of false inputs beside needles.
//!
//! `cargo run -p needlenet-lab --example level -- out=docs/results/level reps=2000 minutes=60 > docs/results/level/README.md`
//!
//! Each table is a row of `rows.csv` in the folder, appended as it is finished: a run that was stopped goes on where it ended.
//! Tables are drawn in turn from all combinations, so that an unfinished run has as many of each. A table depends on its
//! combination and its number alone. The intervals are exact binomial ones (Clopper and Pearson, 95%).
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use needlenet::{Data, Group, GroupKind, NullChoice, Outcome, Settings, fit};
use needlenet_lab::{Band, Ledger};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{LogNormal, Poisson, StandardNormal, StudentT};
use serde::{Deserialize, Serialize};

/// How the inputs are drawn.
#[derive(Clone, Copy)]
enum Inputs {
    Gaussian,
    /// `x_j = .9 x_(j-1) + ...`
    Chain,
    /// Threes of an input and two copies of it with 5% noise.
    Copies,
    /// 0 or 1, with a chance of .3 for 1.
    Binary,
}

/// How the outcome is drawn; no input has to do with it unless there are needles.
#[derive(Clone, Copy)]
enum Kind {
    Gaussian,
    /// Student's law with 3 degrees of freedom.
    Heavy,
    /// Log-normal numbers.
    Skewed,
    /// Classes of these shares in all; the first has the first share, the others are equal.
    Classes(usize, f64),
    /// Times, of which this share is censored.
    Survival(f64),
    /// Counts of this mean.
    Counts(f64),
}

/// What is beside inputs and outcome.
#[derive(Clone, Copy, PartialEq)]
enum Beside {
    Nothing,
    /// Weights of 0 to 10, whatever the noise.
    Weights,
    /// The same as precisions: the noise has the variance 1 over the weight.
    Precisions,
    /// Two inputs that are always in, which move the outcome and the other inputs.
    Always,
    /// Rows that are counted: 3 inputs of 3 values and a class, and the weight is how many of 300 samples are such a row.
    Counted,
    /// A category of five levels.
    Category,
    /// The outcome is a sum of four inputs and noise.
    Needles,
}

struct Combination {
    name: &'static str,
    size: (usize, usize),
    inputs: Inputs,
    kind: Kind,
    null: NullChoice,
    beside: Beside,
}

fn combinations() -> Vec<Combination> {
    use NullChoice::{Law, Permutation};
    let of =
        |name, inputs, kind, null, beside| Combination { name, size: (100, 30), inputs, kind, null, beside };
    let (gaussian, nothing) = (Inputs::Gaussian, Beside::Nothing);
    vec![
        of("numbers", gaussian, Kind::Gaussian, Law, nothing),
        of("numbers, AR(.9) inputs", Inputs::Chain, Kind::Gaussian, Law, nothing),
        of("numbers, near copies", Inputs::Copies, Kind::Gaussian, Law, nothing),
        of("numbers, 0/1 inputs", Inputs::Binary, Kind::Gaussian, Law, nothing),
        Combination { size: (60, 1000), ..of("numbers, 60 x 1,000", gaussian, Kind::Gaussian, Law, nothing) },
        of("t(3) noise", gaussian, Kind::Heavy, Law, nothing),
        of("t(3) noise, permutation", gaussian, Kind::Heavy, Permutation, nothing),
        of("log-normal noise", gaussian, Kind::Skewed, Law, nothing),
        of("log-normal noise, permutation", gaussian, Kind::Skewed, Permutation, nothing),
        of("two classes, balanced", gaussian, Kind::Classes(2, 0.5), Law, nothing),
        of("two classes, 5%", gaussian, Kind::Classes(2, 0.05), Law, nothing),
        of("five classes", gaussian, Kind::Classes(5, 0.2), Law, nothing),
        of("survival, 10% censored", gaussian, Kind::Survival(0.1), Law, nothing),
        of("survival, 90% censored", gaussian, Kind::Survival(0.9), Law, nothing),
        of("counts of mean 2", gaussian, Kind::Counts(2.0), Law, nothing),
        of("numbers, weights of 0 to 10", gaussian, Kind::Gaussian, Law, Beside::Weights),
        of("numbers, precisions of 0 to 10", gaussian, Kind::Gaussian, Law, Beside::Precisions),
        of("two classes, weights of 0 to 10", gaussian, Kind::Classes(2, 0.5), Law, Beside::Weights),
        of("survival, weights of 0 to 10", gaussian, Kind::Survival(0.5), Law, Beside::Weights),
        of("two classes, rows that are counted", gaussian, Kind::Classes(2, 0.5), Law, Beside::Counted),
        of("numbers, two inputs always in", gaussian, Kind::Gaussian, Law, Beside::Always),
        of("numbers, a category", gaussian, Kind::Gaussian, Law, Beside::Category),
        of("four needles", gaussian, Kind::Gaussian, Law, Beside::Needles),
        of("four needles, AR(.9) inputs", Inputs::Chain, Kind::Gaussian, Law, Beside::Needles),
    ]
}

/// One table of one combination.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Row {
    combination: String,
    table: u64,
    /// Inputs selected, and those of them that do not matter.
    selected: usize,
    r#false: usize,
    /// Why there is no result; a table that is refused finds nothing.
    refused: String,
}

/// The inputs that matter where there are needles.
const NEEDLES: [usize; 4] = [0, 8, 15, 22];
const LEVELS: usize = 5;

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    rng.sample(StandardNormal)
}

fn inputs(kind: Inputs, (n, p): (usize, usize), rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut x: Vec<f64> = Vec::with_capacity(n * p);
    for j in 0..p {
        for i in 0..n {
            let own = normal(rng);
            let before = |back: usize| x[(j - back) * n + i];
            let value = match kind {
                Inputs::Chain if j > 0 => 0.9 * before(1) + (1.0_f64 - 0.81).sqrt() * own,
                Inputs::Copies if j % 3 > 0 => before(j % 3) + 0.05 * own,
                Inputs::Binary => f64::from(u8::from(rng.random::<f64>() < 0.3)),
                _ => own,
            };
            x.push(value);
        }
    }
    x
}

fn outcome(kind: Kind, signal: &[f64], rng: &mut ChaCha8Rng) -> Outcome {
    let mut many = |draw: &mut dyn FnMut(&mut ChaCha8Rng) -> f64| {
        signal.iter().map(|known| known + draw(rng)).collect::<Vec<f64>>()
    };
    match kind {
        Kind::Gaussian => Outcome::Regression(many(&mut normal)),
        Kind::Heavy => Outcome::Regression(many(&mut |rng| rng.sample(StudentT::new(3.0).unwrap()))),
        Kind::Skewed => Outcome::Regression(many(&mut |rng| rng.sample(LogNormal::new(0.0, 1.0).unwrap()))),
        Kind::Counts(mean) => Outcome::Counts(many(&mut |rng| rng.sample(Poisson::new(mean).unwrap()))),
        Kind::Classes(count, first) => {
            let label = |u: &f64| {
                let rest = ((u - first) / (1.0 - first) * (count - 1) as f64).floor() as usize + 1;
                if *u < first { 0 } else { rest.min(count - 1) }
            };
            let labels: Vec<String> =
                many(&mut |rng| rng.random()).iter().map(|u| label(u).to_string()).collect();
            Outcome::from_labels(&labels)
        }
        Kind::Survival(censored) => {
            let times = many(&mut |rng| -rng.random::<f64>().ln());
            let events = many(&mut |rng| rng.random()).iter().map(|u| *u >= censored).collect();
            Outcome::Survival { times, events, strata: Vec::new() }
        }
    }
}

/// A table whose weights are counts of samples, each with an outcome of its own.
fn counted(rng: &mut ChaCha8Rng) -> needlenet::Result<Data> {
    let mut weights = vec![0.0; 54];
    (0..300).for_each(|_| weights[rng.random_range(0..54_usize)] += 1.0);
    let input = |j: u32| (0..54_usize).map(move |row| (row / 3_usize.pow(j) % 3) as f64);
    let x = (0..3).flat_map(input).collect();
    let labels: Vec<&str> = (0..54).map(|row| if row < 27 { "a" } else { "b" }).collect();
    let names = ["x1", "x2", "x3"].map(String::from).to_vec();
    Data::new(x, names, Outcome::from_labels(&labels))?.with_weights(weights)
}

fn data(of: &Combination, rng: &mut ChaCha8Rng) -> needlenet::Result<Data> {
    if of.beside == Beside::Counted {
        return counted(rng);
    }
    let (n, p) = of.size;
    let mut x = inputs(of.inputs, of.size, rng);
    let mut names: Vec<String> = (1..=p).map(|j| format!("x{j}")).collect();
    let mut signal = vec![0.0; n];
    match of.beside {
        Beside::Needles => {
            for (i, signal) in signal.iter_mut().enumerate() {
                *signal = NEEDLES.iter().map(|j| x[j * n + i]).sum();
            }
        }
        Beside::Always => {
            // half of the inputs go with the first
            for j in 2..p / 2 {
                (0..n).for_each(|i| x[j * n + i] = 0.6 * x[j * n + i] + 0.8 * x[i]);
            }
            (0..n).for_each(|i| signal[i] = x[i] + x[n + i]);
        }
        Beside::Category => {
            let level: Vec<usize> = (0..n).map(|_| rng.random_range(0..LEVELS)).collect();
            for l in 0..LEVELS {
                x.extend(level.iter().map(|at| f64::from(u8::from(*at == l))));
                names.push(format!("stage={l}"));
            }
        }
        Beside::Nothing | Beside::Weights | Beside::Precisions | Beside::Counted => {}
    }
    let mut y = outcome(of.kind, &signal, rng);
    let weights: Vec<f64> = (0..n).map(|_| 10.0 * rng.random::<f64>()).collect();
    if let (Beside::Precisions, Outcome::Regression(y)) = (of.beside, &mut y) {
        y.iter_mut().zip(&weights).for_each(|(y, weight)| *y /= weight.sqrt());
    }
    let data = Data::new(x, names, y)?;
    match of.beside {
        Beside::Weights | Beside::Precisions => data.with_weights(weights),
        Beside::Always => data.with_always(&["x1", "x2"]),
        Beside::Category => {
            let levels = (0..LEVELS).map(|l| l.to_string()).collect();
            let columns = (p..p + LEVELS).collect();
            let stage = Group { name: "stage".into(), kind: GroupKind::Category { levels }, columns };
            data.with_groups(vec![stage])
        }
        _ => Ok(data),
    }
}

fn row(of: &Combination, table: u64) -> Row {
    // by its name, so that a new combination does not move the others
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let mut rng = ChaCha8Rng::seed_from_u64(of.name.bytes().fold(0xcbf2_9ce4_8422_2325, hash));
    rng.set_stream(table);
    let settings = Settings { null: of.null, draws: 1000, threads: 1, ..Settings::default() };
    let mut row = Row { combination: of.name.into(), table, selected: 0, r#false: 0, refused: String::new() };
    match data(of, &mut rng).and_then(|data| fit(data, &settings)) {
        Ok(model) => {
            let matters = |name: &str| NEEDLES.iter().any(|j| format!("x{}", j + 1) == name);
            let selected = model.selected();
            row.selected = selected.len();
            let is_false = |name: &&&str| of.beside != Beside::Needles || !matters(name);
            row.r#false = selected.iter().filter(is_false).count();
        }
        Err(error) => row.refused = error.to_string(),
    }
    row
}

fn tell(rows: &[Row]) {
    println!(
        "| combination | tables | refused | found something | share, 95% interval | false share of the selected |"
    );
    println!("|---|---|---|---|---|---|");
    for of in combinations() {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.combination == of.name).collect();
        let count = |is: &dyn Fn(&&&Row) -> bool| rows.iter().filter(is).count();
        let found = count(&|row| row.r#false > 0);
        let refused = count(&|row| !row.refused.is_empty());
        let Some(band) = Band::exact(found, rows.len()) else { continue };
        let share = |row: &&Row| row.r#false as f64 / row.selected.max(1) as f64;
        let shares: Vec<f64> = rows.iter().map(share).collect();
        let false_share = match of.beside {
            Beside::Needles => format!("{:.4}", shares.iter().sum::<f64>() / shares.len() as f64),
            _ => String::new(),
        };
        let (value, low, high) = (band.value, band.low, band.high);
        println!(
            "| {} | {} | {refused} | {found} | {value:.4} ({low:.4} to {high:.4}) | {false_share} |",
            of.name,
            rows.len()
        );
    }
}

fn main() {
    let given = |key: &str| std::env::args().find_map(|a| a.strip_prefix(key).map(str::to_owned));
    let number = |key: &str, default: u64| given(key).map_or(default, |v| v.parse().expect("a number"));
    let folder = given("out=").expect("out=FOLDER");
    let (reps, end) = (number("reps=", 2000), Duration::from_secs(60 * number("minutes=", 600)));
    let (mut ledger, mut rows) = Ledger::open::<Row>(Path::new(&folder)).expect("the ledger");
    let done: HashSet<(String, u64)> = rows.iter().map(|row| (row.combination.clone(), row.table)).collect();
    let (start, all) = (Instant::now(), combinations());
    let only = given("only=").unwrap_or_default();
    'tables: for table in 0..reps {
        for of in all.iter().filter(|of| of.name.contains(&only)) {
            if start.elapsed() > end {
                break 'tables;
            }
            if !done.contains(&(of.name.to_owned(), table)) {
                let new = row(of, table);
                ledger.append(&new).expect("a row");
                rows.push(new);
            }
        }
    }
    tell(&rows);
}
