//! The level for outcomes beyond numbers and classes: on tables without needles, how often something is found.
//!
//! `cargo run --release -p needlenet-lab --example null_outcomes -- reps=200 seed=1`
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use needlenet::{Data, NullChoice, Outcome, Settings, fit};
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
    /// Two classes, a fifth of the second.
    Classes,
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
        Null::Classes => {
            let labels: Vec<&str> =
                many(&mut |rng| rng.random()).iter().map(|u| if *u < 0.2 { "b" } else { "a" }).collect();
            Outcome::from_labels(&labels)
        }
    }
}

fn main() {
    let number = |key: &str, default: u64| {
        let value = std::env::args().find_map(|a| a.strip_prefix(key).map(str::to_owned));
        value.map_or(default, |v| v.parse().expect("a number"))
    };
    let (reps, seed) = (number("reps=", 200), number("seed=", 1));
    let rows = [
        ("survival, 10% censored", Null::Survival { censored: 0.1, tied: false }, NullChoice::Law),
        ("survival, 50% censored", Null::Survival { censored: 0.5, tied: false }, NullChoice::Law),
        ("survival, 90% censored", Null::Survival { censored: 0.9, tied: false }, NullChoice::Law),
        ("survival, heavy ties", Null::Survival { censored: 0.3, tied: true }, NullChoice::Law),
        ("counts of mean .2", Null::Counts(0.2), NullChoice::Law),
        ("counts of mean 20", Null::Counts(20.0), NullChoice::Law),
        ("overdispersed counts, law", Null::Overdispersed, NullChoice::Law),
        ("overdispersed counts, permutation", Null::Overdispersed, NullChoice::Permutation),
        ("numbers, permutation", Null::Gaussian, NullChoice::Permutation),
        ("t(3) noise, permutation", Null::Heavy, NullChoice::Permutation),
        ("log-normal noise, permutation", Null::Skewed, NullChoice::Permutation),
        ("two classes, permutation", Null::Classes, NullChoice::Permutation),
    ];
    println!("outcome,tables,found,above_threshold");
    for (at, (name, null, choice)) in rows.iter().enumerate() {
        let (mut found, mut above) = (0, 0);
        for rep in 0..reps {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(1000 * at as u64 + rep);
            let x = (0..N * P).map(|_| rng.sample(StandardNormal)).collect();
            let names = (1..=P).map(|j| format!("x{j}")).collect();
            let outcome = outcome(*null, &mut rng);
            let data = Data::new(x, names, outcome).unwrap();
            let settings = Settings { null: *choice, draws: 1000, threads: 1, ..Settings::default() };
            let model = fit(data, &settings).unwrap();
            found += usize::from(!model.needles.is_empty());
            above += usize::from(model.threshold.lambda_zero > model.lambda);
        }
        println!("\"{name}\",{reps},{found},{above}");
    }
}
