//! The learners that are compared: one small file each, one interface.
//!
//! A learner gets training samples and the inputs of test samples, and reports which inputs it kept. The
//! learners here use our own engine, because they differ in penalty and tuning only; those that exist as
//! packages are in `python/needlenet/lab/learners`.

mod basis_pursuit;
mod descent;
mod lasso_ann;
mod lasso_zero;
mod linear_refit;
mod needlenet_default;
mod needlenet_on_labels;
mod needlenet_sure;
mod sparse_group;
mod spinn;
mod spinn_dropout;
mod sqrt_lasso_qut;
mod sqrt_lasso_validation;
mod standard_network;
mod standardised;
mod threshold_fit;
mod validation;

pub use lasso_ann::LassoAnn;
pub use lasso_zero::LassoZero;
pub use linear_refit::LinearRefit;
pub use needlenet_default::Needlenet;
pub use needlenet_on_labels::NeedlenetOnLabels;
pub use needlenet_sure::NeedlenetSure;
pub use sparse_group::SparseGroup;
pub use spinn::Spinn;
pub use spinn_dropout::SpinnDropout;
pub use sqrt_lasso_qut::SqrtLassoQut;
pub use sqrt_lasso_validation::SqrtLassoValidation;
pub use standard_network::StandardNetwork;

use needlenet::{Penalty, Prediction, Result};
use thiserror::Error;

use crate::sample::Sample;

/// The result of a learner.
#[derive(Debug, Clone)]
pub struct Learned {
    /// The inputs it kept, ascending; none for a learner that does not select.
    pub selected: Option<Vec<usize>>,
    /// Those of them with an adjusted p-value below .05, where the learner has p-values.
    pub sure: Option<Vec<usize>>,
    /// Further inputs it predicts with.
    pub stand_ins: Vec<usize>,
    /// Its predictions at the test samples.
    pub predicted: Prediction,
    /// First-layer neurons in use, if the learner is a sparse network.
    pub neurons: Option<usize>,
    /// The objective it reached.
    pub objective: f64,
    /// Distance from stationarity relative to lambda, if known.
    pub kkt: Option<f64>,
    /// Why it stopped.
    pub stop: String,
    /// Whether it stopped at a stationary point; unknown for a learner with a fixed number of steps.
    pub converged: Option<bool>,
}

/// A learner.
pub trait Learner: Send + Sync {
    /// Learns from `train` and predicts at the inputs of `test`, whose outcome it must not use. All random
    /// numbers of the learner come from `seed`, which is that of the replicate.
    fn learn(&self, train: &Sample, test: &Sample, seed: u64) -> Result<Learned>;
}

/// Every learner of the lab: name and description.
pub const LEARNERS: [(&str, &str); 23] = [
    ("needlenet", "our default: 40 neurons, harder penalty, QUT, refit"),
    ("needlenet-2", "the same with hidden layers 20"),
    ("needlenet-3", "the same with hidden layers 20,10"),
    ("needlenet-4", "the same with hidden layers 20,10,5"),
    (
        "needlenet-sure",
        "our default with p-values: sure_tpr and sure_fdr count the needles with an adjusted p-value below .05",
    ),
    ("needlenet-on-labels", "our default on the labels 0 and 1 as numbers; two classes only"),
    ("linear-harder", "the linear model with the harder penalty, QUT, refit"),
    ("linear-scad", "the linear model with SCAD, QUT, refit"),
    ("linear-mcp", "the linear model with MCP, QUT, refit"),
    ("linear-l1", "the linear model with the LASSO, QUT, refit"),
    ("sqrt-lasso-qut", "square-root LASSO with QUT, as it is (multinomial LASSO for classes)"),
    ("sqrt-lasso-validation", "the same, lambda chosen on a validation set of 30%"),
    ("lasso-zero", "LASSO-zero: medians over 30 noise dictionaries, cut at QUT; a number as outcome only"),
    (
        "lasso-ann",
        "the paper's estimator: hidden 20, LASSO, QUT, the outcome in its own unit; the same as lasso-ann-2",
    ),
    (
        "lasso-ann-2",
        "the paper's estimator with two layers: hidden 20, LASSO, QUT, the outcome in its own unit",
    ),
    ("lasso-ann-3", "with three layers: hidden 20,10"),
    ("lasso-ann-4", "with four layers: hidden 20,10,5"),
    ("lasso-ann-scaled", "lasso-ann-2 with the outcome scaled to standard deviation 1"),
    ("lasso-ann-2-refit", "lasso-ann-scaled, predicting by its refit"),
    ("lasso-ann-40", "LASSO, hidden 40, refit: our default with the paper's penalty"),
    ("standard-network", "20 ReLU neurons, no penalty, Adam; selects nothing"),
    ("spinn", "20 ReLU neurons, sparse group LASSO, lambda and a chosen on 30%"),
    ("spinn-dropout", "spinn with dropout, its rate chosen too"),
];

