//! For each sample the sums of the absolute and of the squared values of its inputs, in units of the grid.
//!
//! Integer sums are the same in any order. Values of less than 2^31 widths, which are nearly all, are squared in 64 bits, and the
//! halves of the squares are summed apart; others are added in 128 bits. Tested here and in `tests/units.rs`.

use pulp::{Arch, NullaryFnOnce};

use super::grid::{are_narrow, on_grid, small_on_grid};

/// The sums over columns so far.
#[derive(Debug, Clone, Default)]
pub(super) struct RowSums {
    absolute: Vec<u64>,
    /// Of the last 32 bits of the squares, and of the bits above them.
    low: Vec<u64>,
    high: Vec<u64>,
    /// Of larger values; empty if there are none.
    wide: Vec<(i128, i128)>,
}

impl RowSums {
    pub fn new(n: usize) -> Self {
        RowSums { absolute: vec![0; n], low: vec![0; n], high: vec![0; n], wide: Vec::new() }
    }

    /// Adds a standardised column.
    pub fn add(&mut self, column: &[f64]) {
        if are_narrow(column) {
            return Arch::new().dispatch(Add { sums: self, column });
        }
        self.wide.resize(column.len(), (0, 0));
        for (sum, v) in self.wide.iter_mut().zip(column) {
            let q = i128::from(on_grid(*v));
            *sum = (sum.0 + q.abs(), sum.1 + q * q);
        }
    }

    pub fn values(self) -> Vec<(i128, i128)> {
        let parts = self.absolute.iter().zip(&self.low).zip(&self.high);
        let whole =
            parts.map(|((a, low), high)| (i128::from(*a), (i128::from(*high) << 32) + i128::from(*low)));
        let mut sums: Vec<(i128, i128)> = whole.collect();
        sums.iter_mut().zip(&self.wide).for_each(|(sum, more)| *sum = (sum.0 + more.0, sum.1 + more.1));
        sums
    }
}

/// [`RowSums::add`] with the vector instructions of the processor.
struct Add<'a> {
    sums: &'a mut RowSums,
    column: &'a [f64],
}

impl NullaryFnOnce for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        const LOW: u64 = 0xffff_ffff;
        let RowSums { absolute, low, high, .. } = self.sums;
        for (((v, absolute), low), high) in self.column.iter().zip(absolute).zip(low).zip(high) {
            // the mask says that the product is one of 32 bits, for which there is a vector instruction
            let q = small_on_grid(v.abs()).cast_unsigned() & LOW;
            let square = q * q;
            *absolute += q;
            *low += square & LOW;
            *high += square >> 32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::grid::GRID;
    use super::*;

    #[test]
    fn sums_of_halves_are_those_of_whole_squares() {
        let largest = ((1u64 << 31) - 1) as f64 / GRID;
        let columns =
            [vec![largest, -largest, 0.0, 1.0 / GRID], vec![-largest, 3.0, 40.0, -5000.0], vec![largest; 4]];
        let mut sums = RowSums::new(4);
        columns.iter().for_each(|column| sums.add(column));
        let exactly = |i: usize| {
            columns
                .iter()
                .map(|column| i128::from(on_grid(column[i])))
                .fold((0, 0), |s, q| (s.0 + q.abs(), s.1 + q * q))
        };
        assert_eq!(sums.values(), [0, 1, 2, 3].map(exactly));
    }
}
