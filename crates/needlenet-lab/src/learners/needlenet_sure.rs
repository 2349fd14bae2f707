//! Our default, and how sure it is: only needles with a small adjusted p-value count as selected.
//!
//! The share of false needles among those is the column `fdr` of its rows, the share of needles that are told with a guarantee is `tpr`.

use needlenet::{Fitted, Result, Settings, SureOptions, fit, sure};

use super::{Learned, Learner, threshold_fit};
use crate::sample::Sample;

/// `needlenet fit --sure --pairs 0`.
#[derive(Debug, Clone)]
pub struct NeedlenetSure {
    /// Needles with an adjusted p-value below this count.
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
