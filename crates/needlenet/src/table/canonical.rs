//! The canonical form of a table, which is the input of the solver.
//!
//! Each input is centred and scaled to l2 norm `sqrt(n)`, a numerical outcome to mean 0 and standard deviation 1. Both are
//! rounded to a grid of `2^-26`. An outcome that keeps its unit is centred only, and its grid is `2^-26` times the power of two
//! nearest to its standard deviation. Then the order of rows and columns and the signs of columns are chosen from the values
//! only, by integer sums, which do not depend on the order of summation. So two tables that differ in units (unless the unit is
//! kept), shifts, or the order of rows and columns become the same numbers, and their fits are equal bit for bit. Without this,
//! a difference in the last digit could lead to another local minimum.
//!
//! Cost: O(n p), in place. Tested in `tests/units.rs`.

use super::grid::{GRID, on_grid, round_to_grid};
use super::order::{SampleKeys, order_of};
use super::{AlwaysIn, Data, Design, Group, LARGEST, Outcome, Parts, Samples, Scaling, TieGroup, groups};
use crate::error::{Error, Result};
use crate::outcome::{Counts, Loss, Survival, Ties};
use crate::settings::Settings;

/// Outside the range from this to its inverse, squares of an outcome that keeps its unit could overflow
/// or underflow.
const LEAST_SPREAD: f64 = 1e-100;

/// The outcome as the solver sees it.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// Mean 0 and standard deviation `spread`, which is 1 unless the outcome keeps its unit, with the scaling back to the
    /// user's units.
    Numbers {
        y: Vec<f64>,
        scaling: Scaling,
        spread: f64,
    },
    /// Class indices.
    Classes {
        labels: Vec<usize>,
        n_classes: usize,
    },
    Counts {
        counts: Vec<f64>,
    },
    /// The rows are in the order that `outcome/survival.rs` needs.
    Survival {
        groups: Vec<TieGroup>,
        events: Vec<bool>,
    },
}

impl Target {
    /// In another order of the rows.
    fn reordered(self, rows: &[usize]) -> Self {
        fn taken<T: Copy>(values: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|&i| values[i]).collect()
        }
        match self {
            Target::Numbers { y, scaling, spread } => Target::Numbers { y: taken(&y, rows), scaling, spread },
            Target::Classes { labels, n_classes } => {
                Target::Classes { labels: taken(&labels, rows), n_classes }
            }
            Target::Counts { counts } => Target::Counts { counts: taken(&counts, rows) },
            // its rows are already in this order
            survival @ Target::Survival { .. } => survival,
        }
    }
}

/// A table in canonical form.
#[derive(Debug, Clone)]
pub(crate) struct Canonical {
    pub n: usize,
    /// Without constant columns.
    pub x: Design,
    pub target: Target,
    pub samples: Samples,
    /// For each canonical column the index of the input.
    pub inputs: Vec<usize>,
    /// For each canonical column `-1` if its sign was changed, else `1`.
    pub signs: Vec<f64>,
    /// For each canonical column its scaling.
    pub scalings: Vec<Scaling>,
    /// For each canonical row the row of the table.
    pub rows: Vec<usize>,
    pub names: Vec<String>,
    pub groups: Vec<Group>,
    pub classes: Vec<String>,
    /// The names of the strata of survival.
    pub strata: Vec<String>,
    /// Inputs that do not vary and can never be selected.
    pub constant_inputs: Vec<usize>,
    /// The inputs that are always in, whose values are in `samples`, and their scalings.
    pub always: Vec<(usize, Scaling)>,
    /// The unit of each canonical column, in its standard deviations; none if it is 1.
    pub(super) units: Vec<f64>,
}

