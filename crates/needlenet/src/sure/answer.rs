//! The answer: what is said of each needle, and of the table as a whole.

use serde::{Deserialize, Serialize};

use super::bands::EffectBand;
use super::copies::Copy;
use super::halves::Halves;
use super::intervals::StrengthInterval;
use super::traces::Shown;
use crate::model::{Certificate, Needle};

/// How sure the needles of a model are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Sure {
    /// The number of hypotheses in Holm's correction: one for each searched input of the table.
    pub n_hypotheses: usize,
    /// One for each needle, in the order of the model.
    pub needles: Vec<SureNeedle>,
    /// What halves of the samples select, if pairs were asked for.
    pub halves: Option<Halves>,
}

impl Sure {
    /// An error if a number is out of range or the needles are not those of the model.
    pub(crate) fn check(&self, needles: &[Needle]) -> Result<(), &'static str> {
        let same = self.needles.len() == needles.len()
            && self.needles.iter().zip(needles).all(|(own, needle)| own.name == needle.name);
        let chance = |p: f64| (0.0..=1.0).contains(&p);
        let ordered = |i: StrengthInterval| i.low >= 0.0 && i.low <= i.high && i.high.is_finite();
        let sound = |needle: &SureNeedle| {
            let of_group = needle.group.iter().flat_map(|group| [group.p_value, group.p_adjusted]);
            [needle.p_value, needle.p_adjusted]
                .into_iter()
                .chain(of_group)
                .chain(needle.frequency)
                .all(chance)
                && needle.strength_interval.is_none_or(ordered)
                && needle.effect_band.as_ref().is_none_or(EffectBand::is_sound)
        };
        if !same {
            return Err("the p-values belong to other needles than those of the model");
        }
        let shares = self.halves.iter().flat_map(|halves| &halves.selected).all(|input| chance(input.share));
        if !(shares && self.needles.iter().all(sound)) {
            return Err(
                "a p-value or a share is not between 0 and 1, or the lower end of an interval or a band is above the upper one",
            );
        }
        Ok(())
    }
}

/// How sure a needle is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SureNeedle {
    /// Its name.
    pub name: String,
    /// The p-value of the hypothesis that the outcome does not depend on it given all other inputs. All columns of an input share one.
    pub p_value: f64,
    /// The p-value after Holm's correction over all searched inputs.
    pub p_adjusted: f64,
    /// The trace with the smallest p-value.
    pub shown: Shown,
    /// The share of halves that select it, or any column of its input; none without pairs.
    pub frequency: Option<f64>,
    /// The nominal 95% interval of its strength; none without pairs, or if a half is too small for the network.
    pub strength_interval: Option<StrengthInterval>,
    /// The nominal 95% band of its effect curve; none without pairs, or if there are too few samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect_band: Option<EffectBand>,
    /// The needle with its near copies, if it has any.
    pub group: Option<SureGroup>,
    /// How the fit of the outcome without it ended; none if there is no other input.
    pub outcome_fit: Option<Distillation>,
    /// How the fit of its values by the other inputs ended; none if there is no other input.
    pub input_fit: Option<Distillation>,
}

/// A needle with its near copies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SureGroup {
    /// The near copies, nearest first.
    pub copies: Vec<Copy>,
    /// The p-value of the hypothesis that the outcome depends neither on the needle nor on its copies, given all other inputs.
    pub p_value: f64,
    /// The p-value after Holm's correction over the groups of all inputs.
    pub p_adjusted: f64,
    /// How the fit of the outcome without the group ended.
    pub outcome_fit: Option<Distillation>,
    /// How the fit of the needle by the inputs outside the group ended.
    pub input_fit: Option<Distillation>,
}

/// How a fit without the tested inputs ended. If the law of the input is right, a poor fit costs power but the p-value stays valid.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distillation {
    /// Inputs in use.
    pub n_selected: usize,
    /// The penalised fit, in units of the problem as solved.
    pub fit: Certificate,
    /// The refit.
    pub refit: Certificate,
}

impl Distillation {
    /// Whether both ended at a stationary point.
    pub fn converged(&self) -> bool {
        self.fit.stop.is_converged() && self.refit.stop.is_converged()
    }
}
