//! Stand-ins: the inputs that would have been found if the needles had not been measured.
//!
//! Inputs often come in families that tell the same story, as genes of one pathway do. Of each family the
//! LASSO keeps one member or two, which is what a list of needles should have; but each is measured with an
//! error of its own, and a prediction that listens to several is better. So the linear model of classes is solved
//! a second time, at the same `lambda` and without the needles. What it finds takes part in the refit if samples
//! left out are then predicted better, and is told apart from the needles.
//! Where the needles are all there is, nothing is found: the level of this second test is at most `alpha` too.
//! Tested in `tests/stand_ins.rs`.

use crate::optim::descent::{Descent, Limits};
use crate::optim::live::Live;
use crate::optim::solve::Setting;
use crate::refit::{left_out_losses, refit};

/// The inputs a refit is made on, its result, and the losses of samples left out of it (none in regression).
pub(crate) struct Refitted {
    pub live: Live,
    pub end: Descent,
    pub left_out: Option<Vec<f64>>,
}

impl Refitted {
    fn on(setting: &Setting, live: Live, limits: Limits) -> Self {
        let end = refit(setting, &live, limits);
        let left_out = left_out_losses(setting, &live, &end.point.theta);
        Refitted { live, end, left_out }
    }

    /// Whether it predicts the samples left out better; not if that cannot be told, or if it did not converge.
    fn is_better_than(&self, other: &Refitted) -> bool {
        let total = |refitted: &Refitted| refitted.left_out.as_ref().map(|losses| losses.iter().sum::<f64>());
        let better = total(self).zip(total(other)).is_some_and(|(own, others)| own < others);
        better && self.end.stop.is_converged()
    }
}

/// Refits `live`, which holds needles only, with stand-ins where they help.
pub(crate) fn refit_with_stand_ins(setting: &Setting, live: Live, limits: Limits) -> Refitted {
    let found = stand_ins(setting, &live, limits);
    let alone = Refitted::on(setting, live, limits);
    if found.is_empty() {
        return alone;
    }
    let joined = Refitted::on(setting, alone.live.with_columns(&found), limits);
    if joined.is_better_than(&alone) { joined } else { alone }
}

/// The support of the linear model of classes without the inputs of `live`.
fn stand_ins(setting: &Setting, live: &Live, limits: Limits) -> Vec<usize> {
    if live.columns.is_empty() || !live.network.is_linear() || !setting.loss.is_of_classes() {
        return Vec::new();
    }
    let without = Setting { without: &live.columns, ..*setting };
    let solution = without.solve(&setting.empty(&live.network), limits, usize::MAX);
    if solution.stop.is_converged() { solution.live.support() } else { Vec::new() }
}
