//! How sure each needle is: the rows, the sentences and their text. What the numbers mean is in `docs/how-sure.md`.

use needlenet::{Halves, Model, Shown, Sure, SureNeedle};
use serde::Serialize;

use crate::layout::{align, number, plural, shown, wrap};
use crate::report::Report;
use crate::rows::NeedleRow;

/// Smaller p-values are printed as "below" this.
const LEAST: f64 = 1e-12;
/// Copies named in a sentence.
const MOST_COPIES: usize = 5;
/// Needles in the table of a terminal.
const MOST_ROWS: usize = 30;

/// How sure a needle is.
#[derive(Debug, Clone, Serialize)]
pub struct SureRow {
    /// The trace from which its p-value was computed.
    pub shown: String,
    /// The needle with its near copies.
    pub group: Option<CopiesRow>,
    /// Whether all fits of its tests converged.
    pub converged: bool,
}

/// A needle with its near copies.
#[derive(Debug, Clone, Serialize)]
pub struct CopiesRow {
    /// The near copies, nearest first.
    pub copies: Vec<CopyRow>,
    /// The p-value of the hypothesis that neither the needle nor its copies matter.
    pub p_value: f64,
    /// The p-value adjusted by Holm's method.
    pub p_adjusted: f64,
}

/// A near copy.
#[derive(Debug, Clone, Serialize)]
pub struct CopyRow {
    /// Its name.
    pub name: String,
    /// Its correlation with the needle.
    pub correlation: f64,
}

/// The results of `sure` that concern the whole report.
#[derive(Debug, Clone, Serialize)]
pub struct SureReport {
    /// The number of hypotheses in the adjusted p-values.
    pub n_hypotheses: usize,
    /// Number of pairs of halves; 0 if none were requested.
    pub pairs: usize,
    /// Halves whose fit converged.
    pub halves_converged: usize,
    /// The mean number of inputs that a half selects.
    pub mean_selected: Option<f64>,
    /// The share of halves (cut) for which the bounds hold.
    pub cut: Option<f64>,
    /// The bound on the expected number of rarely selected inputs at or above the cut.
    pub bound_worst_case: Option<f64>,
    /// The same if the share of pairs is unimodal.
    pub bound_unimodal: Option<f64>,
    /// The meaning of the numbers.
    #[serde(skip)]
    pub sentences: Vec<String>,
}

/// A p-value as text.
pub(crate) fn chance(p: f64) -> String {
    if p < LEAST {
        return "<1e-12".into();
    }
    if p < 1e-3 { format!("{p:.1e}") } else { format!("{p:.3}") }
}

pub(crate) fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}

pub(crate) fn range([low, high]: [f64; 2]) -> String {
    let short = |v: f64| number(format!("{v:.2e}").parse().unwrap_or(v));
    format!("{} to {}", short(low), short(high))
}

pub(crate) fn sure_row(needle: &SureNeedle, name: &dyn Fn(&String) -> String) -> SureRow {
    let group = needle.group.as_ref().map(|group| CopiesRow {
        copies: group
            .copies
            .iter()
            .map(|copy| CopyRow { name: name(&copy.name), correlation: copy.correlation })
            .collect(),
        p_value: group.p_value,
        p_adjusted: group.p_adjusted,
    });
    let shown = match &needle.shown {
        Shown::Straight => "along a straight line".into(),
        Shown::Bent => "by its square".into(),
        Shown::With(other) => format!("together with {}", name(other)),
    };
    let of_group = needle.group.iter().flat_map(|group| [group.outcome_fit, group.input_fit]);
    let fits = [needle.outcome_fit, needle.input_fit].into_iter().chain(of_group).flatten();
    SureRow { shown, group, converged: fits.into_iter().all(|fit| fit.converged()) }
}

pub(crate) fn sure_report(model: &Model, sure: &Sure, name: &dyn Fn(&String) -> String) -> SureReport {
    let halves = sure.halves.as_ref();
    let bounds = halves.map(|halves| halves.bounds);
    let mut sentences = vec![format!(
        "p-value: for the hypothesis that the outcome does not depend on the input given all others. Adjusted: by Holm's \
         method for all {}; if no input matters, any adjusted value is below .05 in at most 5 of 100 tables. Assumption: each \
         input is a linear function of a few others plus noise of the same law for all samples; an input of two values \
         follows a logistic model, a count a log-linear one.",
        plural(sure.n_hypotheses, "input")
    )];
    for needle in &sure.needles {
        sentences.extend(group_sentence(needle, name));
    }
    sentences.extend(several_sentence(model));
    sentences.extend(halves.map(|halves| halves_sentence(halves, sure.n_hypotheses)));
    if sure.needles.iter().any(|needle| needle.strength_interval.is_some()) {
        sentences.push(
            "Strength from-to: interval of nominally 95%, given which inputs are needles. It does not account for the \
             search, so the strengths of weak needles are overstated. For sharp bends and waves it is too narrow."
                .into(),
        );
    }
    SureReport {
        n_hypotheses: sure.n_hypotheses,
        pairs: halves.map_or(0, |halves| halves.pairs),
        halves_converged: halves.map_or(0, |halves| halves.n_converged),
        mean_selected: bounds.map(|bounds| bounds.q),
        cut: bounds.map(|bounds| bounds.cut),
        bound_worst_case: bounds.and_then(|bounds| bounds.worst_case),
        bound_unimodal: bounds.and_then(|bounds| bounds.unimodal),
        sentences,
    }
}

