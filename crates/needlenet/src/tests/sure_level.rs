//! An input that does not matter, beside one that does: its p-value is seldom small.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Poisson, StandardNormal};

use crate::settings::Settings;
use crate::sure::distil::OutcomeLeft;
use crate::sure::law::{InputLeft, LawPlan};
use crate::sure::traces::test;
use crate::table::{Data, Outcome};

/// `x2 = .8 x1 + .6 z`, and the outcome depends on the first.
fn beside_a_needle(seed: u64) -> Data {
    let (n, p) = (100, 6);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut x: Vec<f64> = (0..n * p).map(|_| rng.sample(StandardNormal)).collect();
    for i in 0..n {
        x[n + i] = 0.8 * x[i] + 0.6 * x[n + i];
    }
    let y = (0..n).map(|i| x[i] + rng.sample::<f64, _>(StandardNormal)).collect();
    let names = (1..=p).map(|j| format!("x{j}")).collect();
    Data::new(x, names, Outcome::Regression(y)).unwrap()
}

/// The second input counts events of mean `exp(x1)`, and the outcome does too: both vary most where `x1` is large.
fn counts_beside_counts(seed: u64) -> Data {
    let (n, p) = (100, 6);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut x: Vec<f64> = (0..n * p).map(|_| rng.sample(StandardNormal)).collect();
    let mut count = |x: f64| Poisson::new(x.exp()).unwrap().sample(&mut rng);
    for i in 0..n {
        x[n + i] = count(x[i]);
    }
    let y = (0..n).map(|i| count(x[i])).collect();
    let names = (1..=p).map(|j| format!("x{j}")).collect();
    Data::new(x, names, Outcome::Counts(y)).unwrap()
}

fn p_value(data: &Data, input: usize) -> f64 {
    p_value_by(data, input, &LawPlan::default())
}

fn p_value_by(data: &Data, input: usize, plan: &LawPlan) -> f64 {
    let settings = Settings { hidden: Vec::new(), draws: 300, threads: 1, ..Settings::default() };
    let outcome = OutcomeLeft::of(data, &[input], &settings, &()).unwrap();
    let plan = (&settings, plan);
    let left = InputLeft::of(data, input, &[input], &outcome.found, plan, &()).unwrap();
    test(data, &[input], &outcome, &[left]).p_value
}

#[test]
fn an_input_beside_a_needle_is_rejected_as_seldom_as_the_level_says() {
    // 200 tables: 20 are expected below .1 at most, and 20 + 3 sqrt(18) = 33 once in a thousand runs
    let rejected = (0..200).filter(|seed| p_value(&beside_a_needle(*seed), 1) < 0.1).count();
    assert!(rejected <= 33, "{rejected}");
    // without conditioning on the needle all would be rejected, as the needle is
    let needle = (0..20).filter(|seed| p_value(&beside_a_needle(*seed), 0) < 0.1).count();
    assert_eq!(needle, 20);
}

#[test]
fn an_input_beside_a_needle_that_is_always_in_is_rejected_as_seldom_as_the_level_says() {
    let table = |seed: u64| beside_a_needle(1000 + seed).with_always(&["x1"]).unwrap();
    let rejected = (0..200u64).filter(|seed| p_value(&table(*seed), 1) < 0.1).count();
    assert!(rejected <= 33, "{rejected}");
}

#[test]
fn counts_keep_the_level_by_a_law_of_their_kind_and_not_by_that_of_numbers() {
    let rejected = |by_kind: bool| {
        let plan = LawPlan { by_kind, ..LawPlan::default() };
        (0..200).filter(|seed| p_value_by(&counts_beside_counts(*seed), 1, &plan) < 0.1).count()
    };
    // 33 of 200 is the bound of the first test
    let (by_kind, as_numbers) = (rejected(true), rejected(false));
    assert!(by_kind <= 33, "{by_kind}");
    assert!(as_numbers > 33, "{as_numbers}");
}
