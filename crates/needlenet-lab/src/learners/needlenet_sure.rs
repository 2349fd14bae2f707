//! Our default with a test of each needle: only needles with a small adjusted p-value count as selected.
//!
//! Then the column `fdr` of its rows is the share of false inputs among these, and `tpr` the share of true needles among all.

use needlenet::{Fitted, Result, Settings, SureOptions, fit, sure};

use super::{Learned, Learner, threshold_fit};
use crate::sample::Sample;

/// `needlenet fit --sure --pairs 0`.
#[derive(Debug, Clone)]
pub struct NeedlenetSure {
    /// The bound on the adjusted p-value.
    pub level: f64,
}

impl Default for NeedlenetSure {
    fn default() -> Self {
        NeedlenetSure { level: 0.05 }
    }
}

impl Learner for NeedlenetSure {
    fn learn(&self, train: &Sample, test: &Sample, _: u64) -> Result<Learned> {
        let data = train.data()?;
        let model = fit(data.clone(), &Settings { threads: 1, ..Settings::default() })?;
        let options = SureOptions { pairs: 0, ..SureOptions::default() };
        let sure = sure(&data, &model, &options, &())?;
        let learned = threshold_fit::learned(&model, Fitted::Predictor, test)?;
        let needles = model.needles.iter().zip(&sure.needles);
        let mut selected: Vec<usize> = needles
            .filter(|(_, sure)| sure.p_adjusted < self.level)
            .map(|(needle, _)| needle.index)
            .collect();
        selected.sort_unstable();
        Ok(Learned { selected: Some(selected), ..learned })
    }
}
