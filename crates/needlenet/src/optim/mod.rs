//! From a starting point to a stationary point with exact zeros.

mod anneal;
pub(crate) mod curvature;
pub(crate) mod descent;
mod exchange;
mod found;
pub(crate) mod live;
pub(crate) mod objective;
mod part;
pub(crate) mod path;
pub(crate) mod solve;
pub(crate) mod start;
mod stop;
pub(crate) mod trace;

pub use path::Stage;
pub use stop::Stop;
