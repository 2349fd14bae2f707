//! Our default with p-values: `needlenet fit --sure --pairs 0`.
//!
//! Its rows have the columns `sure_tpr`, the share of the truth that has an adjusted p-value below .05, and `sure_fdr`, the share of
//! false needles among those.

use needlenet::{Fitted, Result, Settings, SureOptions, fit, sure};

use super::{Learned, Learner, threshold_fit};
use crate::sample::Sample;

/// Needles with an adjusted p-value below this are sure.
const LEVEL: f64 = 0.05;

/// Our default with p-values.
#[derive(Debug, Clone)]
pub struct NeedlenetSure;

impl Learner for NeedlenetSure {
    fn learn(&self, train: &Sample, test: &Sample, _: u64) -> Result<Learned> {
        let data = train.data()?;
        let model = fit(data.clone(), &Settings { threads: 1, ..Settings::default() })?;
        let options = SureOptions { pairs: 0, ..SureOptions::default() };
        let sure = sure(&data, &model, &options, &())?;
        let needles = model.needles.iter().zip(&sure.needles);
        let sure = needles.filter(|(_, sure)| sure.p_adjusted < LEVEL).map(|(needle, _)| needle.index);
        Ok(Learned { sure: Some(sure.collect()), ..threshold_fit::learned(&model, Fitted::Predictor, test)? })
    }
}
