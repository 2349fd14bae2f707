//! The inputs: `n` samples of `p` columns, dense or sparse.
//!
//! The learner needs few operations of a design: some columns as numbers, the product of a matrix with a block of columns, and
//! a subset of the samples. The search and the solver work on a few columns, which are dense. So a sparse table is never made
//! dense: a centred column is stored as a constant plus the cells that differ from it.
//!
//! Before a fit, `canonical.rs` standardises a design and puts it into an order that depends on its values only.
//! Tested in `src/tests/designs.rs`: the same values give the same sums, products and fits in either form.

mod dense;
mod rows;
mod sparse;

use std::borrow::Cow;
use std::ops::Range;

use faer::MatRef;

use self::dense::Dense;
use self::sparse::Sparse;
pub use self::sparse::SparseColumns;
use super::{ColumnKeys, SampleKeys, Samples, Scaling};
use crate::error::Result;

/// The inputs of a table.
#[derive(Debug, Clone)]
pub(crate) struct Design {
    cells: Cells,
    /// The penalty weight of each column, by which its values are divided; none if all are 1
    /// (`groups.rs`).
    weights: Option<Vec<f64>>,
}

#[derive(Debug, Clone)]
enum Cells {
    Dense(Dense),
    Sparse(Sparse),
}

/// Calls the method of the variant.
macro_rules! either {
    ($design:expr, $x:ident => $call:expr) => {
        match $design {
            Cells::Dense($x) => $call,
            Cells::Sparse($x) => $call,
        }
    };
}

impl Design {
    /// From columns side by side.
    pub fn dense(values: Vec<f64>, n: usize) -> Self {
        Design { cells: Cells::Dense(Dense { n, values }), weights: None }
    }

    /// From the cells that are not zero.
    pub fn sparse(cells: SparseColumns, n: usize, p: usize) -> Result<Self> {
        Ok(Design { cells: Cells::Sparse(Sparse::new(cells, n, p)?), weights: None })
    }

    pub fn is_sparse(&self) -> bool {
        matches!(self.cells, Cells::Sparse(_))
    }

    /// Samples.
    pub fn n(&self) -> usize {
        either!(&self.cells, x => x.n)
    }

    /// Columns.
    pub fn p(&self) -> usize {
        either!(&self.cells, x => x.p())
    }

