//! The four calls on a shard, as messages: they can be sent to the machine that keeps the shard.
//!
//! 1. *Moments* of every column: scaling and keys, and the sums of every row (`table/elsewhere.rs`).
//! 2. *Null statistics*: the maximum over the columns for each null draw (`threshold/pass.rs`), and the score of each column.
//! 3. *Columns* as numbers: the promising ones, and those that violate the KKT conditions.
//! 4. *Violations* of the KKT conditions, from the derivative of the loss by the pre-activations of the first layer.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::shared::{self, optional};
use crate::error::{Error, Result};
use crate::table::{Moments, SampleKeys, Standard};
use crate::threshold::{Null, NullStatistic, Projection};

/// A task for a shard.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Task(pub(super) Asked);

/// The answer of a shard.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Answer(pub(super) Told);

/// What both ends of a message must agree on.
const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Task {
    /// The message as bytes, for another process or machine.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        to_bytes(self)
    }

    /// The task of a message.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        from_bytes(bytes)
    }

    /// Whether every column of the shard is read for it.
    pub fn is_pass(&self) -> bool {
        !matches!(self.0, Asked::Columns { .. })
    }
}

impl Answer {
    /// The message as bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        to_bytes(self)
    }

    /// The answer of a message.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        from_bytes(bytes)
    }
}

fn to_bytes(message: &impl Serialize) -> Result<Vec<u8>> {
    postcard::to_stdvec(&(VERSION, message)).map_err(|_| unreadable())
}

fn from_bytes<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T> {
    let (version, rest): (&str, &[u8]) = postcard::take_from_bytes(bytes).map_err(|_| unreadable())?;
    if version != VERSION {
        return Err(unreadable());
    }
    postcard::from_bytes(rest).map_err(|_| unreadable())
}

fn unreadable() -> Error {
    Error::Conflict {
        what: format!("a message between machines is not one of needlenet {VERSION}"),
        remedy: "use the same version of needlenet on every machine",
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Asked {
    Moments {
        /// The rows that are used, ascending; none means all.
        #[serde(with = "optional")]
        rows: Option<Arc<[usize]>>,
        #[serde(with = "optional")]
        weights: Option<Arc<[f64]>>,
        #[serde(with = "shared")]
        keys: Arc<SampleKeys>,
        /// Columns that are always in: they are standardised but not searched.
        always: Vec<usize>,
    },
    Null {
        form: Form,
        standards: Vec<Option<Standard>>,
        #[serde(with = "shared")]
        null: Arc<Null>,
        statistics: Vec<NullStatistic>,
        draws: usize,
        #[serde(with = "shared")]
        residuals: Arc<[f64]>,
    },
    Columns {
        form: Form,
        /// The columns, and how they become canonical; without that, the values as read.
        columns: Vec<(usize, Option<Standard>)>,
    },
    Violations {
        form: Form,
        standards: Vec<Option<Standard>>,
        #[serde(with = "shared")]
        deltas: Arc<[f64]>,
        lambda: f64,
        grouped: bool,
        /// Columns that are searched already, ascending.
        known: Vec<usize>,
        most: usize,
    },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Told {
    Moments {
        moments: Moments,
        /// Row, column and value of the first cell that cannot be used.
        bad: Option<(usize, usize, f64)>,
    },
    /// The statistics of the outcome, then of each draw; the score of each column.
    Null { largest: Vec<f64>, scores: Vec<f64> },
    /// The values, side by side, and the unit of each column.
    Columns { values: Vec<f64>, units: Vec<f64> },
    /// Columns with the size of their gradient, largest first.
    Violations(Vec<(usize, f64)>),
}

/// The order of the rows, and the projection that defines the unit of a column.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Form {
    /// For each canonical row the row of the shard.
    #[serde(with = "shared")]
    pub rows: Arc<[usize]>,
    #[serde(with = "optional")]
    pub beyond: Option<Arc<Projection>>,
}
