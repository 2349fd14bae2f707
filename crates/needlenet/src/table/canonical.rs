//! The canonical form of a table: what the solver sees.
//!
//! Each input is centred and scaled to l2 norm `sqrt(n)`, a numerical outcome to mean 0 and
//! standard deviation 1, and both are rounded to a grid of `2^-26`. An outcome that keeps its unit is centred only, and its
//! grid is `2^-26` of the power of two nearest to its standard deviation. Then rows, columns and the signs
//! of columns are put into an order that depends on the values only, by sums of integers, which do
//! not depend on the order of summation. Two tables that differ by units (other than a unit that is kept), shifts, or the order of
//! rows and columns so become the same numbers, and the same fit, bit for bit: the objective has
//! many local minima, and a difference in the last digit could otherwise end in another one.
//!
//! Cost: O(n p), in place. Tested in `tests/units.rs`.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Data, Outcome, Samples, TieGroup};
use crate::error::{Error, Result};
use crate::outcome::{Counts, Loss, Survival, Ties};

/// The grid: values near 1 keep 8 digits, and rounding errors of the standardisation vanish.
const GRID: f64 = (1u64 << 26) as f64;

/// A column whose spread is below this part of its magnitude is constant up to rounding.
const CONSTANT: f64 = 1e-13;

/// Outside of this and its inverse, squares of an outcome that keeps its unit could overflow or vanish.
const LEAST_SPREAD: f64 = 1e-100;

/// Where the standardised values came from: `standardised = (value - mean) / scale`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaling {
    /// The mean of the column.
    pub mean: f64,
    /// Its standard deviation (divisor `n`); 1 for an outcome that keeps its unit.
    pub scale: f64,
}

impl Scaling {
    /// The standardised value.
    pub fn apply(&self, value: f64) -> f64 {
        (value - self.mean) / self.scale
    }

    /// Mean and standard deviation in two passes each; `None` if the values do not vary.
    pub(crate) fn of(values: &[f64], samples: &Samples) -> Option<Self> {
        let (n, total) = (values.len(), samples.total(values.len()));
        let rough = samples.sum(n, |i| values[i]) / total;
        let mean = rough + samples.sum(n, |i| values[i] - rough) / total;
        // scaled by the largest deviation, so that no square overflows or vanishes
        let (largest, magnitude) =
            values.iter().fold((0.0, 0.0), |(d, m): (f64, f64), v| (d.max((v - mean).abs()), m.max(v.abs())));
        if largest <= CONSTANT * magnitude {
            return None;
        }
        let sum = samples.sum(n, |i| ((values[i] - mean) / largest).powi(2));
        Some(Scaling { mean, scale: largest * (sum / total).sqrt() })
    }
}

/// The outcome as the solver sees it.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// Mean 0, standard deviation `spread`, which is 1 unless the outcome keeps its unit, and how to go back to the user's
    /// units.
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
    /// The rows are in the order that `outcome/survival.rs` wants.
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
            // they were counted in this order
            survival @ Target::Survival { .. } => survival,
        }
    }
}

/// A table in canonical form.
#[derive(Debug, Clone)]
pub(crate) struct Canonical {
    pub n: usize,
    /// Column-major, without the constant columns.
    pub x: Vec<f64>,
    pub target: Target,
    pub samples: Samples,
    /// For each canonical column the index of the input.
    pub inputs: Vec<usize>,
    /// For each canonical column `-1` if it was turned, else `1`.
    pub signs: Vec<f64>,
    /// For each canonical column its scaling.
    pub scalings: Vec<Scaling>,
    /// For each canonical row the row of the table.
    pub rows: Vec<usize>,
    pub names: Vec<String>,
    pub classes: Vec<String>,
    /// The names of the strata of survival.
    pub strata: Vec<String>,
    /// Inputs that do not vary and can never be selected.
    pub constant_inputs: Vec<usize>,
}