impl Canonical {
    /// The canonical form for a fit with some settings.
    pub fn new(data: Data, settings: &Settings) -> Result<Self> {
        let Parts { mut x, names, groups, outcome, mut samples, always } = data.into_parts();
        let n = outcome.len();
        let classes = outcome.classes().to_vec();

        let mut scaled = x.scalings(&samples);
        if let Some((j, spread)) = first_tiny(&scaled) {
            return Err(Error::VariesTooLittle { column: Some(names[j].clone()), spread });
        }
        let is_constant = |j: &usize| scaled[*j].is_none() && !always.takes(*j);
        let constant_inputs: Vec<usize> = (0..names.len()).filter(is_constant).collect();
        let always = always.taken(&x, &names, &mut scaled, &mut samples)?;
        let varying: Vec<bool> = scaled.iter().map(Option::is_some).collect();
        x.standardise(&mut scaled, groups::weights(&groups, &varying, settings.alpha));
        let inputs: Vec<usize> = (0..names.len()).filter(|j| scaled[*j].is_some()).collect();
        if inputs.is_empty() {
            return Err(without_variation(&x, &names));
        }
        if inputs.len() < names.len() {
            x.take_columns(&inputs);
        }
        let scalings = scaled.into_iter().flatten().collect();

        let Keyed { target, rows: row_keys, columns: keys, strata } =
            canonical_target(outcome, &samples, settings.scale_outcome)?;
        let mut canonical = Canonical {
            n,
            x,
            target,
            samples,
            signs: vec![1.0; inputs.len()],
            inputs,
            scalings,
            rows: (0..n).collect(),
            names,
            groups,
            classes,
            strata,
            constant_inputs,
            always,
            units: Vec::new(),
        };
        let sums = canonical.x.row_sums();
        canonical.order_rows(&row_keys, sums);
        canonical.order_columns(&keys);
        Ok(canonical)
    }

    pub fn p(&self) -> usize {
        self.inputs.len()
    }

    /// The unit of a canonical column, in its standard deviations.
    pub fn unit(&self, column: usize) -> f64 {
        self.units.get(column).copied().unwrap_or(1.0)
    }

    /// Gives every column the unit `of(column)`.
    pub fn take_units(&mut self, of: impl Fn(&[f64]) -> f64 + Send + Sync) {
        self.units = self.x.map(of);
        self.x.divide(&self.units);
    }

    /// Some columns in units of their standard deviations, side by side.
    pub fn in_standard_units(&self, columns: &[usize]) -> Vec<f64> {
        let mut values = self.x.gathered(columns);
        for (values, &column) in values.chunks_mut(self.n).zip(columns) {
            values.iter_mut().for_each(|v| *v *= self.unit(column));
        }
        values
    }

    /// The input of several columns that a column of the table belongs to.
    pub fn group_of(&self, column: usize) -> Option<&Group> {
        self.groups.iter().find(|group| group.columns.contains(&column))
    }

    /// Sorts the samples by outcome, then by sums over their inputs that ignore order and sign.
    pub(super) fn order_rows(&mut self, keys: &[i64], mut sums: Vec<(i128, i128)>) {
        for column in self.samples.always.iter().flat_map(AlwaysIn::columns) {
            for (sum, v) in sums.iter_mut().zip(column) {
                let q = i128::from(on_grid(*v));
                sum.0 += q.abs();
                sum.1 += q * q;
            }
        }
        let of_sample = |i: usize| (self.samples.weight(i).to_bits(), self.samples.offset(i).to_bits());
        self.rows.sort_by_key(|&i| (keys[i], sums[i], of_sample(i)));
        self.x.reorder_rows(&self.rows);
        self.samples = self.samples.of_rows(&self.rows);
        let target = std::mem::replace(&mut self.target, Target::Counts { counts: Vec::new() });
        self.target = target.reordered(&self.rows);
    }

    /// Gives each column a positive correlation with the outcome and sorts the columns by it,
    /// largest first.
    fn order_columns(&mut self, keys: &[i64]) {
        let keys = self.rows.iter().map(|&i| keys[i]).collect();
        let samples = SampleKeys::new(keys, &self.samples);
        let keys = self.x.keys(&samples);
        let turned: Vec<bool> = keys.iter().map(|keys| keys.turned()).collect();
        self.x.turn(&turned);
        let order = order_of(&keys);
        self.x.take_columns(&order);
        self.signs = order.iter().map(|&j| if turned[j] { -1.0 } else { 1.0 }).collect();
        self.inputs = order.iter().map(|&j| self.inputs[j]).collect();
        self.scalings = order.iter().map(|&j| self.scalings[j]).collect();
    }
}

/// The first column whose spread is so small that its inverse overflows.
pub(super) fn first_tiny(scaled: &[Option<Scaling>]) -> Option<(usize, f64)> {
    let mut spreads = scaled.iter().enumerate().filter_map(|(j, scaling)| Some((j, scaling.as_ref()?.scale)));
    spreads.find(|(_, spread)| *spread < 1.0 / LARGEST)
}

