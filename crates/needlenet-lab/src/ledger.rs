//! Rows on disk: each row is appended when its replicate is finished, and existing rows are not computed again.
//!
//! A row is one write, so a program that is killed at any moment loses only the replicates in progress. A torn
//! last line (a full disk, a lost machine) is dropped when the file is opened again. Two programs cannot write
//! one file at the same time. A folder may have several files `rows*.csv`, of this program and of others: all are
//! read, one is written. Tested in `tests/resume.rs`.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use needlenet_io::{open_locked, whole_lines};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{LabError, Result};

/// The file this program writes.
pub const ROWS: &str = "rows.csv";

/// A file of rows, open for appending, and locked.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    file: File,
    /// The line with the names of the columns; empty in a new file.
    names: Vec<u8>,
}

impl Ledger {
    /// Opens or creates the file of a folder, drops a torn last line, and returns all rows of the
    /// folder.
    pub fn open<Row: Serialize + DeserializeOwned>(folder: &Path) -> Result<(Ledger, Vec<Row>)> {
        std::fs::create_dir_all(folder).map_err(LabError::file(folder))?;
        let path = folder.join(ROWS);
        let Some(mut file) = open_locked(&path).map_err(LabError::file(&path))? else {
            return Err(LabError::InUse { path });
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(LabError::file(&path))?;
        let whole = whole_lines(&bytes);
        file.set_len(whole.len() as u64).map_err(LabError::file(&path))?;
        file.seek(SeekFrom::End(0)).map_err(LabError::file(&path))?;
        let names = whole.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default().to_vec();
        let ledger = Ledger { path, file, names };
        let rows = read_rows(folder)?;
        Ok((ledger, rows))
    }

    /// Appends a row; the first row is preceded by the names of the columns.
    pub fn append<Row: Serialize>(&mut self, row: &Row) -> Result<()> {
        let lines = to_csv(row, true)?;
        let first = lines.iter().position(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let (names, line) = lines.split_at(first);
        let text = if self.names.is_empty() {
            self.names = names.to_vec();
            &lines[..]
        } else if self.names == names {
            line
        } else {
            let reason = "another version wrote other columns".into();
            return Err(LabError::NotRows { path: self.path.clone(), reason });
        };
        self.file.write_all(text).map_err(LabError::file(&self.path))?;
        self.file.flush().map_err(LabError::file(&self.path))
    }
}

/// A row as CSV, optionally with the names of the columns.
pub fn to_csv<Row: Serialize>(row: &Row, with_names: bool) -> Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new().has_headers(with_names).from_writer(Vec::new());
    let written = writer.serialize(row).map_err(csv::Error::into_kind);
    let bytes = writer.into_inner();
    match (written, bytes) {
        (Ok(()), Ok(bytes)) => Ok(bytes),
        (Err(kind), _) => Err(LabError::Row { reason: format!("{kind:?}") }),
        (_, Err(error)) => Err(LabError::Row { reason: error.to_string() }),
    }
}

/// All rows of a folder, from every file `rows*.csv`, sorted by file name.
pub fn read_rows<Row: DeserializeOwned>(folder: &Path) -> Result<Vec<Row>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(LabError::file(folder))? {
        let entry = entry.map_err(LabError::file(folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("rows") && name.ends_with(".csv") {
            files.push(entry.path());
        }
    }
    files.sort();
    let mut rows = Vec::new();
    for path in files {
        let bytes = std::fs::read(&path).map_err(LabError::file(&path))?;
        // another program may be writing its last line
        for row in csv::Reader::from_reader(whole_lines(&bytes)).deserialize() {
            rows.push(
                row.map_err(|error| LabError::NotRows { path: path.clone(), reason: error.to_string() })?,
            );
        }
    }
    Ok(rows)
}
