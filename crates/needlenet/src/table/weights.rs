//! What the weights of samples mean.
//!
//! *Counts.* A weight of 2 is the row twice: two samples, each with noise of its own. Null outcomes follow the law of the repeated
//! table. Whole numbers are taken as counts, unless null outcomes are permutations.
//!
//! *Importance.* Other weights, as those of a survey, of a precision or of a class, say how much a sample counts, not how many samples it stands
//! for: taken as counts, they would promise more samples than there are. Null outcomes are permutations: each sample
//! keeps its outcome and its weight, and gets the inputs of another one. Such weights are scaled to add up to the effective number of samples (Kish),
//!
//! $$ n_\mathrm{eff} = \frac{(\sum_i w_i)^2}{\sum_i w_i^2}, $$
//!
//! at which the variance of a weighted sum of independent residuals is what the curvature of the loss says. So their unit does not matter, and equal weights are
//! none. Tested in `tests/weights.rs`; the level is measured in `docs/results/weights`.

use std::borrow::Cow;

use super::Data;
use crate::error::{Error, Result};
use crate::settings::Settings;
use crate::threshold::NullChoice;

/// Weights beyond this would be counted wrongly.
const LARGEST_WEIGHT: f64 = 1e9;

impl Data {
    /// With a weight for each sample; one of 0 is no row. Whole numbers are counts: a weight of 2 is the row twice. Other weights, and
    /// all weights if null outcomes are permutations, say how important a sample is; their unit does not matter.
    ///
    /// ```
    /// use needlenet::{Data, Outcome};
    /// let data = Data::new(vec![1.0, 2.0, 4.0], vec!["a".into()], Outcome::Regression(vec![1.0, 0.0, 2.0]))?;
    /// assert_eq!(data.with_weights(vec![1.0, 0.0, 2.0])?.n_samples(), 2);
    /// # Ok::<(), needlenet::Error>(())
    /// ```
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        let n = self.n_samples();
        if weights.len() != n {
            return Err(Error::Shape { what: "weights", found: weights.len(), expected: n });
        }
        if let Some(i) = weights.iter().position(|w| !(0.0..=LARGEST_WEIGHT).contains(w)) {
            return Err(Error::Weight { row: i + 1, value: weights[i] });
        }
        let rows: Vec<usize> = (0..n).filter(|i| weights[*i] > 0.0).collect();
        if rows.len() < 2 {
            return Err(Error::TooFewWeights { n_samples: rows.len() });
        }
        if rows.len() < n {
            self.x = self.x.of_rows(&rows);
            self.outcome = self.outcome.of_rows(&rows);
            self.outcome.check()?;
            self.offset = self.offset.map(|offset| rows.iter().map(|&i| offset[i]).collect());
        }
        let weights: Vec<f64> = rows.iter().map(|&i| weights[i]).collect();
        self.weights = Some(weights).filter(|w| w.iter().any(|w| *w != 1.0));
        Ok(self)
    }

    /// The table with weights of one meaning, and the settings that go with it: weights that are no counts ask for
    /// permutations, and permutations take weights as importances.
    pub(crate) fn weighed(mut self, settings: &Settings) -> (Self, Settings) {
        let mut settings = settings.clone();
        if let Some(weights) = self.weights.take_if(|weights| are_important(weights, &settings)) {
            settings.null = NullChoice::Permutation;
            self.weights = effective(&weights);
            self.important = self.weights.is_some();
        }
        (self, settings)
    }

    /// The table of [`Data::weighed`], which is this one unless its weights are importances.
    pub(crate) fn as_weighed(&self, settings: &Settings) -> Cow<'_, Data> {
        match &self.weights {
            Some(weights) if are_important(weights, settings) => Cow::Owned(self.clone().weighed(settings).0),
            _ => Cow::Borrowed(self),
        }
    }
}

fn are_important(weights: &[f64], settings: &Settings) -> bool {
    settings.null == NullChoice::Permutation || weights.iter().any(|w| w.fract() != 0.0)
}

/// Weights that add up to the effective number of samples; none if all are equal.
fn effective(weights: &[f64]) -> Option<Vec<f64>> {
    let (sum, squares) = weights.iter().fold((0.0, 0.0), |(sum, squares), w| (sum + w, squares + w * w));
    weights.iter().any(|w| *w != weights[0]).then(|| weights.iter().map(|w| w * (sum / squares)).collect())
}
