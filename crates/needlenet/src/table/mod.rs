//! A table in memory: `n` samples, `p` inputs, one outcome. Tested in `tests/bad_input.rs`.

mod always;
mod canonical;
mod design;
mod elsewhere;
mod grid;
mod groups;
mod order;
mod row_sums;
mod samples;
mod scaling;
mod ties;
mod weights;

use std::borrow::Cow;

pub(crate) use always::Always;
pub(crate) use canonical::{Canonical, Target};
pub(crate) use design::Design;
pub use design::SparseColumns;
pub(crate) use elsewhere::{All, Brought, Columns, Moments, Standard};
pub use groups::{Group, GroupKind};
pub(crate) use order::{ColumnKeys, SampleKeys};
pub(crate) use samples::{AlwaysIn, Samples};
pub use scaling::Scaling;
pub(crate) use ties::TieGroup;

use crate::error::{Error, Result};

/// The outcome of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// One number per sample.
    Regression(Vec<f64>),
    /// One class per sample.
    Classification {
        /// The class of each sample, as an index into `classes`.
        labels: Vec<usize>,
        /// The names of the classes.
        classes: Vec<String>,
    },
    /// One count per sample: 0, 1, 2, ...
    Counts(Vec<f64>),
    /// The time of each sample until its event, or until it was last seen without one.
    Survival {
        /// The times.
        times: Vec<f64>,
        /// Whether the event was seen; if not, the time is censored.
        events: Vec<bool>,
        /// The stratum of each sample, each with a baseline hazard of its own; empty if there is one only.
        strata: Vec<String>,
    },
}

impl Outcome {
    /// A classification outcome from one label per sample; the classes are sorted by name, or by
    /// value when every label is a number.
    ///
    /// ```
    /// use needlenet::Outcome;
    /// let outcome = Outcome::from_labels(&["10", "9", "10"]);
    /// assert_eq!(outcome.classes(), ["9", "10"]);
    /// ```
    pub fn from_labels<S: AsRef<str>>(labels: &[S]) -> Self {
        let mut classes: Vec<String> = labels.iter().map(|s| s.as_ref().to_string()).collect();
        classes.sort();
        classes.dedup();
        let number = |s: &String| s.parse::<f64>().ok().filter(|v| v.is_finite());
        if classes.iter().all(|s| number(s).is_some()) {
            classes.sort_by(|a, b| f64::total_cmp(&number(a).unwrap_or(0.0), &number(b).unwrap_or(0.0)));
        }
        let index: std::collections::HashMap<&str, usize> =
            classes.iter().enumerate().map(|(i, s)| (s.as_str(), i)).collect();
        let labels = labels.iter().map(|s| index[s.as_ref()]).collect();
        Outcome::Classification { labels, classes }
    }

