//! Makes a folder of shards. A table that does not fit into memory is read in passes over blocks of its inputs. Tested in
//! `tests/shard_in_parts.rs`.

use std::fs::{self, File};
use std::io::{BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use needlenet::shards::Columns;

use super::{Entry, MANIFEST, Manifest, VERSION, arrow, bad, bed, state};
use crate::memory::{bytes_of_cells, half_of_free_memory};
use crate::plan::{Plan, Slot, filled_names};
use crate::{Cells, Error, ReadOptions, Table, Target, read_columns, read_table, write_atomically};

/// The table of the samples, and its column with their ids.
const SAMPLES: &str = "samples.csv";
const ID: &str = "sample";

/// Writes the inputs of a table as shards of `columns` columns, and its other columns as the table of the samples. A table that
/// does not fit into [`ReadOptions::max_memory`] is read some inputs at a time. Gives the number of shards, and notes.
pub fn shard_table(
    folder: &Path,
    file: &str,
    options: &ReadOptions,
    columns: usize,
) -> Result<(usize, Vec<String>), Error> {
    new_folder(folder)?;
    let mut making = Making { folder, width: columns.max(1), n: 0, shards: Vec::new(), open: None };
    let made = match read_table(file, options) {
        Ok(table) => making.add(&table).map(|()| Table { values: Vec::new(), ..table }),
        Err(error @ Error::TooLarge { .. }) => match Path::new(file).is_file() {
            true => making.add_parts(file, options, error),
            // what comes through a pipe can be read once only
            false => Err(error),
        },
        Err(error) => Err(error),
    };
    let made = made.and_then(|table| {
        let count = making.finish(&table)?;
        Ok((count, table.notes))
    });
    if made.is_err() {
        // it was empty before
        let _ = fs::remove_dir_all(folder);
    }
    made
}

/// A folder that is being made.
struct Making<'a> {
    folder: &'a Path,
    /// Columns of a shard.
    width: usize,
    n: usize,
    shards: Vec<Entry>,
    /// The last shard, while it has fewer columns.
    open: Option<(BufWriter<File>, Vec<String>)>,
}

impl Making<'_> {
    /// Reads a table some inputs at a time, and adds them; gives the table without its inputs.
    fn add_parts(&mut self, file: &str, options: &ReadOptions, too_large: Error) -> Result<Table, Error> {
        // without inputs: its rows are those of every part
        let mut whole = read_some(file, &ReadOptions { exactly: Some(Vec::new()), ..options.clone() })?;
        let limit = options.max_memory.unwrap_or_else(half_of_free_memory);
        let at_once = limit / 2 / bytes_of_cells(whole.n_rows as u64, 1).max(1);
        let mut at_once = usize::try_from(at_once).unwrap_or(usize::MAX);
        let mut first = 0usize;
        loop {
            if at_once == 0 {
                return Err(too_large);
            }
            let end = first.saturating_add(at_once);
            let part = Some(first..end);
            match read_some(file, &ReadOptions { part, ..options.clone() }) {
                Ok(table) if table.rows != whole.rows => {
                    let reason = "its inputs, which are read some at a time, have different rows; give --missing another rule \
                                  than drop-rows, or raise --max-memory";
                    return Err(bad(file, reason.into()));
                }
                Ok(table) => {
                    self.add(&table)?;
                    let known = |note: &String| whole.notes.contains(note);
                    let new: Vec<String> = table.notes.into_iter().filter(|note| !known(note)).collect();
                    whole.notes.extend(new);
                }
                // all of these were dropped; there may be others
                Err(Error::NoColumnsLeft { .. }) => {}
                // the names take memory too
                Err(Error::TooLarge { .. }) => {
                    at_once /= 2;
                    continue;
                }
                Err(Error::NoInputs { .. }) if first > 0 => return Ok(whole),
                Err(error) => return Err(error),
            }
            first = end;
        }
    }

    /// Adds the inputs of a table.
    fn add(&mut self, table: &Table) -> Result<(), Error> {
        if let Some(group) = table.groups.first() {
            let reason =
                format!("the input \"{}\" has several columns, which shards do not know", group.name);
            let folder = self.folder.display().to_string();
            return Err(bad(&folder, format!("{reason}; leave it out with --exclude")));
        }
        self.n = table.n_rows;
        for (name, values) in table.names.iter().zip(table.values.chunks(table.n_rows)) {
            let path = self.path();
            let (mut writer, mut names) = match self.open.take() {
                Some(open) => open,
                None => (new_array(&path).map_err(|source| failed(&path, source))?, Vec::new()),
            };
            let written = values.iter().try_for_each(|v| writer.write_all(&v.to_le_bytes()));
            written.map_err(|source| failed(&path, source))?;
            names.push(name.clone());
            let is_full = names.len() == self.width;
            self.open = Some((writer, names));
            if is_full {
                self.close()?;
            }
        }
        Ok(())
    }

    /// The file of the shard that is written.
    fn path(&self) -> PathBuf {
        self.folder.join(format!("{:05}.npy", self.shards.len()))
    }

    /// Ends the shard that is written.
    fn close(&mut self) -> Result<(), Error> {
        let Some((writer, names)) = self.open.take() else { return Ok(()) };
        let path = self.path();
        let end = || {
            let mut file = writer.into_inner().map_err(std::io::IntoInnerError::into_error)?;
            file.rewind()?;
            file.write_all(&head(self.n, names.len()))?;
            drop(file);
            state(&path)
        };
        let (bytes, modified) = end().map_err(|source| failed(&path, source))?;
        let file = format!("{:05}.npy", self.shards.len());
        self.shards.push(Entry { file, names, variants: None, bytes, modified });
        Ok(())
    }

    /// Writes the table of the samples and the manifest; gives the number of shards.
    fn finish(&mut self, table: &Table) -> Result<usize, Error> {
        self.close()?;
        let ids: Vec<String> = table.rows.iter().map(ToString::to_string).collect();
        write_samples(&self.folder.join(SAMPLES), &ids, table.target.iter().chain(&table.beside))?;
        let shards = std::mem::take(&mut self.shards);
        let (count, n_samples) = (shards.len(), table.n_rows);
        let (id, ids, samples) = (Some(ID.to_owned()), Some(ids), SAMPLES.to_owned());
        write_manifest(self.folder, &Manifest { version: VERSION, n_samples, samples, id, ids, shards })?;
        Ok(count)
    }
}

