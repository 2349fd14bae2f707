//! The last sections: how good the fit is, what was done with the table, and how the answer was found.

use maud::{Markup, html};

use super::found::figures;
use super::sure::capital;
use super::{MOST_ROWS, MOST_TOLD, Page, name};
use crate::chart::{Chart, Mark};
use crate::layout::{number, plural, shown};
use crate::quality::Counts;
use crate::rows::End;
use crate::words::hidden_layers;

/// Names in a list of columns.
const MOST_NAMES: usize = 20;

impl Page<'_> {
    pub(super) fn how_good(&self) -> Markup {
        html! { section {
            h2 { "How good is the fit?" }
            @if let Some(expected) = &self.report.sentences.on_new_samples { p { (capital(expected)) "." } }
            @if let Some(predicts) = &self.report.sentences.predicts { p { (capital(predicts)) "." } }
            @match &self.evidence.quality {
                None => p { "The model came without its table, so the fit cannot be compared with its samples." },
                Some(quality) => {
                    p.soft { "On the samples of the fit:" }
                    table { tbody {
                        @for (what, value) in &quality.facts { tr { th scope="row" { (what) } td.n { (value) } } }
                        @if let Some(noise) = self.report.noise {
                            tr { th scope="row" { "noise scale" } td.n { (number(noise)) } }
                        }
                    } }
                    @if let Some(counts) = &quality.counts { (confusion(counts)) }
                    @if self.report.n_selected > 0 { (figures(&quality.charts)) }
                }
            }
        } }
    }

    pub(super) fn table(&self) -> Markup {
        let constant = &self.report.constant_inputs;
        let copies =
            self.evidence.survey.as_ref().map(|survey| survey.near_copies.as_slice()).unwrap_or_default();
        html! { section {
            h2 { "What was done with the table?" }
            ul {
                @for note in self.source.notes.iter().take(MOST_ROWS) { li { (capital(&shown(note, MOST_TOLD))) "." } }
                @if let Some(reason) = &self.report.task_reason { li { "The task was chosen because " (shown(reason, MOST_TOLD)) "." } }
                @if let Some(kept) = self.report.sentences.kept_unit { li { (capital(kept)) "." } }
                @if let Some(given) = &self.report.sentences.given { li { "The fit was made " (given) "." } }
                @if let Some(adjusted) = &self.report.sentences.adjusted { li { (capital(adjusted)) "." } }
                @if constant.is_empty() { li { "No input is constant." } }
                @else { li {
                    (plural(constant.len(), "input")) " left out because the values do not vary: "
                    @for (at, input) in constant.iter().take(MOST_NAMES).enumerate() { @if at > 0 { ", " } (name(input)) }
                    @if constant.len() > MOST_NAMES { " and " (constant.len() - MOST_NAMES) " more" }
                } }
                @if !copies.is_empty() { li {
                    "Near copies of needles, any of which could replace its needle: "
                    @for (at, copy) in copies.iter().take(MOST_NAMES).enumerate() {
                        @if at > 0 { "; " }
                        (name(&copy.name)) " of " (name(&self.report.needles[copy.needle].name))
                        " (correlation " (format!("{:.2}", copy.correlation)) ")"
                    }
                    @if copies.len() > MOST_NAMES { " and " (copies.len() - MOST_NAMES) " more" }
                } }
                @else if self.evidence.survey.is_some() && self.report.n_selected > 0 {
                    li { "No input is a near copy of a needle." }
                }
            }
        } }
    }

    pub(super) fn how_found(&self) -> Markup {
        let report = self.report;
        html! { section {
            h2 { "How was it found?" }
            div.wide { table {
                thead { tr { th scope="col" { "" } th scope="col" { "ended" } th.n scope="col" { "objective" }
                    th.n scope="col" { "loss" } th.n scope="col" { "KKT violation" } th.n scope="col" { "iterations" } } }
                tbody { (ended("fit", &report.fit)) (ended("refit", &report.refit)) }
            } }
            p { "The KKT violation is the distance from a stationary point of the penalised problem on all inputs, relative to \
                 lambda; the tolerance was " (format!("{:e}", report.tolerance)) "." }
            @if self.path.len() > 1 { (figures(&[self.stages()])) }
            p { "Hidden layers " (hidden_layers(&report.hidden)) ", penalty " (report.penalty) ", activation "
                (report.activation) ", lambda " (number(report.lambda)) ", level " (report.alpha) ", seed " (report.seed) ", "
                (plural(report.draws, "null draw")) ", needlenet " (report.version)
                @if let Some(seconds) = report.seconds { ", " (format!("{seconds:.2}")) " seconds" } "." }
            @if let Some(command) = &self.source.command {
                // a browser would break a line inside "--report"
                p { "To repeat it:" } pre { code { @for word in command.split(' ') { span.word { (word) } " " } } }
            }
        } }
    }
}

impl Page<'_> {
    fn stages(&self) -> Chart {
        let last = self.path.len() as f64;
        let points = self.path.iter().enumerate();
        Chart {
            title: "Inputs in use after each stage of the search, before the final solve".into(),
            description: format!(
                "The first of {last} stages ends with {}, the last with {}.",
                self.path.first().map_or(0, |stage| stage.n_selected),
                self.path.last().map_or(0, |stage| stage.n_selected)
            ),
            x: "stage".into(),
            y: "inputs in use".into(),
            key: Vec::new(),
            marks: vec![
                Mark::Guide(vec![[1.0, 0.0], [last, 0.0]]),
                Mark::Line(0, points.map(|(at, stage)| [at as f64 + 1.0, stage.n_selected as f64]).collect()),
            ],
        }
    }
}

fn ended(what: &str, end: &End) -> Markup {
    html! { tr {
        th scope="row" { (what) } td { (end.sentence) } td.n { (number(end.objective)) } td.n { (number(end.loss)) }
        td.n { (format!("{:.1e}", end.kkt_violation)) } td.n { (end.iterations) }
    } }
}

fn confusion(counts: &Counts) -> Markup {
    html! { div.wide { table {
        caption { "Samples by observed class (rows) and predicted class (columns)" }
        thead { tr { th scope="col" { "" } @for class in &counts.names { th.n scope="col" { (name(class)) } } } }
        tbody { @for (class, row) in counts.names.iter().zip(&counts.rows) {
            tr { th scope="row" { (name(class)) } @for count in row { td.n { (count) } } }
        } }
    } } }
}
