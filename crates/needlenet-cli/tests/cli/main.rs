//! The program from outside: what it prints, which exit code it has, which files it writes.

#![allow(clippy::unwrap_used, reason = "a step that fails fails the test")]

mod compare;
mod doctor;
mod fit;
mod lab;
mod page;
mod predict;
mod program;
mod tables;
