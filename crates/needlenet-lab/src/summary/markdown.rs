//! Summaries as Markdown: a table for each criterion, with a row for each learner and a column for
//! each point.

use std::fmt::Write;

use super::{RealSummary, StudySummary};

/// Tables of both kinds; one of the lists is usually empty.
pub fn markdown(studies: &[StudySummary], real: &[RealSummary]) -> String {
    let mut out = String::new();
    if !studies.is_empty() {
        study_tables(&mut out, studies);
    }
    if !real.is_empty() {
        real_tables(&mut out, real);
    }
    out
}

type Criterion = (&'static str, fn(&StudySummary) -> Option<f64>, usize);

const CRITERIA: [Criterion; 8] = [
    ("PESR: probability of exact support recovery", |s| s.pesr, 2),
    ("TPR: true positive rate", |s| s.tpr, 3),
    ("FDR: false discovery rate", |s| s.fdr, 3),
    ("TPR of needles with an adjusted p-value below .05", |s| s.sure_tpr, 3),
    ("FDR of needles with an adjusted p-value below .05", |s| s.sure_fdr, 3),
    ("PE: error of prediction", |s| s.pe, 3),
    ("Accuracy on fresh samples", |s| s.accuracy, 3),
    ("Median seconds", |s| s.seconds, 2),
];

fn study_tables(out: &mut String, rows: &[StudySummary]) {
    type At<'a> = (&'a str, usize, usize, usize);
    fn at(row: &StudySummary) -> At<'_> {
        (&row.design, row.n, row.p, row.s)
    }
    let mut points: Vec<At> = rows.iter().map(at).collect();
    points.dedup();
    let mut learners: Vec<&str> = Vec::new();
    for row in rows {
        if !learners.contains(&row.learner.as_str()) {
            learners.push(&row.learner);
        }
    }
    let designs_vary = points.iter().any(|point| point.0 != points[0].0);
    let samples_vary = points.iter().any(|point| point.1 != points[0].1);
    let (axis, head): (&str, Vec<String>) = if designs_vary {
        ("design", points.iter().map(|point| point.0.to_owned()).collect())
    } else if samples_vary {
        ("n", points.iter().map(|point| point.1.to_string()).collect())
    } else {
        ("s", points.iter().map(|point| point.3.to_string()).collect())
    };
    let find = |learner: &str, point: &At| rows.iter().find(|r| r.learner == learner && at(r) == *point);
    for (title, of, digits) in CRITERIA {
        if rows.iter().all(|row| of(row).is_none()) {
            continue;
        }
        let _ = writeln!(out, "### {title}\n\n| {axis} = | {} |", head.join(" | "));
        let _ = writeln!(out, "|---|{}", "---|".repeat(points.len()));
        for learner in &learners {
            let cell = |point| {
                find(learner, point).and_then(of).map_or(String::new(), |value| format!("{value:.digits$}"))
            };
            let cells: Vec<String> = points.iter().map(cell).collect();
            if cells.iter().any(|cell| !cell.is_empty()) {
                let _ = writeln!(out, "| {learner} | {} |", cells.join(" | "));
            }
        }
        out.push('\n');
    }
    let _ = writeln!(out, "### Replicates\n\n| learner | replicates per point | not converged | failed |");
    let _ = writeln!(out, "|---|---|---|---|");
    for learner in &learners {
        let own: Vec<&StudySummary> = rows.iter().filter(|row| row.learner == *learner).collect();
        let counts = own.iter().map(|row| row.replicates);
        let (low, high) = (counts.clone().min().unwrap_or(0), counts.max().unwrap_or(0));
        let range = if low == high { low.to_string() } else { format!("{low} to {high}") };
        let sum = |of: fn(&StudySummary) -> usize| own.iter().map(|row| of(row)).sum::<usize>();
        let _ =
            writeln!(out, "| {learner} | {range} | {} | {} |", sum(|r| r.not_converged), sum(|r| r.failed));
    }
}

fn real_tables(out: &mut String, rows: &[RealSummary]) {
    let number = |value: Option<f64>, digits: usize| value.map_or(String::new(), |v| format!("{v:.digits$}"));
    let classes = rows.iter().any(|row| row.classes > 0);
    let quantity = rows.iter().any(|row| row.classes == 0);
    if classes {
        let _ = writeln!(
            out,
            "### Accuracy and number of inputs\n\n| table (n x p, classes) | learner | splits | accuracy | 95% | \
             majority | inputs, mean | median | seconds | not converged |\n|---|---|---|---|---|---|---|---|---|---|"
        );
        for row in rows.iter().filter(|row| row.classes > 0) {
            let _ = writeln!(
                out,
                "| {} ({} x {}, {}) | {} | {} | {} | {} to {} | {} | {} | {} | {} | {} |",
                row.set,
                row.n,
                row.p,
                row.classes,
                row.learner,
                row.splits,
                number(row.accuracy, 3),
                number(row.accuracy_low, 3),
                number(row.accuracy_high, 3),
                number(row.majority, 3),
                number(row.selected, 1),
                number(row.selected_median, 1),
                number(row.seconds, 2),
                row.not_converged
            );
        }
        out.push('\n');
    }
    if quantity {
        let _ = writeln!(
            out,
            "### Regression\n\n| table (n x p) | learner | splits | root mean square error | inputs, mean | seconds | \
             selected in at least half the splits |\n|---|---|---|---|---|---|---|"
        );
        for row in rows.iter().filter(|row| row.classes == 0) {
            let _ = writeln!(
                out,
                "| {} ({} x {}) | {} | {} | {} | {} | {} | {} |",
                row.set,
                row.n,
                row.p,
                row.learner,
                row.splits,
                number(row.rmse, 3),
                number(row.selected, 1),
                number(row.seconds, 2),
                row.often
            );
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Study;
    use crate::summary::summarise;

    #[test]
    fn points_are_named_by_what_varies_in_the_study() {
        for (study, head) in [
            ("class-laws", "| design = | class-sphere | class-straight |"),
            ("classes", "| n = | 100 | 300 |"),
            ("figure2", "| s = | 0 | 4 |"),
        ] {
            let study = Study::named(study).unwrap();
            let first = if study.name == "class-laws" { [1, 4] } else { [0, 2] };
            let row =
                |at: usize| crate::replicate(&study, &study.points[at], "sqrt-lasso-qut", 1, 0).unwrap();
            let text = markdown(&summarise(&first.map(row)), &[]);
            assert!(text.contains(head), "{text}");
        }
    }
}
