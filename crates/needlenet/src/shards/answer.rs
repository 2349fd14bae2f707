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
/// The largest number of columns of a block: more gain nothing.
const MOST_COLUMNS: usize = 1024;
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

impl Desk<'_> {
    fn blocks(&self) -> Vec<Range<usize>> {
        let p = self.shard.n_columns();
        let of_column = COPIES * size_of::<f64>() * self.shard.n_samples().max(1);
        let threads = rayon::current_num_threads();
        let at_once = (self.memory / threads / of_column).clamp(1, MOST_COLUMNS);
        // small enough that every thread has work on a small shard
        let at_once = at_once.min(p.div_ceil(threads).max(1));
        (0..p).step_by(at_once).map(|first| first..p.min(first + at_once)).collect()
    }

    fn read(&self, columns: Range<usize>) -> Result<Vec<f64>> {
        if !self.observer.go_on() {
            return Err(Error::Interrupted);
        }
        let mut values = vec![0.0; columns.len() * self.shard.n_samples()];
        let failed = |reason| Error::Shard { shard: self.shard.name(), reason };
        self.shard.read(columns, &mut values).map_err(failed)?;
        Ok(values)
    }

    /// The canonical columns of a block, and their indices.
    fn canonical(
        &self,
        block: &Range<usize>,
        form: &Form,
        standards: &[Option<Standard>],
    ) -> Result<(Vec<usize>, Design)> {
        let (n, of_shard) = (form.rows.len(), self.shard.n_samples());
        let raw = self.read(block.clone())?;
        let varying: Vec<usize> = block.clone().filter(|j| standards[*j].is_some()).collect();
        let mut values = vec![0.0; varying.len() * n];
        for (column, &j) in values.chunks_mut(n).zip(&varying) {
            let from = (j - block.start) * of_shard;
            if let Some(standard) = &standards[j] {
                standard.fill(&raw[from..from + of_shard], &form.rows, column);
                form.divide(column);
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
        let n = self.shard.n_samples();
        let of_block = |block: &Range<usize>| {
            let mut values = self.read(block.clone())?;
            if let Some(rows) = rows {
                values = values.chunks(n).flat_map(|column| rows.iter().map(|&i| column[i])).collect();
            }
            let n = rows.map_or(n, <[usize]>::len);
            let bad = values.iter().position(|v| !(-LARGEST..=LARGEST).contains(v));
            let bad =
                bad.map(|at| (rows.map_or(at % n, |rows| rows[at % n]), block.start + at / n, values[at]));
            if bad.is_some() {
                return Ok((block.start, Moments::default(), bad));
            }
            let searched = |j: usize| always.binary_search(&(block.start + j)).is_err();
            Ok((block.start, Moments::of(&values, n, samples, keys, searched), None))
        };
        let mut blocks = self.blocks().par_iter().map(of_block).collect::<Result<Vec<_>>>()?;
        blocks.sort_by_key(|(first, ..)| *first);
        if let Some(bad) = blocks.iter().find_map(|(_, _, bad)| *bad) {
            return Ok(Told::Moments { moments: Moments::default(), bad: Some(bad) });
        }
        let mut moments = Moments::default();
        blocks.into_iter().for_each(|(_, block, _)| moments.extend(block));
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
            self.blocks().par_iter().try_fold(nothing, of_block).try_reduce(nothing, joined);
        let (largest, mut scores) = found?;
        scores.sort_by_key(|(first, _)| *first);
        Ok(Told::Null { largest, scores: scores.into_iter().flat_map(|(_, scores)| scores).collect() })
    }

    fn columns(&self, form: &Form, columns: &[(usize, Option<Standard>)]) -> Result<Told> {
        let n = form.rows.len();
        let mut values = vec![0.0; columns.len() * n];
        let fill = |(column, (j, standard)): (&mut [f64], &(usize, Option<Standard>))| {
            let raw = self.read(*j..j + 1)?;
            match standard {
                Some(standard) => {
                    standard.fill(&raw, &form.rows, column);
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
        let blocks = self.blocks().par_iter().map(of_block).collect::<Result<Vec<_>>>()?;
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
