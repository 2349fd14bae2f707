//! Small models whose files are stored, and changed at random.
#![allow(clippy::unwrap_used)]

use needlenet::{Data, Model, Outcome, Settings, fit};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Models of every outcome.
pub fn models() -> [(&'static str, Model); 4] {
    let n = 80;
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let x: Vec<f64> = (0..3 * n).map(|_| rng.random_range(-1.0..1.0)).collect();
    let score: Vec<f64> = (0..n).map(|i| 3.0 * x[i] + 0.1 * x[n + i]).collect();
    let classes: Vec<String> =
        score.iter().map(|s| format!("c{}", (s.clamp(-2.0, 2.0) + 2.0) as usize / 2)).collect();
    let outcomes = [
        ("numbers", Outcome::Regression(score.iter().map(|s| s.abs()).collect())),
        ("classes", Outcome::from_labels(&classes)),
        ("counts", Outcome::Counts(score.iter().map(|s| s.exp().round()).collect())),
        (
            "survival",
            Outcome::Survival {
                times: score.iter().map(|s| (-s).exp()).collect(),
                events: (0..n).map(|i| i % 3 > 0).collect(),
                strata: (0..n).map(|i| (i % 2).to_string()).collect(),
            },
        ),
    ];
    let names = ["a", "b\u{1b}[2J", "c"].map(String::from).to_vec();
    let settings = Settings { hidden: vec![4], draws: 200, threads: 1, ..Settings::default() };
    let fitted = |outcome| fit(Data::new(x.clone(), names.clone(), outcome).unwrap(), &settings).unwrap();
    outcomes.map(|(kind, outcome)| (kind, fitted(outcome)))
}
