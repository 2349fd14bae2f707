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
    /// The hypotheses that the adjusted p-values account for: one for each input of the table that is searched.
    pub n_hypotheses: usize,
    /// One for each needle, in the order of the model.
    pub needles: Vec<SureNeedle>,
    /// What halves of the samples select, if that was asked.
    pub halves: Option<Halves>,
}

impl Sure {
    /// What is wrong with its numbers, if anything.
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
            return Err("what is said of how sure its needles are is not of its needles");
        }
        let shares = self.halves.iter().flat_map(|halves| &halves.selected).all(|input| chance(input.share));
        if !(shares && self.needles.iter().all(sound)) {
            return Err(
                "a p-value or a share is not a number from 0 to 1, or an interval or a band has no order",
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
    /// That the outcome does not depend on it given all other inputs. The columns of one input have one p-value.
    pub p_value: f64,
    /// The same by Holm over all inputs: the chance that any needle without effect has a value this small.
    pub p_adjusted: f64,
    /// The trace that the p-value comes from.
    pub shown: Shown,
    /// The share of halves that select it, or any column of its input, if that was asked.
    pub frequency: Option<f64>,
    /// From where to where its strength is, if that was asked and can be told.
    pub strength_interval: Option<StrengthInterval>,
    /// From where to where its effect curve is, if that was asked and can be told.
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
    /// That the outcome depends neither on the needle nor on its copies, given all other inputs.
    pub p_value: f64,
    /// The same by Holm over the groups of all inputs.
    pub p_adjusted: f64,
    /// How the fit of the outcome without the group ended.
    pub outcome_fit: Option<Distillation>,
    /// How the fit of the needle by the inputs outside the group ended.
    pub input_fit: Option<Distillation>,
}

/// How a fit without the tested inputs ended. The p-value does not depend on its quality where the law of the input is right;
/// its power does.
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