    /// The number of samples.
    pub fn len(&self) -> usize {
        match self {
            Outcome::Regression(y) => y.len(),
            Outcome::Classification { labels, .. } => labels.len(),
            Outcome::Counts(counts) => counts.len(),
            Outcome::Survival { times, .. } => times.len(),
        }
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names of the classes; empty for other outcomes.
    pub fn classes(&self) -> &[String] {
        match self {
            Outcome::Classification { classes, .. } => classes,
            _ => &[],
        }
    }

    fn check(&self) -> Result<()> {
        match self {
            Outcome::Regression(y) => {
                if let Some(i) = y.iter().position(|v| !v.is_finite()) {
                    return Err(Error::OutcomeNotFinite { row: i + 1, value: y[i] });
                }
                if let Some(i) = y.iter().position(|v| v.abs() > LARGEST) {
                    return Err(Error::OutcomeTooLarge { row: i + 1, value: y[i] });
                }
                if y.iter().all(|v| *v == y[0]) {
                    return Err(Error::ConstantOutcome { value: y[0] });
                }
            }
            Outcome::Classification { labels, classes } => {
                if let Some(&label) = labels.iter().find(|l| **l >= classes.len()) {
                    return Err(Error::Shape { what: "classes", found: classes.len(), expected: label + 1 });
                }
                let mut counts = vec![0usize; classes.len()];
                labels.iter().for_each(|&l| counts[l] += 1);
                if let Some(t) = counts.iter().position(|c| *c == 0) {
                    return Err(Error::EmptyClass { class: classes[t].clone() });
                }
                if classes.len() < 2 {
                    return Err(Error::OneClass { class: classes.first().cloned().unwrap_or_default() });
                }
                if classes.len() >= labels.len() {
                    return Err(Error::TooManyClasses { classes: classes.len(), n_samples: labels.len() });
                }
            }
            Outcome::Counts(counts) => {
                if let Some(i) = counts.iter().position(|v| !v.is_finite()) {
                    return Err(Error::OutcomeNotFinite { row: i + 1, value: counts[i] });
                }
                if let Some(i) = counts.iter().position(|v| *v < 0.0 || v.fract() != 0.0 || *v > MOST_COUNTED)
                {
                    return Err(Error::NotACount { row: i + 1, value: counts[i] });
                }
                if counts.iter().all(|v| *v == counts[0]) {
                    return Err(Error::ConstantOutcome { value: counts[0] });
                }
            }
            Outcome::Survival { times, events, strata } => {
                for (what, found) in [("events", events.len()), ("strata", strata.len())] {
                    if found != times.len() && (what == "events" || found > 0) {
                        return Err(Error::Shape { what, found, expected: times.len() });
                    }
                }
                if let Some(i) = times.iter().position(|v| !v.is_finite() || *v < 0.0) {
                    return Err(Error::NotATime { row: i + 1, value: times[i] });
                }
            }
        }
        Ok(())
    }

    /// Only the samples `rows`, in that order.
    pub fn of_rows(&self, rows: &[usize]) -> Self {
        fn some<T: Clone>(values: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().filter_map(|&i| values.get(i).cloned()).collect()
        }
        match self {
            Outcome::Regression(y) => Outcome::Regression(some(y, rows)),
            Outcome::Counts(counts) => Outcome::Counts(some(counts, rows)),
            Outcome::Classification { labels, classes } => {
                Outcome::Classification { labels: some(labels, rows), classes: classes.clone() }
            }
            Outcome::Survival { times, events, strata } => Outcome::Survival {
                times: some(times, rows),
                events: some(events, rows),
                strata: some(strata, rows),
            },
        }
    }
}

/// Squares of values beyond this overflow, and squares below its inverse underflow; so would the slope of an
/// outcome in an input.
pub(crate) const LARGEST: f64 = 1e150;
/// Beyond this the square of an exponential overflows.
const LARGEST_LOG: f64 = 300.0;
/// Beyond this, floating-point numbers do not represent every integer.
const MOST_COUNTED: f64 = (1u64 << 53) as f64;

/// A checked table: every value finite, every length consistent, an outcome that varies.
///
/// ```
/// use needlenet::{Data, Outcome};
/// let x = vec![1.0, 2.0, 3.0, /* second column */ 0.5, 0.1, 0.9];
/// let data = Data::new(x, vec!["a".into(), "b".into()], Outcome::Regression(vec![1.0, 0.0, 2.0]))?;
/// assert_eq!((data.n_samples(), data.n_features()), (3, 2));
/// # Ok::<(), needlenet::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Data {
    x: Design,
    names: Vec<String>,
    outcome: Outcome,
    weights: Option<Vec<f64>>,
    /// Whether they are importances: `weights.rs`.
    important: bool,
    offset: Option<Vec<f64>>,
    groups: Vec<Group>,
    always: Always,
}

/// The parts of a table.
pub(crate) struct Parts {
    pub x: Design,
    pub names: Vec<String>,
    pub groups: Vec<Group>,
    pub outcome: Outcome,
    pub samples: Samples,
    pub always: Always,
}

impl Data {
    /// Checks a table and takes it over; `values` holds one input after the other (column-major).
    pub fn new(values: Vec<f64>, names: Vec<String>, outcome: Outcome) -> Result<Self> {
        let (n, p) = (outcome.len(), names.len());
        Data::of(names, outcome, || {
            if values.len() != n * p {
                return Err(Error::Shape {
                    what: "values in the table",
                    found: values.len(),
                    expected: n * p,
                });
            }
            Ok(Design::dense(values, n))
        })
    }

