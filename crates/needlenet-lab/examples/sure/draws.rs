//! The tables of the studies of `sure`: inputs, outcomes and the laws that join them.

use needlenet::Outcome;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// How the outcome depends on the first inputs.
#[derive(Clone, Copy, Debug)]
pub enum Law {
    /// `x1 + noise`
    Straight,
    /// `2 |x1| + noise`
    Bent,
    /// Two classes, log odds `2 x1`.
    Classes,
    /// Hazard `exp(x1)`, three in ten censored.
    Survival,
    /// Counts of mean `exp(x1 / 2)`.
    Counts,
}

pub fn normal(rng: &mut ChaCha8Rng) -> f64 {
    rng.sample(StandardNormal)
}

/// A chain of standard Gaussian inputs, one column after the other.
pub fn chain(n: usize, p: usize, rho: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut x: Vec<f64> = Vec::with_capacity(n * p);
    for j in 0..p {
        for i in 0..n {
            let own = normal(rng);
            x.push(if j == 0 { own } else { rho * x[(j - 1) * n + i] + (1.0 - rho * rho).sqrt() * own });
        }
    }
    x
}

/// Blocks of inputs, each pair in a block correlated by `rho`.
pub fn blocks(n: usize, p: usize, size: usize, rho: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut x = Vec::with_capacity(n * p);
    let mut factor = Vec::new();
    for j in 0..p {
        if j % size == 0 {
            factor = (0..n).map(|_| normal(rng)).collect::<Vec<f64>>();
        }
        x.extend(factor.iter().map(|f| rho.sqrt() * f + (1.0 - rho).sqrt() * normal(rng)));
    }
    x
}

/// How the inputs are related.
#[derive(Clone, Copy, Debug)]
pub enum Inputs {
    Chain,
    /// Blocks of so many.
    Blocks(usize),
}

impl Inputs {
    pub fn draw(self, n: usize, p: usize, rho: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
        match self {
            Inputs::Chain => chain(n, p, rho, rng),
            Inputs::Blocks(size) => blocks(n, p, size, rho, rng),
        }
    }

    /// The mean of the second input given all others.
    pub fn mean(self, x: &[f64], n: usize, rho: f64) -> Vec<f64> {
        match self {
            Inputs::Chain => (0..n).map(|i| rho * (x[i] + x[2 * n + i]) / (1.0 + rho * rho)).collect(),
            Inputs::Blocks(size) => {
                let slope = rho / (1.0 + (size - 2) as f64 * rho);
                let others = |i: usize| (0..size).filter(|j| *j != 1).map(|j| x[j * n + i]).sum::<f64>();
                (0..n).map(|i| slope * others(i)).collect()
            }
        }
    }
}

/// Of Poisson's law.
pub fn count(mean: f64, rng: &mut ChaCha8Rng) -> f64 {
    let (mut k, mut left) = (0.0, rng.random::<f64>());
    let floor = (-mean).exp();
    while left > floor {
        left *= rng.random::<f64>();
        k += 1.0;
    }
    k
}

pub fn outcome(law: Law, x: &[f64], n: usize, rng: &mut ChaCha8Rng) -> Outcome {
    match law {
        Law::Straight => Outcome::Regression((0..n).map(|i| x[i] + normal(rng)).collect()),
        Law::Bent => Outcome::Regression((0..n).map(|i| 2.0 * x[i].abs() + normal(rng)).collect()),
        Law::Classes => {
            let label = |i: usize, u: f64| if u < 1.0 / (1.0 + (-2.0 * x[i]).exp()) { "b" } else { "a" };
            let labels: Vec<&str> = (0..n).map(|i| label(i, rng.random())).collect();
            Outcome::from_labels(&labels)
        }
        Law::Counts => Outcome::Counts((0..n).map(|i| count((x[i] / 2.0).exp(), rng)).collect()),
        Law::Survival => {
            let times = (0..n).map(|i| -rng.random::<f64>().ln() * (-x[i]).exp()).collect();
            let events = (0..n).map(|_| rng.random::<f64>() < 0.7).collect();
            Outcome::Survival { times, events, strata: Vec::new() }
        }
    }
}

pub fn names(p: usize) -> Vec<String> {
    (1..=p).map(|j| format!("x{j}")).collect()
}

/// What the tested input is, given the needle `x1`.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// 1 with log odds `4 x1`, otherwise 0.
    Steep,
    /// 1 with log odds `x1 - 2`, otherwise 0: about 15 of 100.
    Rare,
    /// Counts of mean `exp(x1)`.
    Counts,
}

impl Kind {
    pub fn mean(self, x: f64) -> f64 {
        match self {
            Kind::Steep => 1.0 / (1.0 + (-4.0 * x).exp()),
            Kind::Rare => 1.0 / (1.0 + (2.0 - x).exp()),
            Kind::Counts => x.exp(),
        }
    }

    pub fn draw(self, x: f64, rng: &mut ChaCha8Rng) -> f64 {
        match self {
            Kind::Counts => count(self.mean(x), rng),
            _ => f64::from(u8::from(rng.random::<f64>() < self.mean(x))),
        }
    }
}

