//! The level for outcomes beyond numbers and classes, and with weights: on tables without needles, how often something is found.
//!
//! `cargo run -p needlenet-lab --example null_outcomes -- reps=200 seed=1 only=weights`
//!
//! A row for each table, as it is finished; `first=120` goes on with table 120.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, clippy::expect_used)]

use needlenet::{Data, NullChoice, Outcome, Settings, fit};
use needlenet_lab::Band;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{LogNormal, Poisson, StandardNormal, StudentT};

const N: usize = 100;
const P: usize = 30;

/// What is drawn: an outcome that no input has to do with.
#[derive(Clone, Copy)]
enum Null {
    /// Times, of which this share is censored; in whole units of time if tied.
    Survival { censored: f64, tied: bool },
    /// Counts of this mean.
    Counts(f64),
    /// Counts that vary more than Poisson's.
    Overdispersed,
    /// Gaussian numbers.
    Gaussian,
    /// Student's law with 3 degrees of freedom.
    Heavy,
    /// Log-normal numbers.
    Skewed,
    /// Two classes, of which the second has this share.
    Classes(f64),
}

/// The weights of the samples, which are independent whatever they weigh.
#[derive(Clone, Copy)]
enum Weights {
    Equal,
    /// From 0 to 10.
    Uniform,
    /// The same, and the noise has the variance 1 over the weight.
    Precision,
    /// Of each class the same in all.
    Balanced,
}

fn weights(weights: Weights, outcome: &mut Outcome, rng: &mut ChaCha8Rng) -> Option<Vec<f64>> {
    let uniform: Vec<f64> = (0..N).map(|_| 10.0 * rng.random::<f64>()).collect();
    match (weights, outcome) {
        (Weights::Equal, _) => None,
        (Weights::Balanced, Outcome::Classification { labels, .. }) => {
            let count = |label: &usize| labels.iter().filter(|other| *other == label).count() as f64;
            Some(labels.iter().map(|label| N as f64 / (2.0 * count(label))).collect())
        }
        (Weights::Precision, Outcome::Regression(y)) => {
            y.iter_mut().zip(&uniform).for_each(|(y, weight)| *y /= weight.sqrt());
            Some(uniform)
        }
        _ => Some(uniform),
    }
}

fn outcome(null: Null, rng: &mut ChaCha8Rng) -> Outcome {
    let mut many =
        |draw: &mut dyn FnMut(&mut ChaCha8Rng) -> f64| (0..N).map(|_| draw(rng)).collect::<Vec<f64>>();
    match null {
        Null::Survival { censored, tied } => {
            let times = many(&mut |rng| -rng.random::<f64>().ln());
            let times = times.iter().map(|t| if tied { (3.0 * t).ceil() } else { *t }).collect();
            let events = many(&mut |rng| rng.random()).iter().map(|u| *u >= censored).collect();
            Outcome::Survival { times, events, strata: Vec::new() }
        }
        Null::Counts(mean) => Outcome::Counts(many(&mut |rng| rng.sample(Poisson::new(mean).unwrap()))),
        Null::Overdispersed => Outcome::Counts(many(&mut |rng| {
            let z: f64 = rng.sample(StandardNormal);
            rng.sample(Poisson::new((1.0 + z).exp()).unwrap())
        })),
        Null::Gaussian => Outcome::Regression(many(&mut |rng| rng.sample(StandardNormal))),
        Null::Heavy => Outcome::Regression(many(&mut |rng| rng.sample(StudentT::new(3.0).unwrap()))),
        Null::Skewed => Outcome::Regression(many(&mut |rng| rng.sample(LogNormal::new(0.0, 1.0).unwrap()))),
        Null::Classes(share) => {
            let labels: Vec<&str> =
                many(&mut |rng| rng.random()).iter().map(|u| if *u < share { "b" } else { "a" }).collect();
            Outcome::from_labels(&labels)
        }
    }
}

fn main() {
    let given = |key: &str| std::env::args().find_map(|a| a.strip_prefix(key).map(str::to_owned));
    let number = |key: &str, default: u64| given(key).map_or(default, |v| v.parse().expect("a number"));
    let only = given("only=").unwrap_or_default();
    let (reps, seed, first) = (number("reps=", 200), number("seed=", 1), number("first=", 0));
    use Weights::{Balanced, Equal, Precision, Uniform};
    let (law, permutation) = (NullChoice::Law, NullChoice::Permutation);
    let rows = [
        ("survival, 10% censored", Null::Survival { censored: 0.1, tied: false }, law, Equal),
        ("survival, 50% censored", Null::Survival { censored: 0.5, tied: false }, law, Equal),
        ("survival, 90% censored", Null::Survival { censored: 0.9, tied: false }, law, Equal),
        ("survival, heavy ties", Null::Survival { censored: 0.3, tied: true }, law, Equal),
        ("counts of mean .2", Null::Counts(0.2), law, Equal),
        ("counts of mean 20", Null::Counts(20.0), law, Equal),
        ("overdispersed counts, law", Null::Overdispersed, law, Equal),
        ("overdispersed counts, permutation", Null::Overdispersed, permutation, Equal),
        ("numbers, permutation", Null::Gaussian, permutation, Equal),
        ("t(3) noise, permutation", Null::Heavy, permutation, Equal),
        ("log-normal noise, permutation", Null::Skewed, permutation, Equal),
        ("two classes, permutation", Null::Classes(0.2), permutation, Equal),
        ("numbers, weights 0 to 10", Null::Gaussian, law, Uniform),
        ("numbers, weights are precisions", Null::Gaussian, law, Precision),
        ("two classes, weights 0 to 10", Null::Classes(0.2), law, Uniform),
        ("class of 10%, balanced weights", Null::Classes(0.1), law, Balanced),
        ("counts of mean 2, weights 0 to 10", Null::Counts(2.0), law, Uniform),
        ("survival, weights 0 to 10", Null::Survival { censored: 0.5, tied: false }, law, Uniform),
    ];
    println!("outcome,table,found,above_threshold");
    let mut found = vec![0; rows.len()];
    let chosen = || rows.iter().enumerate().filter(|(_, row)| row.0.contains(&only));
    for table in first..first + reps {
        for (at, (name, null, choice, kind)) in chosen() {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(1000 * at as u64 + table);
            let x = (0..N * P).map(|_| rng.sample(StandardNormal)).collect();
            let names = (1..=P).map(|j| format!("x{j}")).collect();
            let mut outcome = outcome(*null, &mut rng);
            let weights = weights(*kind, &mut outcome, &mut rng);
            let mut data = Data::new(x, names, outcome).unwrap();
            if let Some(weights) = weights {
                data = data.with_weights(weights).unwrap();
            }
            let settings = Settings { null: *choice, draws: 1000, threads: 1, ..Settings::default() };
            let model = fit(data, &settings).unwrap();
            let above = u8::from(model.threshold.lambda_zero > model.lambda);
            println!("\"{name}\",{table},{},{above}", model.needles.len());
            found[at] += usize::from(!model.needles.is_empty());
        }
    }
    for (at, (name, ..)) in chosen() {
        let Band { low, high, .. } = Band::exact(found[at], reps as usize).unwrap();
        eprintln!("{name}: {} of {reps}, {low:.3} to {high:.3}", found[at]);
    }
}
