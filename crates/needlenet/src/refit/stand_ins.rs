//! Stand-ins: the inputs that would have been found if the needles had not been measured.
//!
//! Inputs often come in families that carry the same information, such as genes of one pathway. The LASSO keeps one or two
//! members of each family, as a list of needles should. But each member is measured with its own error, so a prediction from
//! several members is better. So a linear model of an outcome whose noise is known is solved a second time, at the same
//! `lambda`, without the needles. The inputs found then join the refit if held-out samples are predicted better with them. They
//! are reported apart from the needles.
//! If no input beyond the needles matters, nothing is found: the level of this second test is at most `alpha` too.
//! Tested in `tests/stand_ins.rs`.

use super::left_out::left_out_loss;
use super::refit;
use crate::local::active::Live;
use crate::local::descent::{Descent, Limits};
use crate::local::working_set::Setting;

/// The inputs of a refit, its result, and its held-out loss if it is needed and known.
pub(crate) struct Refitted {
    pub live: Live,
    pub end: Descent,
    pub left_out: Option<f64>,
}

impl Refitted {
    fn on(setting: &Setting, live: Live, limits: Limits) -> Self {
        let end = refit(setting, &live, limits);
        let needed = setting.loss.knows_noise();
        let left_out = if needed { left_out_loss(setting, &live, &end.point.theta) } else { None };
        Refitted { live, end, left_out }
    }

    /// Whether it predicts held-out samples better; false if that is unknown or it did not converge.
    fn is_better_than(&self, other: &Refitted) -> bool {
        let better = self.left_out.zip(other.left_out).is_some_and(|(own, others)| own < others);
        better && self.end.stop.is_converged()
    }
}

/// Refits `live`, which has needles only, and adds stand-ins if they improve prediction.
pub(crate) fn refit_with_stand_ins(setting: &Setting, live: Live, limits: Limits) -> Refitted {
    let found = stand_ins(setting, &live, limits);
    let alone = Refitted::on(setting, live, limits);
    if found.is_empty() {
        return alone;
    }
    let joined = Refitted::on(setting, alone.live.with_columns(&found), limits);
    if joined.is_better_than(&alone) { joined } else { alone }
}

/// The support of the linear model without the inputs of `live`.
fn stand_ins(setting: &Setting, live: &Live, limits: Limits) -> Vec<usize> {
    if live.columns.is_empty() || !live.network.is_linear() || !setting.loss.knows_noise() {
        return Vec::new();
    }
    let without = Setting { without: &live.columns, ..*setting };
    let solution = without.solve(&setting.empty(&live.network), limits, usize::MAX);
    if solution.stop.is_converged() { solution.live.support() } else { Vec::new() }
}
