//! Columns in which most cells have the same value.
//!
//! $$x_{ij} = z_j + s_{ij}$$
//!
//! with `z_j` the value of an absent cell and `s` sparse. As read, `z_j` is zero; centred and scaled it is `-mean / scale`. Values
//! are those of the dense table to the bit: both are on the grid, where sums of two values are exact.
//! Cost of a product with `m` rows: O(m (n + cells)); some rows of either factor at a time, so that they stay in the cache.

use std::ops::Range;
use std::sync::Arc;

use faer::MatRef;
use pulp::{Simd, WithSimd, bytemuck};
use rayon::prelude::*;

use super::super::grid::on_grid;
use super::super::scaling::Values;
use super::super::{ColumnKeys, SampleKeys, Samples, Scaling};
use super::rows::{Row, Rows, either, sort_cells};
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

impl SparseColumns {
    /// From the cells row after row (CSR): where those of each row begin, the number of all cells last; the column and the value of
    /// each cell; and the number of columns.
    pub fn from_rows(
        starts: &[usize],
        column: impl Fn(usize) -> u32,
        value: impl Fn(usize) -> f64,
        n_columns: usize,
    ) -> Result<Self> {
        let count = starts.last().copied().unwrap_or_default();
        if starts.first() != Some(&0) || starts.windows(2).any(|pair| pair[0] > pair[1]) {
            let found = starts.iter().copied().max().unwrap_or_default();
            return Err(Error::Shape { what: "cells in sparse rows", found, expected: count });
        }
        // where the next cell of each column goes
        let mut next = vec![0; n_columns + 1];
        for at in 0..count {
            match next.get_mut(column(at) as usize + 1) {
                Some(of_column) => *of_column += 1,
                None => {
                    let found = column(at) as usize + 1;
                    return Err(Error::Shape { what: "columns of a sparse row", found, expected: n_columns });
                }
            }
        }
        (0..n_columns).for_each(|j| next[j + 1] += next[j]);
        let columns = next.clone();
        let (mut rows, mut values) = (vec![0; count], vec![0.0; count]);
        for (row, cells) in starts.windows(2).enumerate() {
            for at in cells[0]..cells[1] {
                let place = &mut next[column(at) as usize];
                (rows[*place], values[*place]) = (row as u32, value(at));
                *place += 1;
            }
        }
        Ok(SparseColumns { starts: columns, rows, values })
    }
}

/// Registers of sums: as many rows of the left factor are worked on side by side as they hold.
const WIDE: usize = 8;
/// The number of rows of the left factor for which a product is fastest: as many as `WIDE` registers of 256 bits hold.
pub(super) const LANES: usize = 32;
/// Samples of the left factor worked on at a time: with `LANES` rows they stay in the cache.
const SAMPLES: usize = 2048;

/// The cells are shared by the parts of a design.
#[derive(Debug, Clone)]
pub(super) struct Sparse {
    pub n: usize,
    columns: Vec<Column>,
    rows: Arc<Rows>,
    values: Arc<Vec<f64>>,
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
        Ok(Sparse { n, columns, rows: Arc::new(Rows::new(rows, n)), values: Arc::new(values) })
    }

    pub fn p(&self) -> usize {
        self.columns.len()
    }

    fn cells(&self, column: &Column) -> impl Iterator<Item = (usize, f64)> {
        column.cells.clone().map(|at| (self.rows.get(at), self.values[at]))
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
        out.fill(0.0);
        self.multiply_add(out, left, &self.columns[columns], 0..self.n);
    }

    pub fn multiply_add_rows(&self, out: &mut [f64], left: MatRef<'_, f64>, rows: Range<usize>) {
        self.multiply_add(out, left, &self.columns, rows);
    }

    /// `out += left X` for some columns and rows of `X`; `left` has as many columns as there are rows.
    fn multiply_add(&self, out: &mut [f64], left: MatRef<'_, f64>, columns: &[Column], rows: Range<usize>) {
        let first_cell = |column: &Column| match rows.start {
            0 => column.cells.start,
            start => self.rows.first_from(column.cells.clone(), start),
        };
        // the cell of each column that comes next
        let mut next: Vec<usize> = columns.iter().map(first_cell).collect();
        for first in rows.clone().step_by(SAMPLES) {
            let count = SAMPLES.min(rows.end - first);
            let left = left.subcols(first - rows.start, count);
            let product = PartialProduct { design: self, out, left, columns, next: &mut next, first };
            pulp::Arch::new().dispatch(product);
        }
    }

    pub fn of_rows(&self, kept: &[usize]) -> Self {
        let mut places = vec![u32::MAX; self.n];
        kept.iter().enumerate().for_each(|(at, &i)| places[i] = at as u32);
        let is_kept = |i: &usize| places[*i] != u32::MAX;
        let count =
            self.columns.iter().flat_map(|column| self.cells(column)).filter(|(i, _)| is_kept(i)).count();
        let (mut rows, mut values) = (Rows::with_capacity(count, kept.len()), Vec::with_capacity(count));
        let mut columns = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            let from = rows.len();
            for (i, v) in self.cells(column).filter(|(i, _)| is_kept(i)) {
                rows.push(places[i]);
                values.push(v);
            }
            columns.push(Column { zero: column.zero, cells: from..rows.len() });
        }
        Sparse { n: kept.len(), columns, rows: Arc::new(rows), values: Arc::new(values) }
    }

    pub fn find(&self, bad: fn(f64) -> bool) -> Option<(usize, usize, f64)> {
        let at = self.values.iter().position(|v| bad(*v))?;
        let column = self.columns.iter().position(|c| c.cells.contains(&at)).unwrap_or_default();
        Some((self.rows.get(at), column, self.values[at]))
    }

    pub fn scalings(&self, samples: &Samples) -> Vec<Option<Scaling>> {
        let of = |column: &Column| Scaling::of_values(&ColumnValues { design: self, column }, samples);
        self.columns.par_iter().map(of).collect()
    }

    pub fn keys(&self, samples: &SampleKeys) -> Vec<ColumnKeys> {
        let total = samples.total();
        let of = |column: &Column| samples.of_sparse(&total, column.zero, self.cells(column));
        self.columns.par_iter().map(of).collect()
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
        let (mut rest, mut at) = (&mut Arc::make_mut(&mut self.values)[..], 0);
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
        let columns = self.columns.iter().map(|column| &column.cells);
        let values: &mut Vec<f64> = Arc::make_mut(&mut self.values);
        Arc::make_mut(&mut self.rows).replace(&places, values, columns);
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

struct ColumnValues<'a> {
    design: &'a Sparse,
    column: &'a Column,
}

