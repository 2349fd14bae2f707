//! Tables with known needles (paper, section 3, and the designs of its successor).
//!
//! Inputs are standard Gaussian. The needles are the first `s` inputs; then the columns are shuffled,
//! so that positions carry no information. One random stream per replicate: `(design, seed)` gives
//! the same table on any machine.

mod law;
mod named;

pub use law::Law;
pub use named::UnknownDesign;

use needlenet::{Data, Outcome, Result};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Poisson, StandardNormal, StudentT};

use law::Kind;

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

/// One table with its truth.
#[derive(Debug, Clone)]
pub struct Draw {
    /// Column after column.
    pub x: Vec<f64>,
    /// Input names, `x1 .. xp`.
    pub names: Vec<String>,
    /// The outcome.
    pub outcome: Outcome,
    /// The noiseless mean; the log odds of the second of two classes, the log mean of counts, the log hazard of survival.
    pub mean: Vec<f64>,
    /// The needles, ascending, counted from 0.
    pub needles: Vec<usize>,
}

impl Draw {
    /// The table in the form the learner takes.
    pub fn data(&self) -> Result<Data> {
        Data::new(self.x.clone(), self.names.clone(), self.outcome.clone())
    }

    /// The table of the needles only, for a solver that knows them.
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
        // the noise has its own stream, so it does not depend on how the coefficients are drawn
        let stream = rng.get_stream();
        rng.set_stream(stream + 2);
        let cells = (0..n).flat_map(|i| needles.iter().map(move |j| j * n + i));
        let at_needles: Vec<f64> = cells.map(|at| x[at]).collect();
        let values = |i: usize| &at_needles[i * self.s..(i + 1) * self.s];
        let mean: Vec<f64> = (0..n).map(|i| self.law.mean(values(i), &beta)).collect();
        let mut uniform = || rng.random::<f64>();
        let outcome = match self.law.kind() {
            Kind::Two => {
                let labels = mean.iter().map(|m| usize::from(uniform() < 1.0 / (1.0 + (-m).exp()))).collect();
                Outcome::Classification { labels, classes: vec!["no".into(), "yes".into()] }
            }
            Kind::Three => {
                let labels = (0..n)
                    .map(|i| {
                        let odds = self.law.scores_of_three(values(i)).map(f64::exp);
                        let u = uniform() * odds.iter().sum::<f64>();
                        if u < odds[0] { 0 } else { 2 - usize::from(u < odds[0] + odds[1]) }
                    })
                    .collect();
                Outcome::Classification { labels, classes: vec!["a".into(), "b".into(), "c".into()] }
            }
            Kind::Count => {
                let count = |m: &f64| Poisson::new(m.exp()).map_or(0.0, |law| rng.sample(law));
                Outcome::Counts(mean.iter().map(count).collect())
            }
            Kind::Time => {
                let mut exponential = |m: &f64| -rng.random::<f64>().max(f64::MIN_POSITIVE).ln() * (-m).exp();
                let times = mean.iter().map(&mut exponential).collect();
                let events = (0..n).map(|_| rng.random()).collect();
                Outcome::Survival { times, events, strata: Vec::new() }
            }
            Kind::HeavyNumber => Outcome::Regression(
                StudentT::new(3.0).map_or(Vec::new(), |t| (0..n).map(|_| rng.sample(t)).collect()),
            ),
            Kind::Number => Outcome::Regression(
                mean.iter().map(|m| m + self.noise * rng.sample::<f64, _>(StandardNormal)).collect(),
            ),
        };
        needles.sort_unstable();
        let names = (1..=self.p).map(|j| format!("x{j}")).collect();
        Draw { x, names, outcome, mean, needles }
    }
}
