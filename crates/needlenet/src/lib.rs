//! Finds the few inputs that matter (needles) among many (a haystack), when the law that links them to
//! the outcome may be nonlinear.
//!
//! The method is LASSO ANN: a neural network whose first layer is made sparse by one penalty. The
//! weight of the penalty is not tuned but derived: it is the smallest that finds nothing, with
//! probability `1 - alpha`, when there is nothing to find.
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
//! The modules follow the flow of the data: [`Data`] is standardised, [`Threshold`] gives the penalty,
//! the path anneals towards it, the support is read off the exact zeros, and a refit removes the
//! shrinkage. `docs/equations.md` names the file and the test of every equation of the paper.

mod activation;
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
mod product;
mod progress;
mod refit;
mod search;
mod settings;
mod sure;
mod table;
#[cfg(test)]
mod tests;
mod threshold;

pub use activation::Activation;
pub use error::{Error, Result};
pub use fit::{fit, fit_observed, threshold, threshold_observed};
pub use local::Stop;
pub use model::{
    Baseline, Certificate, Fitted, HeldOut, Model, Needle, Neuron, PathEnd, Prediction, Predictor, Shape,
    Task, Used, Weights,
};
pub use network::Link;
pub use outcome::Ties;
pub use penalty::Penalty;
pub use progress::{Observer, Progress};
pub use search::Stage;
pub use settings::Settings;
pub use sure::{
    Copy, Distillation, Frequency, Halves, SelectionBounds, Shown, StrengthInterval, Sure, SureGroup,
    SureNeedle, SureOptions, selection_bounds, sure,
};
pub use table::{Data, Outcome, Scaling};
pub use threshold::{NullChoice, Threshold};
