//! Tables with known needles (paper, section 3, and the designs of its successor).
//!
//! Inputs are standard Gaussian; the needles are the first `s` inputs, then the columns are shuffled,
//! so that a position tells nothing. One random stream per replicate: `(design, seed)` gives the
//! same table on any machine.

use std::str::FromStr;

use needlenet::{Data, Outcome, Result};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{StandardNormal, StudentT};
use thiserror::Error;

/// How the outcome depends on the needles `x_1 .. x_s`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// `sum over pairs of 10 |x_a - x_b|` (design N).
    Pairs,
    /// Linear, coefficients 3 (design P, the paper's).
    LinearEqual,
    /// Linear, coefficients drawn from {-3, -2, -1, 1, 2} (design L).
    LinearMixed,
    /// `| 10 |x_2 - x_1| - 10 |x_4 - x_3| |` (design D).
    Deep,
    /// Two classes with log odds `4 (|x_a - x_b| - 1.13)` (design C).
    TwoClasses,
    /// Three classes with log odds `4 |x_1 - x_2|`, `4 |x_3 - x_4|` and `4.5` (design T).
    ThreeClasses,
    /// Two classes, nothing to find.
    NoiseClasses,
    /// A number from a heavy-tailed law (Student, 3 degrees of freedom), nothing to find.
    HeavyNoise,
}

/// How the inputs depend on each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Columns {
    /// Independent.
    Independent,
    /// Correlation `rho^|j - k|`.
    Autoregressive(f64),
    /// Blocks of five, correlation `rho` within a block.
    Blocks(f64),
}

/// A law, its sizes and its noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Design {
    /// The law.
    pub law: Law,
    /// Samples.
    pub n: usize,
    /// Inputs.
    pub p: usize,
    /// Needles.
    pub s: usize,
    /// Standard deviation of the noise, where the law has one.
    pub noise: f64,
    /// The inputs.
    pub columns: Columns,
}

/// A name that is no design.
#[derive(Debug, Error)]
#[error(
    "\"{0}\" is no design; there are nonlinear (N), linear (P), mixed (L), deep (D), classes (C), three-classes (T), noise-classes and heavy-noise"
)]
pub struct UnknownDesign(String);

impl FromStr for Design {
    type Err = UnknownDesign;

    /// A design by name, with its usual sizes.
    fn from_str(name: &str) -> std::result::Result<Self, UnknownDesign> {
        let design = |law, n, p, s| Design { law, n, p, s, noise: 1.0, columns: Columns::Independent };
        Ok(match name {
            "nonlinear" | "N" => design(Law::Pairs, 500, 50, 4),
            "linear" | "P" => design(Law::LinearEqual, 100, 200, 4),
            "mixed" | "L" => design(Law::LinearMixed, 70, 250, 4),
            "deep" | "D" => design(Law::Deep, 500, 50, 4),
            "classes" | "C" => design(Law::TwoClasses, 500, 50, 2),
            "three-classes" | "T" => design(Law::ThreeClasses, 500, 50, 4),
            "noise-classes" => design(Law::NoiseClasses, 200, 50, 0),
            "heavy-noise" => design(Law::HeavyNoise, 200, 50, 0),
            _ => return Err(UnknownDesign(name.into())),
        })
    }
}

/// One table with its truth.
#[derive(Debug, Clone)]
pub struct Draw {
    /// Column after column.
    pub x: Vec<f64>,
    /// Input names, `x1 .. xp`.
    pub names: Vec<String>,
    /// The outcome.
    pub outcome: Outcome,
    /// The noiseless mean; the log odds of the second class in classification.
    pub mean: Vec<f64>,
    /// The needles, ascending, counted from 0.
    pub needles: Vec<usize>,
}

impl Draw {
    /// The table in the form the learner takes.
    pub fn data(&self) -> Result<Data> {
        Data::new(self.x.clone(), self.names.clone(), self.outcome.clone())
    }

    /// The table of the needles alone: what a solver that knew them would be given.
    pub fn data_of_needles(&self) -> Result<Data> {
        let n = self.mean.len();
        let x = self.needles.iter().flat_map(|j| self.x[j * n..(j + 1) * n].iter().copied()).collect();
        let names = self.needles.iter().map(|j| self.names[*j].clone()).collect();
        Data::new(x, names, self.outcome.clone())
    }
}

impl Design {
    /// Replicate number `seed`.
    pub fn draw(&self, seed: u64) -> Draw {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (x, needles) = self.inputs(&mut rng);
        self.outcome(x, needles, &mut rng)
    }

