//! Folders of shards: Arrow and Parquet files, and what is refused.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, Float32Array, Float64Array, Int8Array, Int64Array, RecordBatch, StringArray, UInt16Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::{Field, Schema};
use needlenet_io::Folder;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

const N: usize = 25;

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let field = |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    RecordBatch::try_new(schema, columns.into_iter().map(|(_, array)| array).collect()).unwrap()
}

/// Five columns of numbers, of five types; one cell is missing.
fn numbers() -> RecordBatch {
    let i = || 0..N as i64;
    batch(vec![
        ("f8", Arc::new(Float64Array::from_iter_values(i().map(|i| i as f64 / 3.0)))),
        ("f4", Arc::new(Float32Array::from_iter_values(i().map(|i| i as f32 / 3.0)))),
        ("i1", Arc::new(Int8Array::from_iter_values(i().map(|i| (i - 12) as i8)))),
        ("i8", Arc::new(Int64Array::from_iter(i().map(|i| (i != 17).then_some(i * 1_000_000_007))))),
        ("u2", Arc::new(UInt16Array::from_iter_values(i().map(|i| 65_535 - i as u16)))),
    ])
}

fn expected(column: usize, row: usize) -> f64 {
    match column {
        0 => row as f64 / 3.0,
        1 => f64::from(row as f32 / 3.0),
        2 => row as f64 - 12.0,
        3 if row == 17 => f64::NAN,
        3 => row as f64 * 1_000_000_007.0,
        _ => 65_535.0 - row as f64,
    }
}

fn arrow(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
    // batches of 10, 10 and 5 rows
    (0..N).step_by(10).for_each(|at| writer.write(&batch.slice(at, 10.min(N - at))).unwrap());
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

fn parquet(batch: &RecordBatch) -> Vec<u8> {
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(10)).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn folder(path: &Path, files: &[(&str, Vec<u8>)]) {
    let mut entries = Vec::new();
    for (file, bytes) in files {
        fs::write(path.join(file), bytes).unwrap();
        entries.push(serde_json::json!({"file": file, "bytes": bytes.len()}));
    }
    let manifest =
        serde_json::json!({"version": 1, "n_samples": N, "samples": "samples.csv", "shards": entries});
    fs::write(path.join("shards.json"), manifest.to_string()).unwrap();
}

fn refused(files: &[(&str, Vec<u8>)]) -> String {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), files);
    Folder::open(dir.path().to_str().unwrap()).err().unwrap().to_string()
}

#[test]
fn columns_of_arrow_and_parquet_files_are_read_some_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let files = [("a.arrow", arrow(&numbers(), None)), ("b.parquet", parquet(&numbers()))];
    folder(dir.path(), &files);
    let folder = Folder::open(dir.path().to_str().unwrap()).unwrap();
    assert_eq!(folder.names, ["f8", "f4", "i1", "i8", "u2", "f8", "f4", "i1", "i8", "u2"]);
    for at in 0..2 {
        let shard = folder.shard(at).unwrap();
        assert_eq!((shard.n_samples(), shard.n_columns()), (N, 5));
        for columns in [0..5, 1..3, 3..4, 4..5] {
            let mut values = vec![0.0; N * columns.len()];
            shard.read(columns.clone(), &mut values).unwrap();
            for (k, value) in values.iter().enumerate() {
                let wanted = expected(columns.start + k / N, k % N);
                assert!(*value == wanted || value.is_nan() && wanted.is_nan(), "{at} {k} {value} {wanted}");
            }
        }
    }
}

#[test]
fn files_that_are_no_shards_are_refused_with_their_name() {
    let short = numbers().slice(0, N - 1);
    let words = batch(vec![("kind", Arc::new(StringArray::from(vec!["a"; N])))]);
    for (bytes, name, reason) in [
        (arrow(&numbers(), Some(CompressionType::ZSTD)), "c.arrow", "compressed; write it again without"),
        (arrow(&words, None), "c.arrow", "the column \"kind\" holds values of type Utf8"),
        (parquet(&words), "c.parquet", "the column \"kind\" holds values of type Utf8"),
        (parquet(&short), "c.parquet", "24 samples where the other shards have 25"),
        (b"ARROW1".to_vec(), "c.arrow", "damaged"),
        (parquet(&numbers())[..300].to_vec(), "c.parquet", "damaged"),
    ] {
        let error = refused(&[("a.arrow", arrow(&numbers(), None)), (name, bytes)]);
        assert!(error.contains(name) && error.contains(reason), "{error}");
    }
}

/// No damaged Arrow file makes the reader panic or ask for much memory.
#[test]
fn damaged_arrow_files_are_refused_or_read() {
    let dir = tempfile::tempdir().unwrap();
    let whole = arrow(&numbers(), None);
    for at in (0..whole.len()).step_by(5) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x5a;
        folder(dir.path(), &[("a.arrow", bytes)]);
        let Ok(folder) = Folder::open(dir.path().to_str().unwrap()) else { continue };
        let shard = folder.shard(0).unwrap();
        if shard.n_columns() > 0 {
            let mut values = vec![0.0; N];
            let _ = shard.read(0..1, &mut values);
        }
    }
}
