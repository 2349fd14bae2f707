//! The program from outside: what it prints, which exit code it has, which files it writes.

#![allow(clippy::unwrap_used, reason = "a step that fails fails the test")]

mod cells;
mod compare;
mod doctor;
mod faults;
mod fit;
mod help;
mod hostile;
mod lab;
mod machines;
mod names;
mod page;
mod predict;
mod program;
mod resume;
mod shards;
mod tables;
