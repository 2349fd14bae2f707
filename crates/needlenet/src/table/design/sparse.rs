//! Columns in which most cells have the same value.
//!
//! $$x_{ij} = z_j + s_{ij}$$
//!
//! with `z_j` the value of an absent cell and `s` sparse. As read, `z_j` is zero; after centring and scaling it is `-mean /
//! scale`. Values equal those of the dense table to the bit: both are on the grid, where sums of two values are exact. Cost of
//! a product with `m` rows: O(m (n + cells)).

use std::ops::Range;

use faer::MatRef;
use rayon::prelude::*;

use super::super::Scaling;
use super::super::grid::on_grid;
use crate::error::{Error, Result};

/// A sparse table as users have it: the non-zero cells, column after column (CSC).
///
/// The rows of a column may be in any order; each row occurs at most once.
#[derive(Debug, Clone, Default)]
pub struct SparseColumns {
    /// The index of the first cell of each column, and at the end the number of all cells: one entry more
    /// than there are columns.
    pub starts: Vec<usize>,
    /// The row of each cell.
    pub rows: Vec<u32>,
    /// Its value.
    pub values: Vec<f64>,
}

#[derive(Debug, Clone)]
pub(super) struct Sparse {
    pub n: usize,
    columns: Vec<Column>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

/// The value of an absent cell, and the position of the other cells.
#[derive(Debug, Clone)]
struct Column {
    zero: f64,
    cells: Range<usize>,
}

impl Sparse {
    pub fn new(table: SparseColumns, n: usize, p: usize) -> Result<Self> {
        let SparseColumns { starts, mut rows, mut values } = table;
        let shape = |what, found, expected| Err(Error::Shape { what, found, expected });
        if starts.len() != p + 1 {
            return shape("starts of sparse columns", starts.len(), p + 1);
        }
        if rows.len() != values.len() {
            return shape("rows of sparse cells", rows.len(), values.len());
        }
        if starts[0] != 0 || starts[p] != rows.len() || starts.windows(2).any(|pair| pair[0] > pair[1]) {
            return shape("cells in sparse columns", starts[p], rows.len());
        }
        let columns: Vec<Column> =
            starts.windows(2).map(|pair| Column { zero: 0.0, cells: pair[0]..pair[1] }).collect();
        for Column { cells, .. } in &columns {
            let (rows, values) = (&mut rows[cells.clone()], &mut values[cells.clone()]);
            sort_cells(rows, values);
            if let Some(&row) = rows.last().filter(|row| **row as usize >= n) {
                return shape("samples of a sparse column", row as usize + 1, n);
            }
            if rows.windows(2).any(|pair| pair[0] == pair[1]) {
                return shape("cells of a sparse column, one of them twice", rows.len(), rows.len() - 1);
            }
        }
        Ok(Sparse { n, columns, rows, values })
    }

    pub fn p(&self) -> usize {
        self.columns.len()
    }

    fn cells(&self, column: &Column) -> impl Iterator<Item = (usize, f64)> {
        let rows = self.rows[column.cells.clone()].iter().map(|i| *i as usize);
        rows.zip(self.values[column.cells.clone()].iter().copied())
    }

    fn fill(&self, column: &Column, dense: &mut [f64]) {
        dense.fill(column.zero);
        self.cells(column).for_each(|(i, v)| dense[i] += v);
    }

    pub fn column(&self, j: usize) -> Vec<f64> {
        let mut dense = vec![0.0; self.n];
        self.fill(&self.columns[j], &mut dense);
        dense
    }

    pub fn multiply(&self, out: &mut [f64], left: MatRef<'_, f64>, columns: Range<usize>) {
        let left = Left::new(left);
        out.fill(0.0);
        for (out, column) in out.chunks_mut(left.height).zip(&self.columns[columns]) {
            left.add_multiple(out, &left.sum, column.zero);
            self.cells(column).for_each(|(i, v)| left.add_multiple(out, left.column(i), v));
        }
    }

    pub fn multiply_add_rows(&self, out: &mut [f64], left: MatRef<'_, f64>, rows: Range<usize>) {
        let left = Left::new(left);
        for (out, column) in out.chunks_mut(left.height).zip(&self.columns) {
            left.add_multiple(out, &left.sum, column.zero);
            let of_column = &self.rows[column.cells.clone()];
            let from = column.cells.start + of_column.partition_point(|i| (*i as usize) < rows.start);
            let cells = self.rows[from..column.cells.end].iter().zip(&self.values[from..column.cells.end]);
            for (i, v) in cells.take_while(|(i, _)| (**i as usize) < rows.end) {
                left.add_multiple(out, left.column(*i as usize - rows.start), *v);
            }
        }
    }

    pub fn of_rows(&self, kept: &[usize]) -> Self {
        let mut places = vec![u32::MAX; self.n];
        kept.iter().enumerate().for_each(|(at, &i)| places[i] = at as u32);
        let mut part = Sparse { n: kept.len(), columns: Vec::new(), rows: Vec::new(), values: Vec::new() };
        for column in &self.columns {
            let from = part.rows.len();
            for (i, v) in self.cells(column).filter(|(i, _)| places[*i] != u32::MAX) {
                part.rows.push(places[i]);
                part.values.push(v);
            }
            part.columns.push(Column { zero: column.zero, cells: from..part.rows.len() });
        }
        part
    }

