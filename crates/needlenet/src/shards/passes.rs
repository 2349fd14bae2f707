//! The passes of a fit over shards, on the side of the fit.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::Sharded;
use super::task::{Answer, Asked, Form, Task, Told};
use crate::adjust::Adjusted;
use crate::error::{Error, Result};
use crate::local::working_set::JOIN;
use crate::outcome::Loss;
use crate::progress::Observer;
use crate::search::starts::null_residuals;
use crate::settings::Settings;
use crate::table::{Brought, Canonical, Columns, Data, LARGEST, Moments, SampleKeys, Samples};
use crate::threshold::{Null, NullStatistic};

/// A canonical table whose columns are in shards.
pub(crate) struct Stored {
    table: Sharded,
    form: Form,
    columns: Columns,
    /// The score of each canonical column, once the null statistics are known.
    pub scores: Vec<f64>,
    /// The canonical columns that are searched, in the order of the search.
    brought: Vec<usize>,
    /// Number of passes over all columns so far.
    pub passes: usize,
}

impl Stored {
    /// The canonical form without columns: one pass for the moments.
    pub fn new(table: Sharded, settings: &Settings, observer: &dyn Observer) -> Result<(Canonical, Self)> {
        let data = table.about.clone();
        let always = table.raw(data.always_columns(), observer)?;
        let moments = |samples: &Samples, keys: SampleKeys, always: &[usize]| {
            table.moments(samples, keys, always, observer)
        };
        let (canonical, columns) = Canonical::elsewhere(data, always, settings, moments)?;
        let rows = canonical.rows.iter().map(|&i| table.rows.as_ref().map_or(i, |rows| rows[i])).collect();
        let form = Form { rows, beyond: None };
        let (scores, brought) = (Vec::new(), Vec::new());
        Ok((canonical, Stored { table, form, columns, scores, brought, passes: 1 }))
    }

    /// The unit of a column is its standard deviation given the inputs that are always in.
    pub fn beside(&mut self, adjusted: &Adjusted) {
        self.form.beyond = adjusted.beyond.clone().map(Arc::new);
    }

    /// The columns of the canonical table, wherever they are.
    pub fn p(&self) -> usize {
        self.columns.order.len()
    }

    /// The statistics of the outcome and of every null draw: one pass. It also computes the score of each column.
    pub fn null(
        &mut self,
        loss: &dyn Loss,
        null: Null,
        statistics: &[NullStatistic],
        draws: usize,
        observer: &dyn Observer,
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        let null = Arc::new(null);
        let residuals: Arc<[f64]> = null_residuals(loss).into();
        let task = |columns: Range<usize>| Asked::Null {
            form: self.form.clone(),
            standards: self.columns.standards[columns].to_vec(),
            null: null.clone(),
            statistics: statistics.to_vec(),
            draws,
            residuals: residuals.clone(),
        };
        let mut largest = vec![0.0f64; (1 + draws) * statistics.len()];
        let mut scores = Vec::with_capacity(self.columns.standards.len());
        for told in self.table.ask_all(task, observer)? {
            let Told::Null { largest: of_shard, scores: of_columns } = told else { return Err(mixed_up()) };
            largest.iter_mut().zip(of_shard).for_each(|(largest, v)| *largest = largest.max(v));
            scores.extend(of_columns);
        }
        self.scores = self.columns.order.iter().map(|&j| scores[j]).collect();
        self.passes += 1;
        let drawn = largest.split_off(statistics.len());
        Ok((largest, drawn))
    }

    /// Loads canonical columns into the table that is searched.
    pub fn bring(
        &mut self,
        columns: &[usize],
        canonical: &mut Canonical,
        observer: &dyn Observer,
    ) -> Result<()> {
        let inputs: Vec<usize> = columns.iter().map(|&c| self.columns.order[c]).collect();
        let (values, units) =
            self.table.columns(&inputs, &self.form, |j| self.columns.standards[j], observer)?;
        let units = if self.form.beyond.is_some() { units } else { Vec::new() };
        canonical.take(Brought { inputs, values, units }, &self.columns.standards);
        self.brought.extend_from_slice(columns);
        Ok(())
    }

    /// The canonical columns that are not searched and whose gradient exceeds `lambda`, with its size, largest first: one
    /// pass.
    pub fn violators(
        &mut self,
        deltas: Vec<f64>,
        lambda: f64,
        grouped: bool,
        observer: &dyn Observer,
    ) -> Result<Vec<(usize, f64)>> {
        let mut known: Vec<usize> = self.brought.iter().map(|&c| self.columns.order[c]).collect();
        known.sort_unstable();
        let deltas: Arc<[f64]> = deltas.into();
        let task = |columns: Range<usize>| {
            let of =
                known.partition_point(|j| *j < columns.start)..known.partition_point(|j| *j < columns.end);
            Asked::Violations {
                form: self.form.clone(),
                known: known[of].iter().map(|j| j - columns.start).collect(),
                standards: self.columns.standards[columns].to_vec(),
                deltas: deltas.clone(),
                lambda,
                grouped,
                most: JOIN,
            }
        };
        let mut places = vec![0; self.columns.standards.len()];
        self.columns.order.iter().enumerate().for_each(|(at, &j)| places[j] = at);
        let mut found = Vec::new();
        let starts = self.table.starts();
        for (told, start) in self.table.ask_all(task, observer)?.into_iter().zip(starts) {
            let Told::Violations(of_shard) = told else { return Err(mixed_up()) };
            found.extend(of_shard.into_iter().map(|(j, size)| (places[start + j], size)));
        }
        found.sort_by(|a, b| f64::total_cmp(&b.1, &a.1).then(a.0.cmp(&b.0)));
        self.passes += 1;
        Ok(found)
    }
}

