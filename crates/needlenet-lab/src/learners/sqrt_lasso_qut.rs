//! Square-root LASSO with the quantile universal threshold: the benchmark of the linear study. For classes
//! it is the multinomial LASSO.

use needlenet::{Fitted, Penalty, Result, Settings};

use super::{Learned, Learner, threshold_fit};
use crate::sample::Sample;

/// `||y - c - X w||_2 + lambda_QUT ||w||_1`.
#[derive(Debug, Clone, Copy)]
pub struct SqrtLassoQut;

impl Learner for SqrtLassoQut {
    fn learn(&self, train: &Sample, test: &Sample, _: u64) -> Result<Learned> {
        let settings = Settings { hidden: vec![], penalty: Penalty::L1, ..Settings::default() };
        threshold_fit::learn(settings, Fitted::Penalised, train, test)
    }
}
