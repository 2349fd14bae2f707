//! Traces in a residual, against their definition and their level.

use super::{gaussian, standardised};
use crate::search::screening::Traces;
use crate::table::{Design, Samples};

const N: usize = 200;
const P: usize = 12;

/// Root n times a correlation.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len();
    let mean = |v: &[f64]| v.iter().sum::<f64>() / n as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let sum = |f: &dyn Fn(usize) -> f64| (0..n).map(f).sum::<f64>();
    let product = sum(&|i| (a[i] - mean_a) * (b[i] - mean_b));
    let squares = sum(&|i| (a[i] - mean_a).powi(2)) * sum(&|i| (b[i] - mean_b).powi(2));
    (n as f64).sqrt() * product.abs() / squares.sqrt()
}

fn all_traces(residual: &[f64], x: &[f64]) -> Traces {
    let x = Design::dense(x.to_vec(), residual.len());
    Traces::of(residual, &Samples::default(), &(0..P).collect::<Vec<_>>(), &x)
}

#[test]
fn a_trace_is_the_largest_correlation_with_an_input_a_square_or_a_product() {
    // one block of samples, and several
    for n in [200, 9001] {
        let (x, residual) = (standardised(n, P, 1), gaussian(n, 2));
        let column = |j: usize| &x[j * n..(j + 1) * n];
        let traces = all_traces(&residual, &x);
        for j in 0..P {
            let products = (0..P).map(|k| {
                let product: Vec<f64> = column(j).iter().zip(column(k)).map(|(a, b)| a * b).collect();
                correlation(&product, &residual)
            });
            let expected = products.fold(correlation(column(j), &residual), f64::max);
            assert!((traces.largest[j] - expected).abs() < 1e-9, "input {j} of {n} samples");
        }
    }
}

#[test]
fn a_bend_in_the_difference_of_two_inputs_shows_in_both() {
    let (x, noise) = (standardised(N, P, 3), gaussian(N, 4));
    let residual: Vec<f64> = (0..N).map(|i| (x[2 * N + i] - x[7 * N + i]).abs() + 0.3 * noise[i]).collect();
    let traces = all_traces(&residual, &x);
    assert!(traces.any());
    let above: Vec<usize> = (0..P).filter(|j| traces.largest[*j] > traces.threshold).collect();
    assert_eq!(above, [2, 7]);
    assert_eq!(traces.leading().len(), 10, "a list is not shorter than that");
}

#[test]
fn chance_alone_seldom_leaves_a_trace() {
    let with_trace = (0..200)
        .filter(|seed| all_traces(&gaussian(N, 1000 + seed), &standardised(N, P, *seed)).any())
        .count();
    // the universal threshold of 90 Gaussian variables, 3.0, is exceeded by one of them with chance
    // 1 - (1 - 0.0027)^90 = 0.216: here in 43 of 200 tables, with a standard deviation of 5.8; products of
    // Gaussian variables have somewhat heavier tails
    assert!((20..=66).contains(&with_trace), "{with_trace} of 200");
}