impl Values for ColumnValues<'_> {
    fn n(&self) -> usize {
        self.design.n
    }

    /// In the order of the rows, as the sum over a dense column.
    fn sum(&self, samples: &Samples, of: impl Fn(f64) -> f64) -> f64 {
        let ColumnValues { design, column } = self;
        let absent = of(column.zero);
        let weight = |i: usize| samples.weight(i);
        let (mut sum, mut next) = (0.0, 0);
        let add_absent = |sum: &mut f64, rows: Range<usize>| {
            if absent != 0.0 {
                rows.for_each(|i| *sum += weight(i) * absent);
            }
        };
        for (i, v) in design.cells(column) {
            add_absent(&mut sum, next..i);
            sum += weight(i) * of(column.zero + v);
            next = i + 1;
        }
        add_absent(&mut sum, next..design.n);
        sum
    }

    fn distinct(&self) -> impl Iterator<Item = f64> {
        let ColumnValues { design, column } = *self;
        let absent = (column.cells.len() < design.n).then_some(column.zero);
        absent.into_iter().chain(design.cells(column).map(|(_, v)| column.zero + v))
    }
}

/// `out += left X` for some samples, the first of which is `first`, of some columns.
struct PartialProduct<'a> {
    design: &'a Sparse,
    out: &'a mut [f64],
    left: MatRef<'a, f64>,
    columns: &'a [Column],
    /// The first cell of each column in these samples; then the first one beyond them.
    next: &'a mut [usize],
    first: usize,
}

impl WithSimd for PartialProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let (height, mut from) = (self.left.nrows(), 0);
        while from < height {
            let is_wide = height - from >= WIDE * S::F64_LANES;
            from += either!(&*self.design.rows, rows => if is_wide {
                self.add_rows::<S, _, WIDE>(simd, rows, from)
            } else {
                self.add_rows::<S, _, 1>(simd, rows, from)
            });
        }
    }
}

impl PartialProduct<'_> {
    /// Adds the product of the rows of `left` from `from` on that fit into `K` registers. Says how many rows these are.
    #[inline(always)]
    fn add_rows<S: Simd, R: Row, const K: usize>(&mut self, simd: S, rows: &[R], from: usize) -> usize {
        let PartialProduct { design, out, left, columns, next, first } = self;
        let (height, lanes) = (left.nrows(), K * S::F64_LANES);
        let count = lanes.min(height - from);
        // the rows of a sample side by side
        let mut samples = vec![0.0; left.ncols() * lanes];
        for (sample, column) in samples.chunks_mut(lanes).zip(left.col_iter()) {
            sample.iter_mut().zip(column.subrows(from, count).iter()).for_each(|(v, of_left)| *v = *of_left);
        }
        let (samples, _) = S::as_simd_f64s(&samples);
        let mut sum = [simd.splat_f64s(0.0); K];
        for sample in samples.chunks_exact(K) {
            for k in 0..K {
                sum[k] = simd.add_f64s(sum[k], sample[k]);
            }
        }
        for ((out, column), next) in out.chunks_mut(height).zip(*columns).zip(next.iter_mut()) {
            let zero = simd.splat_f64s(column.zero);
            let mut total = sum;
            for total in &mut total {
                *total = simd.mul_f64s(zero, *total);
            }
            let mut at = *next;
            for (i, v) in rows[at..column.cells.end].iter().zip(&design.values[at..column.cells.end]) {
                let place = (i.at() - *first) * K;
                let Some(sample) = samples.get(place..place + K) else { break };
                let v = simd.splat_f64s(*v);
                for k in 0..K {
                    total[k] = simd.add_f64s(total[k], simd.mul_f64s(v, sample[k]));
                }
                at += 1;
            }
            let total: &[f64] = bytemuck::cast_slice(&total);
            out[from..from + count].iter_mut().zip(total).for_each(|(out, v)| *out += v);
            if from + count == height {
                *next = at;
            }
        }
        count
    }
}
