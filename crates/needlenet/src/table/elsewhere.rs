//! The canonical form of a table in shards (`shards/`), from the moments of its columns, without the columns themselves.
//!
//! The order of rows and columns and the signs follow from integer sums, so they equal those of the same table in memory. A
//! column is standardised, reordered and given its sign each time it is read, and equals the column of the table in memory to
//! the bit. Then some columns are loaded, and the table consists of those. Tested in `src/tests/shards.rs`.

use serde::{Deserialize, Serialize};

use super::canonical::{Keyed, canonical_target, first_tiny};
use super::order::order_of;
use super::row_sums::RowSums;
use super::{Canonical, ColumnKeys, Data, Design, Parts, SampleKeys, Samples, Scaling};
use crate::error::{Error, Result};
use crate::settings::Settings;

/// How a column as read becomes a canonical one.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Standard {
    pub scaling: Scaling,
    pub turned: bool,
}

impl Standard {
    /// Adds the canonical column of the values `raw`; `rows` gives the new order of the rows. `room` is as long as `raw`.
    pub fn extend(&self, raw: &[f64], rows: &[usize], room: &mut [f64], canonical: &mut Vec<f64>) {
        self.scaling.standardise(raw, room);
        let sign = if self.turned { -1.0 } else { 1.0 };
        canonical.extend(rows.iter().map(|&i| sign * room[i]));
    }
}

/// Moments of columns: for each column its scaling (none if it is constant) and its keys; for each sample the sums
/// over the standardised columns.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Moments {
    pub scalings: Vec<Option<Scaling>>,
    pub keys: Vec<Option<ColumnKeys>>,
    pub row_sums: Vec<(i128, i128)>,
}

impl Moments {
    /// The moments of some columns of `n` values as read, side by side; `searched` marks those that
    /// are not always in.
    pub fn of(
        values: &[f64],
        n: usize,
        samples: &Samples,
        keys: &SampleKeys,
        searched: impl Fn(usize) -> bool,
    ) -> Self {
        let scalings = Scaling::of_columns(values, n, samples);
        let (mut row_sums, mut room) = (RowSums::new(n), vec![0.0; n]);
        let of_column = |(j, (column, scaling)): (usize, (&[f64], &Option<Scaling>))| {
            let scaling = scaling.filter(|_| searched(j))?;
            scaling.standardise(column, &mut room);
            row_sums.add(&room);
            Some(keys.of_column(&room))
        };
        let keys = values.chunks(n).zip(&scalings).enumerate().map(of_column).collect();
        Moments { scalings, keys, row_sums: row_sums.values() }
    }

    /// Adds the moments of the columns that follow.
    pub fn extend(&mut self, next: Moments) {
        self.scalings.extend(next.scalings);
        self.keys.extend(next.keys);
        if self.row_sums.is_empty() {
            self.row_sums = next.row_sums;
            return;
        }
        for (sum, more) in self.row_sums.iter_mut().zip(next.row_sums) {
            *sum = (sum.0 + more.0, sum.1 + more.1);
        }
    }
}

/// The columns of a canonical table that stay in the shards.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    /// For each canonical column the index of the input.
    pub order: Vec<usize>,
    /// How each input becomes canonical; none if it is constant or always in.
    pub standards: Vec<Option<Standard>>,
}

/// Some columns of a canonical table, while they are loaded.
#[derive(Debug, Clone, Default)]
pub(crate) struct Brought {
    pub inputs: Vec<usize>,
    pub values: Vec<f64>,
    pub units: Vec<f64>,
}

impl Canonical {
    /// The canonical form without columns. `always` are the values of the columns that are always in; `moments` computes
    /// those of all columns.
    pub fn elsewhere(
        data: Data,
        always_values: Vec<f64>,
        settings: &Settings,
        moments: impl FnOnce(&Samples, SampleKeys, &[usize]) -> Result<Moments>,
    ) -> Result<(Self, Columns)> {
        let Parts { x, names, outcome, mut samples, always, groups } = data.into_parts();
        let n = outcome.len();
        let classes = outcome.classes().to_vec();
        let plain = samples.clone();
        let taken = always.taken_elsewhere(always_values, &names, &mut samples)?;
        let Keyed { target, rows: row_keys, columns: keys, strata } =
            canonical_target(outcome, &samples, settings.scale_outcome)?;
        let Moments { mut scalings, keys, row_sums } =
            moments(&plain, SampleKeys::new(keys, &plain), always.columns())?;
        if let Some((j, spread)) = first_tiny(&scalings) {
            return Err(Error::VariesTooLittle { column: Some(names[j].clone()), spread });
        }
        let constant_inputs = (0..names.len()).filter(|j| scalings[*j].is_none()).collect();
        always.columns().iter().for_each(|&j| scalings[j] = None);
        let inputs: Vec<usize> = (0..names.len()).filter(|j| scalings[*j].is_some()).collect();
        if inputs.is_empty() {
            return Err(Error::AllInputsConstant);
        }
        let mut canonical = Canonical {
            n,
            x,
            target,
            samples,
            inputs: Vec::new(),
            signs: Vec::new(),
            scalings: Vec::new(),
            rows: (0..n).collect(),
            names,
            groups,
            classes,
            strata,
            constant_inputs,
            always: taken,
            units: Vec::new(),
        };
        canonical.order_rows(&row_keys, row_sums);
        let varying: Vec<ColumnKeys> = keys.iter().flatten().copied().collect();
        let order = order_of(&varying).into_iter().map(|at| inputs[at]).collect();
        let standard = |(scaling, keys): (Option<Scaling>, Option<ColumnKeys>)| {
            Some(Standard { scaling: scaling?, turned: keys?.turned() })
        };
        let standards = scalings.into_iter().zip(keys).map(standard).collect();
        Ok((canonical, Columns { order, standards }))
    }

    /// Adds columns, which must follow those it has.
    pub fn take(&mut self, brought: Brought, standards: &[Option<Standard>]) {
        let of = brought.inputs.iter().filter_map(|&j| standards[j]);
        of.for_each(|Standard { scaling, turned }| {
            self.scalings.push(scaling);
            self.signs.push(if turned { -1.0 } else { 1.0 });
        });
        self.inputs.extend(brought.inputs);
        self.units.extend(brought.units);
        self.x.append(brought.values);
    }

    /// Takes the columns out.
    pub fn hand_over(&mut self) -> All {
        All {
            x: std::mem::replace(&mut self.x, Design::dense(Vec::new(), self.n)),
            inputs: std::mem::take(&mut self.inputs),
            signs: std::mem::take(&mut self.signs),
            scalings: std::mem::take(&mut self.scalings),
            units: std::mem::take(&mut self.units),
        }
    }

    /// Replaces its columns by some of these.
    pub fn have(&mut self, columns: &[usize], of: &All) {
        self.x = of.x.part(columns);
        self.inputs = columns.iter().map(|&j| of.inputs[j]).collect();
        self.signs = columns.iter().map(|&j| of.signs[j]).collect();
        self.scalings = columns.iter().map(|&j| of.scalings[j]).collect();
        self.units = columns.iter().filter_map(|&j| of.units.get(j)).copied().collect();
    }
}

/// All columns of a table of which some are searched.
#[derive(Debug, Clone)]
pub(crate) struct All {
    pub x: Design,
    inputs: Vec<usize>,
    signs: Vec<f64>,
    scalings: Vec<Scaling>,
    units: Vec<f64>,
}
