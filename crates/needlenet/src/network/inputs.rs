//! Some columns of a table, as the network sees them: side by side where the samples are few, left where they are
//! where they are many, and copied a block of rows at a time.

use std::borrow::Cow;
use std::ops::Range;

use crate::table::Design;

/// Up to this many samples go through the network as one block.
pub(crate) const WHOLE: usize = 4096;

#[derive(Debug, Clone)]
pub(crate) struct Inputs<'a> {
    x: Cow<'a, [f64]>,
    n: usize,
    /// The columns of `x` that are meant; none if it is all of them.
    columns: Option<&'a [usize]>,
}

impl<'a> Inputs<'a> {
    /// All columns of `x`, which has `n` rows.
    pub fn all(x: &'a [f64], n: usize) -> Self {
        Inputs { x: Cow::Borrowed(x), n, columns: None }
    }

    /// Some columns of a design.
    pub fn of(design: &'a Design, columns: &'a [usize]) -> Self {
        let n = design.n();
        match design.side_by_side() {
            Some(x) if n > WHOLE => Inputs { x: Cow::Borrowed(x), n, columns: Some(columns) },
            _ => Inputs { x: Cow::Owned(design.gathered(columns)), n, columns: None },
        }
    }

    pub fn n(&self) -> usize {
        self.n
    }

    fn len(&self) -> usize {
        self.columns.map_or(self.x.len() / self.n, <[usize]>::len)
    }

    /// Some rows of every input, side by side; `room` is where they are copied to if need be.
    pub fn rows<'b>(&'b self, rows: &Range<usize>, room: &'b mut Vec<f64>) -> &'b [f64] {
        if self.columns.is_none() && rows.len() == self.n {
            return &self.x;
        }
        room.clear();
        for at in 0..self.len() {
            let first = self.columns.map_or(at, |columns| columns[at]) * self.n;
            room.extend_from_slice(&self.x[first + rows.start..first + rows.end]);
        }
        room
    }
}