/// What a table is drawn from: needles come first.
#[derive(Clone, Copy, Debug)]
pub enum Design {
    /// No needle.
    Null,
    /// No needle, two classes.
    NullClasses,
    /// `.5 (x1 + x2 + x3 + x4)`
    Linear,
    /// `2 |x1 - x2| + 2 |x3 - x4|`
    Pairs,
    /// `x1 x2`
    Product,
    /// Two classes, log odds `1.5 (x1 + x2)`.
    TwoClasses,
    /// Hazard `exp(.7 (x1 + x2))`, three in ten censored.
    Hazard,
}

impl Design {
    pub fn needles(self) -> usize {
        match self {
            Design::Null | Design::NullClasses => 0,
            Design::Linear | Design::Pairs => 4,
            Design::Product | Design::TwoClasses | Design::Hazard => 2,
        }
    }

    /// Needles and hay in turn, so that every needle has hay beside it.
    pub fn place(self, needle: usize) -> usize {
        2 * needle
    }

    pub fn outcome(self, x: &[f64], n: usize, rng: &mut ChaCha8Rng) -> Outcome {
        let at = |j: usize, i: usize| x[self.place(j) * n + i];
        let mut numbers =
            |f: &dyn Fn(usize) -> f64| Outcome::Regression((0..n).map(|i| f(i) + normal(rng)).collect());
        match self {
            Design::Null => numbers(&|_| 0.0),
            Design::Linear => numbers(&|i| 0.5 * (0..4).map(|j| at(j, i)).sum::<f64>()),
            Design::Pairs => {
                numbers(&|i| 2.0 * (at(0, i) - at(1, i)).abs() + 2.0 * (at(2, i) - at(3, i)).abs())
            }
            Design::Product => numbers(&|i| at(0, i) * at(1, i)),
            Design::NullClasses | Design::TwoClasses => {
                let slope = if self.needles() > 0 { 1.5 } else { 0.0 };
                let chance = |i: usize| 1.0 / (1.0 + (-slope * (at(0, i) + at(1, i))).exp());
                let labels: Vec<&str> =
                    (0..n).map(|i| if rng.random::<f64>() < chance(i) { "b" } else { "a" }).collect();
                Outcome::from_labels(&labels)
            }
            Design::Hazard => {
                let hazard = |i: usize| (0.7 * (at(0, i) + at(1, i))).exp();
                let times = (0..n).map(|i| -rng.random::<f64>().ln() / hazard(i)).collect();
                let events = (0..n).map(|_| rng.random::<f64>() < 0.7).collect();
                Outcome::Survival { times, events, strata: Vec::new() }
            }
        }
    }
}

/// How the outcome depends on `x1` and `x3` where intervals and bands are measured.
#[derive(Clone, Copy, Debug)]
pub enum Curve {
    /// `x1 + noise`
    Straight,
    /// `2 |x1| + noise`
    Bent,
    /// `x1^2 + noise`
    Parabola,
    /// `x1 + x3^2 + noise`
    Both,
    /// `2 x1 x3 + noise`
    Product,
    /// `2 sin(2 x1) + noise`
    Sine,
    /// Two classes, log odds `2 x1`.
    Classes,
    /// Counts of mean `exp(x1 / 2)`.
    Counts,
    /// Hazard `exp(x1)`, three in ten censored.
    Survival,
}

impl Curve {
    /// What the curve is the mean of.
    pub fn height(self, x1: f64, x3: f64) -> f64 {
        match self {
            Curve::Straight | Curve::Survival => x1,
            Curve::Bent => 2.0 * x1.abs(),
            Curve::Parabola => x1 * x1,
            Curve::Both => x1 + x3 * x3,
            Curve::Product => 2.0 * x1 * x3,
            Curve::Sine => 2.0 * (2.0 * x1).sin(),
            Curve::Classes => 2.0 * x1,
            Curve::Counts => (x1 / 2.0).exp(),
        }
    }

    /// The strengths of `x1` and `x3`: root mean squares of the slope, of standard Gaussian inputs.
    pub fn strengths(self) -> [f64; 2] {
        match self {
            Curve::Straight | Curve::Survival => [1.0, 0.0],
            Curve::Bent | Curve::Classes | Curve::Parabola => [2.0, 0.0],
            Curve::Both => [1.0, 2.0],
            Curve::Product => [2.0, 2.0],
            // E cos^2(2 x) = (1 + exp(-8)) / 2
            Curve::Sine => [4.0 * ((1.0 + (-8f64).exp()) / 2.0).sqrt(), 0.0],
            Curve::Counts => [0.5, 0.0],
        }
    }

    pub fn outcome(self, x: &[f64], n: usize, rng: &mut ChaCha8Rng) -> Outcome {
        match self {
            Curve::Classes => outcome(Law::Classes, x, n, rng),
            Curve::Counts => outcome(Law::Counts, x, n, rng),
            Curve::Survival => outcome(Law::Survival, x, n, rng),
            _ => Outcome::Regression((0..n).map(|i| self.height(x[i], x[2 * n + i]) + normal(rng)).collect()),
        }
    }
}
