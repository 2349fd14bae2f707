//! Small tables that the tests make themselves.

use needlenet::{Data, Outcome};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

pub fn gaussian(count: usize, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| rng.sample(StandardNormal)).collect()
}

pub fn names(p: usize) -> Vec<String> {
    (1..=p).map(|j| format!("x{j}")).collect()
}

/// `10 |x1 - x2| + noise`
#[allow(dead_code)]
pub fn nonlinear(n: usize, p: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let x = gaussian(n * p, seed);
    let noise = gaussian(n, seed + 1_000_000);
    let y = (0..n).map(|i| 10.0 * (x[i] - x[n + i]).abs() + noise[i]).collect();
    (x, y)
}

/// `2 x1 - x2 + noise`
#[allow(dead_code)]
pub fn linear(n: usize, p: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let x = gaussian(n * p, seed);
    let noise = gaussian(n, seed + 1_000_000);
    let y = (0..n).map(|i| 2.0 * x[i] - x[n + i] + noise[i]).collect();
    (x, y)
}

/// Classes cut from a linear score.
#[allow(dead_code)]
pub fn classes(n: usize, p: usize, m: usize, seed: u64) -> (Vec<f64>, Outcome) {
    let (x, score) = linear(n, p, seed);
    let mut sorted = score.clone();
    sorted.sort_by(f64::total_cmp);
    let labels: Vec<String> =
        score.iter().map(|v| format!("c{}", (1..m).filter(|t| *v > sorted[t * n / m]).count())).collect();
    (x, Outcome::from_labels(&labels))
}

#[allow(dead_code)]
pub fn regression(x: Vec<f64>, y: Vec<f64>) -> Data {
    let p = x.len() / y.len();
    Data::new(x, names(p), Outcome::Regression(y)).unwrap()
}
