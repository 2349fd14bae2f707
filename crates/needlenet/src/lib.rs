//! Finds the few inputs that matter (needles) among many, also if they act on the outcome in a nonlinear way.
//!
//! The method is LASSO ANN: a neural network with a penalty that makes its first layer sparse. The weight of the
//! penalty is not tuned but derived: it is the smallest one that selects nothing, with probability `1 - alpha`, if no
//! input matters.
//!
//! ```
//! use needlenet::{Data, Outcome, Settings, fit};
//! # let x: Vec<f64> = (0..300).map(|i| ((i * i * 31 + 7 * i) % 97) as f64).collect();
//! # let y: Vec<f64> = (0..100).map(|i| (x[i] - x[100 + i]).abs()).collect();
//! # let names = ["a", "b", "c"].map(String::from).to_vec();
//! let data = Data::new(x, names, Outcome::Regression(y))?; // x: column after column
//! let model = fit(data, &Settings::default())?;
//! for needle in &model.needles {
//!     println!("{} {:.2} {:?}", needle.name, needle.strength, needle.shape);
//! }
//! # Ok::<(), needlenet::Error>(())
//! ```
//!
//! The modules follow the data: [`Data`] is standardised, [`Threshold`] gives the penalty, the search finds the best
//! stationary point, its exact zeros give the needles, and a refit on the needles removes the shrinkage.
//! `docs/architecture.md` has a drawing, and `docs/equations.md` names the file and the test of every equation.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod activation;
mod adjust;
mod elementary;
mod error;
mod fit;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
mod local;
pub mod metrics;
mod model;
mod network;
mod outcome;
mod penalty;
mod prepared;
mod product;
mod progress;
mod refit;
mod search;
mod settings;
pub mod shards;
mod shown;
mod sure;
mod table;
#[cfg(test)]
mod tests;
mod threshold;

pub use activation::Activation;
pub use error::{Error, Result};
pub use fit::{fit, fit_observed, fit_sharded, threads, threshold, threshold_observed, threshold_sharded};
pub use local::Stop;
pub use model::{
    Baseline, Certificate, Exchangeable, Fitted, GroupFound, HeldOut, Model, Needle, Neuron, PathEnd,
    Prediction, Predictor, Shape, Task, Used, Weights,
};
pub use network::{Coding, Link};
pub use outcome::Ties;
pub use penalty::Penalty;
pub use progress::{Observer, Progress};
pub use search::Stage;
pub use settings::Settings;
pub use shown::{escaped, plural, shown};
pub use sure::{
    Copy, Distillation, EffectBand, Finished, Frequency, HalfEnd, Halves, SelectionBounds, Shown,
    StrengthInterval, Sure, SureGroup, SureNeedle, SureOptions, TestEnd, selection_bounds, sure,
    sure_missing, sure_piece, sure_resumed,
};
pub use table::{Data, Group, GroupKind, Outcome, Scaling, SparseColumns};
pub use threshold::{NullChoice, Threshold};
