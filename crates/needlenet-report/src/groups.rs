//! Inputs of several columns: the effect of each level of a category, in text and on the page.

use maud::{Markup, html};
use needlenet::{GroupFound, GroupKind};
use serde::Serialize;

use crate::layout::{align, number, shown, three_digits};

/// The largest number of levels of a category in the text and on the page.
const MOST_LEVELS: usize = 30;

/// An input of several columns that matters.
#[derive(Debug, Clone, Serialize)]
pub struct GroupRow {
    /// Its name.
    pub name: String,
    /// `category`, `ordered`, `with_indicator` or `given`.
    pub kind: &'static str,
    /// All its columns.
    pub columns: Vec<String>,
    /// The levels of a category, ordered or not, each with its effect.
    pub levels: Vec<LevelRow>,
}

/// The effect of a level: the mean of the fitted function if all samples had this level, minus its mean over the samples.
#[derive(Debug, Clone, Serialize)]
pub struct LevelRow {
    /// The level.
    pub level: String,
    /// In units of the outcome, of a log mean or log risk, or of the log odds of each class (of two, of the second).
    pub effects: Vec<f64>,
}

impl GroupRow {
    /// The group of a model.
    pub fn of(group: &GroupFound) -> Self {
        let row = |(level, effects): (&String, &Vec<f64>)| LevelRow {
            level: level.clone(),
            effects: effects.clone(),
        };
        GroupRow {
            name: group.name.clone(),
            kind: match group.kind {
                GroupKind::Category { .. } => "category",
                GroupKind::Ordered { .. } => "ordered",
                GroupKind::WithIndicator => "with_indicator",
                GroupKind::Given => "given",
            },
            columns: group.columns.clone(),
            levels: group.kind.levels().iter().zip(&group.effects).map(row).collect(),
        }
    }

    /// The classes of the columns of effects; none if there is one column.
    fn headings(classes: &[String]) -> &[String] {
        if classes.len() > 2 { classes } else { &[] }
    }

    /// The levels as lines of text.
    pub(crate) fn write(&self, out: &mut String, classes: &[String]) {
        if self.levels.is_empty() {
            return;
        }
        out.push_str(&format!(
            "\nlevels of {}: the mean of the function if all samples had this level,\n",
            shown(&self.name, 28)
        ));
        out.push_str("minus its mean over the samples\n");
        let several = !Self::headings(classes).is_empty();
        let mut rows = Vec::new();
        for row in self.levels.iter().take(MOST_LEVELS) {
            let effects: Vec<String> = row.effects.iter().map(|effect| signed(*effect)).collect();
            rows.push([format!("    {}", shown(&row.level, 28)), effects.join("  ")]);
        }
        align(out, &rows, [true, false]);
        if several {
            out.push_str("    (one number for each class)\n");
        }
        if self.levels.len() > MOST_LEVELS {
            out.push_str(&format!("    and {} more levels\n", self.levels.len() - MOST_LEVELS));
        }
    }

    /// The levels as a table of the page.
    pub(crate) fn table(&self, classes: &[String]) -> Markup {
        html! {
            @if !self.levels.is_empty() {
                h3 { "Levels of " (shown(&self.name, 60)) }
                p.soft { "Mean of the fitted function if all samples had this level, minus its mean over the samples." }
                div.wide { table {
                    thead { tr {
                        th scope="col" { "level" }
                        @if Self::headings(classes).is_empty() { th.n scope="col" { "effect" } }
                        @for class in Self::headings(classes) { th.n scope="col" { (shown(class, 30)) } }
                    } }
                    tbody {
                        @for row in self.levels.iter().take(MOST_LEVELS) {
                            tr {
                                th scope="row" { (shown(&row.level, 60)) }
                                @for effect in &row.effects { td.n { (signed(three_digits(*effect))) } }
                            }
                        }
                    }
                } }
            }
        }
    }
}

fn signed(value: f64) -> String {
    format!("{}{}", if value > 0.0 { "+" } else { "" }, number(value))
}
