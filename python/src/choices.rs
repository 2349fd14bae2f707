//! The settings of the user, as a dictionary from Python; the learner itself checks the values and names
//! the accepted set.

use needlenet::{Error, Link, NullChoice, Settings, Ties};
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
    null: String,
    ties: String,
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
            link: one_of("link", &self.link, &[("softmax", Link::Softmax), ("logit", Link::Logit)])?,
            scale_outcome: self.scale_outcome,
            null: one_of(
                "null",
                &self.null,
                &[("law", NullChoice::Law), ("permutation", NullChoice::Permutation)],
            )?,
            ties: one_of("ties", &self.ties, &[("efron", Ties::Efron), ("breslow", Ties::Breslow)])?,
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

/// The choice of that name.
fn one_of<T: Copy>(name: &'static str, value: &str, choices: &[(&str, T); 2]) -> PyResult<T> {
    let found = choices.iter().find(|(word, _)| *word == value);
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let accepted = match name {
            "link" => "softmax or logit",
            "null" => "law or permutation",
            _ => "efron or breslow",
        };
        of_learner(Error::Parameter { name, value: format!("\"{value}\""), accepted })
    })
}
