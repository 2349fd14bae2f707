//! Times inner loops on request: one job per line of standard input, seconds per call on standard output.
//! `bench/bench.py` asks in turn with its yardsticks, so that both see the same machine.
//!
//! `echo 'forward 500 50 40' | cargo run --release -p needlenet --example inner_loops`
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::io::{self, BufRead};
use std::time::{Duration, Instant};

use needlenet::Activation;
use needlenet::internals::measure::{Iterations, Products, curvature};

/// A measurement lasts at least so long.
const LEAST: Duration = Duration::from_millis(100);

fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut words = line.split_whitespace();
        let job = words.next().unwrap_or_default();
        let sizes: Vec<usize> = words.filter_map(|word| word.parse().ok()).collect();
        println!("{:e}", measured(job, &sizes).unwrap_or(f64::NAN));
    }
    Ok(())
}

/// Seconds per call; none if there is no such job.
fn measured(job: &str, sizes: &[usize]) -> Option<f64> {
    Some(match (job, sizes) {
        ("forward", &[n, p, width]) => {
            let mut products = Products::new(n, p, width);
            seconds(|| products.forward())
        }
        ("gradient", &[n, p, width]) => {
            let mut products = Products::new(n, p, width);
            seconds(|| products.gradient())
        }
        ("activation", &[count]) => {
            let sigma = Activation::default();
            let u: Vec<f64> = (0..count).map(|i| (i * 7919 % 1000) as f64 / 250.0 - 2.0).collect();
            let (mut value, mut slope) = (u.clone(), vec![0.0; count]);
            seconds(|| {
                value.copy_from_slice(&u);
                sigma.apply(1.0, &mut value, &mut slope);
            })
        }
        ("iteration", &[n, p, width, active, count]) => {
            let descent = Iterations::new(n, p, width, active);
            let (made, _) = descent.descend(count);
            seconds(|| {
                black_box(descent.descend(count));
            }) / made as f64
        }
        // not seconds: how often an iteration goes forward, since steps may be halved
        ("trials", &[n, p, width, active, count]) => {
            let (made, passes) = Iterations::new(n, p, width, active).descend(count);
            passes as f64 / made as f64
        }
        ("evaluation", &[n, p, width, active]) => seconds(Iterations::new(n, p, width, active).evaluation()),
        ("curvature", &[n, d]) => seconds(curvature(n, d)),
        _ => return None,
    })
}

fn seconds(mut work: impl FnMut()) -> f64 {
    // caches, and the clock of the processor
    work();
    let (mut calls, start) = (0, Instant::now());
    while start.elapsed() < LEAST {
        work();
        calls += 1;
    }
    start.elapsed().as_secs_f64() / f64::from(calls)
}
