//! The level with inputs that are always in: on tables where nothing matters beyond age and sex, how often something is found, and
//! the power where one input does.
//!
//! `cargo run -p needlenet-lab --example always_in -- reps=200 seed=1`
//!
//! Age and sex move the outcome; every gene has a part in common with age. One row of the output for each table.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use needlenet::{Data, NullChoice, Outcome, Settings, fit};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Poisson, StandardNormal};

const N: usize = 100;
const P: usize = 30;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Numbers,
    TwoClasses,
    ThreeClasses,
    Counts,
    Survival,
    TiedSurvival,
}

fn outcome(kind: Kind, score: &[f64], rng: &mut ChaCha8Rng) -> Outcome {
    let mut many = |draw: &mut dyn FnMut(&mut ChaCha8Rng, f64) -> f64| {
        score.iter().map(|s| draw(rng, *s)).collect::<Vec<f64>>()
    };
    let exponential = |rng: &mut ChaCha8Rng| -rng.random::<f64>().ln();
    let class = |rng: &mut ChaCha8Rng, odds: &[f64]| {
        let mut left = rng.random::<f64>() * odds.iter().sum::<f64>();
        let found = odds.iter().position(|o| {
            left -= o;
            left < 0.0
        });
        found.unwrap_or(odds.len() - 1) as f64
    };
    let labels = |values: Vec<f64>| Outcome::from_labels(&values.iter().map(f64::to_string).collect::<Vec<_>>());
    match kind {
        Kind::Numbers => Outcome::Regression(many(&mut |rng, s| s + rng.sample::<f64, _>(StandardNormal))),
        Kind::TwoClasses => labels(many(&mut |rng, s| class(rng, &[1.0, s.exp()]))),
        Kind::ThreeClasses => labels(many(&mut |rng, s| class(rng, &[1.0, s.exp(), (-0.5 * s).exp()]))),
        Kind::Counts => Outcome::Counts(many(&mut |rng, s| rng.sample(Poisson::new(s.exp()).unwrap()))),
        Kind::Survival | Kind::TiedSurvival => {
            let until = many(&mut |rng, s| exponential(rng) * (-s).exp());
            let seen = many(&mut |rng, _| 1.5 * exponential(rng));
            let time = |a: f64, b: f64| if kind == Kind::Survival { a.min(b) } else { (4.0 * a.min(b)).ceil() };
            Outcome::Survival {
                times: until.iter().zip(&seen).map(|(a, b)| time(*a, *b)).collect(),
                events: until.iter().zip(&seen).map(|(a, b)| a <= b).collect(),
                strata: Vec::new(),
            }
        }
    }
}

fn main() {
    let number = |key: &str, default: u64| {
        let value = std::env::args().find_map(|a| a.strip_prefix(key).map(str::to_owned));
        value.map_or(default, |v| v.parse().expect("a number"))
    };
    let (reps, seed) = (number("reps=", 200), number("seed=", 1));
    let (law, permutation) = (NullChoice::Law, NullChoice::Permutation);
    let rows = [
        ("numbers", Kind::Numbers, 0.0, law, false),
        ("numbers", Kind::Numbers, 0.8, law, false),
        ("two classes", Kind::TwoClasses, 0.0, law, false),
        ("two classes", Kind::TwoClasses, 0.8, law, false),
        ("three classes", Kind::ThreeClasses, 0.8, law, false),
        ("counts", Kind::Counts, 0.0, law, false),
        ("counts", Kind::Counts, 0.8, law, false),
        ("survival", Kind::Survival, 0.0, law, false),
        ("survival", Kind::Survival, 0.8, law, false),
        ("survival with ties", Kind::TiedSurvival, 0.8, law, false),
        ("numbers", Kind::Numbers, 0.8, permutation, false),
        ("survival", Kind::Survival, 0.8, permutation, false),
        ("numbers, with weights", Kind::Numbers, 0.8, law, true),
        ("two classes, with weights", Kind::TwoClasses, 0.8, law, true),
    ];
    println!("outcome,in_common,null,rep,found,above_threshold");
    for (at, (name, kind, rho, null, weighted)) in rows.into_iter().enumerate() {
        for rep in 0..reps {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(100_000 * at as u64 + rep);
            let mut x: Vec<f64> = (0..N * (P + 2)).map(|_| rng.sample(StandardNormal)).collect();
            let (age_and_sex, genes) = x.split_at_mut(2 * N);
            let (age, sex) = age_and_sex.split_at_mut(N);
            sex.iter_mut().for_each(|v| *v = f64::from(*v > 0.0));
            for gene in genes.chunks_mut(N) {
                gene.iter_mut().zip(&*age).for_each(|(v, a)| *v = rho * a + (1.0 - rho * rho).sqrt() * *v);
            }
            let score: Vec<f64> = age.iter().zip(&*sex).map(|(a, s)| 0.8 * (a + s - 0.5)).collect();
            let names = ["age".into(), "sex".into()].into_iter().chain((1..=P).map(|j| format!("gene{j}")));
            let outcome = outcome(kind, &score, &mut rng);
            let data = Data::new(x, names.collect(), outcome).unwrap().with_always(&["age", "sex"]).unwrap();
            let data = if weighted {
                data.with_weights((0..N).map(|i| [1.0, 2.0, 3.0][i % 3]).collect()).unwrap()
            } else {
                data
            };
            let settings = Settings { null, draws: 1000, threads: 1, ..Settings::default() };
            let model = fit(data, &settings).unwrap();
            let above = model.threshold.lambda_zero > model.threshold.lambda_qut;
            let null = if null == law { "law" } else { "permutation" };
            println!("\"{name}\",{rho},{null},{rep},{},{}", model.needles.len(), u8::from(above));
        }
    }
}
