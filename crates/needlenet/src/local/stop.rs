//! How a solver ended.

use serde::{Deserialize, Serialize};

/// The reason for which a solver stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The KKT violation is within the tolerance.
    Converged,
    /// The residual is zero to working precision, where its norm has no gradient.
    PerfectFit,
    /// The limit on iterations was reached first.
    MaxIterations,
    /// No step decreases the objective any more in floating-point numbers.
    Stalled,
}

impl Stop {
    /// Whether the point can be trusted as a stationary point.
    pub fn is_converged(self) -> bool {
        matches!(self, Stop::Converged | Stop::PerfectFit)
    }
}
