//! A class per sample.

use needlenet::{Link, Model, Outcome, Prediction};

use super::Kind;
use super::roc::{calibration, roc};
use crate::chart::{Chart, Mark};
use crate::layout::shown;
use crate::quality::{Counts, MOST_DOTS, Quality, thinned};
use crate::survey::Effect;

/// Classes that have a curve of their own, and a row in the table of counts.
const MOST_CURVES: usize = 6;
const MOST_COUNTS: usize = 20;

/// With more samples than this, classes that one input separates are not a coincidence.
const LEAK_SAMPLES: usize = 20;

pub(super) struct Classes {
    pub names: Vec<String>,
    pub link: Link,
}

impl Classes {
    /// The classes with curves: of two classes the second, whose curve determines that of the first.
    fn told(&self) -> std::ops::Range<usize> {
        if self.names.len() == 2 { 1..2 } else { 0..self.names.len().min(MOST_CURVES) }
    }

    fn counts(&self, observed: &[usize], predicted: &[usize]) -> Option<Counts> {
        let m = self.names.len();
        let mut rows = vec![vec![0; m]; m];
        observed.iter().zip(predicted).for_each(|(o, p)| rows[*o][*p] += 1);
        (m <= MOST_COUNTS).then(|| Counts { names: self.names.clone(), rows })
    }

    fn curves(&self, observed: &[usize], probabilities: &[f64]) -> Vec<Chart> {
        let m = self.names.len();
        let (mut ranked, mut calibrated) = (vec![Mark::Guide(vec![[0.0, 0.0], [1.0, 1.0]])], Vec::new());
        calibrated.extend(ranked.clone());
        let (mut areas, mut key) = (Vec::new(), Vec::new());
        for (at, class) in self.told().enumerate() {
            let scores: Vec<f64> = probabilities.iter().skip(class).step_by(m).copied().collect();
            let members: Vec<bool> = observed.iter().map(|label| *label == class).collect();
            if let Some((points, area)) = roc(&scores, &members) {
                ranked.push(Mark::Line(at, points));
                areas.push(format!("{}: {area:.3}", shown(&self.names[class], 30)));
            }
            key.push(self.names[class].clone());
            calibrated.push(Mark::Line(at, calibration(&scores, &members)));
        }
        vec![
            Chart {
                title: format!("ROC curve. Area below it, {}", areas.join("; ")),
                description: "True positive rate of each class against its false positive rate.".into(),
                x: "false positive rate".into(),
                y: "true positive rate".into(),
                key: key.clone(),
                marks: ranked,
            },
            Chart {
                title: "Calibration: observed shares against predicted probabilities".into(),
                description: "Samples in ten groups by predicted probability; on the line, both agree."
                    .into(),
                x: "predicted probability".into(),
                y: "observed share".into(),
                key,
                marks: calibrated,
            },
        ]
    }
}

impl Kind for Classes {
    fn task(&self) -> &'static str {
        "classification"
    }

    fn unit(&self) -> &'static str {
        "log odds"
    }

    fn empty_model_predicts(&self) -> &'static str {
        "the class proportions"
    }

    fn why_linear(&self) -> &'static str {
        "a network does not predict left-out samples clearly better"
    }

    fn link(&self) -> Option<Link> {
        Some(self.link)
    }

    fn curve_name(&self, class: Option<usize>) -> String {
        format!("log odds of {}", class.map_or(String::new(), |class| shown(&self.names[class], 40)))
    }

    fn behind(&self, x: &[f64], outcome: &Outcome, class: Option<usize>) -> Vec<Mark> {
        let Outcome::Classification { labels, .. } = outcome else { return Vec::new() };
        let is_member = |i: &usize| Some(labels[*i]) == class;
        let rows = thinned(labels.len(), MOST_DOTS);
        vec![
            Mark::RugAbove(rows.clone().filter(is_member).map(|i| x[i]).collect()),
            Mark::RugBelow(rows.filter(|i| !is_member(i)).map(|i| x[i]).collect()),
        ]
    }

    fn behind_words(&self) -> &'static str {
        "Strokes above are samples of the class, strokes below are the others."
    }

    /// For a network with the softmax link, `lambda_0` is a sum over the classes. In the linear model it is the largest
    /// class instead, and the logit link leaves one class out; neither is a distance of class means.
    fn effect(&self, outcome: &Outcome, linear: bool) -> Option<Effect> {
        let Outcome::Classification { labels, classes } = outcome else { return None };
        if classes.len() == 2 {
            return Some(Effect::correlation(&labels.iter().map(|label| *label as f64).collect::<Vec<_>>()));
        }
        (!linear && self.link == Link::Softmax).then(|| Effect::class_means(labels, classes.len()))
    }

    /// A leak: if the samples are sorted by the input, the samples of each class are next to each other.
    fn gives_away(&self, x: &[f64], outcome: &Outcome) -> bool {
        let Outcome::Classification { labels, classes } = outcome else { return false };
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.sort_by(|a, b| x[*a].total_cmp(&x[*b]));
        let change = |pair: &&[usize]| labels[pair[0]] != labels[pair[1]];
        let changes = order.windows(2).filter(change);
        let tied = changes.clone().any(|pair| x[pair[0]] == x[pair[1]]);
        x.len() >= LEAK_SAMPLES && !tied && changes.count() + 1 == classes.len()
    }

    /// The loss of the empty model is the entropy of the shares of the classes.
    fn on_new_samples(&self, share: f64, model: &Model, counts: &[usize]) -> String {
        let all: usize = counts.iter().sum();
        if all == 0 || model.weighted || model.offset {
            return format!("log loss of about {:.0}% of that of a model without inputs", 100.0 * share);
        }
        let shares = counts.iter().filter(|count| **count > 0).map(|count| *count as f64 / all as f64);
        let entropy: f64 = shares.map(|p| -p * p.ln()).sum();
        format!(
            "log loss of about {:.3} per sample, {entropy:.3} without inputs; the true class gets a probability of about \
             {:.2} (geometric mean), {:.2} without inputs",
            share * entropy,
            (-share * entropy).exp(),
            (-entropy).exp()
        )
    }

    fn quality(&self, outcome: &Outcome, prediction: &Prediction) -> Option<Quality> {
        let (
            Outcome::Classification { labels, .. },
            Prediction::Classes { probabilities, labels: predicted },
        ) = (outcome, prediction)
        else {
            return None;
        };
        let (m, n) = (self.names.len(), labels.len() as f64);
        let right = labels.iter().zip(predicted).filter(|(a, b)| a == b).count() as f64;
        let largest = (0..m).map(|t| labels.iter().filter(|label| **label == t).count()).max().unwrap_or(0);
        let percent = |part: f64| format!("{:.1} %", 100.0 * part / n);
        Some(Quality {
            facts: vec![
                ("samples predicted correctly (likeliest class)", percent(right)),
                ("for comparison: samples in the largest class", percent(largest as f64)),
            ],
            charts: self.curves(labels, probabilities),
            counts: self.counts(labels, predicted),
        })
    }
}
