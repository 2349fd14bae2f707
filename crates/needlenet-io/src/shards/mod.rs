//! A table as a folder: shards of columns, a small table of the samples beside them, and `shards.json`, which names them.
//!
//! ```json
//! {"version": 1, "n_samples": 3, "samples": "samples.csv", "id": "sample", "ids": ["1", "2", "3"],
//!  "shards": [{"file": "00000.npy", "names": ["a", "b"], "bytes": 176, "modified": 1793000000}]}
//! ```
//!
//! A shard is a NumPy array of samples x columns in Fortran order (f8, f4 or i1), an Arrow or Parquet file of numbers, which
//! names its columns itself, or some variants of a PLINK file (`bed.rs`), whose names and ids are those of the files `.bim` and
//! `.fam` beside it. The outcome comes from the table of the
//! samples, whose rows are put into the order of `ids`. Columns are read by their position in the file, some at a time.
//! Every file is looked at before the first column is read. Tested in `tests/shards.rs`.

#[cfg(feature = "tables")]
mod arrow;
mod bed;
mod kept;
mod npy;
#[cfg(feature = "tables")]
mod parquet;
#[cfg(feature = "tables")]
mod samples;
#[cfg(feature = "tables")]
mod write;

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use needlenet::shards::{Columns, Here};
use serde::{Deserialize, Serialize};

pub use self::kept::{Book, Kept, kept_beside};
#[cfg(feature = "tables")]
pub use self::write::{shard_bed, shard_table};
use crate::Error;
use crate::memory::half_of_free_memory;

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
    /// For an array; files of other formats have their own names.
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
    files: Vec<(u64, Option<u64>)>,
    manifest: Vec<u8>,
}

impl Folder {
    /// Whether a path is a folder, and so a table in shards.
    pub fn is_at(path: &str) -> bool {
        Path::new(path).is_dir()
    }

    /// Checks every file that the manifest names.
    #[cfg(feature = "tables")]
    pub fn open(path: &str) -> Result<Self, Error> {
        Folder::open_with(path, by_columns)
    }

    /// The same, with a reader of Arrow and Parquet files, which name their columns themselves; it gives none for other files.
    pub fn open_with(
        path: &str,
        by_columns: impl Fn(&Path) -> Result<Option<Named>, Error>,
    ) -> Result<Self, Error> {
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
        let mut genotypes: Option<bed::Genotypes> = None;
        let mut files = Vec::new();
        for entry in entries {
            let path = folder.join(&entry.file);
            files.push(unchanged(&path, &entry)?);
            if entry.file.ends_with(".bed") {
                // shards of one file follow each other, and its names are read once
                let of_file = match genotypes.take().filter(|last| last.path == path) {
                    Some(last) => last,
                    None => bed::Genotypes::open(&path)?,
                };
                let (shard, of_shard) = of_file.variants(entry.variants)?;
                ids.get_or_insert_with(|| of_file.ids.clone());
                names.extend_from_slice(of_shard);
                shards.push(Box::new(shard));
                genotypes = Some(of_file);
            } else if let Some((shard, of_shard)) = by_columns(&path)? {
                names.extend(of_shard);
                shards.push(shard);
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
        Ok(Folder { names, n_samples, shards, samples: folder.join(samples), id, ids, files, manifest: text })
    }

    /// A number that changes with any file of the folder.
    pub fn fingerprint(&self) -> u64 {
        kept::hash(&(&self.manifest, &self.files, state(&self.samples).ok()))
    }

    /// One of the shards.
    pub fn shard(&self, at: usize) -> Option<&dyn Columns> {
        self.shards.get(at).map(|shard| &**shard)
    }

    /// The name and the number of columns of each shard.
    pub fn parts(&self) -> Vec<(String, usize)> {
        self.shards.iter().map(|shard| (shard.name(), shard.n_columns())).collect()
    }

    /// The ids of the samples in the order of the shards, if they are known.
    pub fn ids(&self) -> Option<&[String]> {
        self.ids.as_deref()
    }

    /// The shards, with additional columns in memory; a pass may use about `memory` bytes.
    pub fn into_shards(self, further: Vec<f64>, memory: Option<u64>) -> Here {
        let mut shards = self.shards;
        if !further.is_empty() {
            let name = self.samples.display().to_string();
            shards.push(Box::new(Held { name, n: self.n_samples, values: further }));
        }
        let memory = memory.unwrap_or_else(half_of_free_memory);
        Here::new(shards, usize::try_from(memory).unwrap_or(usize::MAX))
    }
}

/// A shard with the names of its columns.
pub type Named = (Box<dyn Columns>, Vec<String>);

/// An Arrow or Parquet file, which names its columns itself.
#[cfg(feature = "tables")]
fn by_columns(path: &Path) -> Result<Option<Named>, Error> {
    Ok(match path.extension().and_then(|end| end.to_str()) {
        Some("parquet") => parquet::open(path).map(|(shard, names)| Some((Box::new(shard) as _, names)))?,
        Some("arrow" | "feather") => {
            arrow::open(path).map(|(shard, names)| Some((Box::new(shard) as _, names)))?
        }
        _ => None,
    })
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

/// Checks that a file is as the manifest says, and gives its size and time.
fn unchanged(path: &Path, entry: &Entry) -> Result<(u64, Option<u64>), Error> {
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
    Ok((bytes, modified))
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
