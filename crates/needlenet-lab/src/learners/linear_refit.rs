//! The linear model at its own `lambda_QUT` with a refit on what it selects.

use needlenet::{Fitted, Penalty, Result, Settings};

use super::{Learned, Learner, threshold_fit};
use crate::sample::Sample;

/// No hidden layer.
#[derive(Debug, Clone, Copy)]
pub struct LinearRefit {
    /// The penalty.
    pub penalty: Penalty,
}

impl Learner for LinearRefit {
    fn learn(&self, train: &Sample, test: &Sample, _: u64) -> Result<Learned> {
        let settings = Settings { hidden: vec![], penalty: self.penalty, ..Settings::default() };
        threshold_fit::learn(settings, Fitted::Refit, train, test)
    }
}
