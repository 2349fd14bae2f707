//! The table of promises: what must hold for every outcome, penalty, activation, link and depth.
//!
//! `make test` checks the common rows; `make trust` (`PROMISES=all`) every row, on more tables.
#![allow(clippy::unwrap_used)]

#[path = "../made/mod.rs"]
mod made;

mod certificate;
mod invariance;
mod level;
mod table;
