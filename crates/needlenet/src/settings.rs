//! The settings of a fit, with one default for every data set.

use serde::{Deserialize, Serialize};

use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::network::Link;
use crate::outcome::Ties;
use crate::penalty::Penalty;
use crate::table::Outcome;
use crate::threshold::NullChoice;

/// The choices of a fit. The defaults serve every data set; change one by name:
///
/// ```
/// use needlenet::{Penalty, Settings};
/// let lasso = Settings { penalty: Penalty::L1, ..Settings::default() };
/// assert_eq!(lasso.alpha, 0.05);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Widths of the hidden layers; none for the linear model.
    pub hidden: Vec<usize>,
    /// The penalty.
    pub penalty: Penalty,
    /// The level: the probability of finding anything if no input matters.
    pub alpha: f64,
    /// The weight of the penalty, if not `lambda_QUT`.
    pub lambda: Option<f64>,
    /// The activation of the hidden neurons.
    pub activation: Activation,
    /// The link in classification; regression has the identity.
    pub link: Link,
    /// Whether a numerical outcome is divided by its standard deviation. If not, it is centred and keeps its unit, as in
    /// the paper, and the fit depends on the unit: biases are penalised, and the activation bends at `-u0`. A concave
    /// penalty needs the scaled outcome. Classes have no unit. This is meant for standard deviations from 1e-6 to 1e4: far
    /// below, the network loses digits; far above, its bends are too sharp to be solved to `tolerance`, and the
    /// certificate says so.
    #[serde(default = "scaled")]
    pub scale_outcome: bool,
    /// How outcomes without needles are drawn; also what weights mean ([`crate::Data::with_weights`]).
    #[serde(default)]
    pub null: NullChoice,
    /// Events at the same time, in survival.
    #[serde(default)]
    pub ties: Ties,
    /// The seed of the random starts. The null draws, and so `lambda_QUT`, are the same for every
    /// seed.
    pub seed: u64,
    /// Threads to use; 0 for all cores. It does not change the result.
    pub threads: usize,
    /// Null draws for `lambda_QUT`.
    pub draws: usize,
    /// KKT violation, relative to lambda, at which a solution counts as converged.
    pub tolerance: f64,
    /// Iterations after which the last solve stops without convergence, and says so.
    pub max_iterations: usize,
}

/// Model files from before this setting existed have a scaled outcome.
fn scaled() -> bool {
    true
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            hidden: vec![40],
            penalty: Penalty::Harder { nu: 0.1 },
            alpha: 0.05,
            lambda: None,
            activation: Activation::default(),
            link: Link::Softmax,
            scale_outcome: true,
            null: NullChoice::Law,
            ties: Ties::Efron,
            seed: 1,
            threads: 0,
            draws: 5000,
            tolerance: 1e-6,
            max_iterations: 20_000,
        }
    }
}

impl Settings {
    /// The paper's own estimator, LASSO ANN: 20 neurons, the l1 penalty, and an outcome that keeps its unit.
    ///
    /// ```
    /// use needlenet::Settings;
    /// assert!(!Settings::paper().scale_outcome);
    /// ```
    pub fn paper() -> Self {
        Settings { hidden: vec![20], penalty: Penalty::L1, scale_outcome: false, ..Settings::default() }
    }

    /// Checks every value against its accepted set.
    pub fn check(&self) -> Result<()> {
        let bad = |name, value: String, accepted| Err(Error::Parameter { name, value, accepted });
        if let Some(w) = self.hidden.iter().find(|w| **w == 0 || **w > 10_000) {
            return bad("width of a hidden layer", w.to_string(), "1 to 10000 neurons");
        }
        if self.hidden.len() > 16 {
            return bad("number of hidden layers", self.hidden.len().to_string(), "at most 16");
        }
        if !(self.alpha > 0.0 && self.alpha < 1.0) {
            return bad("alpha", self.alpha.to_string(), "above 0 and below 1");
        }
        if let Some(lambda) = self.lambda
            && !(lambda > 0.0 && lambda.is_finite())
        {
            return bad("lambda", lambda.to_string(), "a finite number above 0");
        }
        if self.draws < 100 || self.draws > 10_000_000 {
            return bad("number of null draws", self.draws.to_string(), "100 to 10000000");
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return bad("tolerance", self.tolerance.to_string(), "above 0 and below 1");
        }
        if self.max_iterations == 0 {
            return bad("limit on iterations", "0".into(), "at least 1");
        }
        self.penalty.check()?;
        if !self.scale_outcome && self.penalty.is_concave() {
            return Err(Error::Conflict {
                what: format!(
                    "the penalty {} needs an outcome that is scaled to standard deviation 1",
                    self.penalty.name()
                ),
                remedy: "scale the outcome, or choose the penalty l1 or group to keep its unit",
            });
        }
        self.activation.check()
    }

    /// The link that fits the outcome.
    pub(crate) fn link_for(&self, outcome: &Outcome) -> Result<Link> {
        match (outcome, self.link) {
            (Outcome::Classification { .. }, Link::Identity) => Err(Error::Conflict {
                what: "the identity link gives no class probabilities".into(),
                remedy: "choose softmax or logit for classification",
            }),
            (Outcome::Classification { .. }, link) => Ok(link),
            _ => Ok(Link::Identity),
        }
    }
}
