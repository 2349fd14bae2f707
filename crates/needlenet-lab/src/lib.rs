//! Experiments: designs whose needles are known.

mod designs;

pub use designs::{Columns, Design, Draw, Law, UnknownDesign};