/// Why no column varies: each has one value, or the variation is lost to rounding.
fn without_variation(x: &Design, names: &[String]) -> Error {
    for (j, name) in names.iter().enumerate() {
        let column = x.column(j);
        let (low, high) =
            column.iter().fold((column[0], column[0]), |(low, high), v| (v.min(low), v.max(high)));
        if low < high {
            return Error::LostToRounding { column: name.clone(), range: high - low, around: column[0] };
        }
    }
    Error::AllInputsConstant
}

/// The outcome in canonical form, and two integers for each sample, to sort rows and columns by.
pub(super) struct Keyed {
    pub target: Target,
    pub rows: Vec<i64>,
    pub columns: Vec<i64>,
    pub strata: Vec<String>,
}

impl Keyed {
    fn new(target: Target, keys: Vec<i64>) -> Self {
        Keyed { target, rows: keys.clone(), columns: keys, strata: Vec::new() }
    }
}

pub(super) fn canonical_target(outcome: Outcome, samples: &Samples, scale_outcome: bool) -> Result<Keyed> {
    match outcome {
        Outcome::Regression(mut y) => {
            y.iter_mut().enumerate().for_each(|(i, y)| *y -= samples.offset(i));
            canonical_numbers(y, samples, scale_outcome)
        }
        Outcome::Classification { labels, classes } => {
            let keys = labels.iter().map(|l| *l as i64).collect();
            Ok(Keyed::new(Target::Classes { labels, n_classes: classes.len() }, keys))
        }
        Outcome::Counts(counts) => {
            let residuals = Counts::new(counts.clone(), samples.clone()).null().residuals();
            let rows = counts.iter().map(|v| *v as i64).collect();
            let columns = residuals.iter().map(|r| round_to_grid(*r) as i64).collect();
            Ok(Keyed { rows, columns, ..Keyed::new(Target::Counts { counts }, Vec::new()) })
        }
        Outcome::Survival { times, events, strata } => canonical_survival(&times, &events, &strata, samples),
    }
}

fn canonical_numbers(mut y: Vec<f64>, samples: &Samples, scale_outcome: bool) -> Result<Keyed> {
    let constant = Error::ConstantOutcome { value: y[0] };
    if scale_outcome {
        let scaling = Scaling::of(&y, samples).ok_or(constant)?;
        if scaling.scale < 1.0 / LARGEST {
            return Err(Error::VariesTooLittle { column: None, spread: scaling.scale });
        }
        y.iter_mut().for_each(|v| *v = scaling.on_grid(*v));
        let keys = y.iter().map(|v| on_grid(*v)).collect();
        return Ok(Keyed::new(Target::Numbers { y, scaling, spread: 1.0 }, keys));
    }
    let own = Scaling::of(&y, samples).ok_or(constant)?;
    if !(LEAST_SPREAD..=1.0 / LEAST_SPREAD).contains(&own.scale) {
        return Err(Error::Conflict {
            what: format!("an outcome of standard deviation {:e} cannot keep its unit", own.scale),
            remedy: "scale the outcome, or give it in another unit",
        });
    }
    // a power of two, so that its products are exact
    let unit = Scaling { mean: own.mean, scale: libm::exp2(libm::log2(own.scale).round()) };
    y.iter_mut().for_each(|v| *v = round_to_grid(unit.apply(*v)) / GRID);
    let keys = y.iter().map(|v| on_grid(*v)).collect();
    y.iter_mut().for_each(|v| *v *= unit.scale);
    Ok(Keyed::new(Target::Numbers { y, scaling: Scaling { scale: 1.0, ..own }, spread: own.scale }, keys))
}

