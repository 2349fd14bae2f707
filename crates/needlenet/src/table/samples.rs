//! Properties of the samples besides the searched inputs: weights, an offset, and inputs that are always in.
//!
//! A weight of 2 is the row twice, unless it says how important a sample is (`weights.rs`); one of 0 is no row, and such rows leave
//! the table at once. An offset is added to the output of
//! the network: it is the part of the outcome that is known, as the log of an exposure. Inputs that are always in, as age
//! and sex, enter the outputs linearly and without penalty: they are adjusted for, not searched. Tested in
//! `tests/weights.rs` and `tests/always_in.rs`.

use std::sync::Arc;

/// Weights, offset and inputs that are always in, if there are any.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Samples {
    pub weights: Option<Arc<[f64]>>,
    /// Whether a weight says how important a sample is; else it is a count of samples.
    pub important: bool,
    pub offset: Option<Arc<[f64]>>,
    pub always: Option<AlwaysIn>,
}

/// The standardised values of inputs that are always in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AlwaysIn {
    n: usize,
    values: Arc<[f64]>,
}

impl AlwaysIn {
    /// Columns of `n` values, side by side.
    pub fn new(values: Vec<f64>, n: usize) -> Self {
        AlwaysIn { n, values: values.into() }
    }

    /// How many inputs.
    pub fn len(&self) -> usize {
        self.values.len() / self.n
    }

    /// The columns, side by side.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub fn columns(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks(self.n)
    }

    pub fn of_rows(&self, rows: &[usize]) -> Self {
        let values = self.columns().flat_map(|column| rows.iter().map(|&i| column[i])).collect();
        AlwaysIn { n: rows.len(), values }
    }

    /// Their contribution to the outputs, `n x n_outputs`, with the weights `d`, `n_outputs x len`.
    pub fn outputs(&self, d: &[f64]) -> Vec<f64> {
        let n_outputs = d.len() / self.len();
        let mut out = vec![0.0; self.n * n_outputs];
        for (column, d) in self.columns().zip(d.chunks(n_outputs)) {
            for (out, d) in out.chunks_mut(self.n).zip(d) {
                out.iter_mut().zip(column).for_each(|(o, z)| *o += d * z);
            }
        }
        out
    }
}

impl Samples {
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[i])
    }

    /// The samples that row `i` stands for.
    pub fn copies(&self, i: usize) -> f64 {
        if self.important { 1.0 } else { self.weight(i).max(1.0) }
    }

    pub fn offset(&self, i: usize) -> f64 {
        self.offset.as_ref().map_or(0.0, |o| o[i])
    }

    /// How many inputs are always in.
    pub fn n_always(&self) -> usize {
        self.always.as_ref().map_or(0, AlwaysIn::len)
    }

    /// The total weight of `n` samples.
    pub fn total(&self, n: usize) -> f64 {
        self.weights.as_ref().map_or(n as f64, |w| w.iter().sum())
    }

    pub fn of_rows(&self, rows: &[usize]) -> Self {
        let of = |values: &Arc<[f64]>| rows.iter().map(|&i| values[i]).collect();
        Samples {
            weights: self.weights.as_ref().map(of),
            important: self.important,
            offset: self.offset.as_ref().map(of),
            always: self.always.as_ref().map(|always| always.of_rows(rows)),
        }
    }

    /// The samples with an additional offset.
    pub fn shifted(&self, by: &[f64]) -> Self {
        let offset = by.iter().enumerate().map(|(i, by)| self.offset(i) + by).collect();
        Samples { offset: Some(offset), ..self.clone() }
    }

    /// The weighted sum of `value` over the samples.
    pub fn sum(&self, n: usize, value: impl Fn(usize) -> f64) -> f64 {
        match &self.weights {
            None => (0..n).map(value).sum(),
            Some(w) => w.iter().enumerate().map(|(i, w)| w * value(i)).sum(),
        }
    }
}