fn mixed_up() -> Error {
    Error::Conflict {
        what: "a shard answered another question than it was asked".into(),
        remedy: "use the same version of needlenet on every machine",
    }
}

impl Sharded {
    /// The first column of each shard.
    fn starts(&self) -> Vec<usize> {
        let mut next = 0;
        let start = |(_, columns): (String, usize)| {
            let start = next;
            next += columns;
            start
        };
        self.shards.shards().into_iter().map(start).collect()
    }

    /// The answers of all shards, each to the task for its columns.
    fn ask_all(&self, task: impl Fn(Range<usize>) -> Asked, observer: &dyn Observer) -> Result<Vec<Told>> {
        let shards = self.shards.shards().into_iter().zip(self.starts()).enumerate();
        let tasks = shards.map(|(at, ((_, count), start))| (at, Task(task(start..start + count)))).collect();
        self.ask(tasks, observer)
    }

    fn ask(&self, tasks: Vec<(usize, Task)>, observer: &dyn Observer) -> Result<Vec<Told>> {
        let expected = tasks.len();
        let answers = self.shards.ask(tasks, observer)?;
        if answers.len() != expected {
            return Err(Error::Shape { what: "answers of shards", found: answers.len(), expected });
        }
        Ok(answers.into_iter().map(|Answer(told)| told).collect())
    }

    fn moments(
        &self,
        samples: &Samples,
        keys: SampleKeys,
        always: &[usize],
        observer: &dyn Observer,
    ) -> Result<Moments> {
        let keys = Arc::new(keys);
        let task = |columns: Range<usize>| Asked::Moments {
            rows: self.rows.clone(),
            weights: samples.weights.clone(),
            keys: keys.clone(),
            always: always.iter().filter(|j| columns.contains(j)).map(|j| j - columns.start).collect(),
        };
        let mut all = Moments::default();
        let answers = self.ask_all(task, observer)?;
        for ((told, (name, count)), start) in answers.into_iter().zip(self.shards.shards()).zip(self.starts())
        {
            let Told::Moments { moments, bad } = told else { return Err(mixed_up()) };
            if let Some((row, column, value)) = bad {
                let (row, column) = (row + 1, self.about.names()[start + column].clone());
                let cell = if value.abs() > LARGEST && value.is_finite() {
                    Error::InputTooLarge { row, column, value }
                } else {
                    Error::InputNotFinite { row, column, value }
                };
                return Err(Error::Shard { shard: name, reason: cell.to_string() });
            }
            if moments.scalings.len() != count {
                let found = moments.scalings.len();
                let reason = format!("{found} columns answered where {count} are expected");
                return Err(Error::Shard { shard: name, reason });
            }
            all.extend(moments);
        }
        Ok(all)
    }

    /// Some inputs in the given form, side by side in that order, and their units.
    fn columns(
        &self,
        inputs: &[usize],
        form: &Form,
        standard: impl Fn(usize) -> Option<crate::table::Standard>,
        observer: &dyn Observer,
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        let (n, starts) = (form.rows.len(), self.starts());
        let mut of_shards: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, j) in inputs.iter().enumerate() {
            of_shards.entry(starts.partition_point(|start| start <= j) - 1).or_default().push(at);
        }
        let task = |(&shard, places): (&usize, &Vec<usize>)| {
            let of = |&at: &usize| (inputs[at] - starts[shard], standard(inputs[at]));
            (shard, Task(Asked::Columns { form: form.clone(), columns: places.iter().map(of).collect() }))
        };
        let (mut values, mut units) = (vec![0.0; inputs.len() * n], vec![1.0; inputs.len()]);
        let answers = self.ask(of_shards.iter().map(task).collect(), observer)?;
        for (told, places) in answers.into_iter().zip(of_shards.values()) {
            let Told::Columns { values: of_shard, units: of_columns } = told else { return Err(mixed_up()) };
            for ((&at, column), unit) in places.iter().zip(of_shard.chunks(n)).zip(of_columns) {
                values[at * n..(at + 1) * n].copy_from_slice(column);
                units[at] = unit;
            }
        }
        Ok((values, units))
    }

    /// The values of some inputs as read.
    fn raw(&self, inputs: &[usize], observer: &dyn Observer) -> Result<Vec<f64>> {
        let every = || (0..self.about.n_samples()).collect();
        let form = Form { rows: self.rows.clone().unwrap_or_else(every), beyond: None };
        Ok(self.columns(inputs, &form, |_| None, observer)?.0)
    }

    /// The table in memory.
    pub(crate) fn gathered(self, observer: &dyn Observer) -> Result<Data> {
        let every: Vec<usize> = (0..self.about.n_features()).collect();
        let values = self.raw(&every, observer)?;
        self.about.with_columns(values)
    }
}
