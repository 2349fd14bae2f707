//! Penalties on `W_1` and on the biases of the hidden layers (paper, equation `Pq`).
//!
//! $$\lambda P(\theta_1) = \lambda \sum_g \tau\, \rho(\lVert\theta_g\rVert_2 / \tau)$$
//!
//! A group `g` is one weight (q = 1), or a column of `W_1` or the biases of a layer (q = 2). Every
//! `rho` has slope 1 at zero, so `lambda_0`, `lambda_QUT` and the level do not depend on it, and
//!
//! $$\tau \rho(t/\tau) = t + \text{a concave remainder with slope 0 at zero},$$
//!
//! so one proximal operator, soft thresholding, serves them all: the remainder is differentiable and
//! joins the loss. `tau` is the noise scale: it gives a concave penalty its units.
//! Tested in `src/tests/penalties.rs`.

mod harder;
mod mcp;
mod scad;

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The penalty.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "name", deny_unknown_fields)]
pub enum Penalty {
    /// LASSO, `rho(t) = t`: the paper's estimator.
    L1,
    /// Group LASSO: an input is on or off across all neurons.
    Group,
    /// `rho(t) = t / (1 + t^(1 - nu))`.
    Harder {
        /// Between 0 (nearly counting) and 1 (LASSO, up to a factor).
        nu: f64,
    },
    /// Smoothly clipped absolute deviation: nearly flat (a hundredth of the LASSO) from `a` on.
    Scad {
        /// Where the penalty becomes flat, in units of `tau`; above 1.
        a: f64,
    },
    /// Minimax concave penalty: nearly flat (a hundredth of the LASSO) from `a` on.
    Mcp {
        /// Where the penalty becomes flat, in units of `tau`.
        a: f64,
    },
}

impl Penalty {
    /// The names accepted by [`Penalty::from_str`].
    pub const NAMES: [&'static str; 5] = ["l1", "group", "harder", "scad", "mcp"];

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Penalty::L1 => "l1",
            Penalty::Group => "group",
            Penalty::Harder { .. } => "harder",
            Penalty::Scad { .. } => "scad",
            Penalty::Mcp { .. } => "mcp",
        }
    }

    /// Whether it acts on whole columns of `W_1` (q = 2).
    pub fn is_grouped(&self) -> bool {
        matches!(self, Penalty::Group)
    }

    /// Whether it is concave, and so has a unit.
    pub fn is_concave(&self) -> bool {
        !matches!(self, Penalty::L1 | Penalty::Group)
    }

    /// `rho(t)` and `rho'(t)` at `t >= 0`.
    pub fn value_and_slope(&self, t: f64) -> (f64, f64) {
        match *self {
            Penalty::L1 | Penalty::Group => (t, 1.0),
            Penalty::Harder { nu } => harder::value_and_slope(t, nu),
            Penalty::Scad { a } => never_flat(t, scad::value_and_slope(t, a)),
            Penalty::Mcp { a } => never_flat(t, mcp::value_and_slope(t, a)),
        }
    }

    /// The member of its family with part of its concavity: 0 is (nearly) the LASSO, 1 the penalty
    /// itself.
    pub(crate) fn with_concavity(&self, part: f64) -> Self {
        match *self {
            Penalty::Harder { nu } => Penalty::Harder { nu: 1.0 - part * (1.0 - nu) },
            Penalty::Scad { a } => Penalty::Scad { a: 1.0 + (a - 1.0) / part },
            Penalty::Mcp { a } => Penalty::Mcp { a: a / part },
            convex => convex,
        }
    }

    /// The unit of the weights: that of the outcome for the harder penalty; for SCAD and MCP, as usual, the size at
    /// which a coefficient of an orthogonal design is cut off.
    pub(crate) fn unit(&self, of_outcome: f64, cut_off: f64) -> f64 {
        match self {
            Penalty::Scad { .. } | Penalty::Mcp { .. } => cut_off,
            _ => of_outcome,
        }
    }

    /// Accepts `0 < nu < 1`, `a > 1` for SCAD and `a > 0` for MCP.
    pub fn check(&self) -> Result<()> {
        let bad =
            |name, value: f64, accepted| Err(Error::Parameter { name, value: value.to_string(), accepted });
        match *self {
            Penalty::Harder { nu } if !(nu > 0.0 && nu < 1.0) => {
                bad("harder penalty's nu", nu, "above 0 and below 1")
            }
            Penalty::Scad { a } if !(a > 1.0 && a.is_finite()) => {
                bad("SCAD's a", a, "a finite number above 1")
            }
            Penalty::Mcp { a } if !(a > 0.0 && a.is_finite()) => bad("MCP's a", a, "a finite number above 0"),
            _ => Ok(()),
        }
    }
}

/// The part of SCAD and MCP that is LASSO.
const LASSO_PART: f64 = 0.01;

/// Mixes in a little LASSO, so that a minimum exists. Otherwise, if a penalty is flat, the weights into
/// a neuron could grow without bound while the weight above it vanishes, and separable classes have no
/// optimum.
fn never_flat(t: f64, (value, slope): (f64, f64)) -> (f64, f64) {
    (value + LASSO_PART * (t - value), slope + LASSO_PART * (1.0 - slope))
}

impl FromStr for Penalty {
    type Err = Error;

    /// A penalty by its name, with its usual constant.
    fn from_str(name: &str) -> Result<Self> {
        match name {
            "l1" | "lasso" => Ok(Penalty::L1),
            "group" => Ok(Penalty::Group),
            "harder" => Ok(Penalty::Harder { nu: 0.1 }),
            "scad" => Ok(Penalty::Scad { a: 3.7 }),
            "mcp" => Ok(Penalty::Mcp { a: 3.0 }),
            _ => Err(Error::Parameter {
                name: "penalty",
                value: format!("\"{name}\""),
                accepted: "l1, group, harder, scad or mcp",
            }),
        }
    }
}
