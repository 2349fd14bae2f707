//! LASSO and group LASSO: the schedule of the paper, from several starts.
//!
//! From each start the penalty rises, `lambda_k = e^k / (1 + e^k) lambda` for `k = -1..4`, and the problem is then solved at
//! `lambda` (paper, section 2.5). The starts are random neurons on all inputs, random neurons on the inputs with a trace
//! in the outcome (`screening.rs`), and, if `lambda_0` exceeds `lambda`, the descent direction out of the empty model. All end
//! points are stationary points of one objective; the lowest is kept.
//!
//! If `lambda_0` does not exceed `lambda`, the empty model is a local minimum too. It is kept unless another point gains more
//! than the price of its weights (`candidate.rs`). Comparing objectives would be wrong: the penalty shrinks the weights, so the
//! objective at the true needles may be slightly above that of the empty model. Cost: that of the starts, most of which use few
//! inputs. Tested in `tests/own_unit.rs`.

use super::starts::{promising_inputs, random_start, way_out_of_zero};
use super::{Search, Stage};
use crate::error::Result;
use crate::local::active::Live;
use crate::local::working_set::Solution;

/// The steps of the schedule before `lambda` itself.
const STEPS: std::ops::RangeInclusive<i32> = -1..=4;

impl Search<'_> {
    /// The best end point of the schedule, for the last solve.
    pub(super) fn follow_schedule(&self, stages: &mut Vec<Stage>) -> Result<Live> {
        let setting = self.setting(self.lambda, self.penalty, 1.0);
        let empty = setting.empty(self.network);
        if self.network.is_linear() {
            // a convex problem: its solution does not depend on the path
            return Ok(empty);
        }
        let must_pay = self.lambda_zero <= self.lambda;
        let mut ends = Vec::new();
        for start in self.starts() {
            let live = self.raise_penalty(start, stages)?;
            ends.push(setting.solve(&live, self.plan.end, usize::MAX));
        }
        if let Some(start) = way_out_of_zero(&setting, self.network).filter(|_| !must_pay) {
            ends.push(setting.solve(&start, self.plan.end, usize::MAX));
        }
        let counts = |end: &Solution| {
            !end.live.support().is_empty() && end.objective.is_finite() && (!must_pay || self.pays(&end.live))
        };
        let best = ends.into_iter().filter(counts).min_by(|a, b| a.objective.total_cmp(&b.objective));
        Ok(best.map_or(empty, |end| end.live.compact()))
    }

    /// Random neurons on all inputs, and on those that leave a trace.
    fn starts(&self) -> Vec<Live> {
        let mut starts = vec![self.start(self.seed)];
        let promising = promising_inputs(self.x, self.loss, self.plan.most_traced);
        if let Some(traces) = self.traces(&self.empty_model(), &promising) {
            let columns = traces.leading();
            starts.extend((1..=self.plan.schedule_starts).map(|start| {
                random_start(self.loss, self.network, &columns, self.seed.wrapping_add(start << 48))
            }));
        }
        starts
    }

    /// One pass along the schedule.
    fn raise_penalty(&self, start: Live, stages: &mut Vec<Stage>) -> Result<Live> {
        let of = STEPS.count() * (1 + self.plan.schedule_starts as usize) + 1;
        let mut live = start;
        for k in STEPS {
            let part = 1.0 / (1.0 + libm::exp(-f64::from(k)));
            let setting = self.setting(part * self.lambda, self.penalty, 1.0);
            live = self.stage(&setting, &live, stages, of)?.live.compact();
        }
        Ok(live)
    }
}
