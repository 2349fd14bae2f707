//! Collects cells column by column, without a second copy of the table.
//!
//! A file stores rows (text, C-order arrays) or columns (batches, Fortran arrays), and rarely tells the
//! number of rows before its end. Rows are cut into spans of neighbouring columns; at the end the spans are
//! transposed one after the other, and each is freed before the next. Cost: O(n p), each cell is copied at
//! most twice. Memory: the table and one span. Tested in `tests/text_tables.rs` and `tests/binary_tables.rs`.

/// The number of spans of a table: one span is the extra memory beside the table.
pub(crate) const SPANS: usize = 32;

/// Number of rows copied together, so that they stay in the nearest cache.
const TILE: usize = 64;

/// From this many cells (32 MB) on, the allocator requests memory from the system and returns it. Pages that are not
/// written take no memory. For smaller tables it makes no difference.
const ROOM: usize = 1 << 22;
const WIDE: usize = 1000;

/// The columns of one span.
pub(crate) fn span_width(n_columns: usize) -> usize {
    n_columns.div_ceil(SPANS).max(1)
}

/// A table that is read row by row.
#[derive(Debug)]
pub(crate) struct Rows {
    n_rows: usize,
    row: Vec<f64>,
    /// The cells of each span, row-major.
    spans: Vec<Vec<f64>>,
}

impl Rows {
    pub(crate) fn new(n_columns: usize) -> Self {
        let spans = n_columns.div_ceil(span_width(n_columns));
        let room = if n_columns > WIDE { ROOM } else { 0 };
        let spans = (0..spans).map(|_| Vec::with_capacity(room)).collect();
        Self { n_rows: 0, row: vec![f64::NAN; n_columns], spans }
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Adds the next row; its cells are missing until `fill` sets them.
    pub(crate) fn push<E>(&mut self, fill: impl FnOnce(&mut [f64]) -> Result<(), E>) -> Result<(), E> {
        self.row.fill(f64::NAN);
        fill(&mut self.row)?;
        for (span, cells) in self.spans.iter_mut().zip(self.row.chunks(span_width(self.row.len()))) {
            span.extend_from_slice(cells);
        }
        self.n_rows += 1;
        Ok(())
    }

    /// All cells, column-major.
    pub(crate) fn into_columns(self) -> Vec<f64> {
        let n = self.n_rows;
        // pages that are not written yet take no memory
        let mut values = Vec::with_capacity(n * self.row.len());
        for span in self.spans {
            let start = values.len();
            values.resize(start + span.len(), 0.0);
            turn(&span, n, &mut values[start..]);
        }
        values
    }
}

/// Transposes a row-major matrix of `n` rows to column-major.
fn turn(rows: &[f64], n: usize, columns: &mut [f64]) {
    let width = rows.len() / n.max(1);
    if width == 1 {
        return columns.copy_from_slice(rows);
    }
    for (tile, rows) in rows.chunks((TILE * width).max(1)).enumerate() {
        let height = rows.len() / width;
        for column in 0..width {
            let start = column * n + tile * TILE;
            let cells = rows[column..].iter().step_by(width);
            columns[start..start + height].iter_mut().zip(cells).for_each(|(place, &cell)| *place = cell);
        }
    }
}

/// A table that is read column by column.
#[derive(Debug)]
pub(crate) struct Columns {
    n_columns: usize,
    values: Vec<f64>,
}

impl Columns {
    pub(crate) fn new(n_columns: usize) -> Self {
        Self { n_columns, values: Vec::new() }
    }

    /// Sets column number `column`; all must have the same length. Columns that are not set are
    /// missing.
    pub(crate) fn put(&mut self, column: usize, cells: &[f64]) {
        if self.values.is_empty() {
            // growing the table would leave unused memory; but it may grow if there is not enough for the
            // whole
            let _ = self.values.try_reserve_exact(self.n_columns.saturating_mul(cells.len()));
        }
        let end = (column + 1) * cells.len();
        if self.values.len() < end {
            self.values.resize(end, f64::NAN);
        }
        self.values[end - cells.len()..end].copy_from_slice(cells);
    }

    /// All cells, column-major.
    pub(crate) fn into_values(self) -> Vec<f64> {
        self.values
    }
}