    /// Fresh samples of the same law as replicate `seed` (same needles and coefficients).
    pub fn draw_test(&self, seed: u64, n: usize) -> Draw {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (_, needles) = self.inputs(&mut rng);
        let coefficients = rng.clone();
        rng.set_stream(1);
        let test = Design { n, ..*self };
        let (x, _) = test.inputs(&mut rng);
        test.outcome_with(x, needles, &mut coefficients.clone(), &mut rng)
    }

    fn inputs(&self, rng: &mut ChaCha8Rng) -> (Vec<f64>, Vec<usize>) {
        let (n, p) = (self.n, self.p);
        let mut order: Vec<usize> = (0..p).collect();
        order.shuffle(rng);
        let mut x: Vec<f64> = (0..n * p).map(|_| rng.sample(StandardNormal)).collect();
        match self.columns {
            Columns::Independent => {}
            Columns::Autoregressive(rho) => {
                for at in n..n * p {
                    x[at] = rho * x[at - n] + (1.0 - rho * rho).sqrt() * x[at];
                }
            }
            Columns::Blocks(rho) => {
                for at in (0..n * p).filter(|at| (at / n) % 5 != 0) {
                    let first = at - n * ((at / n) % 5);
                    x[at] = rho * x[first] + (1.0 - rho * rho).sqrt() * x[at];
                }
            }
        }
        let needles = order[..self.s].to_vec();
        (x, needles)
    }

    fn outcome(&self, x: Vec<f64>, needles: Vec<usize>, rng: &mut ChaCha8Rng) -> Draw {
        let mut coefficients = rng.clone();
        self.outcome_with(x, needles, &mut coefficients, rng)
    }

    fn outcome_with(
        &self,
        x: Vec<f64>,
        mut needles: Vec<usize>,
        coefficients: &mut ChaCha8Rng,
        rng: &mut ChaCha8Rng,
    ) -> Draw {
        let n = self.n;
        let beta: Vec<f64> =
            needles.iter().map(|_| [-3.0, -2.0, -1.0, 1.0, 2.0][coefficients.random_range(0..5)]).collect();
        // the noise comes from its own stream, whatever the coefficients took
        let stream = rng.get_stream();
        rng.set_stream(stream + 2);
        let value = |i: usize, k: usize| x[needles[k] * n + i];
        let pair = |i: usize, a: usize| (value(i, a) - value(i, a + 1)).abs();
        let mean: Vec<f64> = (0..n)
            .map(|i| match self.law {
                Law::Pairs => (0..self.s / 2).map(|h| 10.0 * pair(i, 2 * h)).sum(),
                Law::LinearEqual => (0..self.s).map(|k| 3.0 * value(i, k)).sum(),
                Law::LinearMixed => (0..self.s).map(|k| beta[k] * value(i, k)).sum(),
                Law::Deep => (10.0 * pair(i, 0) - 10.0 * pair(i, 2)).abs(),
                Law::TwoClasses => 4.0 * (pair(i, 0) - 1.13),
                Law::ThreeClasses => 4.0 * (pair(i, 0) - pair(i, 2)),
                Law::NoiseClasses | Law::HeavyNoise => 0.0,
            })
            .collect();
        let mut uniform = || rng.random::<f64>();
        let outcome = match self.law {
            Law::TwoClasses | Law::NoiseClasses => {
                let labels = mean.iter().map(|m| usize::from(uniform() < 1.0 / (1.0 + (-m).exp()))).collect();
                Outcome::Classification { labels, classes: vec!["no".into(), "yes".into()] }
            }
            Law::ThreeClasses => {
                let labels = (0..n)
                    .map(|i| {
                        let odds = [4.0 * pair(i, 0), 4.0 * pair(i, 2), 4.5].map(f64::exp);
                        let u = uniform() * odds.iter().sum::<f64>();
                        if u < odds[0] { 0 } else { 2 - usize::from(u < odds[0] + odds[1]) }
                    })
                    .collect();
                Outcome::Classification { labels, classes: vec!["a".into(), "b".into(), "c".into()] }
            }
            Law::HeavyNoise => Outcome::Regression(
                StudentT::new(3.0).map_or(Vec::new(), |t| (0..n).map(|_| rng.sample(t)).collect()),
            ),
            _ => Outcome::Regression(
                mean.iter().map(|m| m + self.noise * rng.sample::<f64, _>(StandardNormal)).collect(),
            ),
        };
        needles.sort_unstable();
        let names = (1..=self.p).map(|j| format!("x{j}")).collect();
        Draw { x, names, outcome, mean, needles }
    }
}
