//! The four calls, on the side of the shard. Columns are read in blocks, and each thread works on its own blocks, so the
//! memory does not depend on the number of columns. Results do not depend on the blocks. Cost of a call: one read of the
//! shard. Tested in `src/tests/shards.rs`.

use std::ops::Range;

use rayon::prelude::*;

use super::Columns;
use super::task::{Answer, Asked, Form, Task, Told};
use crate::adjust::unit_beyond;
use crate::error::{Error, Result};
use crate::fit::in_threads;
use crate::local::working_set::gradient_sizes;
use crate::progress::Observer;
use crate::search::starts::promise;
use crate::table::{Design, LARGEST, Moments, SampleKeys, Samples, Standard};
use crate::threshold::NullPass;

/// Copies of a block in the memory of a thread: as in the file, as read, in canonical form.
const COPIES: usize = 3;
/// Numbers of a block that is worked on column by column: they stay in the cache of a core.
const OF_COLUMNS: usize = 1 << 17;
/// Numbers of a block that is multiplied: enough to share the read of the other factor.
const OF_PRODUCT: usize = 1 << 20;
/// Columns of a block, if the memory allows it: as many as are worked on side by side.
const LEAST_COLUMNS: usize = 16;
/// The part of the memory that null draws may take.
const OF_DRAWS: usize = 4;

/// Answers a task on one shard. `memory` is about the number of bytes it may use; 0 threads means one for each core.
pub fn answer(
    shard: &dyn Columns,
    task: &Task,
    memory: usize,
    threads: usize,
    observer: &dyn Observer,
) -> Result<Answer> {
    in_threads(threads, || answered(shard, task, memory, observer))
}

/// [`answer`] on the current threads.
pub(super) fn answered(
    shard: &dyn Columns,
    task: &Task,
    memory: usize,
    observer: &dyn Observer,
) -> Result<Answer> {
    let desk = Desk { shard, memory, observer };
    let told = match &task.0 {
        Asked::Moments { rows, weights, keys, always } => {
            let samples = Samples { weights: weights.clone(), ..Samples::default() };
            desk.moments(rows.as_deref(), &samples, keys, always)?
        }
        Asked::Null { form, standards, null, statistics, draws, residuals } => {
            let n = form.rows.len();
            let pass = NullPass::new(null, statistics, n, *draws, memory / OF_DRAWS);
            desk.null(form, standards, &pass, residuals)?
        }
        Asked::Columns { form, columns } => desk.columns(form, columns)?,
        Asked::Violations { form, standards, deltas, lambda, grouped, known, most } => {
            let size = |x: &Design| gradient_sizes(x, deltas, *grouped);
            let mut found = desk.above(form, standards, known, *lambda, &size)?;
            found.sort_by(|a, b| f64::total_cmp(&b.1, &a.1).then(a.0.cmp(&b.0)));
            found.truncate(*most);
            Told::Violations(found)
        }
    };
    Ok(Answer(told))
}

struct Desk<'a> {
    shard: &'a dyn Columns,
    memory: usize,
    observer: &'a dyn Observer,
}

/// The running result of a pass for null statistics: the statistics, and the scores of blocks by their first
/// column.
type NullFound = (Vec<f64>, Vec<(usize, Vec<f64>)>);

/// The running result of a pass for moments.
#[derive(Default)]
struct MomentsFound {
    /// Of columns that follow each other, with the first of them.
    pieces: Vec<(usize, Moments)>,
    /// The first cell that cannot be used: its column, row and value.
    bad: Option<(usize, usize, f64)>,
    /// The values of a block as read.
    room: Vec<f64>,
}

impl MomentsFound {
    /// Adds the moments of a block.
    fn add(&mut self, first: usize, moments: Moments) {
        match self.pieces.last_mut() {
            Some((start, before)) if *start + before.scalings.len() == first => before.extend(moments),
            _ => self.pieces.push((first, moments)),
        }
    }

    fn add_bad(&mut self, bad: Option<(usize, usize, f64)>) {
        let both = self.bad.into_iter().chain(bad);
        self.bad = both.min_by_key(|(column, row, _)| (*column, *row));
    }
}

