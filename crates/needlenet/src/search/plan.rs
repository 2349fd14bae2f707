//! Every constant of the search, with its unit, its reason, and the row of `docs/solver.md` that chose it.
//!
//! A *price* is the deviance that an input gains at the empty model if its null statistic is just `lambda`
//! (`Loss::price`): the one measure of "clearly better".

use crate::local::descent::Limits;

/// The constants of the search.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The first noise of a noise path if the noise is unknown, in standard deviations of the outcome. Row "lowest noise".
    pub lowest_noise: f64,
    /// If the noise is known (it is 1), a noise path starts at this number divided by `Loss::unit`: the less information a
    /// sample has, the lower the start. Row "lowest noise of classes".
    pub lowest_known_noise: f64,
    /// The factor from one noise to the next. Row "factor from noise to noise".
    pub rise: f64,
    /// A stage makes no progress if its residual noise exceeds this part of the residual noise of the previous
    /// stage. Row "noise after a stage without progress".
    pub stalled: f64,
    /// After such a stage the noise continues from at least this part of the residual noise: far below it the penalty has no effect.
    pub jump: f64,
    /// Concavity of the first two stages of a noise path, and its growth from stage to stage. Row "first concavity".
    pub first_concavity: f64,
    /// See `first_concavity`.
    pub concavity_step: f64,
    /// Candidates are measured if they use at most this part of the degrees of freedom of the samples. Row "degrees of
    /// freedom".
    pub measurable: f64,
    /// A noise path ends if the noise exceeds that of its best candidate by this factor: every input is
    /// lost.
    pub given_up: f64,
    /// If a noise path loses every input, it is repeated with new neurons on the inputs that stayed longest. Row "a noise path that lost every input".
    pub afresh: bool,
    /// The largest number of reheats of one start. Row "reheats".
    pub max_reheats: u64,
    /// A reheat starts at this part of the noise.
    pub reheat_at: f64,
    /// The largest number of rounds of starts on the inputs with a trace. Row "first inputs of a
    /// network".
    pub max_followed: u64,
    /// The largest number of starts on all inputs. Row "starts while nothing is found".
    pub max_starts: u64,
    /// Number of starts of the LASSO and group LASSO schedule on the inputs with a trace, besides the start on all
    /// inputs. Row "starts of the schedule".
    pub schedule_starts: u64,
    /// If a candidate gains less deviance per sample than this, almost nothing was found, and a
    /// further start is made.
    pub faint: f64,
    /// A further start is made if the end of a noise path is worse than its best point by this deviance per sample.
    pub lost: f64,
    /// A trace triggers a further start if chance alone exceeds it in at most this share of tables. Row "traces that trigger a
    /// start".
    pub clear: f64,
    /// The same after a subsample was searched. Stricter, because a second search after every chance trace would
    /// double the level.
    pub overlooked: f64,
    /// The largest number of inputs that are searched; a larger table is searched on the most promising ones. The
    /// certificate is on all inputs; those that violate it join. Row "inputs that are searched".
    pub most_searched: usize,
    /// Inputs whose traces are computed.
    pub most_traced: usize,
    /// Up to this many samples, traces are also followed on more samples than the subsample.
    pub most_explored: usize,
    /// Number of inputs that a network starts on. Row "inputs of a network at the start".
    pub most_at_start: usize,
    /// Number of inputs that the linear model starts on.
    pub most_at_linear_start: usize,
    /// The smallest unit of the penalty that is tried if inputs are lost, as a part of the noise. Row "units".
    pub smallest_unit: f64,
    /// The factor from one unit to the next. Row "units".
    pub unit_step: f64,
    /// A score is clearly worse by this part of a price. Row "final solve".
    pub clearly: f64,
    /// Whether a score must be worse by `2 ln h` besides, if the better one has `h` neurons. Row "choice of a neuron".
    pub count_neurons: bool,
    /// Whether the final solve of the linear model also starts from points with more inputs. Row "starts of the final solve".
    pub from_more: bool,
    /// The largest number of rounds of solving and measuring the noise.
    pub max_settles: usize,
    /// The noise is stable when a round changes it by less than this part.
    pub stable: f64,
    /// The largest number of rounds of exchanging and dropping inputs.
    pub max_refined: usize,
    /// Whether inputs are dropped if the score without them is not clearly worse. Row "pruning".
    pub prune: bool,
    /// The largest number of rounds in which `lambda` is raised so that inputs that do not pay stay out. Row "lambda with needles in".
    pub max_raised: usize,
    /// Whether inputs are exchanged for near copies. Row "near copies".
    pub swap: bool,
    /// A near copy has at least this correlation.
    pub near: f64,
    /// If `lambda_0 <= lambda`, a candidate must gain more than its price also without its best sample. Section "The level".
    pub without_one: bool,
    /// The final solve ends if ten iterations gain less than this part of a price. Row "end of
    /// settling".
    pub least_gain: f64,
    /// Precision of a stage of a noise path.
    pub(crate) stage: Limits,
    /// Precision of the final solve. Row "iterations of the final solve".
    pub(crate) settle: Limits,
    /// Precision of the end points of the LASSO and group LASSO schedule, which are compared by their
    /// objective.
    pub(crate) end: Limits,
}

/// The searched inputs have at most this many values in all. So fewer inputs of a tall table are searched, but at
/// least one `LEAST_PART`-th of `most_searched`.
const MOST_NUMBERS: usize = 1 << 26;
const LEAST_PART: usize = 2;

impl Plan {
    /// How many inputs of `n` samples are searched.
    pub(crate) fn searched(&self, n: usize) -> usize {
        (MOST_NUMBERS / n).clamp(self.most_searched / LEAST_PART, self.most_searched)
    }
}

impl Default for Plan {
    fn default() -> Self {
        Plan {
            lowest_noise: 0.005,
            lowest_known_noise: 0.05,
            rise: 1.6,
            stalled: 0.9,
            jump: 0.125,
            first_concavity: 0.3,
            concavity_step: 0.25,
            measurable: 0.5,
            given_up: 2.0,
            afresh: true,
            max_reheats: 3,
            reheat_at: 0.25,
            max_followed: 3,
            max_starts: 3,
            schedule_starts: 16,
            faint: 0.1,
            lost: 0.67,
            clear: 0.05,
            overlooked: 0.01,
            most_searched: 4096,
            most_traced: 400,
            most_explored: 1 << 16,
            most_at_start: 80,
            most_at_linear_start: 500,
            smallest_unit: 0.03,
            unit_step: 1.5,
            clearly: 0.5,
            count_neurons: true,
            from_more: true,
            max_settles: 10,
            stable: 0.01,
            max_refined: 5,
            prune: true,
            max_raised: 20,
            swap: true,
            near: 0.8,
            without_one: true,
            least_gain: 0.1,
            stage: Limits { tolerance: 1e-3, max_iterations: 100, max_newton: 40, least_gain: 0.0 },
            settle: Limits { tolerance: 1e-4, max_iterations: 200, max_newton: usize::MAX, least_gain: 0.0 },
            end: Limits { tolerance: 1e-4, max_iterations: 2000, max_newton: usize::MAX, least_gain: 0.0 },
        }
    }
}
