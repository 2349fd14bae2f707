//! From a point to a stationary point with exact zeros, and its certificate on all inputs.

pub(crate) mod active;
pub(crate) mod curvature;
pub(crate) mod descent;
pub(crate) mod first_order;
mod newton;
pub(crate) mod objective;
mod runs;
mod stop;
pub(crate) mod working_set;

pub use stop::Stop;