impl Desk<'_> {
    /// Blocks of about `numbers` numbers, of fewer if the memory does not suffice.
    fn blocks(&self, numbers: usize) -> Vec<Range<usize>> {
        let (n, p) = (self.shard.n_samples().max(1), self.shard.n_columns());
        let threads = rayon::current_num_threads();
        let fit = (self.memory / threads / (COPIES * size_of::<f64>() * n)).max(1);
        // small enough that every thread has work on a small shard
        let at_once = (numbers / n).max(LEAST_COLUMNS).min(fit).min(p.div_ceil(threads).max(1));
        (0..p).step_by(at_once).map(|first| first..p.min(first + at_once)).collect()
    }

    fn read_into(&self, columns: Range<usize>, values: &mut Vec<f64>) -> Result<()> {
        if !self.observer.go_on() {
            return Err(Error::Interrupted);
        }
        values.resize(columns.len() * self.shard.n_samples(), 0.0);
        let failed = |reason| Error::Shard { shard: self.shard.name(), reason };
        self.shard.read(columns, values).map_err(failed)
    }

    /// The canonical columns of a block, and their indices.
    fn canonical(
        &self,
        block: &Range<usize>,
        form: &Form,
        standards: &[Option<Standard>],
    ) -> Result<(Vec<usize>, Design)> {
        let (n, of_shard) = (form.rows.len(), self.shard.n_samples());
        let varying: Vec<usize> = block.clone().filter(|j| standards[*j].is_some()).collect();
        let mut values = Vec::with_capacity(varying.len() * n);
        let (mut raw, mut room) = (Vec::new(), vec![0.0; of_shard]);
        // what is read stays in the cache until it is canonical
        let at_once = (OF_COLUMNS / of_shard.max(1)).max(1);
        for first in block.clone().step_by(at_once) {
            let part = first..block.end.min(first + at_once);
            self.read_into(part.clone(), &mut raw)?;
            for (raw, standard) in raw.chunks(of_shard).zip(&standards[part]) {
                let Some(standard) = standard else { continue };
                let start = values.len();
                standard.extend(raw, &form.rows, &mut room, &mut values);
                form.divide(&mut values[start..]);
            }
        }
        Ok((varying, Design::dense(values, n)))
    }

    fn moments(
        &self,
        rows: Option<&[usize]>,
        samples: &Samples,
        keys: &SampleKeys,
        always: &[usize],
    ) -> Result<Told> {
        let of_shard = self.shard.n_samples();
        let n = rows.map_or(of_shard, <[usize]>::len);
        let of_block = |mut found: MomentsFound, block: &Range<usize>| {
            self.read_into(block.clone(), &mut found.room)?;
            let used: Vec<f64>;
            let values = match rows {
                Some(rows) => {
                    let of_rows = |column: &[f64]| rows.iter().map(|&i| column[i]).collect::<Vec<_>>();
                    used = found.room.chunks(of_shard).flat_map(of_rows).collect();
                    &used
                }
                None => &found.room,
            };
            let is_good = |v: &f64| (-LARGEST..=LARGEST).contains(v);
            // no early end, so that the compiler may use vector instructions
            if !values.iter().fold(true, |all, v| all & is_good(v)) {
                let cell =
                    |at: usize| (block.start + at / n, rows.map_or(at % n, |rows| rows[at % n]), values[at]);
                let bad = values.iter().position(|v| !is_good(v)).map(cell);
                found.add_bad(bad);
                return Ok(found);
            }
            let searched = |j: usize| always.binary_search(&(block.start + j)).is_err();
            let moments = Moments::of(values, n, samples, keys, searched);
            found.add(block.start, moments);
            Ok(found)
        };
        let joined = |mut a: MomentsFound, b: MomentsFound| {
            a.pieces.extend(b.pieces);
            a.add_bad(b.bad);
            Ok(a)
        };
        let blocks = self.blocks(OF_COLUMNS);
        let found: Result<MomentsFound> = blocks
            .par_iter()
            .try_fold(MomentsFound::default, of_block)
            .try_reduce(MomentsFound::default, joined);
        let MomentsFound { mut pieces, bad, .. } = found?;
        let mut moments = Moments::default();
        if let Some((column, row, value)) = bad {
            return Ok(Told::Moments { moments, bad: Some((row, column, value)) });
        }
        pieces.sort_by_key(|(first, _)| *first);
        pieces.into_iter().for_each(|(_, piece)| moments.extend(piece));
        Ok(Told::Moments { moments, bad: None })
    }

    fn null(
        &self,
        form: &Form,
        standards: &[Option<Standard>],
        pass: &NullPass,
        residuals: &[f64],
    ) -> Result<Told> {
        let of_block = |mut found: NullFound, block: &Range<usize>| {
            let (varying, x) = self.canonical(block, form, standards)?;
            let mut scores = vec![0.0; block.len()];
            for (&j, score) in varying.iter().zip(x.map(|column| promise(column, residuals))) {
                scores[j - block.start] = score;
            }
            if !varying.is_empty() {
                pass.raise(&x, &mut found.0);
            }
            found.1.push((block.start, scores));
            Ok(found)
        };
        let nothing = || (pass.nothing(), Vec::new());
        let joined = |mut a: NullFound, b: NullFound| {
            a.0.iter_mut().zip(b.0).for_each(|(a, b)| *a = a.max(b));
            a.1.extend(b.1);
            Ok(a)
        };
        let found: Result<NullFound> =
            self.blocks(OF_PRODUCT).par_iter().try_fold(nothing, of_block).try_reduce(nothing, joined);
        let (largest, mut scores) = found?;
        scores.sort_by_key(|(first, _)| *first);
        Ok(Told::Null { largest, scores: scores.into_iter().flat_map(|(_, scores)| scores).collect() })
    }

    fn columns(&self, form: &Form, columns: &[(usize, Option<Standard>)]) -> Result<Told> {
        let n = form.rows.len();
        let mut values = vec![0.0; columns.len() * n];
        let fill = |(column, (j, standard)): (&mut [f64], &(usize, Option<Standard>))| {
            let mut raw = Vec::new();
            self.read_into(*j..j + 1, &mut raw)?;
            match standard {
                Some(standard) => {
                    let mut canonical = Vec::with_capacity(n);
                    standard.extend(&raw, &form.rows, &mut vec![0.0; raw.len()], &mut canonical);
                    column.copy_from_slice(&canonical);
                    Ok(form.divide(column))
                }
                None => {
                    column.iter_mut().zip(&*form.rows).for_each(|(v, &i)| *v = raw[i]);
                    Ok(1.0)
                }
            }
        };
        let units = values.par_chunks_mut(n).zip(columns).map(fill).collect::<Result<_>>()?;
        Ok(Told::Columns { values, units })
    }

    /// The columns outside `known` whose gradient exceeds a bound.
    fn above(
        &self,
        form: &Form,
        standards: &[Option<Standard>],
        known: &[usize],
        bound: f64,
        size: &(dyn Fn(&Design) -> Vec<f64> + Sync),
    ) -> Result<Vec<(usize, f64)>> {
        let of_block = |block: &Range<usize>| {
            let (varying, x) = self.canonical(block, form, standards)?;
            let sizes = if varying.is_empty() { Vec::new() } else { size(&x) };
            let found = varying.into_iter().zip(sizes);
            Ok(found.filter(|(j, v)| *v > bound && known.binary_search(j).is_err()).collect::<Vec<_>>())
        };
        let blocks = self.blocks(OF_PRODUCT).par_iter().map(of_block).collect::<Result<Vec<_>>>()?;
        Ok(blocks.into_iter().flatten().collect())
    }
}

impl Form {
    /// Divides a canonical column by its unit, and returns the unit.
    fn divide(&self, column: &mut [f64]) -> f64 {
        let Some(beyond) = &self.beyond else { return 1.0 };
        let unit = unit_beyond(beyond, column);
        column.iter_mut().for_each(|v| *v /= unit);
        unit
    }
}
