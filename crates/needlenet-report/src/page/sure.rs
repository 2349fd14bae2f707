//! The sections on certainty: how sure the answer is, and what an empty answer means.

use maud::{Markup, html};

use super::found::figures;
use super::{MOST_ROWS, MOST_TOLD, Page, name};
use crate::chart::{Chart, Mark};
use crate::layout::{number, plural, shown};
use crate::rows::NeedleRow;
use crate::sure::{CopiesRow, chance, percent, range};
use crate::survey::SmallestEffect;

/// Bars of the histogram of null draws.
const BARS: usize = 40;

impl Page<'_> {
    /// The page of a table in which nothing was found.
    pub(super) fn nothing(&self) -> Markup {
        html! { section {
            h2 { "What does this mean?" }
            @if let Some(nothing) = &self.report.sentences.nothing { p { (capital(nothing)) } }
            h2 { "What could have been found?" }
            @match self.smallest_effect() {
                Some(smallest) => p {
                    "With " (plural(self.report.n_samples, "sample")) " and " (plural(self.report.n_features, "input"))
                    ", the answer cannot be empty if, in the table, " strong { (smallest.condition()) }
                    ". Bends and joint effects may be found below this bound. It falls about as one over the square root of \
                     the number of samples, and a little if there are fewer inputs."
                },
                None => p { "The answer cannot be empty if some input raises lambda_0 above lambda_QUT. More samples make \
                             smaller effects visible; fewer inputs help a little." },
            }
        } }
    }

    fn smallest_effect(&self) -> Option<SmallestEffect> {
        let survey = self.evidence.survey.as_ref()?;
        let smallest = survey.smallest_effect(self.report.lambda, self.report.lambda_zero);
        smallest.filter(SmallestEffect::is_possible)
    }

    pub(super) fn how_sure(&self) -> Markup {
        let report = self.report;
        html! { section {
            h2 { "How sure is it?" }
            (self.each_needle())
            @match &report.sentences.given_lambda {
                Some(given) => p { (given) },
                None => p { "The level is " (report.alpha) ": of 100 tables like this one in which no input matters, about "
                            (number(100.0 * report.alpha)) " would still show a needle." },
            }
            p { (report.sentences.threshold) }
            @if let Some(raised) = &report.sentences.raised_lambda { p { (raised) } }
            table { tbody {
                tr { th scope="row" { "lambda_QUT, the threshold" } td.n { (number(report.lambda_qut)) }
                     td { "Monte Carlo standard error " (number(report.lambda_qut_standard_error)) ", from "
                          (plural(report.draws, "draw")) " without signal" } }
                tr { th scope="row" { "lambda_0, this table" } td.n { (number(report.lambda_zero)) }
                     td { "p-value " (chance(report.p_value)) ", for straight-line effects" } }
            } }
            @if !self.draws.is_empty() { (figures(&[self.null_draws()])) }
        } }
    }

    /// The p-value, frequency and interval of each needle.
    fn each_needle(&self) -> Markup {
        let Some(sure) = &self.report.sure else { return html! {} };
        let copies = self.report.needles.iter().any(|needle| group_of(needle).is_some());
        html! {
            @if self.report.n_selected > 0 {
                div.wide { table {
                    thead { tr {
                        th scope="col" { "input" } th.n scope="col" { "p-value" } th.n scope="col" { "adjusted" }
                        @if sure.pairs > 0 { th.n scope="col" { "in halves" } th.n scope="col" { "strength from-to" } }
                        th scope="col" { "seen" } @if copies { th.n scope="col" { "it or a copy, adjusted" } }
                    } }
                    tbody { @for needle in self.report.needles.iter().take(MOST_ROWS) { tr {
                        th scope="row" { (name(&needle.name)) }
                        td.n { @if let Some(p) = needle.p_value { (chance(p)) } }
                        td.n { @if let Some(p) = needle.p_adjusted { (chance(p)) } }
                        @if sure.pairs > 0 {
                            td.n { @if let Some(share) = needle.frequency { (percent(share)) } }
                            td.n { @if let Some(interval) = needle.strength_interval { (range(interval)) } }
                        }
                        td { @if let Some(sure) = &needle.sure { (name(&sure.shown)) } }
                        @if copies { td.n { @if let Some(group) = group_of(needle) { (chance(group.p_adjusted)) } } }
                    } } }
                } }
            }
            @for sentence in sure.sentences.iter().take(MOST_ROWS) { p { (told(sentence)) } }
        }
    }

    fn null_draws(&self) -> Chart {
        let (low, high) = (self.draws[0], self.draws[self.draws.len() - 1]);
        let step = ((high - low) / BARS as f64).max(f64::MIN_POSITIVE);
        let mut counts = [0.0; BARS];
        for draw in self.draws {
            counts[(((draw - low) / step) as usize).min(BARS - 1)] += 1.0;
        }
        let bar = |(k, count): (usize, &f64)| [low + step * k as f64, low + step * (k + 1) as f64, *count];
        Chart {
            title: "lambda_0 of outcomes without signal (bars), and of this table".into(),
            description: format!(
                "Bars: draws without signal. The threshold lambda_QUT is {}; this table has {}.",
                number(self.report.lambda_qut),
                number(self.report.lambda_zero)
            ),
            x: "lambda_0".into(),
            y: "draws".into(),
            key: Vec::new(),
            marks: vec![
                Mark::Bars(counts.iter().enumerate().map(bar).collect()),
                Mark::Threshold(self.report.lambda_qut, "lambda_QUT".into(), 1),
                Mark::Threshold(self.report.lambda_zero, "this table".into(), 0),
            ],
        }
    }
}

fn group_of(needle: &NeedleRow) -> Option<&CopiesRow> {
    needle.sure.as_ref().and_then(|sure| sure.group.as_ref())
}

/// A sentence with names from the data, of bounded length.
fn told(sentence: &str) -> String {
    shown(sentence, MOST_TOLD)
}

pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
