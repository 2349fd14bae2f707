//! The report as one page: no script, no request, at most 300 kB.
//!
//! The sections answer the questions of a reader, one after the other. Names from the data are escaped by the template, and
//! their text direction is isolated (`bdi`); a content security policy in the file forbids every request. The JSON of the
//! report is embedded, so the page is also data. Tested in `tests/page.rs`.

mod compact;
mod found;
mod made;
mod sure;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use needlenet::{Model, Stage};

use crate::evidence::Evidence;
use crate::layout::{plural, shown};
use crate::report::Report;

/// Rows of the longest table.
const MOST_ROWS: usize = 100;

/// A larger page, in bytes, is written without its JSON, which has every needle of every neuron and names of any
/// length.
const LARGEST_PAGE: usize = 300_000;

/// Letters of a sentence that holds names from the data.
const MOST_TOLD: usize = 500;

/// Letters of a name.
const MOST_LETTERS: usize = 60;

/// The origin of a page.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// The table or model, such as its file name.
    pub name: String,
    /// The command that makes the page again.
    pub command: Option<String>,
    /// What was done with the table: rows or columns dropped, cells filled, columns left out.
    pub notes: Vec<String>,
}

/// The parts of a page.
pub(crate) struct Page<'a> {
    report: &'a Report,
    draws: &'a [f64],
    path: &'a [Stage],
    evidence: &'a Evidence,
    source: &'a Source,
}

impl Report {
    /// The report as an HTML page.
    pub fn page(&self, model: &Model, evidence: &Evidence, source: &Source) -> String {
        let (draws, path) = (&model.threshold.draws, &model.path);
        let page = Page { report: self, draws, path, evidence, source };
        let whole = page.document(page.data()).into_string();
        if whole.len() <= LARGEST_PAGE {
            return whole;
        }
        let without = html! { p.soft { "The report as JSON is too large for this page; --json prints it." } };
        page.document(without).into_string()
    }
}

impl Page<'_> {
    fn document(&self, data: Markup) -> Markup {
        let title = self.title();
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="generator" content=(format!("needlenet {}", self.report.version));
                    title { (title) " - " (shown(&self.source.name, MOST_LETTERS)) }
                    style { (PreEscaped(include_str!("style.css"))) }
                }
                body {
                    main {
                        (self.head(&title))
                        @if self.report.n_selected == 0 { (self.nothing()) } @else { (self.needles()) }
                        (self.how_sure())
                        (self.how_good())
                        (self.table())
                        (self.how_found())
                    }
                    (data)
                }
            }
        }
    }

    fn title(&self) -> String {
        match self.report.n_selected {
            0 => format!("No input of {} was found to matter", self.report.n_features),
            1 => format!("1 input of {} matters", self.report.n_features),
            found => format!("{found} inputs of {} matter", self.report.n_features),
        }
    }

    fn head(&self, title: &str) -> Markup {
        let Report { n_samples, n_features, task, warnings, .. } = self.report;
        let not_converged = &self.report.sentences.not_converged;
        html! {
            header {
                p.soft { (name(&self.source.name)) ": " (plural(*n_samples, "sample")) ", " (plural(*n_features, "input"))
                    ", " (task) }
                @for warning in not_converged {
                    p.warning role="alert" { (warning) }
                }
                h1 { (title) }
                @for warning in warnings.iter().filter(|warning| !not_converged.contains(warning)) {
                    p { strong { "Note: " } (warning) }
                }
            }
        }
    }

    /// The report as data. Inside a script element only `<` could end it; the other characters are escaped for
    /// older browsers, and invisible characters and direction marks for those who read the source.
    fn data(&self) -> Markup {
        let Ok(json) = serde_json::to_string(self.report) else { return html! {} };
        let json = needlenet::escaped(&json, &[]);
        let mut safe = String::with_capacity(json.len());
        for letter in json.chars() {
            if matches!(letter, '<' | '>' | '&') {
                safe.push_str(&format!("\\u{:04x}", u32::from(letter)));
            } else {
                safe.push(letter);
            }
        }
        html! { script id="needlenet-report" type="application/json" { (PreEscaped(safe)) } }
    }
}

/// A name from the data: text only, at most a line long, with an isolated text direction.
fn name(text: &str) -> Markup {
    html! { bdi { (shown(text, MOST_LETTERS)) } }
}
