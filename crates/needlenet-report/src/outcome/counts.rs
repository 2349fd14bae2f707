//! A count per sample.

use needlenet::{Model, Outcome, Prediction};

use super::Kind;
use crate::chart::{Chart, Mark};
use crate::layout::number;
use crate::quality::{MOST_DOTS, Quality, thinned};
use crate::survey::{Effect, correlation};

/// A column with a larger correlation with the outcome is taken for a copy of it.
const LEAK: f64 = 0.999;
/// Groups of samples, by expected count, in the picture of observed against expected counts.
const GROUPS: usize = 10;

pub(super) struct Counts;

impl Kind for Counts {
    fn task(&self) -> &'static str {
        "counts"
    }

    fn unit(&self) -> &'static str {
        "log of the mean count"
    }

    fn empty_model_predicts(&self) -> &'static str {
        "the mean count"
    }

    fn curve_name(&self, _class: Option<usize>) -> String {
        "mean count".into()
    }

    fn behind(&self, x: &[f64], outcome: &Outcome, _class: Option<usize>) -> Vec<Mark> {
        let Outcome::Counts(y) = outcome else { return Vec::new() };
        let rows = thinned(y.len(), MOST_DOTS);
        vec![
            Mark::Dots(rows.clone().map(|i| [x[i], y[i]]).collect()),
            Mark::RugBelow(rows.map(|i| x[i]).collect()),
        ]
    }

    fn effect(&self, outcome: &Outcome, _linear: bool) -> Option<Effect> {
        match outcome {
            Outcome::Counts(y) => Some(Effect::correlation(y)),
            _ => None,
        }
    }

    fn gives_away(&self, x: &[f64], outcome: &Outcome) -> bool {
        matches!(outcome, Outcome::Counts(y) if y.len() > 3 && correlation(x, y).abs() >= LEAK)
    }

    fn on_new_samples(&self, share: f64, _model: &Model, _counts: &[usize]) -> String {
        format!("about {:.0}% of the deviance explained", 100.0 * (1.0 - share))
    }

    fn quality(&self, outcome: &Outcome, prediction: &Prediction) -> Option<Quality> {
        let (Outcome::Counts(y), Prediction::Numbers(mean)) = (outcome, prediction) else { return None };
        let all = y.iter().sum::<f64>() / y.len() as f64;
        let deviance = |mean: &dyn Fn(usize) -> f64| -> f64 {
            let of = |i: usize| {
                let log = if y[i] > 0.0 { y[i] * (y[i] / mean(i)).ln() } else { 0.0 };
                2.0 * (log - y[i] + mean(i))
            };
            (0..y.len()).map(of).sum()
        };
        let explained = 1.0 - deviance(&|i| mean[i].max(f64::MIN_POSITIVE)) / deviance(&|_| all);
        let mut order: Vec<usize> = (0..y.len()).collect();
        order.sort_by(|a, b| mean[*a].total_cmp(&mean[*b]).then(a.cmp(b)));
        let means = |rows: &[usize], of: &[f64]| rows.iter().map(|i| of[*i]).sum::<f64>() / rows.len() as f64;
        let groups: Vec<[f64; 2]> =
            order.chunks(y.len().div_ceil(GROUPS)).map(|rows| [means(rows, mean), means(rows, y)]).collect();
        let highest = groups.iter().flatten().copied().fold(0.0, f64::max);
        Some(Quality {
            facts: vec![
                ("share of the deviance explained", format!("{explained:.3}")),
                ("mean count", number(all)),
            ],
            charts: vec![Chart {
                title: "Observed against expected counts".into(),
                description: "Each dot is a tenth of the samples, by expected count; on the line they agree."
                    .into(),
                x: "expected mean count".into(),
                y: "observed mean count".into(),
                key: Vec::new(),
                marks: vec![Mark::Guide(vec![[0.0, 0.0], [highest, highest]]), Mark::Dots(groups)],
            }],
            counts: None,
        })
    }
}
