//! What goes to standard output, and what to standard error.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Writes a result to standard output.
pub fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// A value as one line of JSON.
pub fn to_json(value: &impl Serialize) -> Result<Vec<u8>, Failure> {
    let mut bytes = serde_json::to_vec(value).map_err(io::Error::from)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Notes to the user on standard error, which may be closed without harm.
pub fn notes<S: AsRef<str>>(notes: &[S], quiet: bool) {
    if !quiet {
        notes.iter().for_each(|note| say(&format!("note: {}", note.as_ref())));
    }
}

/// What to be careful about, on standard error.
pub fn warnings(warnings: &[String], quiet: bool) {
    if !quiet {
        warnings.iter().for_each(|warning| say(&format!("warning: {warning}")));
    }
}

/// One line on standard error.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