impl Canonical {
    /// With `scale_outcome` a numerical outcome gets standard deviation 1.
    pub fn new(data: Data, scale_outcome: bool) -> Result<Self> {
        let (mut x, names, outcome, samples) = data.into_parts();
        let n = outcome.len();
        let classes = outcome.classes().to_vec();

        let scaled: Vec<Option<Scaling>> =
            x.par_chunks_mut(n).map(|column| standardise(column, &samples)).collect();
        let (inputs, scalings) = drop_constant_columns(&mut x, n, &scaled);
        if inputs.is_empty() {
            return Err(Error::AllInputsConstant);
        }
        let constant_inputs = (0..names.len()).filter(|j| scaled[*j].is_none()).collect();

        let Keyed { target, rows: row_keys, columns: keys, strata } =
            canonical_target(outcome, &samples, scale_outcome)?;
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
            classes,
            strata,
            constant_inputs,
        };
        canonical.order_rows(&row_keys);
        canonical.order_columns(&keys);
        Ok(canonical)
    }

    pub fn p(&self) -> usize {
        self.inputs.len()
    }

    /// Sorts the samples by outcome, then by sums over their inputs that ignore order and sign.
    fn order_rows(&mut self, keys: &[i64]) {
        let n = self.n;
        let (x, mut sums) = (&self.x, vec![(0i128, 0i128); n]);
        // sums of integers are the same for any partition
        let rows = n.div_ceil(rayon::current_num_threads());
        sums.par_chunks_mut(rows).enumerate().for_each(|(at, sums)| {
            for column in x.chunks(n) {
                for (sum, v) in sums.iter_mut().zip(&column[at * rows..]) {
                    let q = on_grid(*v);
                    sum.0 += i128::from(q.abs());
                    sum.1 += i128::from(q) * i128::from(q);
                }
            }
        });
        let of_sample = |i: usize| (self.samples.weight(i).to_bits(), self.samples.offset(i).to_bits());
        self.rows.sort_by_key(|&i| (keys[i], sums[i], of_sample(i)));
        drop(sums);
        let rows = &self.rows;
        self.x.par_chunks_mut(n).for_each_init(
            || vec![0.0; n],
            |buffer, column| {
                buffer.copy_from_slice(column);
                column.iter_mut().zip(rows).for_each(|(v, &i)| *v = buffer[i]);
            },
        );
        self.samples = self.samples.of_rows(rows);
        let target = std::mem::replace(&mut self.target, Target::Counts { counts: Vec::new() });
        self.target = target.reordered(&self.rows);
    }

    /// Turns each column towards the outcome and sorts the columns, those nearest to it first.
    fn order_columns(&mut self, keys: &[i64]) {
        let n = self.n;
        // whole weights count as so many rows, others to the nearest part of 256
        let weighed = self.samples.weights.is_some();
        let weight =
            |row: usize| if weighed { (self.samples.weight(row) * 256.0).round() as i128 } else { 1 };
        let weights: Vec<i128> = (0..n).map(weight).collect();
        let keys: Vec<i128> = self.rows.iter().map(|&i| i128::from(keys[i])).collect();
        let column_keys: Vec<(i128, i128, i128)> = self
            .x
            .par_chunks(n)
            .map(|column| {
                let rows = column.iter().zip(keys.iter().zip(&weights));
                // sums of integers are the same in any order, also where they wrap
                rows.fold((0i128, 0i128, 0i128), |(along, bent, cubed), (v, (&key, &weight))| {
                    let q = i128::from(on_grid(*v));
                    let (first, second) = (q.wrapping_mul(weight), (q * q).wrapping_mul(weight));
                    (
                        along.wrapping_add(first.wrapping_mul(key)),
                        bent.wrapping_add(second.wrapping_mul(key)),
                        cubed.wrapping_add(second.wrapping_mul(q)),
                    )
                })
            })
            .collect();
        let turned: Vec<bool> = column_keys.iter().map(|k| k.0 < 0 || (k.0 == 0 && k.2 < 0)).collect();
        self.x.par_chunks_mut(n).zip(&turned).filter(|(_, t)| **t).for_each(|(column, _)| {
            column.iter_mut().for_each(|v| *v = -*v);
        });
        let mut order: Vec<usize> = (0..self.p()).collect();
        order.sort_by_key(|&j| {
            let (along, bent, cubed) = column_keys[j];
            (std::cmp::Reverse(along.unsigned_abs()), bent, cubed.unsigned_abs())
        });
        permute_columns(&mut self.x, n, &order);
        self.signs = order.iter().map(|&j| if turned[j] { -1.0 } else { 1.0 }).collect();
        self.inputs = order.iter().map(|&j| self.inputs[j]).collect();
        self.scalings = order.iter().map(|&j| self.scalings[j]).collect();
    }
}

/// The nearest point of the grid, as a multiple of its width. Below 2^51 adding 1.5 * 2^52 leaves no room for a
/// fraction: that rounds as `round_ties_even` does, without the call that old processors need.
fn round_to_grid(value: f64) -> f64 {
    const NO_FRACTION: f64 = 1.5 * (1u64 << 52) as f64;
    (value * GRID + NO_FRACTION) - NO_FRACTION
}

/// A value that is on the grid, as a multiple of its width.
fn on_grid(value: f64) -> i64 {
    (value * GRID) as i64
}

/// Centres and scales a column and rounds it to the grid; a constant column is left alone.
fn standardise(column: &mut [f64], samples: &Samples) -> Option<Scaling> {
    let scaling = Scaling::of(column, samples)?;
    for v in column.iter_mut() {
        *v = round_to_grid(scaling.apply(*v)) / GRID;
    }
    Some(scaling)
}

