//! Files of finished work, to which a run appends: what is written survives a kill, and a torn last line is dropped.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

/// Opens or makes a file, and locks it; none if another run has it.
pub fn open_locked(path: &Path) -> io::Result<Option<File>> {
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The lines that have their end.
pub fn whole_lines(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1)]
}
