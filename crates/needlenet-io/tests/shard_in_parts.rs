//! A table larger than the memory it may take becomes the same shards as the whole table, within that memory.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use arrow_ipc::writer::FileWriter;
use needlenet_io::{Missing, ReadOptions, shard_table};
use parquet::arrow::ArrowWriter;

const ROWS: usize = 2800;
/// Not more than 1,000: for wider tables the reader reserves addresses that take no memory.
const INPUTS: usize = 900;
/// The cells take 20 MB.
const MEMORY: u64 = 4_000_000;
/// What a pass needs besides: the row in hand, or the 4 MB that the decoder of Parquet decodes at once.
const BESIDES: u64 = 5_000_000;

fn cell(row: usize, column: usize) -> f64 {
    ((row * 7919 + column * 104_729) % 100_003) as f64 / 7.0
}

fn text() -> String {
    let names: Vec<String> = (0..INPUTS).map(|j| format!("g{j}")).collect();
    let mut text = format!("y,w,{}\n", names.join(","));
    for i in 0..ROWS {
        write!(text, "{},{}", i % 7, 1 + i % 2).unwrap();
        (0..INPUTS).for_each(|j| write!(text, ",{}", cell(i, j)).unwrap());
        text.push('\n');
    }
    text
}

fn batch() -> RecordBatch {
    let column =
        |of: &dyn Fn(usize) -> f64| Arc::new(Float64Array::from_iter_values((0..ROWS).map(of))) as ArrayRef;
    let mut columns = vec![
        ("y".to_owned(), column(&|i| (i % 7) as f64)),
        ("w".to_owned(), column(&|i| (1 + i % 2) as f64)),
    ];
    columns.extend((0..INPUTS).map(|j| (format!("g{j}"), column(&|i| cell(i, j)))));
    RecordBatch::try_from_iter(columns).unwrap()
}

fn parquet() -> Vec<u8> {
    let (batch, mut bytes) = (batch(), Vec::new());
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// Of one batch, which does not fit into the memory.
fn arrow() -> Vec<u8> {
    let batch = batch();
    let mut writer = FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

fn options(max_memory: u64) -> ReadOptions {
    let beside = vec!["w".to_owned()];
    ReadOptions { target: Some("y".into()), beside, max_memory: Some(max_memory), ..ReadOptions::default() }
}

/// The files of a folder, without the times of the manifest.
fn content(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    for (_, bytes) in files.iter_mut().filter(|(name, _)| name == "shards.json") {
        let mut manifest: serde_json::Value = serde_json::from_slice(bytes).unwrap();
        for shard in manifest["shards"].as_array_mut().unwrap() {
            shard.as_object_mut().unwrap().remove("modified").unwrap();
        }
        *bytes = manifest.to_string().into_bytes();
    }
    files
}

#[test]
fn a_table_larger_than_its_memory_becomes_the_shards_of_the_whole_table() {
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in [("t.csv", text().into_bytes()), ("t.parquet", parquet()), ("t.arrow", arrow())] {
        let file = dir.path().join(name);
        fs::write(&file, bytes).unwrap();
        let make = |max_memory: u64| {
            let folder = dir.path().join(format!("{name} {max_memory}"));
            let mut made = (0, Vec::new());
            let used = allocation_counter::measure(|| {
                made = shard_table(&folder, file.to_str().unwrap(), &options(max_memory), 200).unwrap();
            });
            assert_eq!(made.0, 5);
            (content(&folder), used.bytes_max)
        };
        let (whole, of_whole) = make(1_000_000_000);
        let (in_parts, of_parts) = make(MEMORY);
        assert_eq!(whole.len(), 7);
        assert!(whole == in_parts, "{name}");
        // the bound is one that the whole table does not keep
        assert!(of_whole > 20_000_000, "{name}: {of_whole}");
        assert!(of_parts < MEMORY + BESIDES, "{name}: {of_parts}");
    }
}

#[test]
fn rows_that_depend_on_all_inputs_need_the_whole_table() {
    let dir = tempfile::tempdir().unwrap();
    let (file, folder) = (dir.path().join("t.csv"), dir.path().join("folder"));
    let text = text();
    let last = text.rfind(',').unwrap();
    fs::write(&file, format!("{},\n", &text[..last])).unwrap();
    let make = |max_memory: u64| {
        let options = ReadOptions { missing: Missing::DropRows, ..options(max_memory) };
        shard_table(&folder, file.to_str().unwrap(), &options, 200)
    };
    let error = make(MEMORY).unwrap_err().to_string();
    assert!(
        error.contains("t.csv") && error.contains("drop-rows") && error.contains("--max-memory"),
        "{error}"
    );
    assert!(!folder.exists());
    assert_eq!(make(1_000_000_000).unwrap().0, 5);
}
