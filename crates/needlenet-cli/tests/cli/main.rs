//! The program from outside: what it prints, which exit code it has, which files it writes.

#![allow(clippy::unwrap_used, reason = "a step that fails fails the test")]

mod fit;
mod lab;
mod predict;
mod program;
