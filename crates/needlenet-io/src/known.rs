//! The inputs of a model, and the columns that the learner uses for an input.
//!
//! A number is one column. A category has one 0/1 column for each level, and enters or leaves as a whole. A number with an
//! indicator has two columns: the values, with the mean in place of missing ones, and 1 for each missing value. Columns
//! that form one input are a [`Group`]. Tested in `tests/categories.rs` and `tests/missing_cells.rs`.

use std::ops::Range;

/// The level in which the rare levels of a category are pooled.
pub const OTHER: &str = "(other)";

/// The level of the missing cells of a category.
pub const MISSING_LEVEL: &str = "(missing)";

/// Columns of a table that are one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The name of the input.
    pub name: String,
    /// The kind of the columns.
    pub kind: GroupKind,
    /// The columns.
    pub columns: Range<usize>,
}

/// The kind of a group of columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// One column for each level: 1 in the rows that have it, 0 elsewhere.
    Category {
        /// The levels, in the order of the columns.
        levels: Vec<String>,
    },
    /// One column: 0 for the first level, 1 for the second, ...
    Ordered {
        /// The levels, from low to high.
        levels: Vec<String>,
    },
    /// The values, with the mean in place of missing ones, and 1 for each missing value.
    WithIndicator,
}

/// An input of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// The name of its column in a table.
    pub name: String,
    /// How it was coded.
    pub coding: Coding,
}

/// How an input was coded, with the means that replace missing cells.
#[derive(Clone, Debug, PartialEq)]
pub enum Coding {
    /// A number.
    Number {
        /// Its mean in the fit.
        mean: f64,
    },
    /// A number with an indicator.
    WithIndicator {
        /// Its mean in the fit.
        mean: f64,
    },
    /// A score for each level.
    Ordered {
        /// The levels, from low to high.
        levels: Vec<String>,
        /// The mean score in the fit.
        mean: f64,
        /// The most frequent level of the fit, if the model knows it.
        mode: Option<usize>,
    },
    /// One column for each level.
    Category {
        /// The levels, in the order of the columns.
        levels: Vec<String>,
        /// The share of each level in the fit.
        shares: Vec<f64>,
        /// The most frequent level of the fit, if the model knows it.
        mode: Option<usize>,
    },
}

impl Coding {
    /// The number of its columns.
    pub fn width(&self) -> usize {
        match self {
            Self::Number { .. } | Self::Ordered { .. } => 1,
            Self::WithIndicator { .. } => 2,
            Self::Category { levels, .. } => levels.len(),
        }
    }

    pub(crate) fn group(&self) -> Option<GroupKind> {
        match self {
            Self::Number { .. } => None,
            Self::WithIndicator { .. } => Some(GroupKind::WithIndicator),
            Self::Ordered { levels, .. } => Some(GroupKind::Ordered { levels: levels.clone() }),
            Self::Category { levels, .. } => Some(GroupKind::Category { levels: levels.clone() }),
        }
    }

    /// The names of its columns.
    pub(crate) fn column_names(&self, name: &str) -> Vec<String> {
        match self {
            Self::Number { .. } | Self::Ordered { .. } => vec![name.to_owned()],
            Self::WithIndicator { .. } => vec![name.to_owned(), format!("{name}={MISSING_LEVEL}")],
            Self::Category { levels, .. } => levels.iter().map(|level| format!("{name}={level}")).collect(),
        }
    }
}

impl Known {
    /// A number with known mean.
    pub fn number(name: impl Into<String>, mean: f64) -> Self {
        Self { name: name.into(), coding: Coding::Number { mean } }
    }
}
