//! Cells as they come from a file, put together column by column.
//!
//! A file gives rows (text, C-order arrays) or columns (batches, Fortran arrays) and seldom says how many
//! there are before its end. Cells are kept in blocks of a few megabytes, and each is freed as soon as it is
//! copied to its place. Cost: O(n p), each cell copied once. Tested in `tests/text_tables.rs` and
//! `tests/binary_tables.rs`.

/// The cells aimed at in one block: 4 MB.
const BLOCK_CELLS: usize = 1 << 19;

/// The rows copied together, so that what they touch stays in the nearest cache.
const TILE: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Rows,
    Columns,
}

#[derive(Debug)]
struct Block {
    first_row: usize,
    n_rows: usize,
    first_column: usize,
    n_columns: usize,
    order: Order,
    data: Vec<f64>,
}

/// The cells of `n_columns` inputs. Rows are pushed one by one, or whole columns of a span of rows.
#[derive(Debug)]
pub(crate) struct Blocks {
    n_columns: usize,
    n_rows: usize,
    full: Vec<Block>,
    open: Vec<f64>,
}

impl Blocks {
    pub(crate) fn new(n_columns: usize) -> Self {
        Self { n_columns, n_rows: 0, full: Vec::new(), open: Vec::new() }
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The rows that make one block.
    pub(crate) fn rows_per_block(n_columns: usize) -> usize {
        (BLOCK_CELLS / n_columns.max(1)).max(1)
    }

    /// The cells of the next row, missing until they are set.
    pub(crate) fn next_row(&mut self) -> &mut [f64] {
        let rows = Self::rows_per_block(self.n_columns);
        if !self.open.is_empty() && self.open.len() >= rows * self.n_columns {
            self.close();
        }
        if self.open.is_empty() {
            // a short table must not pay for a whole block
            self.open.reserve(self.n_columns * rows.min(TILE));
        }
        let start = self.open.len();
        self.open.resize(start + self.n_columns, f64::NAN);
        self.n_rows += 1;
        &mut self.open[start..]
    }

    /// `n_rows` further rows, given column by column.
    pub(crate) fn push_columns(&mut self, n_rows: usize, data: Vec<f64>) {
        let n_columns = self.n_columns;
        self.full.push(Block {
            first_row: self.n_rows,
            n_rows,
            first_column: 0,
            n_columns,
            order: Order::Columns,
            data,
        });
        self.n_rows += n_rows;
    }

    /// One whole column; all must have the same number of rows.
    pub(crate) fn push_column(&mut self, column: usize, data: Vec<f64>) {
        let n_rows = data.len();
        let order = Order::Columns;
        self.full.push(Block { first_row: 0, n_rows, first_column: column, n_columns: 1, order, data });
        self.n_rows = n_rows;
    }

    fn close(&mut self) {
        let data = std::mem::take(&mut self.open);
        let n_rows = data.len() / self.n_columns.max(1);
        let n_columns = self.n_columns;
        let first_row = self.n_rows - n_rows;
        self.full.push(Block { first_row, n_rows, first_column: 0, n_columns, order: Order::Rows, data });
    }

    /// All cells, column-major.
    pub(crate) fn into_columns(mut self) -> Vec<f64> {
        if !self.open.is_empty() {
            self.close();
        }
        let whole = |block: &Block| block.order == Order::Columns && block.n_columns == self.n_columns;
        if self.full.len() == 1 && whole(&self.full[0]) {
            return self.full.pop().map(|block| block.data).unwrap_or_default();
        }
        let mut values = vec![0.0; self.n_rows * self.n_columns];
        for block in self.full {
            block.copy_to(&mut values, self.n_rows);
        }
        values
    }
}

impl Block {
    fn copy_to(self, values: &mut [f64], n: usize) {
        match self.order {
            Order::Columns => {
                for (column, cells) in self.data.chunks_exact(self.n_rows.max(1)).enumerate() {
                    let start = (self.first_column + column) * n + self.first_row;
                    values[start..start + self.n_rows].copy_from_slice(cells);
                }
            }
            Order::Rows => {
                for (tile, rows) in self.data.chunks((TILE * self.n_columns).max(1)).enumerate() {
                    let height = rows.len() / self.n_columns;
                    for column in 0..self.n_columns {
                        let start = column * n + self.first_row + tile * TILE;
                        let cells = rows[column..].iter().step_by(self.n_columns);
                        for (place, &cell) in values[start..start + height].iter_mut().zip(cells) {
                            *place = cell;
                        }
                    }
                }
            }
        }
    }
}