fn drop_constant_columns(
    x: &mut Vec<f64>,
    n: usize,
    scaled: &[Option<Scaling>],
) -> (Vec<usize>, Vec<Scaling>) {
    let (mut inputs, mut scalings) = (Vec::new(), Vec::new());
    for (j, scaling) in scaled.iter().enumerate() {
        if let Some(scaling) = scaling {
            x.copy_within(j * n..(j + 1) * n, inputs.len() * n);
            inputs.push(j);
            scalings.push(*scaling);
        }
    }
    x.truncate(inputs.len() * n);
    (inputs, scalings)
}

/// The outcome as the solver sees it, and for each sample an integer to sort rows by and one to sort columns by.
struct Keyed {
    target: Target,
    rows: Vec<i64>,
    columns: Vec<i64>,
    strata: Vec<String>,
}

impl Keyed {
    fn new(target: Target, keys: Vec<i64>) -> Self {
        Keyed { target, rows: keys.clone(), columns: keys, strata: Vec::new() }
    }
}

fn canonical_target(outcome: Outcome, samples: &Samples, scale_outcome: bool) -> Result<Keyed> {
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
        let scaling = standardise(&mut y, samples).ok_or(constant)?;
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
    let unit = Scaling { mean: own.mean, scale: own.scale.log2().round().exp2() };
    y.iter_mut().for_each(|v| *v = round_to_grid(unit.apply(*v)) / GRID);
    let keys = y.iter().map(|v| on_grid(*v)).collect();
    y.iter_mut().for_each(|v| *v *= unit.scale);
    Ok(Keyed::new(Target::Numbers { y, scaling: Scaling { scale: 1.0, ..own }, spread: own.scale }, keys))
}

/// Sorted by stratum, then by descending time, those with an event last. The rows of one place in this order are told apart
/// by their inputs only, so the groups do not change.
fn canonical_survival(times: &[f64], events: &[bool], strata: &[String], samples: &Samples) -> Result<Keyed> {
    let n = times.len();
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
    // where all that are at risk have the event, it tells nothing
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

/// Moves column `order[j]` to place `j`, cycle by cycle, with one column of extra memory.
fn permute_columns(x: &mut [f64], n: usize, order: &[usize]) {
    let mut done = vec![false; order.len()];
    let mut first = vec![0.0; n];
    for start in 0..order.len() {
        if done[start] {
            continue;
        }
        first.copy_from_slice(&x[start * n..(start + 1) * n]);
        let mut at = start;
        loop {
            done[at] = true;
            let from = order[at];
            if from == start {
                x[at * n..(at + 1) * n].copy_from_slice(&first);
                break;
            }
            x.copy_within(from * n..(from + 1) * n, at * n);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_to_the_grid_is_that_of_the_standard_library() {
        let fractions = [0.0, 0.25, 0.5, 0.75, 0.4999999999, 0.5000000001];
        for whole in [0.0, 1.0, 2.0, 3.0, 1e6 + 1.0, 67_108_863.0, 34_359_738_367.0] {
            for value in fractions.iter().flat_map(|f| [(whole + f) / GRID, -(whole + f) / GRID]) {
                assert_eq!(round_to_grid(value), (value * GRID).round_ties_even(), "{value}");
            }
        }
    }

    #[test]
    fn columns_have_mean_zero_and_norm_root_n() {
        let values = vec![1e9, 2e9, 4e9, -1e-9, 5e-9, 2e-9];
        let data = Data::new(values, vec!["a".into(), "b".into()], Outcome::Regression(vec![1.0, 2.0, 0.0]));
        let canonical = Canonical::new(data.unwrap(), true).unwrap();
        for column in canonical.x.chunks(3) {
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
    fn permuting_columns_moves_every_column_to_its_place() {
        let mut x = vec![0.0, 1.0, 2.0, 3.0, 4.0];
        permute_columns(&mut x, 1, &[3, 0, 1, 2, 4]);
        assert_eq!(x, [3.0, 0.0, 1.0, 2.0, 4.0]);
    }

    #[test]
    fn a_column_that_is_constant_up_to_rounding_is_dropped() {
        let values = vec![0.1 + 0.2, 0.3, 0.3, 1.0, 2.0, 3.0];
        let data = Data::new(values, vec!["a".into(), "b".into()], Outcome::Regression(vec![1.0, 2.0, 0.0]));
        let canonical = Canonical::new(data.unwrap(), true).unwrap();
        assert_eq!(canonical.constant_inputs, [0]);
        assert_eq!(canonical.inputs, [1]);
    }
}
