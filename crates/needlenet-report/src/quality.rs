//! How well a model fits the table it was fitted on: facts, pictures and a table of counts. Each kind of outcome
//! composes its own.

use crate::chart::Chart;

/// The largest number of samples drawn in one picture.
pub(crate) const MOST_DOTS: usize = 400;

/// How well a model fits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Quality {
    /// Names and values.
    pub facts: Vec<(&'static str, String)>,
    /// Pictures.
    pub charts: Vec<Chart>,
    /// A table of counts.
    pub counts: Option<Counts>,
}

/// A square table of counts, observed in rows and predicted in columns.
#[derive(Debug, Clone)]
pub(crate) struct Counts {
    /// Names of rows and columns.
    pub names: Vec<String>,
    /// The counts, row by row.
    pub rows: Vec<Vec<usize>>,
}

/// Every k-th of some positions, so that at most `most` remain.
pub(crate) fn thinned(count: usize, most: usize) -> impl Iterator<Item = usize> + Clone {
    (0..count).step_by(count.div_ceil(most).max(1))
}
