//! One replicate: draw a table, learn, compare with the truth. One row.

use std::time::Instant;

use needlenet::{Outcome, Prediction, metrics};
use serde::{Deserialize, Serialize};

use crate::designs::Draw;
use crate::error::Result;
use crate::learners::{Learned, learner};
use crate::run::guarded;
use crate::sample::Sample;
use crate::study::{Point, SEEDS_APART, Study, TEST_SAMPLES};

/// The version of this program and the commit that last changed a learner or a design.
pub const VERSION: &str = env!("NEEDLENET_LAB_VERSION");

/// One learner on one draw. An empty cell is a number that does not exist: a network without sparsity does
/// not select, and classes have no mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The study.
    pub study: String,
    /// The design.
    pub design: String,
    /// Samples.
    pub n: usize,
    /// Inputs.
    pub p: usize,
    /// The requested number of needles.
    pub s: usize,
    /// The learner.
    pub learner: String,
    /// The version of the program, or of the package of the learner.
    pub version: String,
    /// The number of the replicate, from 0.
    pub replicate: u64,
    /// The number of the draw, as `lab make --seed` takes it.
    pub seed: u64,
    /// Needles in the truth.
    pub truth: usize,
    /// Inputs selected.
    pub selected: Option<usize>,
    /// 1 if exactly the truth was selected.
    pub exact: Option<u8>,
    /// Share of the truth that was selected.
    pub tpr: Option<f64>,
    /// Share of the selection that is false.
    pub fdr: Option<f64>,
    /// Share of the truth that has an adjusted p-value below .05; missing in rows from before it was counted.
    #[serde(default)]
    pub sure_tpr: Option<f64>,
    /// Share of false inputs among those with an adjusted p-value below .05.
    #[serde(default)]
    pub sure_fdr: Option<f64>,
    /// Root mean square error against the noiseless mean, on fresh samples; survival has none.
    pub pe: Option<f64>,
    /// Share of fresh samples whose class was predicted; of survival the concordance.
    pub accuracy: Option<f64>,
    /// The objective reached.
    pub objective: Option<f64>,
    /// Distance from stationarity, relative to lambda.
    pub kkt: Option<f64>,
    /// Why the learner stopped.
    pub stop: String,
    /// 1 if at a stationary point, empty if unknown.
    pub converged: Option<u8>,
    /// How long it took.
    pub seconds: f64,
}

/// The draw of a replicate.
pub fn draw_seed(seed: u64, replicate: u64) -> u64 {
    SEEDS_APART.wrapping_mul(seed).wrapping_add(replicate)
}

/// Runs one learner of a study on one replicate of one of its points.
pub fn replicate(study: &Study, point: &Point, name: &str, seed: u64, replicate: u64) -> Result<Row> {
    let (learner, design) = (learner(name)?, point.design()?);
    let draw_seed = draw_seed(seed, replicate);
    let (draw, test) = (design.draw(draw_seed), design.draw_test(draw_seed, TEST_SAMPLES));
    let needles = draw.needles.clone();
    let (train, fresh) = (Sample::from(draw), Sample::from(test.clone()));
    let start = Instant::now();
    let learned = guarded(|| learner.learn(&train, &fresh, draw_seed));
    let seconds = start.elapsed().as_secs_f64();
    let row = Row {
        study: study.name.into(),
        design: point.design.into(),
        n: point.n,
        p: point.p,
        s: point.s,
        learner: name.into(),
        version: VERSION.into(),
        replicate,
        seed: draw_seed,
        truth: needles.len(),
        selected: None,
        exact: None,
        tpr: None,
        fdr: None,
        sure_tpr: None,
        sure_fdr: None,
        pe: None,
        accuracy: None,
        objective: None,
        kkt: None,
        stop: String::new(),
        converged: None,
        seconds: (seconds * 1000.0).round() / 1000.0,
    };
    Ok(match learned {
        Ok(learned) => judged(row, &learned, &needles, &test),
        Err(reason) => Row { stop: reason, converged: Some(0), ..row },
    })
}

fn judged(row: Row, learned: &Learned, needles: &[usize], test: &Draw) -> Row {
    let recovery = learned.selected.as_ref().map(|selected| metrics::recovery(selected, needles));
    let sure = learned.sure.as_ref().map(|sure| metrics::recovery(sure, needles));
    let error = |mean: &[f64], truth: &[f64]| Some(metrics::mean_squared_error(mean, truth).sqrt());
    let pe = match (&learned.predicted, &test.outcome) {
        (Prediction::Numbers(mean), Outcome::Regression(_)) => error(mean, &test.mean),
        (Prediction::Numbers(mean), Outcome::Counts(_)) => {
            error(mean, &test.mean.iter().map(|log| log.exp()).collect::<Vec<f64>>())
        }
        _ => None,
    };
    let accuracy = match (&learned.predicted, &test.outcome) {
        (Prediction::Classes { labels, .. }, Outcome::Classification { labels: truth, .. }) => {
            Some(metrics::accuracy(labels, truth))
        }
        (Prediction::Numbers(risk), Outcome::Survival { times, events, .. }) => {
            Some(metrics::concordance(times, events, risk))
        }
        _ => None,
    };
    Row {
        selected: learned.selected.as_ref().map(Vec::len),
        exact: recovery.map(|recovery| u8::from(recovery.exact)),
        tpr: recovery.map(|recovery| recovery.true_positive_rate),
        fdr: recovery.map(|recovery| recovery.false_discovery_rate),
        sure_tpr: sure.map(|sure| sure.true_positive_rate),
        sure_fdr: sure.map(|sure| sure.false_discovery_rate),
        pe,
        accuracy,
        objective: Some(learned.objective),
        kkt: learned.kkt,
        stop: learned.stop.clone(),
        converged: learned.converged.map(u8::from),
        ..row
    }
}
