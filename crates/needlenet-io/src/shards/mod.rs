//! A table as a folder: shards of columns, a small table of the samples beside them, and `shards.json`, which names them.
//!
//! ```json
//! {"version": 1, "n_samples": 3, "samples": "samples.csv", "id": "sample", "ids": ["1", "2", "3"],
//!  "shards": [{"file": "00000.npy", "names": ["a", "b"], "bytes": 176, "modified": 1793000000}]}
//! ```
//!
//! A shard is a NumPy array of samples x columns in Fortran order (f8, f4 or i1), or some variants of a PLINK file (`bed.rs`),
//! whose names and ids are in the `.bim` and `.fam` files beside it. The outcome comes from the table of samples, whose rows
//! are sorted by the order of `ids`. Columns are read by their position in the file, some at a time. Every file is checked
//! before the first column is read. Tested in `tests/shards.rs`.

mod bed;
mod npy;
mod write;

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use needlenet::shards::{Columns, Here};
use serde::{Deserialize, Serialize};

pub use self::write::{shard_bed, shard_table};
use crate::memory::machine_share;
use crate::options::nearest;
use crate::{Coding, Error, Known, ReadOptions, Table, Target, read_table};

/// The name of the manifest.
const MANIFEST: &str = "shards.json";
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    version: u32,
    n_samples: usize,
    /// The table of the samples.
    samples: String,
    /// Its column with the id of each sample, and the ids in the order of the shards; without ids the order is the
    /// same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ids: Option<Vec<String>>,
    shards: Vec<Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: String,
    /// For an array; a PLINK file has its own names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    names: Vec<String>,
    /// The variants of a PLINK file, from the first to before the last; all if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    variants: Option<(usize, usize)>,
    bytes: u64,
    /// Seconds since 1970; not checked if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    modified: Option<u64>,
}

/// A folder of shards, checked.
pub struct Folder {
    /// The names of all columns.
    pub names: Vec<String>,
    /// The number of samples.
    pub n_samples: usize,
    shards: Vec<Box<dyn Columns>>,
    samples: PathBuf,
    id: Option<String>,
    ids: Option<Vec<String>>,
}

impl Folder {
    /// Whether a path is a folder, and so a table in shards.
    pub fn is_at(path: &str) -> bool {
        Path::new(path).is_dir()
    }

    /// Checks every file that the manifest names.
    pub fn open(path: &str) -> Result<Self, Error> {
        let folder = Path::new(path);
        let file = folder.join(MANIFEST).display().to_string();
        let text =
            fs::read(folder.join(MANIFEST)).map_err(|source| Error::Open { file: file.clone(), source })?;
        let manifest: Manifest = serde_json::from_slice(&text)
            .map_err(|error| bad(&file, format!("{error}; make the folder again")))?;
        let Manifest { version, n_samples, samples, id, mut ids, shards: entries } = manifest;
        if version != VERSION {
            return Err(bad(
                &file,
                format!("version {version} where {VERSION} is known; make the folder again"),
            ));
        }
        let (mut names, mut shards) = (Vec::new(), Vec::<Box<dyn Columns>>::new());
        for entry in entries {
            let path = folder.join(&entry.file);
            unchanged(&path, &entry)?;
            if entry.file.ends_with(".bed") {
                let (shard, of_shard, of_samples) = bed::open(&path, entry.variants)?;
                ids.get_or_insert(of_samples);
                names.extend(of_shard);
                shards.push(Box::new(shard));
            } else {
                shards.push(Box::new(npy::open(&path, entry.names.len())?));
                names.extend(entry.names);
            }
        }
        for shard in &shards {
            if shard.n_samples() != n_samples {
                let found = shard.n_samples();
                return Err(bad(
                    &shard.name(),
                    format!("{found} samples where the other shards have {n_samples}"),
                ));
            }
        }
        if let Some(found) = ids.as_ref().map(Vec::len).filter(|found| *found != n_samples) {
            return Err(bad(&file, format!("{found} ids of {n_samples} samples")));
        }
        Ok(Folder { names, n_samples, shards, samples: folder.join(samples), id, ids })
    }

