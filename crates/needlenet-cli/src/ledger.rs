//! The finished parts of `fit --sure`, in a file beside the model: MODEL.sure.
//!
//! The first line is the model without these results; each further line is a finished test or half, in one write. A program
//! that is killed at any moment loses only the work in progress: the same command reads the lines and continues. A torn line is
//! dropped, and the lines of another model or table are not used. The file is removed when the model is saved. Tested in
//! `tests/cli/resume.rs`.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use needlenet::{Finished, Model, Observer, Progress};

use crate::failure::Failure;
use crate::progress::Bar;

/// An open file of finished work.
pub struct Ledger {
    path: PathBuf,
    file: Mutex<File>,
}

impl Ledger {
    /// Opens or creates the file for a model that will be saved to `out`, and returns the finished
    /// parts.
    pub fn open(out: &Path, model: &Model) -> Result<(Ledger, Vec<Finished>), Failure> {
        let mut path = out.as_os_str().to_owned();
        path.push(".sure");
        let path = PathBuf::from(path);
        let failed = |error: std::io::Error| {
            Failure::Usage(format!("{}: {error}; choose another folder for --out", path.display()))
        };
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let name = path.display();
                let text = format!("{name} is in use by another run; wait for it, or give another --out");
                return Err(Failure::Usage(text));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let head = line(&serde_json::to_value(model).map_err(|error| failed(error.into()))?);
        let (kept, finished) = match bytes.strip_prefix(&head[..]) {
            Some(lines) => whole_lines(lines),
            None => (Vec::new(), Vec::new()),
        };
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        file.set_len(0).map_err(failed)?;
        file.write_all(&[head, kept].concat()).map_err(failed)?;
        Ok((Ledger { file: Mutex::new(file), path }, finished))
    }

    /// Removes the file after its results are in the model.
    pub fn remove(self) {
        // a file that stays does no harm
        let _ = std::fs::remove_file(&self.path);
    }

    fn append(&self, piece: &Finished) {
        if let Ok(piece) = serde_json::to_value(piece) {
            // a part that cannot be written is computed again later
            let _ = self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line(&piece));
        }
    }
}

fn line(value: &serde_json::Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

/// The complete lines, and their contents.
fn whole_lines(bytes: &[u8]) -> (Vec<u8>, Vec<Finished>) {
    let (mut kept, mut finished) = (Vec::new(), Vec::new());
    for text in bytes.split_inclusive(|byte| *byte == b'\n').filter(|text| text.ends_with(b"\n")) {
        if let Ok(piece) = serde_json::from_slice(text) {
            kept.extend_from_slice(text);
            finished.push(piece);
        }
    }
    (kept, finished)
}

/// Shows the progress, and keeps finished parts if there is a file for them.
pub struct Keeping<'a> {
    pub bar: &'a Bar,
    pub ledger: Option<&'a Ledger>,
}

impl Observer for Keeping<'_> {
    fn step(&self, progress: Progress) -> bool {
        self.bar.step(progress)
    }

    fn finished(&self, piece: &Finished) {
        self.ledger.into_iter().for_each(|ledger| ledger.append(piece));
    }
}
