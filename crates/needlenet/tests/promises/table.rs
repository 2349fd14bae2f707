//! The rows of the table.

use std::fmt;

use needlenet::{Activation, Link, Outcome, Penalty, Settings};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::Poisson;

/// What kind of outcome a row has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Numbers,
    /// So many classes of equal size.
    Classes(usize, Link),
    /// Two classes, one of them with a sixth of the samples.
    RareClass(Link),
    /// Counts of mean 2, where nothing matters.
    Counts,
    /// Times, of which about half are censored.
    Survival,
}

impl Kind {
    /// An outcome that depends on a score and on chance alone.
    pub fn outcome(self, score: &[f64], noise: &[f64], seed: u64) -> Outcome {
        let n = score.len();
        let y: Vec<f64> = score.iter().zip(noise).map(|(s, e)| s + e).collect();
        let mut sorted = y.clone();
        sorted.sort_by(f64::total_cmp);
        let cut = |shares: &[f64]| {
            let classes = (0..=shares.len()).map(|t| format!("c{t}")).collect();
            let class = |v: &f64| shares.iter().filter(|s| *v >= sorted[(**s * n as f64) as usize]).count();
            Outcome::Classification { labels: y.iter().map(class).collect(), classes }
        };
        let mut rng = ChaCha8Rng::seed_from_u64(1_500_000 + seed);
        match self {
            Kind::Numbers => Outcome::Regression(y),
            Kind::Classes(2, _) => cut(&[0.5]),
            Kind::Classes(_, _) => cut(&[1.0 / 3.0, 2.0 / 3.0]),
            Kind::RareClass(_) => cut(&[5.0 / 6.0]),
            Kind::Counts => {
                let count = |s: &f64| rng.sample(Poisson::new(2.0 * (0.5 * s).exp()).unwrap());
                Outcome::Counts(score.iter().map(count).collect())
            }
            Kind::Survival => {
                let mut time = |s: f64| -rng.random::<f64>().ln() * (-s).exp();
                let (until, seen): (Vec<f64>, Vec<f64>) = score.iter().map(|s| (time(*s), time(0.0))).unzip();
                Outcome::Survival {
                    times: until.iter().zip(&seen).map(|(a, b)| a.min(*b)).collect(),
                    events: until.iter().zip(&seen).map(|(a, b)| a <= b).collect(),
                    strata: Vec::new(),
                }
            }
        }
    }
}

/// One combination of everything that a user can choose.
#[derive(Debug, Clone)]
pub struct Row {
    pub kind: Kind,
    pub penalty: Penalty,
    pub activation: Activation,
    pub hidden: Vec<usize>,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { kind, penalty, activation, hidden } = self;
        write!(f, "{kind:?}, {}, {activation}, hidden {hidden:?}", penalty.name())
    }
}

impl Row {
    pub fn settings(&self) -> Settings {
        let link = match self.kind {
            Kind::Numbers | Kind::Counts | Kind::Survival => Link::Softmax,
            Kind::Classes(_, link) | Kind::RareClass(link) => link,
        };
        Settings {
            hidden: self.hidden.clone(),
            penalty: self.penalty,
            activation: self.activation.clone(),
            link,
            draws: 1000,
            threads: 1,
            ..Settings::default()
        }
    }

    /// Rows that most users meet: the default penalty and activation with one hidden layer or none, and each other
    /// choice once.
    fn is_common(&self) -> bool {
        let usual_penalty = matches!(self.penalty, Penalty::Harder { .. });
        let usual_activation = self.activation == Activation::default();
        let usual_depth = self.hidden.len() == 1;
        let numbers = self.kind == Kind::Numbers;
        let two = self.kind == Kind::Classes(2, Link::Softmax);
        match (usual_penalty, usual_activation, usual_depth) {
            (true, true, true) => true,
            (true, true, false) => self.hidden.is_empty() || numbers,
            (true, false, true) | (false, true, true) => numbers || two,
            _ => false,
        }
    }
}

fn all_rows() -> Vec<Row> {
    let kinds = [
        Kind::Numbers,
        Kind::Classes(2, Link::Softmax),
        Kind::Classes(2, Link::Logit),
        Kind::RareClass(Link::Softmax),
        Kind::Classes(3, Link::Softmax),
        Kind::Classes(3, Link::Logit),
        Kind::Counts,
        Kind::Survival,
    ];
    let activations = [
        Activation::default(),
        Activation::softplus(),
        Activation::smooth_relu(),
        Activation::interactions(),
    ];
    let mut rows = Vec::new();
    for kind in kinds {
        for name in Penalty::NAMES {
            for hidden in [vec![], vec![8], vec![8, 4], vec![8, 4, 3]] {
                // the linear model has no activation
                let some = if hidden.is_empty() { &activations[..1] } else { &activations[..] };
                rows.extend(some.iter().map(|activation| Row {
                    kind,
                    penalty: name.parse().unwrap(),
                    activation: activation.clone(),
                    hidden: hidden.clone(),
                }));
            }
        }
    }
    rows
}

/// Whether every row is to be checked.
pub fn all() -> bool {
    std::env::var_os("PROMISES").is_some_and(|v| v == "all")
}

/// The rows to check.
pub fn rows() -> Vec<Row> {
    let rows = all_rows();
    if all() { rows } else { rows.into_iter().filter(Row::is_common).collect() }
}
