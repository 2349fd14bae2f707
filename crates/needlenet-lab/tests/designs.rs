//! The truth of a made table is the truth: the outcome follows from the needles, and from nothing else.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a step that fails fails the test")]

use needlenet::Outcome;
use needlenet_lab::{Columns, Design, Draw};

fn design(name: &str, n: usize, p: usize, s: usize) -> Design {
    Design { n, p, s, ..name.parse().unwrap() }
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let cross: f64 = a.iter().zip(b).map(|(x, y)| (x - ma) * (y - mb)).sum();
    let size = |v: &[f64], m: f64| v.iter().map(|x| (x - m).powi(2)).sum::<f64>().sqrt();
    cross / (size(a, ma) * size(b, mb))
}

fn column(draw: &Draw, j: usize, n: usize) -> &[f64] {
    &draw.x[j * n..(j + 1) * n]
}

#[test]
fn mean_of_the_linear_design_is_three_times_the_sum_of_the_needles() {
    let (n, s) = (60, 5);
    let draw = design("linear", n, 40, s).draw(9);
    assert_eq!(draw.needles.len(), s);
    for i in 0..n {
        let sum: f64 = draw.needles.iter().map(|&j| column(&draw, j, n)[i]).sum();
        assert!((draw.mean[i] - 3.0 * sum).abs() < 1e-12);
    }
}

#[test]
fn noise_is_the_outcome_minus_the_mean_and_has_the_size_asked_for() {
    for noise in [1.0, 3.0] {
        let draw = Design { noise, ..design("nonlinear", 4000, 10, 4) }.draw(2);
        let Outcome::Regression(y) = &draw.outcome else { panic!("a number is expected") };
        let square: f64 = y.iter().zip(&draw.mean).map(|(y, m)| (y - m).powi(2)).sum();
        assert!((square / 4000.0 / (noise * noise) - 1.0).abs() < 0.1);
    }
}

#[test]
fn mean_of_the_nonlinear_design_is_the_sum_over_one_pairing_of_the_needles() {
    // the draw does not tell which needles are a pair, so one of the three pairings of four must fit every sample
    let n = 50;
    let draw = design("nonlinear", n, 12, 4).draw(5);
    let value = |k: usize, i: usize| column(&draw, draw.needles[k], n)[i];
    let fits = |[a, b, c, d]: [usize; 4]| {
        (0..n).all(|i| {
            let sum = (value(a, i) - value(b, i)).abs() + (value(c, i) - value(d, i)).abs();
            (draw.mean[i] - 10.0 * sum).abs() < 1e-10
        })
    };
    assert_eq!([[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2]].into_iter().filter(|p| fits(*p)).count(), 1);
}

#[test]
fn fresh_samples_follow_the_same_law_as_the_replicate() {
    let design = design("mixed", 70, 30, 6);
    let (draw, test) = (design.draw(4), design.draw_test(4, 500));
    assert_eq!(draw.needles, test.needles);
    assert_ne!(draw.x[..50], test.x[..50]);
    // the law is linear: an input has a correlation with the mean if and only if it is a needle
    for j in 0..30 {
        let r = correlation(column(&test, j, 500), &test.mean).abs();
        assert!(if test.needles.contains(&j) { r > 0.05 } else { r < 0.2 }, "{j}: {r}");
    }
}

#[test]
fn same_seed_gives_the_same_table_and_another_seed_another() {
    for name in Design::NAMES {
        let design: Design = name.parse().unwrap();
        let (a, b, c) = (design.draw(7), design.draw(7), design.draw(8));
        assert_eq!((&a.x, &a.outcome, &a.needles), (&b.x, &b.outcome, &b.needles), "{name}");
        assert_ne!(a.x, c.x, "{name}");
    }
}

#[test]
fn correlated_inputs_have_the_correlation_asked_for() {
    let n = 20_000;
    let draw = Design { columns: Columns::Autoregressive(0.6), ..design("linear", n, 10, 2) }.draw(1);
    assert!((correlation(column(&draw, 3, n), column(&draw, 4, n)) - 0.6).abs() < 0.03);
    assert!((correlation(column(&draw, 3, n), column(&draw, 5, n)) - 0.36).abs() < 0.03);
}