    /// Checks a sparse table and takes it over; it is never made dense.
    ///
    /// ```
    /// use needlenet::{Data, Outcome, SparseColumns};
    /// // two inputs of three samples: (0, 5, 0) and (1, 0, 2)
    /// let x = SparseColumns { starts: vec![0, 1, 3], rows: vec![1, 0, 2], values: vec![5.0, 1.0, 2.0] };
    /// let data = Data::sparse(x, vec!["a".into(), "b".into()], Outcome::Regression(vec![1.0, 0.0, 2.0]))?;
    /// assert_eq!(*data.column(1), [1.0, 0.0, 2.0]);
    /// # Ok::<(), needlenet::Error>(())
    /// ```
    pub fn sparse(x: SparseColumns, names: Vec<String>, outcome: Outcome) -> Result<Self> {
        let (n, p) = (outcome.len(), names.len());
        Data::of(names, outcome, || Design::sparse(x, n, p))
    }

    /// A table in shards, without its columns.
    pub(crate) fn elsewhere(names: Vec<String>, outcome: Outcome) -> Result<Self> {
        let n = outcome.len();
        Data::of(names, outcome, || Ok(Design::dense(Vec::new(), n)))
    }

    /// The same table with its columns, side by side.
    pub(crate) fn with_columns(self, values: Vec<f64>) -> Result<Self> {
        let n = self.n_samples();
        let Data { names, outcome, weights, important, offset, groups, always, .. } = self;
        let x = Data::of(names, outcome, || Ok(Design::dense(values, n)))?;
        Ok(Data { weights, important, offset, groups, always, ..x })
    }

    fn of(names: Vec<String>, outcome: Outcome, design: impl FnOnce() -> Result<Design>) -> Result<Self> {
        if outcome.len() < 2 {
            return Err(Error::TooFewSamples { n_samples: outcome.len() });
        }
        if names.is_empty() {
            return Err(Error::NoInputs);
        }
        let x = design()?;
        outcome.check()?;
        if let Some((row, column, value)) = x.find(|v| !v.is_finite()) {
            return Err(Error::InputNotFinite { row: row + 1, column: names[column].clone(), value });
        }
        if let Some((row, column, value)) = x.find(|v| v.abs() > LARGEST) {
            return Err(Error::InputTooLarge { row: row + 1, column: names[column].clone(), value });
        }
        let (groups, always) = (Vec::new(), Always::default());
        Ok(Data { x, names, outcome, weights: None, important: false, offset: None, groups, always })
    }

    /// Sets an offset for each sample: a known part of the outcome, which is added to the output of the network. For
    /// counts it is the log of the exposure, for two classes a log odds of the second.
    pub fn with_offset(mut self, offset: Vec<f64>) -> Result<Self> {
        let n = self.n_samples();
        if offset.len() != n {
            return Err(Error::Shape { what: "offsets", found: offset.len(), expected: n });
        }
        let most = match self.outcome {
            Outcome::Regression(_) => LARGEST,
            _ => LARGEST_LOG,
        };
        if let Some(i) = offset.iter().position(|v| !(-most..=most).contains(v)) {
            return Err(Error::Offset { row: i + 1, value: offset[i], most });
        }
        if self.outcome.classes().len() > 2 {
            return Err(Error::Conflict {
                what: format!("an offset of {} classes", self.outcome.classes().len()),
                remedy: "one offset for each sample serves two classes only: leave it out",
            });
        }
        self.offset = Some(offset);
        Ok(self)
    }

    /// Declares columns that are one input: the levels of a category, a value with its indicator of missing cells, or a
    /// group of the user's. Under the null every input has the same chance of selection, whether it has 1 column or 20.
    ///
    /// ```
    /// use needlenet::{Data, Group, GroupKind, Outcome};
    /// let x = vec![1.0, 0.0, 0.0, 1.0, /* second */ 0.0, 1.0, 0.0, 0.0, /* third */ 0.0, 0.0, 1.0, 0.0];
    /// let names = ["stage=I", "stage=II", "stage=III"].map(String::from).to_vec();
    /// let data = Data::new(x, names, Outcome::Regression(vec![1.0, 0.0, 2.0, 3.0]))?;
    /// let levels = ["I", "II", "III"].map(String::from).to_vec();
    /// let stage = Group { name: "stage".into(), kind: GroupKind::Category { levels }, columns: vec![0, 1, 2] };
    /// assert_eq!(data.with_groups(vec![stage])?.groups().len(), 1);
    /// # Ok::<(), needlenet::Error>(())
    /// ```
    pub fn with_groups(mut self, groups: Vec<Group>) -> Result<Self> {
        groups::check(&groups, &self.names)?;
        self.groups = groups;
        Ok(self)
    }

