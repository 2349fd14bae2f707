//! The pieces that the answer is made of: a test for each hypothesis, and a search for each half of the samples.
//!
//! Each piece depends on the table, the model and the options only. So it may be done in any order, on any machine, and the answer
//! is the same, bit for bit. Tested in `tests/sure_resume.rs`.

use super::conditional::Table;
use super::copies::{Copy, near_copies};
use super::halves;
use super::haystack::Haystack;
use super::options::SureOptions;
use super::steps::{Finished, HalfEnd, TestEnd};
use crate::error::Result;
use crate::model::Model;
use crate::progress::Observer;
use crate::table::Data;

/// A piece of work.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Piece {
    /// The test of some columns, without those that are dropped.
    Test { dropped: Vec<usize>, columns: Vec<usize> },
    /// The search of a half of the samples.
    Half(usize),
}

impl Finished {
    pub(super) fn piece(&self) -> Piece {
        match self {
            Finished::Test(end) => Piece::Test { dropped: end.dropped.clone(), columns: end.columns.clone() },
            Finished::Half(end) => Piece::Half(end.half),
        }
    }
}

/// All pieces of an answer.
pub(super) struct Work<'a> {
    pub table: Table<'a>,
    /// The input of each needle, as a position in the haystack.
    pub of_needle: Vec<usize>,
    /// The inputs that are tested, each once, ascending.
    pub inputs: Vec<usize>,
    /// The near copies of each.
    pub copies: Vec<Vec<Copy>>,
    /// The rows of the halves: those of a pair stand one after the other.
    pub halves: Vec<Vec<usize>>,
    /// For each input its test and, if it has near copies, the test with these; then the halves.
    pub pieces: Vec<Piece>,
}

impl<'a> Work<'a> {
    pub fn of(
        data: &'a Data,
        haystack: &'a Haystack,
        model: &'a Model,
        options: &SureOptions,
    ) -> Result<Self> {
        let table = Table { data, haystack, settings: &model.settings };
        let of_needle: Vec<usize> =
            model.needles.iter().map(|needle| haystack.input_of(needle.index)).collect();
        let mut inputs = of_needle.clone();
        inputs.sort_unstable();
        inputs.dedup();
        let copies = near_copies(data, haystack, &inputs, options.near_copy);
        let halves = match options.pairs {
            0 => Vec::new(),
            pairs => halves::split(data, &model.settings, pairs)?,
        };
        let mut pieces = Vec::new();
        for (&input, copies) in inputs.iter().zip(&copies) {
            let own = &haystack.inputs[input].columns;
            let columns = haystack.telling(input, data);
            let dropped = haystack.whole(own.iter().copied());
            pieces.push(Piece::Test { dropped, columns: columns.clone() });
            if !copies.is_empty() {
                let dropped = haystack.whole(copies.iter().map(|copy| copy.index).chain(own.iter().copied()));
                pieces.push(Piece::Test { dropped, columns });
            }
        }
        pieces.extend((0..halves.len()).map(Piece::Half));
        Ok(Work { table, of_needle, inputs, copies, halves, pieces })
    }

    /// Does a piece.
    pub fn done(&self, piece: &Piece, observer: &dyn Observer) -> Result<Finished> {
        match piece {
            Piece::Test { dropped, columns } => {
                Ok(Finished::Test(Box::new(self.table.tested(dropped, columns, observer)?)))
            }
            Piece::Half(half) => {
                let (found, converged) = halves::search(&self.table, &self.halves[*half], observer)?;
                Ok(Finished::Half(HalfEnd { half: *half, found, converged }))
            }
        }
    }

    /// The tests of each input, alone and with its near copies, and the halves, from the ends of all pieces in their order.
    pub fn sorted(&self, ends: Vec<Finished>) -> (Vec<(TestEnd, Option<TestEnd>)>, Vec<HalfEnd>) {
        let (mut tests, mut halves) = (Vec::new(), Vec::new());
        for end in ends {
            match end {
                Finished::Test(end) => tests.push(*end),
                Finished::Half(end) => halves.push(end),
            }
        }
        let mut tests = tests.into_iter();
        let mut of_inputs = Vec::with_capacity(self.inputs.len());
        for copies in &self.copies {
            let Some(alone) = tests.next() else { break };
            let together = if copies.is_empty() { None } else { tests.next() };
            of_inputs.push((alone, together));
        }
        (of_inputs, halves)
    }
}
