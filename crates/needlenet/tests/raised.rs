//! With needles in, an input that does not pay its price stays out: lambda is raised until its gradient does not force it in.

#![allow(clippy::unwrap_used, reason = "a step that fails fails the test")]

mod made;

use made::{gaussian, names};
use needlenet::{Data, Model, Outcome, Settings, fit};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Poisson};

const N: usize = 200;
const P: usize = 100;
const NEEDLES: usize = 8;

/// Counts with a log mean of variance 2: a few samples have most of the sum of all means.
fn counts(seed: u64) -> Data {
    let x = gaussian(N * P, seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = |i: usize| {
        let log_mean: f64 = (0..NEEDLES).map(|j| if j % 2 == 0 { 0.5 } else { -0.5 } * x[j * N + i]).sum();
        Poisson::new(log_mean.exp()).unwrap().sample(&mut rng)
    };
    let y = (0..N).map(&mut draw).collect();
    Data::new(x, names(P), Outcome::Counts(y)).unwrap()
}

fn found(model: &Model) -> Vec<usize> {
    let mut inputs: Vec<usize> = model.needles.iter().map(|needle| needle.index).collect();
    inputs.sort_unstable();
    inputs
}

#[test]
fn an_input_that_does_not_pay_stays_out_unless_the_user_chose_lambda() {
    let settings = Settings { hidden: vec![], draws: 500, ..Settings::default() };
    let mut raised = 0;
    for seed in 1..=24 {
        let model = fit(counts(seed), &settings).unwrap();
        assert!(model.converged() && model.certificate.kkt_violation < settings.tolerance);
        let lambda_qut = model.threshold.lambda_qut;
        if model.lambda == lambda_qut {
            continue;
        }
        raised += 1;
        assert!(model.lambda > lambda_qut);
        assert_eq!(found(&model), (0..NEEDLES).collect::<Vec<_>>(), "seed {seed}");
        let chosen = Settings { lambda: Some(lambda_qut), ..settings.clone() };
        let model = fit(counts(seed), &chosen).unwrap();
        assert_eq!(model.lambda, lambda_qut);
        assert!(
            found(&model).len() > NEEDLES,
            "seed {seed}: the gradient at lambda_QUT forces another input in"
        );
    }
    assert!(raised > 0);
}
