//! Parts of the inside for the laboratory and the benches, behind the feature `internals`. They are not needed to fit a
//! model, and may change in any version.

pub mod engine;
pub mod measure;
pub mod sure;

pub use crate::fit::fit_planned;
pub use crate::search::plan::Plan;