/// Some columns of a table. The batches of an Arrow file may be too large even so; then its numbers are read from their places.
fn read_some(file: &str, options: &ReadOptions) -> Result<Table, Error> {
    let too_large = match read_table(file, options) {
        Err(error @ Error::TooLarge { .. }) => error,
        read => return read,
    };
    let Ok((batches, names)) = arrow::open(Path::new(file)) else { return Err(too_large) };
    let names = filled_names(names, &mut Vec::new());
    let plan = Plan::new(file, names.clone(), options.target.as_ref(), options)?;
    let cells = |(column, slot): (usize, &Slot)| {
        if *slot == Slot::Skip {
            return Ok(Cells::Other(String::new()));
        }
        let mut values = vec![0.0; batches.n_samples()];
        batches.read(column..column + 1, &mut values).map_err(|reason| bad(file, reason))?;
        Ok(Cells::Numbers(values))
    };
    let cells: Vec<Cells> = plan.slots.iter().enumerate().map(cells).collect::<Result<_, Error>>()?;
    read_columns(file, names.into_iter().zip(cells).collect(), options)
}

/// The head of a NumPy array of f8 in Fortran order. It has the same length for every shape, so that it can be written last.
fn head(n: usize, p: usize) -> Vec<u8> {
    let about = format!("{{'descr': '<f8', 'fortran_order': True, 'shape': ({n}, {p}), }}");
    let mut head = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    head.extend(format!("{about:<117}\n").bytes());
    head
}

/// An array whose head is not known yet.
fn new_array(path: &Path) -> std::io::Result<BufWriter<File>> {
    let mut writer = BufWriter::with_capacity(1 << 16, File::create(path)?);
    writer.write_all(&head(0, 0))?;
    Ok(writer)
}

/// Writes a manifest for the variants of a PLINK file, `columns` to a shard, and copies the table of the samples, whose column
/// `id` has the ids of the `.fam` file. The PLINK file is not copied.
pub fn shard_bed(
    folder: &Path,
    file: &Path,
    samples: &Path,
    id: &str,
    columns: usize,
) -> Result<usize, Error> {
    let path =
        fs::canonicalize(file).map_err(|source| Error::Open { file: file.display().to_string(), source })?;
    let bed::Genotypes { names, ids, .. } = bed::Genotypes::open(&path)?;
    new_folder(folder)?;
    let own = samples.extension().and_then(|e| e.to_str()).map_or(SAMPLES.into(), |e| format!("samples.{e}"));
    fs::copy(samples, folder.join(&own)).map_err(|source| failed(samples, source))?;
    let (bytes, modified) = state(&path).map_err(|source| failed(&path, source))?;
    let entry = |from: usize| Entry {
        file: path.display().to_string(),
        names: Vec::new(),
        variants: Some((from, names.len().min(from + columns.max(1)))),
        bytes,
        modified,
    };
    let shards: Vec<Entry> = (0..names.len()).step_by(columns.max(1)).map(entry).collect();
    let count = shards.len();
    let (n_samples, id) = (ids.len(), Some(id.to_owned()));
    write_manifest(folder, &Manifest { version: VERSION, n_samples, samples: own, id, ids: None, shards })?;
    Ok(count)
}

/// A folder that does not exist yet, or is empty.
fn new_folder(folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(|source| failed(folder, source))?;
    let mut inside = fs::read_dir(folder).map_err(|source| failed(folder, source))?;
    match inside.next() {
        Some(_) => Err(bad(&folder.display().to_string(), "the folder is not empty; give another".into())),
        None => Ok(()),
    }
}

fn write_samples<'a>(
    path: &Path,
    ids: &[String],
    columns: impl Iterator<Item = &'a Target>,
) -> Result<(), Error> {
    let columns: Vec<&Target> = columns.collect();
    if columns.iter().any(|column| column.name == ID) {
        let reason = format!("a column is called \"{ID}\", as the ids of the samples are; rename it");
        return Err(bad(&path.display().to_string(), reason));
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = [ID].into_iter().chain(columns.iter().map(|column| column.name.as_str()));
    let io = |error: csv::Error| failed(path, error.into());
    writer.write_record(header).map_err(io)?;
    for (row, id) in ids.iter().enumerate() {
        let cells = columns.iter().map(|column| column.text[row].as_str());
        writer.write_record([id.as_str()].into_iter().chain(cells)).map_err(io)?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(path, error.into_error()))?;
    write_atomically(path, &bytes)
}

fn write_manifest(folder: &Path, manifest: &Manifest) -> Result<(), Error> {
    let path = folder.join(MANIFEST);
    let bytes = serde_json::to_vec(manifest).map_err(|error| failed(&path, error.into()))?;
    write_atomically(&path, &bytes)
}

fn failed(path: &Path, source: std::io::Error) -> Error {
    Error::Write { file: path.display().to_string(), source }
}
