//! Weights and offset of the samples.
//!
//! A weight of 2 is the row twice, one of 0 no row (such rows leave the table at once). An offset is added to the output of
//! the network: it is the part of the outcome that is known, as the log of an exposure. Tested in
//! `tests/weights.rs`.

use std::sync::Arc;

/// Weights and offset, where there are any.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Samples {
    pub weights: Option<Arc<[f64]>>,
    pub offset: Option<Arc<[f64]>>,
}

impl Samples {
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[i])
    }

    pub fn offset(&self, i: usize) -> f64 {
        self.offset.as_ref().map_or(0.0, |o| o[i])
    }

    /// The weight of `n` samples.
    pub fn total(&self, n: usize) -> f64 {
        self.weights.as_ref().map_or(n as f64, |w| w.iter().sum())
    }

    pub fn of_rows(&self, rows: &[usize]) -> Self {
        let of = |values: &Arc<[f64]>| rows.iter().map(|&i| values[i]).collect();
        Samples { weights: self.weights.as_ref().map(of), offset: self.offset.as_ref().map(of) }
    }

    /// The sum over the samples of `value`, each with its weight.
    pub fn sum(&self, n: usize, value: impl Fn(usize) -> f64) -> f64 {
        match &self.weights {
            None => (0..n).map(value).sum(),
            Some(w) => w.iter().enumerate().map(|(i, w)| w * value(i)).sum(),
        }
    }
}
