//! The inputs: `n` samples of `p` columns, dense or sparse.
//!
//! The learner asks a design for few things: some columns as numbers, the product of a matrix with a block of its
//! columns, and a part of its samples. What is searched and solved on is a few columns, which are dense. So a sparse table is never
//! made dense: a column that has been centred is a constant plus what differs from it.
//!
//! Before a fit, `canonical.rs` standardises a design and puts it into an order that depends on its values only.
//! Tested in `src/tests/designs.rs`: the same values give the same sums, products and fits in either form.

mod dense;
mod sparse;

use std::borrow::Cow;
use std::ops::Range;

use faer::MatRef;

pub(crate) use self::dense::Dense;
pub(crate) use self::sparse::Sparse;
pub use self::sparse::SparseColumns;
use super::{Samples, Scaling};

/// The inputs of a table.
#[derive(Debug, Clone)]
pub(crate) enum Design {
    Dense(Dense),
    Sparse(Sparse),
}

/// Calls the method of whichever it is.
macro_rules! either {
    ($design:expr, $x:ident => $call:expr) => {
        match $design {
            Design::Dense($x) => $call,
            Design::Sparse($x) => $call,
        }
    };
}

impl Design {
    /// From columns side by side.
    pub fn dense(values: Vec<f64>, n: usize) -> Self {
        Design::Dense(Dense { n, values })
    }

    /// Samples.
    pub fn n(&self) -> usize {
        either!(self, x => x.n)
    }

    /// Columns.
    pub fn p(&self) -> usize {
        either!(self, x => x.p())
    }

    /// The values of one column.
    pub fn column(&self, j: usize) -> Cow<'_, [f64]> {
        match self {
            Design::Dense(x) => Cow::Borrowed(x.column(j)),
            Design::Sparse(x) => Cow::Owned(x.column(j)),
        }
    }

    /// Some columns, side by side.
    pub fn gathered(&self, columns: &[usize]) -> Vec<f64> {
        let mut values = Vec::with_capacity(columns.len() * self.n());
        columns.iter().for_each(|&j| values.extend_from_slice(&self.column(j)));
        values
    }

    /// All columns side by side, where that is how they are kept.
    pub fn side_by_side(&self) -> Option<&[f64]> {
        match self {
            Design::Dense(x) => Some(&x.values),
            Design::Sparse(_) => None,
        }
    }

    /// `out = left X` for some columns of `X`; `left` has `n` columns.
    pub fn multiply(&self, out: &mut [f64], left: MatRef<'_, f64>, columns: Range<usize>) {
        either!(self, x => x.multiply(out, left, columns))
    }

    /// `out += left X` for some rows of `X`, as many as `left` has columns, and all its columns.
    pub fn multiply_add_rows(&self, out: &mut [f64], left: MatRef<'_, f64>, rows: Range<usize>) {
        either!(self, x => x.multiply_add_rows(out, left, rows))
    }

    /// Some samples, in ascending order.
    pub fn of_rows(&self, rows: &[usize]) -> Self {
        match self {
            Design::Dense(x) => Design::Dense(x.of_rows(rows)),
            Design::Sparse(x) => Design::Sparse(x.of_rows(rows)),
        }
    }

    /// The first value that is not finite, with its row and column.
    pub fn not_finite(&self) -> Option<(usize, usize, f64)> {
        either!(self, x => x.not_finite())
    }

    /// Centres and scales every column and rounds it to the grid. Columns that do not vary are left alone.
    pub(super) fn standardise(&mut self, samples: &Samples) -> Vec<Option<Scaling>> {
        either!(self, x => x.standardise(samples))
    }

    /// For each sample the sums over its inputs of their size and of their square, in units of the grid.
    pub(super) fn row_sums(&self) -> Vec<(i128, i128)> {
        either!(self, x => x.row_sums())
    }

    /// One value of every column, in order.
    pub fn map<T: Send>(&self, of_column: impl Fn(&[f64]) -> T + Send + Sync) -> Vec<T> {
        either!(self, x => x.map(of_column))
    }

    /// Puts row `rows[i]` into place `i`.
    pub(super) fn reorder_rows(&mut self, rows: &[usize]) {
        either!(self, x => x.reorder_rows(rows))
    }

    /// Changes the sign of some columns.
    pub(super) fn turn(&mut self, turned: &[bool]) {
        either!(self, x => x.turn(turned))
    }

    /// Divides every column by a number of its own.
    pub(super) fn divide(&mut self, by: &[f64]) {
        either!(self, x => x.divide(by))
    }

    /// Puts column `order[j]` into place `j`; those that are not in `order` are dropped. Each is in it at most once.
    pub(super) fn take_columns(&mut self, order: &[usize]) {
        either!(self, x => x.take_columns(order))
    }
}