/// An unknown name of a learner.
#[derive(Debug, Error, Clone, PartialEq)]
#[error("\"{name}\" is no learner of this program; there are {}", known())]
pub struct UnknownLearner {
    /// The name given.
    pub name: String,
}

fn known() -> String {
    LEARNERS.map(|(name, _)| name).join(", ")
}

/// A learner by its name.
pub fn learner(name: &str) -> std::result::Result<Box<dyn Learner>, UnknownLearner> {
    let harder = Penalty::Harder { nu: 0.1 };
    let ours = |hidden: &[usize], penalty| Box::new(Needlenet { hidden: hidden.to_vec(), penalty });
    let paper = |hidden: &[usize]| Box::new(LassoAnn { hidden: hidden.to_vec(), scale_outcome: false });
    Ok(match name {
        "needlenet" => Box::new(Needlenet::default()),
        "needlenet-2" => ours(&[20], harder),
        "needlenet-3" => ours(&[20, 10], harder),
        "needlenet-4" => ours(&[20, 10, 5], harder),
        "needlenet-sure" => Box::new(NeedlenetSure),
        "needlenet-on-labels" => Box::new(NeedlenetOnLabels),
        "linear-harder" => Box::new(LinearRefit { penalty: harder }),
        "linear-scad" => Box::new(LinearRefit { penalty: Penalty::Scad { a: 3.7 } }),
        "linear-mcp" => Box::new(LinearRefit { penalty: Penalty::Mcp { a: 3.0 } }),
        "linear-l1" => Box::new(LinearRefit { penalty: Penalty::L1 }),
        "sqrt-lasso-qut" => Box::new(SqrtLassoQut),
        "sqrt-lasso-validation" => Box::new(SqrtLassoValidation::default()),
        "lasso-zero" => Box::new(LassoZero::default()),
        "lasso-ann" | "lasso-ann-2" => paper(&[20]),
        "lasso-ann-3" => paper(&[20, 10]),
        "lasso-ann-4" => paper(&[20, 10, 5]),
        "lasso-ann-scaled" => Box::new(LassoAnn { hidden: vec![20], scale_outcome: true }),
        "lasso-ann-2-refit" => ours(&[20], Penalty::L1),
        "lasso-ann-40" => ours(&[40], Penalty::L1),
        "standard-network" => Box::new(StandardNetwork::default()),
        "spinn" => Box::new(Spinn::default()),
        "spinn-dropout" => Box::new(SpinnDropout::default()),
        _ => return Err(UnknownLearner { name: name.into() }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_learner_exists_and_others_are_refused_by_name() {
        for (name, _) in LEARNERS {
            assert!(learner(name).is_ok(), "{name}");
        }
        let refused = learner("lasso").err().unwrap().to_string();
        assert!(refused.contains("\"lasso\"") && refused.contains("sqrt-lasso-qut"), "{refused}");
    }
}
