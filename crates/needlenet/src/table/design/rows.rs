//! The rows of sparse cells: 2 bytes each in tables of at most 65,536 samples, 4 bytes in others.
//!
//! A table of 20 million cells takes 200 MB with 2 bytes and 240 MB with 4. Tested in `src/tests/designs.rs`: results do not
//! depend on the width.

use std::ops::Range;

/// The row of each cell.
#[derive(Debug, Clone)]
pub(super) enum Rows {
    Short(Vec<u16>),
    Long(Vec<u32>),
}

/// Calls the same code for either width.
macro_rules! either {
    ($rows:expr, $of:ident => $call:expr) => {
        match $rows {
            Rows::Short($of) => $call,
            Rows::Long($of) => $call,
        }
    };
}
pub(super) use either;

/// The number of a row, in either width.
pub(super) trait Row: Copy + Ord {
    fn at(self) -> usize;
    fn of(row: u32) -> Self;
}

impl Row for u16 {
    fn at(self) -> usize {
        self.into()
    }
    fn of(row: u32) -> Self {
        row as u16
    }
}

impl Row for u32 {
    fn at(self) -> usize {
        self as usize
    }
    fn of(row: u32) -> Self {
        row
    }
}

impl Rows {
    /// Rows below `n`.
    pub fn new(rows: Vec<u32>, n: usize) -> Self {
        if n > 1 << 16 {
            return Rows::Long(rows);
        }
        Rows::Short(rows.iter().map(|row| u16::of(*row)).collect())
    }

    /// Room for `count` rows below `n`.
    pub fn with_capacity(count: usize, n: usize) -> Self {
        if n > 1 << 16 {
            Rows::Long(Vec::with_capacity(count))
        } else {
            Rows::Short(Vec::with_capacity(count))
        }
    }

    pub fn len(&self) -> usize {
        either!(self, rows => rows.len())
    }

    pub fn push(&mut self, row: u32) {
        either!(self, rows => rows.push(Row::of(row)))
    }

    pub fn get(&self, at: usize) -> usize {
        either!(self, rows => rows[at].at())
    }

    /// The first of some cells, sorted by row, whose row is at least `row`.
    pub fn first_from(&self, cells: Range<usize>, row: usize) -> usize {
        cells.start + either!(self, rows => rows[cells].partition_point(|i| i.at() < row))
    }

    /// Replaces row `i` by `places[i]`, and sorts the cells of each column by row.
    pub fn replace<'a>(
        &mut self,
        places: &[u32],
        values: &mut [f64],
        columns: impl Iterator<Item = &'a Range<usize>>,
    ) {
        either!(self, rows => {
            rows.iter_mut().for_each(|i| *i = Row::of(places[i.at()]));
            columns.for_each(|cells| sort_cells(&mut rows[cells.clone()], &mut values[cells.clone()]));
        });
    }
}

/// Sorts the cells of a column by row.
pub(super) fn sort_cells<R: Row>(rows: &mut [R], values: &mut [f64]) {
    if rows.windows(2).all(|pair| pair[0] <= pair[1]) {
        return;
    }
    let mut cells: Vec<(R, f64)> = rows.iter().copied().zip(values.iter().copied()).collect();
    cells.sort_unstable_by_key(|(i, _)| *i);
    for ((row, value), cell) in rows.iter_mut().zip(values).zip(cells) {
        (*row, *value) = cell;
    }
}
