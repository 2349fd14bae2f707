//! LASSO ANN, the paper's estimator: the l1 penalty at `lambda_QUT`, its shrunk weights for prediction
//! (paper, section 3: widths 20, 10, 5). The outcome keeps its unit, as in the paper, unless it is asked to be scaled.

use needlenet::{Fitted, Result, Settings};

use super::{Learned, Learner, threshold_fit};
use crate::sample::Sample;

/// The l1 penalty on a network with these hidden layers.
#[derive(Debug, Clone)]
pub struct LassoAnn {
    /// Widths of the hidden layers.
    pub hidden: Vec<usize>,
    /// Whether the outcome is divided by its standard deviation.
    pub scale_outcome: bool,
}

impl Learner for LassoAnn {
    fn learn(&self, train: &Sample, test: &Sample, _: u64) -> Result<Learned> {
        let settings =
            Settings { hidden: self.hidden.clone(), scale_outcome: self.scale_outcome, ..Settings::paper() };
        threshold_fit::learn(settings, Fitted::Penalised, train, test)
    }
}
