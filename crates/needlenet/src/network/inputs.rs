//! Some columns of a table as the network sees them. If there are few samples, the columns are copied side by side; if there are
//! many, a block of rows is copied at a time. Inputs that are always in come last.

use std::borrow::Cow;
use std::ops::Range;

use crate::table::{AlwaysIn, Design};

/// Up to this many samples go through the network as one block.
pub(crate) const WHOLE: usize = 4096;

#[derive(Debug, Clone)]
pub(crate) struct Inputs<'a> {
    x: Cow<'a, [f64]>,
    n: usize,
    /// The selected columns of `x`; none if all are.
    columns: Option<&'a [usize]>,
    /// The inputs that are always in, if they are stored apart from the others.
    always: Option<&'a AlwaysIn>,
}

impl<'a> Inputs<'a> {
    /// All columns of `x`, which has `n` rows; the inputs that are always in are its last columns.
    pub fn all(x: &'a [f64], n: usize) -> Self {
        Inputs { x: Cow::Borrowed(x), n, columns: None, always: None }
    }

    /// Some columns of a design, and the inputs that are always in.
    pub fn of(design: &'a Design, columns: &'a [usize], always: Option<&'a AlwaysIn>) -> Self {
        let n = design.n();
        match design.side_by_side() {
            Some(x) if n > WHOLE => Inputs { x: Cow::Borrowed(x), n, columns: Some(columns), always },
            _ => {
                let mut gathered = design.gathered(columns);
                always.into_iter().for_each(|always| gathered.extend_from_slice(always.values()));
                Inputs { x: Cow::Owned(gathered), n, columns: None, always: None }
            }
        }
    }

    pub fn n(&self) -> usize {
        self.n
    }

    fn len(&self) -> usize {
        self.columns.map_or(self.x.len() / self.n, <[usize]>::len)
    }

    /// Some rows of every input, column-major; `room` is the buffer for a copy if one is needed.
    pub fn rows<'b>(&'b self, rows: &Range<usize>, room: &'b mut Vec<f64>) -> &'b [f64] {
        if self.columns.is_none() && rows.len() == self.n {
            return &self.x;
        }
        room.clear();
        for at in 0..self.len() {
            let first = self.columns.map_or(at, |columns| columns[at]) * self.n;
            room.extend_from_slice(&self.x[first + rows.start..first + rows.end]);
        }
        let always = self.always.into_iter().flat_map(AlwaysIn::columns);
        always.for_each(|column| room.extend_from_slice(&column[rows.clone()]));
        room
    }
}
