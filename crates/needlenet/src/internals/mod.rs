//! What the laboratory and the benches need of the inside, behind the feature `internals`. Nothing here is needed to fit
//! a model, and it may change in any version.

pub mod engine;
pub mod measure;
pub mod sure;

pub use crate::fit::fit_planned;
pub use crate::search::plan::Plan;
