//! A table that opens to more memory than it may take is refused, whatever its format, before the memory is taken.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

mod hostile;

use std::io::{Read, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, NullArray, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use flate2::Compression;
use flate2::read::GzEncoder;
use hostile::{ods, xlsx};
use needlenet_io::{Error, ReadOptions, Table, read_matrix_market_within, read_table_from};
use parquet::arrow::ArrowWriter;

const MEGABYTE: u64 = 1_000_000;

fn read(input: impl Read, megabytes: u64, target: &str) -> Result<Table, Error> {
    let target = (!target.is_empty()).then(|| target.into());
    let options = ReadOptions { target, max_memory: Some(megabytes * MEGABYTE), ..ReadOptions::default() };
    read_table_from("t.bin", input, &options)
}

fn refused(input: impl Read, megabytes: u64) {
    let error = read(input, megabytes, "").unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains(&format!("more than {megabytes}")) && text.contains("--max-memory"), "{text}");
}

fn repeated(text: &str, times: u64) -> impl Read + use<> {
    let text = text.as_bytes().to_vec();
    let length = text.len() as u64;
    Repeat { text, at: 0 }.take(times * length)
}

struct Repeat {
    text: Vec<u8>,
    at: usize,
}

impl Read for Repeat {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        for byte in &mut *buffer {
            *byte = self.text[self.at];
            self.at = (self.at + 1) % self.text.len();
        }
        Ok(buffer.len())
    }
}