    pub fn find(&self, bad: fn(f64) -> bool) -> Option<(usize, usize, f64)> {
        let at = self.values.iter().position(|v| bad(*v))?;
        let column = self.columns.iter().position(|c| c.cells.contains(&at)).unwrap_or_default();
        Some((self.rows[at] as usize, column, self.values[at]))
    }

    pub fn standardise(&mut self, scalings: &[Option<Scaling>]) {
        let (columns, values) = self.columns_mut();
        columns.par_iter_mut().zip(values).zip(scalings).for_each(|((column, values), scaling)| {
            let Some(scaling) = scaling else { return };
            let zero = scaling.on_grid(column.zero);
            values.iter_mut().for_each(|v| *v = scaling.on_grid(column.zero + *v) - zero);
            column.zero = zero;
        });
    }

    /// The columns, and the values of the cells of each.
    fn columns_mut(&mut self) -> (&mut [Column], Vec<&mut [f64]>) {
        // cells keep the order in which they were read, whatever the order of the columns
        let mut places: Vec<usize> = (0..self.columns.len()).collect();
        places.sort_unstable_by_key(|&j| (self.columns[j].cells.start, self.columns[j].cells.end));
        let mut slices: Vec<Option<&mut [f64]>> = (0..places.len()).map(|_| None).collect();
        let (mut rest, mut at) = (&mut self.values[..], 0);
        for j in places {
            let cells = &self.columns[j].cells;
            let (_, from) = rest.split_at_mut(cells.start - at);
            let (own, after) = from.split_at_mut(cells.len());
            slices[j] = Some(own);
            (rest, at) = (after, cells.end);
        }
        (&mut self.columns, slices.into_iter().map(Option::unwrap_or_default).collect())
    }

    pub fn row_sums(&self) -> Vec<(i128, i128)> {
        let of = |v: f64| {
            let q = i128::from(on_grid(v));
            (q.abs(), q * q)
        };
        let add = |sum: &mut (i128, i128), v: (i128, i128), sign: i128| {
            sum.0 += sign * v.0;
            sum.1 += sign * v.1;
        };
        let mut absent = (0, 0);
        self.columns.iter().for_each(|column| add(&mut absent, of(column.zero), 1));
        let mut sums = vec![absent; self.n];
        for column in &self.columns {
            for (i, v) in self.cells(column) {
                add(&mut sums[i], of(column.zero), -1);
                add(&mut sums[i], of(column.zero + v), 1);
            }
        }
        sums
    }

    pub fn map<T: Send>(&self, of_column: impl Fn(&[f64]) -> T + Send + Sync) -> Vec<T> {
        let columns = self.columns.par_iter();
        columns
            .map_init(
                || vec![0.0; self.n],
                |dense, column| {
                    self.fill(column, dense);
                    of_column(dense)
                },
            )
            .collect()
    }

    pub fn reorder_rows(&mut self, rows: &[usize]) {
        let mut places = vec![0; self.n];
        rows.iter().enumerate().for_each(|(at, &i)| places[i] = at as u32);
        self.rows.iter_mut().for_each(|i| *i = places[*i as usize]);
        for Column { cells, .. } in &self.columns {
            sort_cells(&mut self.rows[cells.clone()], &mut self.values[cells.clone()]);
        }
    }

    pub fn turn(&mut self, turned: &[bool]) {
        let (columns, values) = self.columns_mut();
        for ((column, values), _) in columns.iter_mut().zip(values).zip(turned).filter(|(_, turned)| **turned)
        {
            column.zero = -column.zero;
            values.iter_mut().for_each(|v| *v = -*v);
        }
    }

    pub fn divide(&mut self, by: &[f64]) {
        let (columns, values) = self.columns_mut();
        for ((column, values), by) in columns.iter_mut().zip(values).zip(by) {
            column.zero /= by;
            values.iter_mut().for_each(|v| *v /= by);
        }
    }

    pub fn take_columns(&mut self, order: &[usize]) {
        self.columns = order.iter().map(|&j| self.columns[j].clone()).collect();
    }
}

/// The left factor of a product, stored so that each of its columns is contiguous, and the sum of
/// its columns.
struct Left {
    height: usize,
    values: Vec<f64>,
    sum: Vec<f64>,
}

impl Left {
    fn new(left: MatRef<'_, f64>) -> Self {
        let (height, width) = (left.nrows(), left.ncols());
        let mut values = Vec::with_capacity(height * width);
        let mut sum = vec![0.0; height];
        for i in 0..width {
            values.extend(left.col(i).iter());
            sum.iter_mut().zip(&values[i * height..]).for_each(|(sum, v)| *sum += v);
        }
        Left { height, values, sum }
    }

    fn column(&self, i: usize) -> &[f64] {
        &self.values[i * self.height..(i + 1) * self.height]
    }

    fn add_multiple(&self, out: &mut [f64], column: &[f64], factor: f64) {
        out.iter_mut().zip(column).for_each(|(out, v)| *out += factor * v);
    }
}

/// Sorts the cells of a column by row.
fn sort_cells(rows: &mut [u32], values: &mut [f64]) {
    if rows.windows(2).all(|pair| pair[0] <= pair[1]) {
        return;
    }
    let mut cells: Vec<(u32, f64)> = rows.iter().copied().zip(values.iter().copied()).collect();
    cells.sort_unstable_by_key(|(i, _)| *i);
    for ((row, value), cell) in rows.iter_mut().zip(values).zip(cells) {
        (*row, *value) = cell;
    }
}
