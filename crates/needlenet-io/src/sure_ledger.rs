//! What of an answer to "how sure" is finished, as lines of a file.
//!
//! The first line is the model without its answer; each further line is a test or a half that has ended, one write each. A program that
//! is killed at any moment loses the work in flight and nothing else: the next run reads the lines and goes on. A torn line is
//! dropped, and the lines of another model or table are not used. The number of threads may change. Tested in
//! `crates/needlenet-cli/tests/cli/resume.rs` and `python/tests/test_sure.py`.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use needlenet::{Finished, Model, Settings};

use crate::ledger::{open_locked, whole_lines};

/// Why such a file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SureLedgerError {
    /// The system refused.
    #[error("{file}: {source}; choose another folder")]
    File {
        /// The file.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// Another run writes it.
    #[error("{file} is in use by another run; wait for it, or choose another file")]
    InUse {
        /// The file.
        file: String,
    },
}

/// A file of finished work, open and locked.
#[derive(Debug)]
pub struct SureLedger {
    path: PathBuf,
    file: Mutex<File>,
}

impl SureLedger {
    /// Opens or makes the file for a model, and gives what is finished.
    pub fn open(path: &Path, model: &Model) -> Result<(SureLedger, Vec<Finished>), SureLedgerError> {
        let name = || path.display().to_string();
        let failed = |source: io::Error| SureLedgerError::File { file: name(), source };
        let Some(mut file) = open_locked(path).map_err(failed)? else {
            return Err(SureLedgerError::InUse { file: name() });
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let mut asked = model.clone();
        asked.sure = None;
        asked.settings = Settings { threads: 0, ..asked.settings };
        let head = line(&serde_json::to_value(asked).map_err(|error| failed(error.into()))?);
        let (kept, finished) = match bytes.strip_prefix(&head[..]) {
            Some(lines) => pieces(lines),
            None => (Vec::new(), Vec::new()),
        };
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        file.set_len(0).map_err(failed)?;
        file.write_all(&[head, kept].concat()).map_err(failed)?;
        Ok((SureLedger { file: Mutex::new(file), path: path.to_owned() }, finished))
    }

    /// Adds a piece that has ended. A piece that cannot be written will be done again.
    pub fn append(&self, piece: &Finished) {
        if let Ok(piece) = serde_json::to_value(piece) {
            let _ = self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line(&piece));
        }
    }

    /// Takes the file away, when its work is in a saved model.
    pub fn remove(self) {
        // a file that stays is of no use and does no harm
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A piece as a line of text.
pub fn piece_to_text(piece: &Finished) -> Result<String, serde_json::Error> {
    serde_json::to_string(piece)
}

/// A piece from its line; none if the line is torn.
pub fn piece_from_text(text: &str) -> Option<Finished> {
    serde_json::from_str(text).ok()
}

fn line(value: &serde_json::Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

/// The lines that are whole, and what they say.
fn pieces(bytes: &[u8]) -> (Vec<u8>, Vec<Finished>) {
    let (mut kept, mut finished) = (Vec::new(), Vec::new());
    for text in whole_lines(bytes).split_inclusive(|byte| *byte == b'\n') {
        if let Ok(piece) = serde_json::from_slice(text) {
            kept.extend_from_slice(text);
            finished.push(piece);
        }
    }
    (kept, finished)
}