fn gzip(input: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzEncoder::new(input, Compression::best()).read_to_end(&mut bytes).unwrap();
    bytes
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

fn parquet(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn arrow(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

fn npy(shape: &str, fortran: &str) -> Vec<u8> {
    let header = format!("{{'descr': '|i1', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [&b"\x93NUMPY\x01\x00"[..], &length, header.as_bytes()].concat()
}

#[test]
fn a_line_without_end_is_refused_and_never_quoted_whole() {
    // of commas, of one name, of one quoted cell
    for start in ["", "a", "\"a"] {
        for body in [",", "b"] {
            refused(start.as_bytes().chain(repeated(body, 50 * MEGABYTE)), 100);
        }
    }
    let long = "b".repeat(1_000_000);
    let error = read(format!("{long},y\nx,1\n").as_bytes(), 100, "y").unwrap_err().to_string();
    assert!(error.len() < 400, "{}", error.len());
}

#[test]
fn a_bomb_of_gzip_is_refused() {
    let bomb = gzip("a,b\n".as_bytes().chain(repeated("0,0\n", 10 * MEGABYTE)));
    assert!(bomb.len() < 100_000, "{}", bomb.len());
    refused(&bomb[..], 50);
    // where there is room, it is a table like others
    assert_eq!(read(&bomb[..], 400, "").unwrap().n_rows, 10_000_000);
    // other formats are opened into memory first
    refused(&gzip(b"PAR1".chain(repeated("\0", 100 * MEGABYTE)))[..], 50);
}

#[test]
fn a_small_parquet_file_of_many_rows_is_refused() {
    let rows = 10_000_000;
    let ones: ArrayRef = Arc::new(Float64Array::from(vec![1.0; rows]));
    let bytes = parquet(&batch(vec![("a", ones.clone()), ("b", ones)]));
    assert!(bytes.len() < 100_000, "{}", bytes.len());
    refused(&bytes[..], 100);
    assert_eq!(read(&bytes[..], 500, "").unwrap().n_rows, rows);
}

#[test]
fn a_compressed_or_empty_arrow_batch_of_many_rows_is_refused() {
    let rows = 5_000_000;
    let ones: ArrayRef = Arc::new(Float64Array::from(vec![1.0; rows]));
    let bytes = arrow(&batch(vec![("a", ones)]), Some(CompressionType::ZSTD));
    assert!(bytes.len() < 100_000, "{}", bytes.len());
    refused(&bytes[..], 30);
    assert_eq!(read(&bytes[..], 200, "").unwrap().n_rows, rows);
    // nulls take no bytes at all
    let nulls: ArrayRef = Arc::new(NullArray::new(1 << 40));
    refused(&arrow(&batch(vec![("a", nulls)]), None)[..], 30);
}

#[test]
fn a_numpy_array_of_many_rows_or_columns_is_refused() {
    for order in ["False", "True"] {
        let array = npy("(20000000, 2)", order);
        refused(&gzip(array.chain(repeated("\u{1}", 40 * MEGABYTE)))[..], 50);
    }
    refused(&npy("(1, 16000000)", "False")[..], 900);
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("X.npy", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(&npy("(20000000, 2)", "False")).unwrap();
    std::io::copy(&mut repeated("\u{1}", 40 * MEGABYTE), &mut zip).unwrap();
    let bytes = zip.finish().unwrap().into_inner();
    assert!(bytes.len() < 100_000, "{}", bytes.len());
    refused(&bytes[..], 50);
}

/// The rows of a sheet of an OpenDocument spreadsheet.
fn ods_of(rows: &str) -> Vec<u8> {
    ods(format!("<a><table:table table:name=\"s\">{rows}</table:table></a>").as_bytes())
}

const CELL: &str = "<table:table-cell office:value=\"1\"";

#[test]
fn a_repetition_in_an_ods_sheet_is_counted_before_it_is_made() {
    let row = |repeated: &str, cells: &str| format!("<table:table-row{repeated}>{cells}</table:table-row>");
    let word = |text: &str| {
        format!("<table:table-cell office:value-type=\"string\"><text:p>{text}</text:p></table:table-cell>")
    };
    let names = row("", &[word("a"), word("b")].concat());
    let many = 99_999_999_999_u64;
    let wide = row("", &format!("{CELL} table:number-columns-repeated=\"{many}\"/>"));
    let long = row(&format!(" table:number-rows-repeated=\"{many}\""), &format!("{CELL}/>").repeat(2));
    let spaces = row("", &word(&format!("a<text:s text:c=\"{many}\"/>b")));
    for rows in [wide, long, spaces] {
        refused(&ods_of(&format!("{names}{rows}"))[..], 50);
    }
    // spreadsheet programs fill the sheet with repeated empty cells and rows
    let filler = "<table:table-cell table:number-columns-repeated=\"16382\"/>";
    let data = row(" table:number-rows-repeated=\"3\"", &format!("{CELL}/>{CELL}/>{filler}"));
    let rest = row(" table:number-rows-repeated=\"1048572\"", filler);
    let table = read(&ods_of(&format!("{names}{data}{rest}"))[..], 50, "").unwrap();
    assert_eq!((table.n_rows, table.names.len()), (3, 2));
}

#[test]
fn an_ods_sheet_without_an_end_is_damaged() {
    let starts = ["<table:table-row>", "<table:table-row><table:table-cell office:value-type=\"string\">"];
    let inside = ["<office:annotation>", "<text:p>"];
    let cut = [String::new(), starts[0].into(), starts[1].into()]
        .into_iter()
        .chain(inside.map(|tag| format!("{}{tag}", starts[1])));
    for rows in cut {
        let sheet = format!("<a><table:table table:name=\"s\">{rows}");
        let error = read(&ods(sheet.as_bytes())[..], 50, "").unwrap_err();
        assert!(matches!(error, Error::Damaged { format: "ods", .. }), "{error}");
    }
}

/// A workbook of these parts, compressed.
fn deflated(parts: &[&str]) -> Vec<u8> {
    let mut stored = zip::ZipArchive::new(std::io::Cursor::new(xlsx(parts.join("\0").as_bytes()))).unwrap();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for at in 0..stored.len() {
        let mut part = stored.by_index(at).unwrap();
        zip.start_file(part.name().unwrap().into_owned(), zip::write::SimpleFileOptions::default()).unwrap();
        std::io::copy(&mut part, &mut zip).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_workbook_that_opens_to_more_than_it_may_is_refused() {
    let sheet = |rows: &str| format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    let names = "<row><c t=\"s\"><v>0</v></c><c t=\"s\"><v>1</v></c></row>";
    let good = sheet(&format!("{names}<row><c><v>1</v></c><c><v>2</v></c></row>"));
    let read_whole = |book: &[u8]| read(book, 50, "").map(|table| table.values);
    assert_eq!(read_whole(&deflated(&[&good])).unwrap(), [1.0, 2.0]);
    // the memory of the strings was asked for by their claim, and the process ended
    for claim in ["99999999999", "18446744073709551615"] {
        let strings = format!("<sst uniqueCount=\"{claim}\"><si><t>a</t></si><si><t>b</t></si></sst>");
        refused(&deflated(&[&good, &strings])[..], 50);
    }
    let strings = format!("<sst>{}</sst>", "<si><t/></si>".repeat(1_000_000));
    let book = deflated(&[&good, &strings]);
    assert!(book.len() < 100_000, "{}", book.len());
    refused(&book[..], 50);
    // one row, one text, and rows without end
    let row = format!("<row>{}</row>", "<c><v>1</v></c>".repeat(200_000));
    refused(&deflated(&[&sheet(&format!("{names}{row}"))])[..], 50);
    refused(&deflated(&[&sheet(&"<row></row>".repeat(3_000_000))])[..], 50);
    let long = format!("<row><c t=\"inlineStr\"><is><t>{}</t></is></c></row>", "a".repeat(5_000_000));
    refused(&deflated(&[&sheet(&format!("{names}{long}"))])[..], 50);
    // each style has its own copy of the name of its font
    let (font, style) = ("f".repeat(100_000), "<xf fontId=\"0\"/>".repeat(10_000));
    let styles = format!(
        "<styleSheet><fonts><font><name val=\"{font}\"/></font></fonts><cellXfs>{style}</cellXfs></styleSheet>"
    );
    let error = read_whole(&deflated(&[&good, "", &styles])).unwrap_err();
    assert!(matches!(error, Error::Damaged { format: "xlsx", .. }), "{error}");
}

#[test]
fn a_sparse_matrix_that_claims_or_holds_too_much_is_refused() {
    let header = "%%MatrixMarket matrix coordinate pattern general\n";
    let options = ReadOptions { max_memory: Some(30 * MEGABYTE), ..ReadOptions::default() };
    let read = |input: &mut dyn Read| read_matrix_market_within("m.mtx", input, false, &options).unwrap_err();
    let error = read(&mut format!("{header}1 90000000 0\n").as_bytes());
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    let cells = format!("{header}9 9 9\n");
    let error = read(&mut &gzip(cells.as_bytes().chain(repeated("1 1\n", 3 * MEGABYTE)))[..]);
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    let error = read(&mut header.as_bytes().chain(repeated("%", 50 * MEGABYTE)));
    assert!(error.to_string().contains("line 2: it is too long"), "{error}");
}

#[test]
fn an_outcome_of_long_texts_counts_too() {
    let text = "c".repeat(1000);
    let texts: ArrayRef = Arc::new(StringArray::from(vec![text.as_str(); 100_000]));
    let ones: ArrayRef = Arc::new(Float64Array::from(vec![1.0; 100_000]));
    let bytes = parquet(&batch(vec![("a", ones), ("y", texts)]));
    assert!(bytes.len() < 100_000, "{}", bytes.len());
    let error = read(&bytes[..], 50, "y").unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    let csv = "a,y\n".as_bytes().chain(repeated(&format!("1,{text}\n"), 100_000));
    let error = read(csv, 50, "y").unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
}

#[test]
fn the_bound_of_a_machine_is_large_enough_for_a_plain_table() {
    let options = ReadOptions::default();
    let wide: String = (0..50_000).map(|column| format!("gene{column},")).collect();
    let row = "1.25,".repeat(50_000);
    let table = format!("{wide}y\n{row}1\n{row}2\n");
    assert_eq!(read_table_from("t.csv", table.as_bytes(), &options).unwrap().n_rows, 2);
}
