//! The kind of outcome of a model, and the values needed to predict it.

use serde::{Deserialize, Serialize};

use crate::network::Link;
use crate::table::Scaling;

/// The kind of outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind", deny_unknown_fields)]
pub enum Task {
    /// A number per sample.
    Regression {
        /// Mean of the outcome, and its standard deviation given the inputs that are always in; 1 instead of the latter if the
        /// outcome kept its unit.
        scaling: Scaling,
    },
    /// A class per sample.
    Classification {
        /// The names of the classes.
        classes: Vec<String>,
        /// The link in use.
        link: Link,
    },
    /// A count per sample.
    Counts {
        /// The mean count.
        mean: f64,
        /// Pearson's statistic of the refit divided by its degrees of freedom: 1 for Poisson counts.
        dispersion: f64,
    },
    /// A time until an event per sample.
    Survival {
        /// The total weight of the events.
        events: f64,
        /// The baseline of each stratum.
        baselines: Vec<Baseline>,
    },
}

/// Breslow's cumulative baseline hazard of a stratum: that of a sample with log risk 0.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The name of the stratum; empty if there is one only.
    pub stratum: String,
    /// The times of events, ascending.
    pub times: Vec<f64>,
    /// The cumulative hazard from each of these times on.
    pub hazards: Vec<f64>,
}

impl Baseline {
    /// The probability of no event until `time`, at a log risk.
    pub fn survival(&self, time: f64, log_risk: f64) -> f64 {
        let seen = self.times.partition_point(|t| *t <= time);
        let hazard = if seen == 0 { 0.0 } else { self.hazards[seen - 1] };
        libm::exp(-hazard * libm::exp(log_risk))
    }
}

impl Task {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Task::Regression { .. } => "regression",
            Task::Classification { .. } => "classification",
            Task::Counts { .. } => "counts",
            Task::Survival { .. } => "survival",
        }
    }

    /// The names of the classes; empty for other tasks.
    pub fn classes(&self) -> &[String] {
        match self {
            Task::Classification { classes, .. } => classes,
            _ => &[],
        }
    }

    /// The number of outputs of the network, or what is wrong with its numbers.
    pub(super) fn check(&self) -> Result<usize, &'static str> {
        let above = |v: f64| v > 0.0 && v.is_finite();
        match self {
            Task::Regression { scaling } if !(scaling.mean.is_finite() && above(scaling.scale)) => {
                Err("the outcome's scale is not a number above 0")
            }
            Task::Classification { classes, link } => {
                if classes.len() < 2 || *link == Link::Identity {
                    return Err("a classification needs two classes and a link");
                }
                Ok(link.n_outputs(classes.len()))
            }
            Task::Counts { mean, dispersion } if !(above(*mean) && dispersion.is_finite()) => {
                Err("the mean count is not a number above 0")
            }
            Task::Survival { events, baselines } => {
                let ascending =
                    |v: &[f64]| v.windows(2).all(|p| p[0] <= p[1]) && v.iter().all(|v| v.is_finite());
                let sound = |b: &Baseline| {
                    b.times.len() == b.hazards.len() && ascending(&b.times) && ascending(&b.hazards)
                };
                if !above(*events) || baselines.is_empty() || !baselines.iter().all(sound) {
                    return Err("a baseline hazard does not rise with time");
                }
                Ok(1)
            }
            _ => Ok(1),
        }
    }
}