    /// The groups of columns that are one input.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The offset of each sample, if one was given.
    pub fn offset(&self) -> Option<&[f64]> {
        self.offset.as_deref()
    }

    /// The number of samples, `n`.
    pub fn n_samples(&self) -> usize {
        self.outcome.len()
    }

    /// The number of inputs, `p`.
    pub fn n_features(&self) -> usize {
        self.names.len()
    }

    /// The names of the inputs.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The outcome.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// The values of one input.
    pub fn column(&self, j: usize) -> Cow<'_, [f64]> {
        self.x.column(j)
    }

    /// The table without some columns (ascending), and the columns that remain; none if no column remains to be
    /// searched.
    pub(crate) fn without(&self, columns: &[usize]) -> Option<(Data, Vec<usize>)> {
        let left: Vec<usize> = (0..self.n_features()).filter(|j| columns.binary_search(j).is_err()).collect();
        left.iter().any(|j| !self.always.takes(*j)).then(|| (self.of_columns(&left), left))
    }

    /// Only some columns, at least one, in that order. An input of several columns must be kept with all of
    /// them.
    pub(crate) fn of_columns(&self, columns: &[usize]) -> Data {
        let mut x = self.x.clone();
        x.take_columns(columns);
        let mut place = vec![None; self.n_features()];
        columns.iter().enumerate().for_each(|(to, &from)| place[from] = Some(to));
        let group = |group: &Group| {
            let columns = group.columns.iter().map(|&j| place[j]).collect::<Option<Vec<usize>>>()?;
            Some(Group { columns, ..group.clone() })
        };
        Data {
            x,
            names: columns.iter().map(|&j| self.names[j].clone()).collect(),
            groups: self.groups.iter().filter_map(group).collect(),
            always: self.always.of_columns(&place),
            outcome: self.outcome.clone(),
            weights: self.weights.clone(),
            important: self.important,
            offset: self.offset.clone(),
        }
    }

    /// The table with every column as an input of its own.
    pub(crate) fn ungrouped(self) -> Data {
        Data { groups: Vec::new(), ..self }
    }

    /// The same samples with a number as outcome, without offset and without inputs that are always in.
    pub(crate) fn explaining(self, y: Vec<f64>) -> Result<Data> {
        let outcome = Outcome::Regression(y);
        outcome.check()?;
        Ok(Data { outcome, offset: None, always: Always::default(), ..self })
    }

    /// Only the samples `rows`, which are ascending.
    pub(crate) fn of_rows(&self, rows: &[usize]) -> Result<Data> {
        let outcome = self.outcome.of_rows(rows);
        outcome.check()?;
        let some = |values: &Option<Vec<f64>>| {
            values.as_ref().map(|values| rows.iter().map(|&i| values[i]).collect())
        };
        let (weights, offset, names) = (some(&self.weights), some(&self.offset), self.names.clone());
        let (groups, always) = (self.groups.clone(), self.always.clone());
        let important = self.important;
        Ok(Data { x: self.x.of_rows(rows), names, outcome, weights, important, offset, groups, always })
    }

    /// Which columns are always in.
    pub(crate) fn always_columns(&self) -> &[usize] {
        self.always.columns()
    }

    /// Weights and offset.
    pub(crate) fn samples(&self) -> Samples {
        let shared = |values: &Option<Vec<f64>>| values.as_ref().map(|values| values.as_slice().into());
        Samples {
            weights: shared(&self.weights),
            important: self.important,
            offset: shared(&self.offset),
            always: None,
        }
    }

    /// Whether it is a sparse table.
    pub fn is_sparse(&self) -> bool {
        self.x.is_sparse()
    }

    /// Which columns are not searched.
    pub(crate) fn not_searched(&self) -> &Always {
        &self.always
    }

    pub(crate) fn into_parts(self) -> Parts {
        let (weights, offset) = (self.weights.map(Into::into), self.offset.map(Into::into));
        let samples = Samples { weights, important: self.important, offset, always: None };
        let Data { x, names, groups, outcome, always, .. } = self;
        Parts { x, names, groups, outcome, samples, always }
    }
}
