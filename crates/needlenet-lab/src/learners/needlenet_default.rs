//! needlenet itself: the default setting of the program, or with other layers or another penalty.

use needlenet::{Fitted, Penalty, Result, Settings};

use super::{Learned, Learner, threshold_fit};
use crate::sample::Sample;

/// `needlenet fit`, predicting by the refit.
#[derive(Debug, Clone)]
pub struct Needlenet {
    /// Widths of the hidden layers.
    pub hidden: Vec<usize>,
    /// The penalty.
    pub penalty: Penalty,
}

impl Default for Needlenet {
    fn default() -> Self {
        let Settings { hidden, penalty, .. } = Settings::default();
        Needlenet { hidden, penalty }
    }
}

impl Learner for Needlenet {
    fn learn(&self, train: &Sample, test: &Sample, _: u64) -> Result<Learned> {
        let settings = Settings { hidden: self.hidden.clone(), penalty: self.penalty, ..Settings::default() };
        threshold_fit::learn(settings, Fitted::Predictor, train, test)
    }
}
