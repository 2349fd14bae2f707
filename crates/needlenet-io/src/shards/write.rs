//! Makes a folder of shards.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;

use npyz::{Order, WriterBuilder};

use super::{Entry, MANIFEST, Manifest, VERSION, bad, bed, state};
use crate::{Error, Table, Target, write_atomically};

/// The table of the samples, and its column with their ids.
const SAMPLES: &str = "samples.csv";
const ID: &str = "sample";

/// Writes the inputs of a table as shards of `columns` columns, and its other columns as the table of the samples.
pub fn shard_table(folder: &Path, table: &Table, columns: usize) -> Result<usize, Error> {
    if let Some(group) = table.groups.first() {
        let reason = format!("the input \"{}\" has several columns, which shards do not know", group.name);
        return Err(bad(&folder.display().to_string(), format!("{reason}; leave it out with --exclude")));
    }
    new_folder(folder)?;
    let mut shards = Vec::new();
    let cut = table.names.chunks(columns.max(1)).zip(table.values.chunks(columns.max(1) * table.n_rows));
    for (at, (names, values)) in cut.enumerate() {
        let file = format!("{at:05}.npy");
        let path = folder.join(&file);
        write_array(&path, values, table.n_rows).map_err(|source| failed(&path, source))?;
        let (bytes, modified) = state(&path).map_err(|source| failed(&path, source))?;
        shards.push(Entry { file, names: names.to_vec(), variants: None, bytes, modified });
    }
    let ids: Vec<String> = table.rows.iter().map(ToString::to_string).collect();
    write_samples(&folder.join(SAMPLES), &ids, table.target.iter().chain(&table.beside))?;
    let count = shards.len();
    let (id, ids) = (Some(ID.to_owned()), Some(ids));
    let samples = SAMPLES.to_owned();
    write_manifest(
        folder,
        &Manifest { version: VERSION, n_samples: table.n_rows, samples, id, ids, shards },
    )?;
    Ok(count)
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

fn write_array(path: &Path, values: &[f64], n: usize) -> std::io::Result<()> {
    let shape = [n as u64, (values.len() / n) as u64];
    let options = npyz::WriteOptions::<f64>::new().default_dtype().shape(&shape).order(Order::Fortran);
    let mut writer = options.writer(BufWriter::new(File::create(path)?)).begin_nd()?;
    writer.extend(values.iter().copied())?;
    writer.finish()
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