    /// The values of one column.
    pub fn column(&self, j: usize) -> Cow<'_, [f64]> {
        match &self.cells {
            Cells::Dense(x) => Cow::Borrowed(x.column(j)),
            Cells::Sparse(x) => Cow::Owned(x.column(j)),
        }
    }

    /// Some columns, side by side.
    pub fn gathered(&self, columns: &[usize]) -> Vec<f64> {
        let mut values = Vec::with_capacity(columns.len() * self.n());
        columns.iter().for_each(|&j| values.extend_from_slice(&self.column(j)));
        values
    }

    /// Some columns, in that order, in the same storage.
    pub fn part(&self, columns: &[usize]) -> Self {
        let cells = match &self.cells {
            Cells::Dense(x) => Cells::Dense(Dense { n: x.n, values: self.gathered(columns) }),
            Cells::Sparse(x) => {
                let mut part = x.clone();
                part.take_columns(columns);
                Cells::Sparse(part)
            }
        };
        let weights = self.weights.as_ref().map(|w| columns.iter().map(|&j| w[j]).collect());
        Design { cells, weights }
    }

    /// Adds columns at the end of a dense design without penalty weights.
    pub(super) fn append(&mut self, values: Vec<f64>) {
        if let Cells::Dense(x) = &mut self.cells {
            x.values.extend(values);
        }
    }

    /// All columns side by side, if they are stored so.
    pub fn side_by_side(&self) -> Option<&[f64]> {
        match &self.cells {
            Cells::Dense(x) => Some(&x.values),
            Cells::Sparse(_) => None,
        }
    }

    /// The rows of `left` and the columns for which a product is fastest. Two blocks of dense columns stay in the cache beside
    /// `left`; what a sparse product does beforehand to its left factor is shared by all columns.
    pub fn block(&self) -> (usize, usize) {
        match &self.cells {
            Cells::Dense(_) => (192, 128),
            Cells::Sparse(x) => (sparse::LANES, x.p()),
        }
    }

    /// `out = left X` for some columns of `X`; `left` has `n` columns.
    pub fn multiply(&self, out: &mut [f64], left: MatRef<'_, f64>, columns: Range<usize>) {
        either!(&self.cells, x => x.multiply(out, left, columns))
    }

    /// `out += left X` for some rows of `X`, as many as `left` has columns, and all its columns.
    pub fn multiply_add_rows(&self, out: &mut [f64], left: MatRef<'_, f64>, rows: Range<usize>) {
        either!(&self.cells, x => x.multiply_add_rows(out, left, rows))
    }

    /// Some samples, in ascending order.
    pub fn of_rows(&self, rows: &[usize]) -> Self {
        let cells = match &self.cells {
            Cells::Dense(x) => Cells::Dense(x.of_rows(rows)),
            Cells::Sparse(x) => Cells::Sparse(x.of_rows(rows)),
        };
        Design { cells, weights: self.weights.clone() }
    }

    /// The first value that is `bad`, with its row and column.
    pub fn find(&self, bad: fn(f64) -> bool) -> Option<(usize, usize, f64)> {
        either!(&self.cells, x => x.find(bad))
    }

    /// Mean and standard deviation of every column; none of those that do not vary.
    pub fn scalings(&self, samples: &Samples) -> Vec<Option<Scaling>> {
        either!(&self.cells, x => x.scalings(samples))
    }

    /// The keys by which standardised columns are sorted.
    pub(super) fn keys(&self, samples: &SampleKeys) -> Vec<ColumnKeys> {
        match &self.cells {
            Cells::Dense(x) => x.map(|column| samples.of_column(column)),
            Cells::Sparse(x) => x.keys(samples),
        }
    }

    /// Centres and scales every column, divides it by its penalty weight, and rounds it to the grid. Columns without a scaling
    /// are not changed. The design keeps the scalings.
    pub fn standardise(&mut self, scalings: &mut [Option<Scaling>], weights: Option<Vec<f64>>) {
        if let Some(weights) = &weights {
            scalings.iter_mut().zip(weights).for_each(|(s, w)| s.iter_mut().for_each(|s| s.scale *= w));
        }
        self.weights = weights;
        either!(&mut self.cells, x => x.standardise(scalings));
    }

    /// The penalty weight of a column.
    pub fn weight(&self, j: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[j])
    }

    /// Whether a column belongs to an input of several columns: only these have a weight above 1.
    pub fn is_grouped(&self, j: usize) -> bool {
        self.weight(j) > 1.0
    }

    /// For each sample the sums of the absolute and of the squared values of its inputs, in units of the
    /// grid.
    pub(super) fn row_sums(&self) -> Vec<(i128, i128)> {
        either!(&self.cells, x => x.row_sums())
    }

    /// One value of each column, in order.
    pub fn map<T: Send>(&self, of_column: impl Fn(&[f64]) -> T + Send + Sync) -> Vec<T> {
        either!(&self.cells, x => x.map(of_column))
    }

    /// Puts row `rows[i]` into place `i`.
    pub(crate) fn reorder_rows(&mut self, rows: &[usize]) {
        either!(&mut self.cells, x => x.reorder_rows(rows))
    }

    /// Changes the sign of some columns.
    pub(super) fn turn(&mut self, turned: &[bool]) {
        either!(&mut self.cells, x => x.turn(turned))
    }

    /// Divides every column by a number of its own.
    pub(super) fn divide(&mut self, by: &[f64]) {
        either!(&mut self.cells, x => x.divide(by))
    }

    /// Puts column `order[j]` into place `j`; columns that are not in `order` are dropped. `order` has no
    /// duplicates.
    pub(super) fn take_columns(&mut self, order: &[usize]) {
        self.weights = self.weights.take().map(|weights| order.iter().map(|&j| weights[j]).collect());
        either!(&mut self.cells, x => x.take_columns(order));
    }
}
