//! A table in memory: `n` samples, `p` inputs, one outcome. Tested in `tests/bad_input.rs`.

mod canonical;

pub use canonical::Scaling;
pub(crate) use canonical::{Canonical, Target};

use crate::error::{Error, Result};

/// What is to be explained.
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
        }
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names of the classes; none in regression.
    pub fn classes(&self) -> &[String] {
        match self {
            Outcome::Regression(_) => &[],
            Outcome::Classification { classes, .. } => classes,
        }
    }

    fn check(&self) -> Result<()> {
        match self {
            Outcome::Regression(y) => {
                if let Some(i) = y.iter().position(|v| !v.is_finite()) {
                    return Err(Error::OutcomeNotFinite { row: i + 1, value: y[i] });
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
        }
        Ok(())
    }
}

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
    values: Vec<f64>,
    names: Vec<String>,
    outcome: Outcome,
}

impl Data {
    /// Checks and keeps a table; `values` holds one input after the other (column-major).
    pub fn new(values: Vec<f64>, names: Vec<String>, outcome: Outcome) -> Result<Self> {
        let (n, p) = (outcome.len(), names.len());
        if n < 2 {
            return Err(Error::TooFewSamples { n_samples: n });
        }
        if p == 0 {
            return Err(Error::NoInputs);
        }
        if values.len() != n * p {
            return Err(Error::Shape { what: "values in the table", found: values.len(), expected: n * p });
        }
        outcome.check()?;
        if let Some(at) = values.iter().position(|v| !v.is_finite()) {
            return Err(Error::InputNotFinite {
                row: at % n + 1,
                column: names[at / n].clone(),
                value: values[at],
            });
        }
        Ok(Data { values, names, outcome })
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
    pub fn column(&self, j: usize) -> &[f64] {
        let n = self.n_samples();
        &self.values[j * n..(j + 1) * n]
    }

    pub(crate) fn into_parts(self) -> (Vec<f64>, Vec<String>, Outcome) {
        (self.values, self.names, self.outcome)
    }
}
