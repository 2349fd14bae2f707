//! Columns side by side.

use std::ops::Range;

use faer::MatRef;
use rayon::prelude::*;

use super::super::row_sums::RowSums;
use super::super::{Samples, Scaling};
use crate::product::{multiply, multiply_add, view, view_mut};

/// Columns that a thread takes at once.
const COLUMNS: usize = 64;

#[derive(Debug, Clone)]
pub(super) struct Dense {
    pub n: usize,
    pub values: Vec<f64>,
}

impl Dense {
    pub fn p(&self) -> usize {
        self.values.len() / self.n
    }

    pub fn column(&self, j: usize) -> &[f64] {
        &self.values[j * self.n..(j + 1) * self.n]
    }

    pub fn multiply(&self, out: &mut [f64], left: MatRef<'_, f64>, columns: Range<usize>) {
        let count = columns.len();
        let x = &self.values[columns.start * self.n..columns.end * self.n];
        multiply(view_mut(out, left.nrows(), count), left, view(x, self.n, count));
    }

    pub fn multiply_add_rows(&self, out: &mut [f64], left: MatRef<'_, f64>, rows: Range<usize>) {
        let x = view(&self.values, self.n, self.p()).subrows(rows.start, rows.len());
        multiply_add(view_mut(out, left.nrows(), self.p()), left, x);
    }

    pub fn of_rows(&self, rows: &[usize]) -> Self {
        let of_column = |column: &[f64]| rows.iter().map(|&i| column[i]).collect::<Vec<_>>();
        Dense { n: rows.len(), values: self.values.chunks(self.n).flat_map(of_column).collect() }
    }

    pub fn find(&self, bad: fn(f64) -> bool) -> Option<(usize, usize, f64)> {
        let at = self.values.iter().position(|v| bad(*v))?;
        Some((at % self.n, at / self.n, self.values[at]))
    }

    pub fn standardise(&mut self, scalings: &[Option<Scaling>]) {
        let columns = self.values.par_chunks_mut(self.n).zip(scalings);
        columns.for_each(|(column, scaling)| {
            let Some(scaling) = scaling else { return };
            column.iter_mut().for_each(|v| *v = scaling.on_grid(*v));
        });
    }

    pub fn row_sums(&self) -> Vec<(i128, i128)> {
        // each thread takes some rows of every column
        let rows = self.n.div_ceil(rayon::current_num_threads());
        let of_rows = |first: usize| {
            let count = rows.min(self.n - first);
            let mut sums = RowSums::new(count);
            self.values.chunks(self.n).for_each(|column| sums.add(&column[first..first + count]));
            sums.values()
        };
        let parts: Vec<usize> = (0..self.n).step_by(rows).collect();
        parts.into_par_iter().flat_map_iter(of_rows).collect()
    }

    pub fn scalings(&self, samples: &Samples) -> Vec<Option<Scaling>> {
        let block = self.n * COLUMNS;
        self.values
            .par_chunks(block)
            .flat_map_iter(|block| Scaling::of_columns(block, self.n, samples))
            .collect()
    }

    pub fn map<T: Send>(&self, of_column: impl Fn(&[f64]) -> T + Send + Sync) -> Vec<T> {
        self.values.par_chunks(self.n).map(of_column).collect()
    }

    pub fn reorder_rows(&mut self, rows: &[usize]) {
        self.values.par_chunks_mut(self.n).for_each_init(
            || vec![0.0; rows.len()],
            |buffer, column| {
                buffer.copy_from_slice(column);
                column.iter_mut().zip(rows).for_each(|(v, &i)| *v = buffer[i]);
            },
        );
    }

    pub fn turn(&mut self, turned: &[bool]) {
        let columns = self.values.par_chunks_mut(self.n).zip(turned).filter(|(_, turned)| **turned);
        columns.for_each(|(column, _)| column.iter_mut().for_each(|v| *v = -*v));
    }

    pub fn divide(&mut self, by: &[f64]) {
        let columns = self.values.par_chunks_mut(self.n).zip(by);
        columns.for_each(|(column, by)| column.iter_mut().for_each(|v| *v /= by));
    }

    /// In place, with one column of extra memory: dropped columns are moved to the end, then cut off.
    pub fn take_columns(&mut self, order: &[usize]) {
        let p = self.p();
        let mut kept = vec![false; p];
        order.iter().for_each(|&j| kept[j] = true);
        let whole: Vec<usize> = order.iter().copied().chain((0..p).filter(|j| !kept[*j])).collect();
        permute_columns(&mut self.values, self.n, &whole);
        self.values.truncate(order.len() * self.n);
    }
}

/// Moves column `order[j]` to place `j`, cycle by cycle, with one column of extra memory.
fn permute_columns(x: &mut [f64], n: usize, order: &[usize]) {
    let mut done = vec![false; order.len()];
    let mut first = vec![0.0; n];
    for start in 0..order.len() {
        if done[start] || order[start] == start {
            continue;
        }
        first.copy_from_slice(&x[start * n..(start + 1) * n]);
        let mut at = start;
        loop {
            done[at] = true;
            let from = order[at];
            if from == start {
                x[at * n..(at + 1) * n].copy_from_slice(&first);
                break;
            }
            x.copy_within(from * n..(from + 1) * n, at * n);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permuting_columns_moves_every_column_to_its_place() {
        let mut x = vec![0.0, 1.0, 2.0, 3.0, 4.0];
        permute_columns(&mut x, 1, &[3, 0, 1, 2, 4]);
        assert_eq!(x, [3.0, 0.0, 1.0, 2.0, 4.0]);
    }

    #[test]
    fn columns_that_are_not_taken_are_dropped() {
        let mut x = Dense { n: 1, values: vec![0.0, 1.0, 2.0, 3.0, 4.0] };
        x.take_columns(&[4, 1, 3]);
        assert_eq!(x.values, [4.0, 1.0, 3.0]);
    }
}
