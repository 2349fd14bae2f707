//! The laws of the designs, worked out again here: means, shares of the classes, and the best accuracy there is.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a step that fails fails the test")]

use needlenet::Outcome;
use needlenet_lab::{Design, Draw};

const SAMPLES: usize = 60_000;

fn draw(name: &str) -> Draw {
    Design { n: SAMPLES, p: 5, ..name.parse::<Design>().unwrap() }.draw(3)
}

/// The orders of the numbers below `count`.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for last in 0..count {
        let longer = |order: &Vec<usize>| {
            (0..=last).map(|at| [&order[..at], &[last], &order[at..]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The values of the needles in the order in which the law takes them: the draw does not tell it, so it is the
/// order that gives the mean of every sample.
fn needles(draw: &Draw, mean: fn(&[f64]) -> f64) -> Vec<Vec<f64>> {
    let s = draw.needles.len();
    let row = |order: &[usize], i: usize| -> Vec<f64> {
        order.iter().map(|&k| draw.x[draw.needles[k] * SAMPLES + i]).collect()
    };
    let agrees = |order: &Vec<usize>| {
        (0..SAMPLES).all(|i| (mean(&row(order, i)) - draw.mean[i]).abs() < 1e-9 * (1.0 + draw.mean[i].abs()))
    };
    let order = orders(s).into_iter().find(agrees).unwrap();
    (0..SAMPLES).map(|i| row(&order, i)).collect()
}

fn average(values: impl Iterator<Item = f64>) -> f64 {
    values.sum::<f64>() / SAMPLES as f64
}

fn labels(draw: &Draw) -> &[usize] {
    match &draw.outcome {
        Outcome::Classification { labels, .. } => labels,
        _ => panic!("classes are expected"),
    }
}

#[test]
fn two_classes_have_the_log_odds_the_shares_and_the_best_accuracy_that_the_law_states() {
    type Stated = (&'static str, fn(&[f64]) -> f64, f64, f64);
    let laws: [Stated; 6] = [
        ("class-product", |x| 5.0 * x[0] * x[1], 0.50, 0.81),
        ("class-sphere", |x| 3.75 - 1.5 * (x[0].powi(2) + x[1].powi(2) + x[2].powi(2)), 0.50, 0.84),
        ("class-pairs", |x| 2.5 * ((x[0] - x[1]).abs() + (x[2] - x[3]).abs()) - 5.375, 0.50, 0.84),
        ("class-mixed", |x| 2.0 * (x[0] - x[1]) + 4.0 * x[2].abs() - 3.08, 0.50, 0.86),
        ("class-straight", |x| 2.0 * (x[0] - x[1] + x[2]), 0.50, 0.85),
        ("class-rare", |x| 2.0 * (x[0] - x[1]) + 4.0 * x[2].abs() - 8.58, 0.10, 0.95),
    ];
    for (name, log_odds, share, best) in laws {
        let draw = draw(name);
        let found = needles(&draw, log_odds);
        let probability = |x: &Vec<f64>| 1.0 / (1.0 + (-log_odds(x)).exp());
        let labels = labels(&draw);
        let of_second = average(labels.iter().map(|&label| label as f64));
        assert!((of_second - share).abs() < 0.015, "{name}: share {of_second}");
        assert!((of_second - average(found.iter().map(probability))).abs() < 0.006, "{name}: {of_second}");
        let right =
            |(x, label): (&Vec<f64>, &usize)| f64::from(u8::from((log_odds(x) > 0.0) == (*label == 1)));
        let accuracy = average(found.iter().zip(labels).map(right));
        let in_theory = average(found.iter().map(probability).map(|p| p.max(1.0 - p)));
        assert!((accuracy - best).abs() < 0.01, "{name}: accuracy {accuracy}");
        assert!((accuracy - in_theory).abs() < 0.006, "{name}: {accuracy} and {in_theory}");
    }
}

#[test]
fn three_mixed_classes_have_the_shares_and_the_best_accuracy_that_the_law_states() {
    let draw = draw("three-mixed");
    // the mean tells only the first needle, and the law is symmetric in the other two
    let found = needles(&draw, |x| 4.0 * x[0]);
    let probabilities = |x: &Vec<f64>| {
        let odds = [1.0, (4.0 * x[0]).exp(), (4.0 * (x[1] - x[2]).abs() - 4.4).exp()];
        odds.map(|o| o / odds.iter().sum::<f64>())
    };
    let labels = labels(&draw);
    for (class, share) in [0.28, 0.38, 0.33].into_iter().enumerate() {
        let seen = average(labels.iter().map(|&label| f64::from(u8::from(label == class))));
        assert!((seen - share).abs() < 0.015, "{class}: {seen}");
        assert!(
            (seen - average(found.iter().map(|x| probabilities(x)[class]))).abs() < 0.006,
            "{class}: {seen}"
        );
    }
    let best = average(found.iter().map(|x| probabilities(x).into_iter().fold(0.0, f64::max)));
    assert!((best - 0.81).abs() < 0.01, "{best}");
}

#[test]
fn numbers_have_the_mean_and_the_variance_that_the_law_states() {
    type Stated = (&'static str, fn(&[f64]) -> f64, f64);
    let laws: [Stated; 4] = [
        ("product-of-three", |x| 2.0 * x[0] * x[1] * x[2], 4.0),
        ("faint-pairs", |x| 0.498 * ((x[0] - x[1]).abs() + (x[2] - x[3]).abs()), 0.36),
        ("step-sum", |x| x.iter().map(|v| if *v > 0.0 { 2.0 } else { -2.0 }).sum(), 12.0),
        ("max-of-four", |x| 3.0 * x[0].max(x[1]).max(x[2]).max(x[3]), 4.42),
    ];
    for (name, mean, variance) in laws {
        let draw = draw(name);
        needles(&draw, mean);
        let centre = average(draw.mean.iter().copied());
        let found = average(draw.mean.iter().map(|m| (m - centre).powi(2)));
        assert!((found / variance - 1.0).abs() < 0.08, "{name}: {found}");
        let Outcome::Regression(y) = &draw.outcome else { panic!("a number is expected") };
        let noise = average(y.iter().zip(&draw.mean).map(|(y, m)| (y - m).powi(2)));
        assert!((noise - 1.0).abs() < 0.02, "{name}: {noise}");
    }
}
