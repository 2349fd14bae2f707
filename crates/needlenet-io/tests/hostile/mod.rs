//! What must hold of any bytes that a reader is given; for files changed at random, the files that fuzzing found, and fuzzing itself.
//!
//! A table that comes back is whole and finite; an error or a note is one short line that steers no terminal. A model that is
//! believed can predict and be reported.
#![allow(clippy::unwrap_used)]
// each test uses a part
#![allow(dead_code)]

use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use needlenet::Fitted;
use needlenet_io::{
    Error, Format, Missing, ReadOptions, model_from_bytes, read_matrix_market_within, read_table_from,
};
use needlenet_report::{Report, Run};
use zip::write::SimpleFileOptions;

/// The memory that a table may take here.
pub const MAX_MEMORY: u64 = 64 << 20;

/// A message is one line that steers no terminal.
pub fn check_message(text: &str) -> Result<(), String> {
    if text.len() > 4000 {
        return Err(format!("a message of {} letters", text.len()));
    }
    match needlenet::escaped(text, &['\n']) == text {
        true => Ok(()),
        false => Err(format!("a message that steers the terminal: {text:?}")),
    }
}

/// The sum of all bytes chooses how they are read, so that every change may choose another way.
pub fn choice_of(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte)).sum()
}

/// Reads bytes of any format, or of one; whether they are a table.
pub fn read(bytes: &[u8], choice: u64, format: Option<Format>) -> Result<bool, String> {
    let target = [None, Some("-1"), Some("f"), Some("c")][(choice % 4) as usize].map(Into::into);
    let missing =
        [Missing::Error, Missing::Mean, Missing::DropRows, Missing::DropColumns][(choice / 4 % 4) as usize];
    // all inputs, or some of those with numbers, as in prediction: the others are text
    let only = [&[][..], &["a", "b", "e"], &["a"]][(choice / 16 % 3) as usize];
    let only = only.iter().map(|name: &&str| (*name).into()).collect();
    let max_memory = Some(MAX_MEMORY);
    let options = ReadOptions { target, only, missing, max_memory, format, ..ReadOptions::default() };
    let table = match read_table_from("t", bytes, &options) {
        Ok(table) => table,
        Err(error) => return refused(&error),
    };
    if table.values.len() != table.n_rows * table.names.len() || table.values.iter().any(|v| !v.is_finite()) {
        return Err("a table that is not whole".into());
    }
    let outcome = table.target.map_or(table.n_rows, |target| target.text.len());
    if outcome != table.n_rows || table.rows.len() != table.n_rows {
        return Err("an outcome of another length".into());
    }
    table.notes.iter().try_for_each(|note| check_message(&needlenet::escaped(note, &[])))?;
    Ok(true)
}

fn refused(error: &Error) -> Result<bool, String> {
    check_message(&needlenet::escaped(&error.to_string(), &[])).map(|()| false)
}

/// Reads a Matrix Market file.
pub fn read_cells(bytes: &[u8], turned: bool) -> Result<bool, String> {
    let options = ReadOptions { max_memory: Some(MAX_MEMORY), ..ReadOptions::default() };
    let matrix = match read_matrix_market_within("t", bytes, turned, &options) {
        Ok(matrix) => matrix,
        Err(error) => return refused(&error),
    };
    let cells = matrix.cells;
    let sorted = cells.starts.windows(2).all(|pair| pair[0] <= pair[1]);
    let inside = cells.rows.iter().all(|row| (*row as usize) < matrix.n_samples);
    let whole = cells.starts.last() == Some(&cells.rows.len()) && cells.rows.len() == cells.values.len();
    if sorted && inside && whole { Ok(true) } else { Err("a matrix that is not whole".into()) }
}

/// An archive of these members, which are not compressed: what a reader finds behind the decompressor.
pub fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        zip.start_file(*name, stored).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// An OpenDocument spreadsheet with this `content.xml`.
pub fn ods(content: &[u8]) -> Vec<u8> {
    archive(&[("content.xml", content)])
}

