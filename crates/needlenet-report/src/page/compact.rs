//! The report in a notebook: what was found and how sure it is, without pictures.

use maud::{Markup, html};

use super::name;
use crate::layout::number;
use crate::report::Report;

/// Needles in a notebook's cell.
const MOST_ROWS: usize = 10;

impl Report {
    /// A piece of HTML for a notebook.
    pub fn compact_html(&self) -> String {
        self.compact().into_string()
    }

    fn compact(&self) -> Markup {
        html! { div {
            @for warning in &self.warnings { p { strong { (warning) } } }
            @match &self.sentences.nothing {
                Some(nothing) => p { (nothing) },
                None => {
                    table {
                        caption { (self.n_selected) " of " (self.n_features) " inputs found to matter (level " (self.alpha) ")" }
                        thead { tr { th scope="col" { "input" } th scope="col" { "strength" } th scope="col" { "mean slope" }
                            th scope="col" { "effect" } } }
                        tbody { @for needle in self.needles.iter().take(MOST_ROWS) { tr {
                            th scope="row" { (name(&needle.name)) } td { (number(needle.strength)) }
                            td { (number(needle.mean_slope)) }
                            td { (needle.shape) @if let Some(class) = &needle.class { " (" (name(class)) ")" } }
                        } } }
                    }
                    @if self.n_selected > MOST_ROWS { p { "and " (self.n_selected - MOST_ROWS) " more" } }
                    @if let Some(verdict) = self.sentences.linear { p { (verdict) } }
                }
            }
        } }
    }
}
