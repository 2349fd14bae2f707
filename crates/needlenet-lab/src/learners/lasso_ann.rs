//! LASSO ANN, the paper's estimator: the l1 penalty at `lambda_QUT`, its shrunk weights for prediction
//! (paper, section 3: widths 20, 10, 5).

use needlenet::{Fitted, Penalty, Result, Settings};

use super::{Learned, Learner, threshold_fit};
use crate::sample::Sample;

/// The l1 penalty on a network with these hidden layers.
#[derive(Debug, Clone)]
pub struct LassoAnn {
    /// Widths of the hidden layers.
    pub hidden: Vec<usize>,
}

impl Learner for LassoAnn {
    fn learn(&self, train: &Sample, test: &Sample, _: u64) -> Result<Learned> {
        let settings = Settings { hidden: self.hidden.clone(), penalty: Penalty::L1, ..Settings::default() };
        threshold_fit::learn(settings, Fitted::Penalised, train, test)
    }
}