/// The parts of a workbook, in the order in which bytes 0 divide them; those that are lacking are as here.
const PARTS: [(&str, &[u8]); 6] = [
    ("xl/worksheets/sheet1.xml", b"<worksheet><sheetData/></worksheet>"),
    ("xl/sharedStrings.xml", b"<sst uniqueCount=\"2\"><si><t>a</t></si><si><t>c</t></si></sst>"),
    (
        "xl/styles.xml",
        b"<styleSheet><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>",
    ),
    ("xl/workbook.xml", b"<workbook><sheets><sheet name=\"s\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"),
    (
        "xl/_rels/workbook.xml.rels",
        b"<Relationships><Relationship Id=\"r1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet\" \
          Target=\"worksheets/sheet1.xml\"/></Relationships>",
    ),
    (
        "_rels/.rels",
        b"<Relationships><Relationship Id=\"r1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" \
          Target=\"xl/workbook.xml\"/></Relationships>",
    ),
];

/// A workbook of these parts.
pub fn xlsx(bytes: &[u8]) -> Vec<u8> {
    let given: Vec<&[u8]> = bytes.splitn(PARTS.len(), |byte| *byte == 0).collect();
    let part = |at: usize| given.get(at).filter(|part| !part.is_empty()).copied().unwrap_or(PARTS[at].1);
    let members: Vec<(&str, &[u8])> = (0..PARTS.len()).map(|at| (PARTS[at].0, part(at))).collect();
    archive(&members)
}

/// The bytes in gzip, again not compressed.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The readers that are fuzzed, by the names of their targets in `fuzz/`.
pub const TARGETS: [&str; 10] =
    ["text", "npy", "archive", "arrow", "parquet", "xlsx", "ods", "matrix_market", "gzip", "model"];

/// What a target does with its bytes; whether they were believed.
pub fn run(target: &str, bytes: &[u8]) -> Result<bool, String> {
    let choice = choice_of(bytes);
    match target {
        "text" => read(bytes, choice, Some(if choice.is_multiple_of(5) { Format::Tsv } else { Format::Csv })),
        "npy" => read(bytes, choice, Some(Format::Npy)),
        "archive" => read(&[b"PK\x03\x04", bytes.get(4..).unwrap_or_default()].concat(), choice, None),
        "arrow" => read(bytes, choice, Some(Format::Arrow)),
        "parquet" => read(bytes, choice, Some(Format::Parquet)),
        "xlsx" => read(&xlsx(bytes), choice, None),
        "ods" => read(&ods(bytes), choice, None),
        "matrix_market" => read_cells(bytes, choice.is_multiple_of(2)),
        "gzip" => read(&gzip(bytes), choice, None),
        "model" => load(bytes),
        other => Err(format!("there is no target {other}")),
    }
}

/// Loads bytes as a model and, if they are believed, predicts with it and reports it.
pub fn load(bytes: &[u8]) -> Result<bool, String> {
    let model = match model_from_bytes("m.json", bytes) {
        Ok(model) => model,
        Err(error) => return check_message(&needlenet::escaped(&error.to_string(), &[])).map(|()| false),
    };
    let column = [-1.0, 0.0, 0.5, 100.0, -1e150];
    let columns: Vec<&[f64]> = model.inputs().map(|_| &column[..]).collect();
    let offset = [0.0; 5];
    for fitted in [Fitted::Predictor, Fitted::Refit, Fitted::Penalised] {
        let _ = model.predict_with_offset(column.len(), &columns, Some(&offset), fitted);
    }
    let _ = model.outside(column.len(), &columns);
    let text = Report::new(&model, &Run::default()).text();
    for line in text.lines() {
        if needlenet::escaped(line, &[]) != line {
            return Err(format!("a report that steers the terminal: {line:?}"));
        }
    }
    Ok(true)
}
