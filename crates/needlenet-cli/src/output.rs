//! Standard output and standard error. On a terminal, names from files are escaped, because control characters could
//! change what the terminal shows. Files and pipes get results unchanged. Colours are only for terminals, and not
//! with `NO_COLOR`: the stream removes them elsewhere.

use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use needlenet::escaped;
use serde::Serialize;

use crate::failure::Failure;

/// Writes a result to standard output.
pub fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if out.is_terminal() {
        out.write_all(escaped(&String::from_utf8_lossy(bytes), &['\n', '\t']).as_bytes())?;
    } else {
        out.write_all(bytes)?;
    }
    Ok(out.flush()?)
}

/// Writes a text for a person to standard output.
pub fn print_text(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    for line in text.lines() {
        let (style, line) = (style_of(line), escaped(line, &[]));
        writeln!(out, "{style}{line}{style:#}")?;
    }
    Ok(out.flush()?)
}

/// The answer is bold, and a fit that did not converge is red.
fn style_of(line: &str) -> Style {
    if line.contains("NOT CONVERGED") || line.starts_with("STOPS") {
        return AnsiColor::Red.on_default().bold();
    }
    let answers = line.contains("inputs found to matter") || line.starts_with("no input is found to matter");
    if answers { Style::new().bold() } else { Style::new() }
}

/// A value as one line of JSON.
pub fn to_json(value: &impl Serialize) -> Result<Vec<u8>, Failure> {
    let mut bytes = serde_json::to_vec(value).map_err(io::Error::from)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Notes to the user on standard error; it may be closed.
pub fn notes<S: AsRef<str>>(notes: &[S], quiet: bool) {
    if !quiet {
        notes.iter().for_each(|note| marked("note", AnsiColor::Cyan, note.as_ref()));
    }
}

/// Tells the user if fewer threads are used than requested.
pub fn note_threads(asked: usize, quiet: bool) {
    let used = needlenet::threads(asked);
    if asked > used {
        let cores = needlenet_report::plural(used, "core");
        notes(&[format!("--threads {asked} is more than the machine has; {cores} will be used")], quiet);
    }
}

/// Warnings, on standard error.
pub fn warnings(warnings: &[String], quiet: bool) {
    if !quiet {
        warnings.iter().for_each(|warning| marked("warning", AnsiColor::Yellow, warning));
    }
}

/// Why the program ends without a result, on standard error.
pub fn complain(failure: &str) {
    marked("error", AnsiColor::Red, failure);
}

fn marked(mark: &str, colour: AnsiColor, text: &str) {
    let style = colour.on_default().bold();
    // an error may list several columns, one a line; names in it are escaped where it is made
    let _ = writeln!(anstream::stderr().lock(), "{style}{mark}:{style:#} {}", escaped(text, &['\n']));
}

/// One line on standard error.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", escaped(line, &[]));
}
