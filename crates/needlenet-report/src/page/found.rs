//! The sections on the needles: which inputs matter, how each acts, which act together, and whether the model is linear.

use maud::{Markup, html};

use super::{MOST_ROWS, MOST_TOLD, Page, name};
use crate::chart::Chart;
use crate::evidence::MOST_CURVES;
use crate::layout::{plural, rough, shown};
use crate::rows::NeuronRow;
use crate::sure::{chance, percent};

/// Neurons in the list, and needles in one.
const MOST_NEURONS: usize = 30;
const MOST_JOINED: usize = 8;

impl Page<'_> {
    pub(super) fn needles(&self) -> Markup {
        html! {
            section {
                h2 { "Which inputs matter?" }
                p { "Strongest first; " (self.report.sentences.unit) "." }
                (self.needle_table())
                @if let Some(columns) = &self.report.sentences.columns { p { (shown(columns, MOST_TOLD)) } }
                @let sentences = &self.report.sentences;
                @for sentence in sentences.exchangeable.iter().chain(&sentences.other_searches) { p { (sentence) } }
                (self.stand_ins())
            }
            section {
                h2 { "How does each act?" }
                @if !self.evidence.curves.is_empty() {
                    p { (self.curve_words()) }
                    (figures(&self.evidence.curves))
                }
                @if self.report.drawn().nth(MOST_CURVES).is_some() {
                    p.soft { "Only the " (MOST_CURVES) " strongest needles have a picture." }
                }
                @for group in &self.report.groups { (group.table(&self.report.classes)) }
            }
            (self.together())
            section {
                h2 { "Is it linear?" }
                @if let Some(verdict) = self.report.sentences.linear { p { (verdict) } }
                @if let Some(why) = &self.report.sentences.prefers_linear { p { "A network was requested; " (why) "." } }
            }
        }
    }

    fn needle_table(&self) -> Markup {
        let strongest = self.report.needles.first().map_or(1.0, |needle| needle.strength);
        let with_class = self.report.needles.iter().any(|needle| needle.class.is_some());
        let sure = self.report.sure.as_ref();
        let in_halves = sure.is_some_and(|sure| sure.pairs > 0);
        html! {
            div.wide { table {
                thead { tr {
                    th.n scope="col" { "rank" } th scope="col" { "input" } th.n scope="col" { "strength" }
                    th scope="col" { "" } th.n scope="col" { "mean slope" } th scope="col" { "effect" }
                    @if with_class { th scope="col" { "on the log odds of" } }
                    @if sure.is_some() { th.n scope="col" { "adjusted p" } }
                    @if in_halves { th.n scope="col" { "in halves" } }
                } }
                tbody { @for (at, needle) in self.report.needles.iter().take(MOST_ROWS).enumerate() {
                    tr {
                        td.n { (at + 1) }
                        th scope="row" { (name(&needle.name)) }
                        td.n { (rough(needle.strength)) }
                        td.meter { span.strength style=(width(needle.strength, strongest)) {} }
                        td.n { (rough(needle.mean_slope)) }
                        td { (needle.shape) }
                        @if with_class { td { @if let Some(class) = &needle.class { (name(class)) } } }
                        @if sure.is_some() { td.n { @if let Some(p) = needle.p_adjusted { (chance(p)) } } }
                        @if in_halves { td.n { @if let Some(share) = needle.frequency { (percent(share)) } } }
                    }
                } }
            } }
            @if self.report.needles.len() > MOST_ROWS {
                p.soft { "and " (self.report.needles.len() - MOST_ROWS) " more" }
            }
        }
    }

    fn stand_ins(&self) -> Markup {
        let stand_ins = &self.report.stand_ins;
        html! { @if !stand_ins.is_empty() {
            p { (plural(stand_ins.len(), "stand-in")) ", found when the needles are left out; only predictions use them: "
                @for (at, input) in stand_ins.iter().take(MOST_ROWS).enumerate() {
                    @if at > 0 { ", " } (name(&input.name))
                } }
        } }
    }

    fn curve_words(&self) -> String {
        if self.evidence.survey.is_some() {
            let ends = if self.report.needles.iter().any(|needle| needle.effect_band.is_some()) {
                " The thin lines are the ends of an interval at each value, nominally of 95%, given which inputs are needles. \
                 Splines correct its curve if the network bends too little. For classes it is narrower than 95% needs."
            } else {
                ""
            };
            format!(
                "The line is the sparse network (refit) as one input varies, averaged over samples that keep their other \
                 inputs; the band holds the middle 80% of these samples.{ends} {}",
                self.report.sentences.behind
            )
        } else {
            "The line is the sparse network (refit) as one input varies and the others stay at their mean. The model \
             came without its table, so no samples are drawn."
                .into()
        }
    }

    fn together(&self) -> Markup {
        let neurons = &self.report.neurons;
        let joint = neurons.iter().any(|neuron| neuron.inputs.len() > 1);
        html! { section {
            h2 { "Which act together?" }
            @if neurons.is_empty() {
                p { "None: in a linear model each input adds its own part." }
            } @else {
                p { @if joint { "The needles of one neuron are added up before the function bends, so the effect of one depends on the others." }
                    @else { "None: each neuron has one needle." } }
                ol { @for neuron in neurons.iter().take(MOST_NEURONS) { li { (sum(neuron)) } } }
                @if neurons.len() > MOST_NEURONS { p.soft { "and " (neurons.len() - MOST_NEURONS) " more neurons" } }
                (figures(&self.evidence.surfaces))
            }
        } }
    }
}

/// The weighted needles of a neuron.
fn sum(neuron: &NeuronRow) -> Markup {
    html! {
        @for joined in neuron.inputs.iter().take(MOST_JOINED) {
            (if joined.weight < 0.0 { " − " } else { " + " }) (rough(joined.weight.abs())) " × "
            bdi { (shown(&joined.name, 40)) }
        }
        @if neuron.inputs.len() > MOST_JOINED { " and " (neuron.inputs.len() - MOST_JOINED) " more" }
    }
}

pub(super) fn width(part: f64, whole: f64) -> String {
    format!("width:{:.1}%", (100.0 * part / whole).clamp(0.0, 100.0))
}

pub(super) fn figures(charts: &[Chart]) -> Markup {
    html! { div.charts { @for chart in charts { figure { (chart) figcaption { (chart.title) } } } } }
}
