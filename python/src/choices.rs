//! What the user chose, as a dictionary from Python; the learner itself checks the values and names the set
//! that is accepted.

use needlenet::{Error, Link, Settings};
use pyo3::prelude::*;

use crate::failure::of_learner;

/// The parameters of an estimator under the names of the program.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Choices {
    hidden: Vec<usize>,
    penalty: String,
    alpha: f64,
    lambda: Option<f64>,
    activation: String,
    link: String,
    scale_outcome: bool,
    seed: u64,
    threads: usize,
    draws: usize,
    tolerance: f64,
    max_iterations: usize,
}

impl Choices {
    /// The settings of the learner, checked.
    pub fn settings(self) -> PyResult<Settings> {
        let settings = Settings {
            hidden: self.hidden,
            penalty: self.penalty.parse().map_err(of_learner)?,
            alpha: self.alpha,
            lambda: self.lambda,
            activation: self.activation.parse().map_err(of_learner)?,
            link: link(&self.link).map_err(of_learner)?,
            scale_outcome: self.scale_outcome,
            seed: self.seed,
            threads: self.threads,
            draws: self.draws,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
        };
        settings.check().map_err(of_learner)?;
        Ok(settings)
    }
}

fn link(name: &str) -> needlenet::Result<Link> {
    match name {
        "softmax" => Ok(Link::Softmax),
        "logit" => Ok(Link::Logit),
        _ => {
            Err(Error::Parameter { name: "link", value: format!("\"{name}\""), accepted: "softmax or logit" })
        }
    }
}
