//! LASSO-zero finds the needles of an easy linear law, nothing in noise, and the same again.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a step that fails fails the test")]

use needlenet::{Outcome, Prediction, metrics};
use needlenet_lab::{Design, LassoZero, Learned, Learner, Sample};

/// Fewer dictionaries and draws than usual, so that the tests take seconds; the level is still exact.
const SMALL: LassoZero = LassoZero { dictionaries: 11, draws: 19, alpha: 0.05 };

fn learn(learner: LassoZero, s: usize, seed: u64) -> (Learned, Vec<usize>, Vec<f64>) {
    let design = Design { n: 30, p: 15, s, .."linear".parse().unwrap() };
    let (draw, test) = (design.draw(seed), design.draw_test(seed, 200));
    let (needles, mean) = (draw.needles.clone(), test.mean.clone());
    (learner.learn(&draw.into(), &test.into(), seed).unwrap(), needles, mean)
}

#[test]
fn exactly_the_needles_of_an_easy_linear_law_are_found_and_it_is_predicted() {
    let mut exact = 0;
    for seed in 0..10 {
        let (learned, needles, mean) = learn(SMALL, 2, seed);
        assert_eq!(learned.converged, Some(true));
        if learned.selected.unwrap() == needles {
            exact += 1;
            let Prediction::Numbers(predicted) = &learned.predicted else { panic!("numbers are expected") };
            // least squares on 2 inputs and an intercept with noise 1: 3/30 on average
            assert!(metrics::mean_squared_error(predicted, &mean) < 0.6);
        }
    }
    // a false needle comes with probability .05 at most
    assert!(exact >= 8, "{exact} of 10");
}

#[test]
fn noise_selects_nothing_but_for_the_level() {
    let found = (100..120).filter(|&seed| !learn(SMALL, 0, seed).0.selected.unwrap().is_empty()).count();
    // more than 4 of 20 have probability .003 at level .05
    assert!(found <= 4, "{found} of 20");
    let (empty, ..) = learn(LassoZero { draws: 18, ..SMALL }, 0, 100);
    // 18 draws have no quantile at level .05, so nothing can exceed it
    assert!(empty.selected.unwrap().is_empty());
}

#[test]
fn scale_of_the_outcome_does_not_matter_and_the_same_seed_gives_the_same_result() {
    let design = Design { n: 30, p: 15, s: 2, .."linear".parse::<Design>().unwrap() };
    let sample = Sample::from(design.draw(4));
    let Outcome::Regression(y) = &sample.outcome else { panic!("a number is expected") };
    let larger = Outcome::Regression(y.iter().map(|v| 1024.0 * v + 3.0).collect());
    let larger = Sample { outcome: larger, ..sample.clone() };
    let [a, b, c] = [&sample, &sample, &larger].map(|train| SMALL.learn(train, &sample, 4).unwrap());
    assert_eq!((&a.selected, a.objective, &a.stop), (&b.selected, b.objective, &b.stop));
    assert_eq!(a.selected, c.selected);
    assert!((a.objective / c.objective - 1.0).abs() < 1e-6);
}

#[test]
fn classes_are_refused_with_a_remedy() {
    let sample = Sample::from("classes".parse::<Design>().unwrap().draw(1));
    let refused = SMALL.learn(&sample, &sample, 1).unwrap_err().to_string();
    assert!(refused.contains("lasso-zero") && refused.contains("another learner"), "{refused}");
}