fn group_sentence(needle: &SureNeedle, name: &dyn Fn(&String) -> String) -> Option<String> {
    let group = needle.group.as_ref()?;
    let copy = |copy: &needlenet::Copy| format!("{} ({:.2})", shown(&name(&copy.name), 28), copy.correlation);
    let mut list = group.copies.iter().take(MOST_COPIES).map(copy).collect::<Vec<_>>().join(", ");
    if group.copies.len() > MOST_COPIES {
        list.push_str(&format!(" and {} more", group.copies.len() - MOST_COPIES));
    }
    Some(format!(
        "{} has near copies (correlation in brackets): {list}. These samples can hardly distinguish them. For the hypothesis that \
         neither it nor a copy matters, p = {}, adjusted {}.",
        shown(&name(&needle.name), 28),
        chance(group.p_value),
        chance(group.p_adjusted)
    ))
}

/// The sentence on a p-value that belongs to several rows.
fn several_sentence(model: &Model) -> Option<String> {
    let several = model.needles.iter().any(|needle| needle.group.is_some());
    several.then(|| {
        "An input of several columns is tested as one: its columns have the same p-value and the same share of halves."
            .into()
    })
}

fn halves_sentence(halves: &Halves, n_inputs: usize) -> String {
    let bounds = &halves.bounds;
    let rare = number(format!("{:.2e}", bounds.q / n_inputs as f64).parse().unwrap_or_default());
    let short = |bound: f64| number(format!("{bound:.1e}").parse().unwrap_or(bound));
    let expected = match (bounds.worst_case, bounds.unimodal) {
        (Some(worst), Some(unimodal)) => {
            format!("at most {} ({} if their law is unimodal)", short(worst), short(unimodal))
        }
        (Some(worst), None) => format!("at most {}", short(worst)),
        (None, _) => "any number".into(),
    };
    format!(
        "In halves: the share of {} halves of the samples that select the input. Of the inputs that a half selects \
         with probability at most {rare}, {expected} are expected to be selected by at least {} of the halves.",
        2 * halves.pairs,
        percent(bounds.cut)
    )
}

impl Report {
    /// The table of how sure each needle is, and the meaning of its numbers.
    pub(crate) fn write_sure(&self, out: &mut String) {
        let Some(sure) = &self.sure else { return };
        out.push_str("\nHow sure each is\n");
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
        let start = |rank: usize, needle: &NeedleRow| {
            let [p_value, adjusted] = [needle.p_value, needle.p_adjusted].map(|p| or_dash(p.map(chance)));
            [(rank + 1).to_string(), shown(&needle.name, 20), p_value, adjusted]
        };
        let needles = self.needles.iter().take(MOST_ROWS).enumerate();
        // a line of 80 letters cannot show all
        if sure.pairs > 0 {
            let mut rows =
                vec![["", "input", "p-value", "adjusted", "in halves", "strength from-to"].map(String::from)];
            rows.extend(needles.map(|(rank, needle)| {
                let [rank, name, p_value, adjusted] = start(rank, needle);
                let interval = or_dash(needle.strength_interval.map(range));
                [rank, name, p_value, adjusted, or_dash(needle.frequency.map(percent)), interval]
            }));
            align(out, &rows, [false, true, false, false, false, false]);
        } else {
            let mut rows = vec![["", "input", "p-value", "adjusted", "seen"].map(String::from)];
            rows.extend(needles.map(|(rank, needle)| {
                let [rank, name, p_value, adjusted] = start(rank, needle);
                let seen = needle.sure.as_ref().map(|sure| shown(&sure.shown, 24));
                [rank, name, p_value, adjusted, or_dash(seen)]
            }));
            align(out, &rows, [false, true, false, false, true]);
        }
        for sentence in &sure.sentences {
            wrap(out, sentence);
        }
    }
}

/// The sentence on tests whose fits did not converge.
pub(crate) fn warnings(model: &Model) -> Vec<String> {
    let Some(sure) = &model.sure else { return Vec::new() };
    let mut warnings = Vec::new();
    let rows: Vec<SureRow> = sure.needles.iter().map(|needle| sure_row(needle, &String::clone)).collect();
    let stopped = rows.iter().filter(|row| !row.converged).count();
    if stopped > 0 {
        warnings.push(format!(
            "a fit for the p-value of {} did not converge: the value is valid, a better fit could make it smaller",
            plural(stopped, "needle")
        ));
    }
    if let Some(halves) = sure.halves.as_ref().filter(|halves| halves.n_converged < 2 * halves.pairs) {
        let missing = 2 * halves.pairs - halves.n_converged;
        warnings.push(format!("{missing} of the {} fits of halves did not converge", 2 * halves.pairs));
    }
    warnings
}
