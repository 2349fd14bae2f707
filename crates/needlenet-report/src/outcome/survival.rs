//! A time until an event per sample.

use needlenet::{Model, Outcome, Prediction, metrics};

use super::Kind;
use crate::chart::{Chart, Mark};
use crate::layout::number;
use crate::quality::{MOST_DOTS, Quality, thinned};

/// Groups of samples by risk.
const GROUPS: [&str; 3] = ["lowest risk", "middle risk", "highest risk"];

/// The part of the observed times that the curves show: the few longest times would take most of the axis.
const SHOWN_TIMES: f64 = 0.95;

pub(super) struct Survival;

impl Kind for Survival {
    fn task(&self) -> &'static str {
        "survival"
    }

    fn unit(&self) -> &'static str {
        "log hazard"
    }

    fn empty_model_predicts(&self) -> &'static str {
        "the same risk"
    }

    fn curve_name(&self, _class: Option<usize>) -> String {
        "log hazard".into()
    }

    /// Samples with an event at the upper end of the picture, censored samples at the lower end.
    fn behind(&self, x: &[f64], outcome: &Outcome, _class: Option<usize>) -> Vec<Mark> {
        let Outcome::Survival { events, .. } = outcome else { return Vec::new() };
        let of = |seen: bool| {
            thinned(events.len(), MOST_DOTS).filter(|i| events[*i] == seen).map(|i| x[i]).collect()
        };
        vec![Mark::RugAbove(of(true)), Mark::RugBelow(of(false))]
    }

    fn behind_words(&self) -> &'static str {
        "Strokes above are samples with an event, strokes below are censored."
    }

    /// A leak: the input orders all events, as the time itself would.
    fn gives_away(&self, x: &[f64], outcome: &Outcome) -> bool {
        let Outcome::Survival { times, events, .. } = outcome else { return false };
        let known = events.iter().filter(|e| **e).count();
        let concordance = metrics::concordance(times, events, x);
        known > 3 && !(0.001..=0.999).contains(&concordance)
    }

    fn on_new_samples(&self, share: f64, _model: &Model, _counts: &[usize]) -> String {
        let (lower, size) = (share <= 1.0, 100.0 * (1.0 - share).abs());
        let order = if lower { "lower" } else { "higher" };
        format!("partial log likelihood loss about {size:.0}% {order} than that of a model without inputs")
    }

    fn quality(&self, outcome: &Outcome, prediction: &Prediction) -> Option<Quality> {
        let (Outcome::Survival { times, events, .. }, Prediction::Numbers(risk)) = (outcome, prediction)
        else {
            return None;
        };
        let mut order: Vec<usize> = (0..risk.len()).collect();
        order.sort_by(|a, b| risk[*a].total_cmp(&risk[*b]).then(a.cmp(b)));
        let groups = order.chunks(risk.len().div_ceil(GROUPS.len()));
        let mut sorted = times.clone();
        sorted.sort_by(f64::total_cmp);
        let until = sorted[((sorted.len() - 1) as f64 * SHOWN_TIMES).round() as usize];
        let lines =
            groups.enumerate().map(|(at, rows)| Mark::Line(at, kaplan_meier(times, events, rows, until)));
        let concordance = metrics::concordance(times, events, risk);
        Some(Quality {
            facts: vec![
                ("concordance (pairs in the right order)", format!("{concordance:.3}")),
                ("events", events.iter().filter(|e| **e).count().to_string()),
            ],
            charts: vec![Chart {
                title: "Share without event over time (Kaplan and Meier), in three groups of equal size by predicted risk".into(),
                description: format!(
                    "The curves end at the time {}, which 95% of the samples do not exceed.",
                    number(until)
                ),
                x: "time".into(),
                y: "share without event".into(),
                key: GROUPS.map(String::from).to_vec(),
                marks: lines.collect(),
            }],
            counts: None,
        })
    }
}

/// The share without event over time, as steps, up to the time `until`.
fn kaplan_meier(times: &[f64], events: &[bool], rows: &[usize], until: f64) -> Vec<[f64; 2]> {
    let mut rows: Vec<usize> = rows.to_vec();
    rows.sort_by(|a, b| times[*a].total_cmp(&times[*b]));
    let (mut share, mut at_risk) = (1.0, rows.len());
    let mut steps = vec![[0.0, 1.0]];
    let shown = rows.iter().take_while(|i| times[**i] <= until).count();
    for tied in rows[..shown].chunk_by(|a, b| times[*a] == times[*b]) {
        let (time, died) = (times[tied[0]], tied.iter().filter(|i| events[**i]).count());
        if died > 0 {
            steps.push([time, share]);
            share *= 1.0 - died as f64 / at_risk as f64;
            steps.push([time, share]);
        }
        at_risk -= tied.len();
    }
    steps.extend(rows.last().map(|last| [times[*last].min(until), share]));
    let kept = thinned(steps.len(), 2 * MOST_DOTS).collect::<Vec<_>>();
    kept.into_iter().map(|i| steps[i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_without_event_falls_at_events_only() {
        let (times, events) = ([1.0, 2.0, 2.0, 3.0], [true, false, true, true]);
        let steps = kaplan_meier(&times, &events, &[0, 1, 2, 3], 9.0);
        let expected = [
            [0.0, 1.0],
            [1.0, 1.0],
            [1.0, 0.75],
            [2.0, 0.75],
            [2.0, 0.5],
            [3.0, 0.5],
            [3.0, 0.0],
            [3.0, 0.0],
        ];
        assert_eq!(steps, expected);
        let cut = kaplan_meier(&times, &events, &[0, 1, 2, 3], 1.5);
        assert_eq!(cut, [[0.0, 1.0], [1.0, 1.0], [1.0, 0.75], [1.5, 0.75]]);
    }
}