    /// The table of the samples, in the order of the shards. It also contains the inputs that are always in and not in any
    /// shard.
    pub fn samples(&self, options: &ReadOptions, always: &[String]) -> Result<Table, Error> {
        let file = self.samples.display().to_string();
        let is_here = |name: &&String| !self.names.contains(name);
        let number = |name: &String| Known { name: name.clone(), coding: Coding::Number { mean: 0.0 } };
        let mut beside = options.beside.clone();
        beside.extend(self.id.clone());
        let exactly = Some(always.iter().filter(is_here).map(number).collect());
        let mut table = read_table(&file, &ReadOptions { beside, exactly, ..options.clone() })?;
        let id = self.id.as_ref().and_then(|_| table.beside.pop());
        match (id, &self.ids) {
            (Some(id), Some(ids)) => in_order(&file, &mut table, &id, ids)?,
            _ if table.n_rows != self.n_samples => {
                let (found, n) = (table.n_rows, self.n_samples);
                return Err(bad(&file, format!("{found} rows of {n} samples; give one row for each")));
            }
            _ => {}
        }
        Ok(table)
    }

    /// The shards, with additional columns in memory; a pass may use about `memory` bytes.
    pub fn into_shards(self, further: Vec<f64>, memory: Option<u64>) -> Here {
        let mut shards = self.shards;
        if !further.is_empty() {
            let name = self.samples.display().to_string();
            shards.push(Box::new(Held { name, n: self.n_samples, values: further }));
        }
        let memory = memory.unwrap_or_else(machine_share);
        Here::new(shards, usize::try_from(memory).unwrap_or(usize::MAX))
    }
}

fn bad(file: &str, reason: String) -> Error {
    Error::Shard { file: file.to_owned(), reason }
}

/// The size of a file, and the time of its last change.
fn state(path: &Path) -> io::Result<(u64, Option<u64>)> {
    let about = fs::metadata(path)?;
    let since = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Ok((about.len(), since.map(|since| since.as_secs())))
}

fn unchanged(path: &Path, entry: &Entry) -> Result<(), Error> {
    let file = path.display().to_string();
    let (bytes, modified) = state(path).map_err(|source| Error::Open { file: file.clone(), source })?;
    if bytes != entry.bytes {
        let expected = entry.bytes;
        return Err(bad(
            &file,
            format!("{bytes} bytes where the folder was made with {expected}; make the folder again"),
        ));
    }
    if entry.modified.is_some() && entry.modified != modified {
        let remedy = format!(
            "it was changed after the folder was made; make the folder again or, if it was only copied, take \"modified\" \
             out of {MANIFEST}"
        );
        return Err(bad(&file, remedy));
    }
    Ok(())
}

/// Sorts the rows of a table by the order of `ids`.
fn in_order(file: &str, table: &mut Table, id: &Target, ids: &[String]) -> Result<(), Error> {
    let mut places: HashMap<&str, usize> = HashMap::with_capacity(id.text.len());
    for (row, text) in id.text.iter().enumerate() {
        if places.insert(text, row).is_some() {
            return Err(bad(file, format!("the id \"{text}\" is there twice; give each sample one row")));
        }
    }
    let row = |wanted: &String| {
        places.get(wanted.as_str()).copied().ok_or_else(|| {
            let like =
                nearest(wanted, &id.text).map_or(String::new(), |id| format!("; did you mean \"{id}\"?"));
            bad(file, format!("no row has the id \"{wanted}\" in the column \"{}\"{like}", id.name))
        })
    };
    let rows: Vec<usize> = ids.iter().map(row).collect::<Result<_, _>>()?;
    if rows.len() < table.n_rows {
        let (found, n) = (table.n_rows, rows.len());
        return Err(bad(
            file,
            format!("{found} rows of {n} samples; leave out those that the shards do not have"),
        ));
    }
    let n = table.n_rows;
    table.values = table.values.chunks(n).flat_map(|column| rows.iter().map(|&i| column[i])).collect();
    for column in table.target.iter_mut().chain(&mut table.beside) {
        column.text = rows.iter().map(|&i| column.text[i].clone()).collect();
        column.numbers = column.numbers.take().map(|numbers| rows.iter().map(|&i| numbers[i]).collect());
    }
    table.rows = rows.iter().map(|&i| table.rows[i]).collect();
    Ok(())
}

/// Columns in memory.
struct Held {
    name: String,
    n: usize,
    values: Vec<f64>,
}

impl Columns for Held {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn n_samples(&self) -> usize {
        self.n
    }

    fn n_columns(&self) -> usize {
        self.values.len() / self.n
    }

    fn read(&self, columns: Range<usize>, values: &mut [f64]) -> Result<(), String> {
        values.copy_from_slice(&self.values[columns.start * self.n..columns.end * self.n]);
        Ok(())
    }
}

/// Fills a buffer from a position in a file; can be called from any thread.
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
    }
    #[cfg(windows)]
    {
        let mut done = 0;
        while done < buffer.len() {
            match std::os::windows::fs::FileExt::seek_read(file, &mut buffer[done..], at + done as u64)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => done += read,
            }
        }
        Ok(())
    }
}