/// Sorted by stratum, then by descending time, events last. Rows that tie in this order are sorted by their inputs, so the
/// groups do not change.
fn canonical_survival(times: &[f64], events: &[bool], strata: &[String], samples: &Samples) -> Result<Keyed> {
    let n = times.len();
    // with strata, equal times are matched sets, of which the partial likelihood is that of conditional logistic regression
    if strata.is_empty() && times.iter().all(|time| *time == times[0]) {
        return Err(Error::Conflict {
            what: format!("the time is {} in every row, so no event is earlier than another", times[0]),
            remedy: "choose another column of times, or explain the event as a class",
        });
    }
    let mut names = strata.to_vec();
    names.sort();
    names.dedup();
    let stratum = |i: usize| strata.get(i).map_or(0, |name| names.partition_point(|s| s < name));
    let mut order: Vec<usize> = (0..n).collect();
    let by = |a: usize, b: usize| {
        (stratum(a).cmp(&stratum(b))).then(times[b].total_cmp(&times[a])).then(events[a].cmp(&events[b]))
    };
    order.sort_by(|&a, &b| by(a, b));
    let mut rows = vec![0; n];
    for (place, pair) in order.windows(2).enumerate() {
        let same = by(pair[0], pair[1]).is_eq();
        rows[pair[1]] = if same { rows[pair[0]] } else { place as i64 + 1 };
    }
    fn taken<T>(of: impl Fn(usize) -> T, order: &[usize]) -> Vec<T> {
        order.iter().map(|&i| of(i)).collect()
    }
    let sorted = taken(|i| events[i], &order);
    let groups = TieGroup::all(&taken(|i| times[i], &order), &taken(stratum, &order), &sorted);
    // an event carries no information if all samples at risk have it
    let all_at_risk = |g: &&TieGroup| g.starts_stratum && g.events().len() == g.rows().len();
    let telling: usize = groups.iter().filter(|g| !all_at_risk(g)).map(|g| g.events().len()).sum();
    if telling < 2 {
        return Err(Error::TooFewEvents { events: telling, n_samples: n });
    }
    let survival = Survival::new(groups.clone(), sorted.clone(), samples.of_rows(&order), Ties::default());
    let mut columns = vec![0; n];
    for (r, &i) in survival.null().residuals().iter().zip(&order) {
        columns[i] = round_to_grid(*r) as i64;
    }
    Ok(Keyed { target: Target::Survival { groups, events: sorted }, rows, columns, strata: names })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_mean_zero_and_norm_root_n() {
        let values = vec![1e9, 2e9, 4e9, -1e-9, 5e-9, 2e-9];
        let data = Data::new(values, vec!["a".into(), "b".into()], Outcome::Regression(vec![1.0, 2.0, 0.0]));
        let canonical = Canonical::new(data.unwrap(), &Settings::default()).unwrap();
        for column in (0..2).map(|j| canonical.x.column(j)) {
            assert!(column.iter().sum::<f64>().abs() < 1e-7);
            assert!((column.iter().map(|v| v * v).sum::<f64>() - 3.0).abs() < 1e-6);
        }
    }

    #[test]
    fn an_outcome_that_keeps_its_unit_keeps_eight_digits_of_its_deviation_at_any_size() {
        for size in [1e-90, 1e-12, 1.0, 3.7, 1e12, 1e90] {
            let y: Vec<f64> = [1.0, 2.5, 0.0, 4.75].iter().map(|v| size * (v + 0.1)).collect();
            let mean = y.iter().sum::<f64>() / 4.0;
            let keyed = canonical_numbers(y.clone(), &Samples::default(), false).unwrap();
            let Target::Numbers { y: kept, scaling, spread } = keyed.target else { panic!("classes") };
            assert_eq!(scaling.scale, 1.0);
            assert!((spread / size - 1.8).abs() < 0.2, "{spread}");
            for (kept, y) in kept.iter().zip(&y) {
                assert!((kept - (y - mean)).abs() < 3e-8 * spread, "{kept} {y}");
            }
        }
        let refused = canonical_numbers(vec![1e200, 2e200, 0.0], &Samples::default(), false);
        assert!(refused.err().unwrap().to_string().contains("keep its unit"));
    }

    #[test]
    fn a_column_that_is_constant_up_to_rounding_is_dropped() {
        let values = vec![0.1 + 0.2, 0.3, 0.3, 1.0, 2.0, 3.0];
        let data = Data::new(values, vec!["a".into(), "b".into()], Outcome::Regression(vec![1.0, 2.0, 0.0]));
        let canonical = Canonical::new(data.unwrap(), &Settings::default()).unwrap();
        assert_eq!(canonical.constant_inputs, [0]);
        assert_eq!(canonical.inputs, [1]);
    }
}
