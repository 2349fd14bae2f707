//! Files that are empty, cut off, damaged or made to harm: an error that says so, never a panic.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{Float64Array, Int32Array, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field, Schema};
use flate2::Compression;
use flate2::write::GzEncoder;
use needlenet_io::{Error, Format, Missing, ReadOptions, Table, read_table, read_table_from};
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;

fn read(bytes: &[u8]) -> Result<Table, Error> {
    read_table_from("t.bin", bytes, &ReadOptions::default())
}

fn read_as(format: Format, bytes: &[u8]) -> Result<Table, Error> {
    read_table_from("t.bin", bytes, &ReadOptions { format: Some(format), ..ReadOptions::default() })
}

fn batch() -> RecordBatch {
    let schema = Schema::new(vec![
        Field::new("a", DataType::Float64, true),
        Field::new("b", DataType::Int32, true),
        Field::new("c", DataType::Utf8, true),
    ]);
    let a = Float64Array::from_iter((0..50).map(|row| (row % 7 > 0).then_some(f64::from(row))));
    let b = Int32Array::from_iter_values(0..50);
    let c = StringArray::from_iter_values((0..50).map(|row| format!("class {}", row % 3)));
    RecordBatch::try_new(Arc::new(schema), vec![Arc::new(a), Arc::new(b), Arc::new(c)]).unwrap()
}

fn parquet() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch().schema(), None).unwrap();
    writer.write(&batch()).unwrap();
    writer.close().unwrap();
    bytes
}

fn arrow_file() -> Vec<u8> {
    let mut writer = FileWriter::try_new(Vec::new(), &batch().schema()).unwrap();
    writer.write(&batch()).unwrap();
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

fn arrow_stream() -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batch().schema()).unwrap();
    writer.write(&batch()).unwrap();
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

fn npy(header: &str) -> Vec<u8> {
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [&b"\x93NUMPY\x01\x00"[..], &length, header.as_bytes()].concat()
}

fn npy_of(descr: &str, shape: &str) -> Vec<u8> {
    npy(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n"))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn an_empty_file_and_a_header_alone_are_different_errors() {
    for nothing in ["", "\n\n", "\u{feff}", "  \n"] {
        assert!(matches!(read(nothing.as_bytes()).unwrap_err(), Error::Empty { .. }), "{nothing:?}");
    }
    assert!(matches!(read(&gzip(b"")).unwrap_err(), Error::Empty { .. }));
    assert!(matches!(read(b"a,b\n").unwrap_err(), Error::NoRows { .. }));
}

#[test]
fn a_directory_and_an_absent_file_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let error = read_table(path, &ReadOptions::default()).unwrap_err().to_string();
    assert_eq!(error, format!("{path}: is a directory; give a file"));
    let absent = format!("{path}/absent.csv");
    let error = read_table(&absent, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{absent}: cannot be opened: ")), "{error}");
}

#[test]
fn a_text_file_on_disk_reads_like_its_bytes_gzipped_or_not() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("t.csv", b"a,b\n1,2\n".to_vec()), ("t.csv.gz", gzip(b"a,b\n1,2\n"))] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let table = read_table(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
        assert_eq!(table.values, [1.0, 2.0]);
    }
}

#[test]
fn a_gzip_that_is_cut_off_or_damaged_says_gzip() {
    let text: String = (0..3000).map(|row| format!("{row},{}\n", f64::from(row).sqrt())).collect();
    let whole = gzip(format!("a,b\n{text}").as_bytes());
    assert_eq!(read(&whole).unwrap().n_rows, 3000);
    for cut in [5, 12, whole.len() / 2, whole.len() - 9, whole.len() - 1] {
        let error = read(&whole[..cut]).unwrap_err();
        assert!(matches!(error, Error::Damaged { format: "gzip", .. }), "{cut}: {error}");
    }
    let mut damaged = whole.clone();
    damaged[whole.len() - 6] ^= 1;
    assert!(matches!(read(&damaged).unwrap_err(), Error::Damaged { format: "gzip", .. }));
}

#[test]
fn a_binary_file_cut_anywhere_is_damaged() {
    for (whole, name) in [(parquet(), "Parquet"), (arrow_file(), "Arrow")] {
        for cut in 8..whole.len() {
            let error = read(&whole[..cut]).unwrap_err();
            assert!(matches!(error, Error::Damaged { format, .. } if format == name), "{cut}: {error}");
        }
    }
    let stream = arrow_stream();
    for cut in 4..stream.len() - 8 {
        assert!(read(&stream[..cut]).is_err());
    }
}

#[test]
fn bytes_that_are_no_text_and_utf16_are_not_tables() {
    let error = read(b"\x00\x01\x02garbage").unwrap_err().to_string();
    assert!(error.contains("byte 0 is 0x00"), "{error}");
    assert!(read(b"\xff\xfea\x00,\x00b\x00\n\x00").unwrap_err().to_string().contains("UTF-16"));
    assert!(matches!(read(&gzip(&gzip(b"a\n1\n"))).unwrap_err(), Error::NotATable { .. }));
}

#[test]
fn an_npy_header_that_lies_about_its_size_costs_no_memory() {
    for shape in ["(1000000000000, 3)", "(3, 1000000)", "(1000000000000,)"] {
        for order in ["False", "True"] {
            let header = format!("{{'descr': '<f8', 'fortran_order': {order}, 'shape': {shape}, }}\n");
            let bytes = [npy(&header), vec![0; 80]].concat();
            let error = read(&bytes).unwrap_err();
            assert!(matches!(error, Error::Damaged { format: "npy", .. }), "{shape}: {error}");
        }
    }
    assert!(matches!(read(&npy_of("'<f8'", "(3, 1000000000000)")).unwrap_err(), Error::Shape { .. }));
}

#[test]
fn an_npy_header_that_would_overflow_or_nest_too_deep_is_refused() {
    for shape in ["(18446744073709551615, 3)", "(4294967296, 4294967296, 0)", "(99999999999999999999,)"] {
        assert!(matches!(read(&npy_of("'<f8'", shape)).unwrap_err(), Error::Damaged { .. }), "{shape}");
    }
    let deep = "(".repeat(60_000);
    assert!(matches!(read(&npy(&deep)).unwrap_err(), Error::Damaged { .. }));
    let long = [&b"\x93NUMPY\x02\x00"[..], &u32::MAX.to_le_bytes(), b"{"].concat();
    assert!(matches!(read(&long).unwrap_err(), Error::Damaged { .. }));
    for descr in ["'|O'", "'<c16'", "'<M8[s]'", "[('a', '<f8')]", "'<U4000000000'"] {
        assert!(matches!(read(&npy_of(descr, "(3, 2)")).unwrap_err(), Error::Shape { .. }), "{descr}");
    }
}

/// Found by fuzzing: the parser of the header reads each bracket twice or more often, so 49 nested ones took longer than a life.
#[test]
fn nested_brackets_in_an_npy_header_take_no_time() {
    for bracket in ["{", "[", "(1, "] {
        let start = Instant::now();
        let error = read(&npy_of("'<f8'", &format!("(20, {} 2)", bracket.repeat(49)))).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{error}");
        assert!(start.elapsed() < Duration::from_secs(5), "{bracket}");
    }
    let error = read(&npy_of("[('a', '<f8'), ('b', '<i4')]", "(3,)")).unwrap_err().to_string();
    assert!(error.contains("named fields; give an array of integers"), "{error}");
}

#[test]
fn an_arrow_block_that_claims_more_than_the_file_has_is_refused_before_memory_is_asked_for() {
    let whole = arrow_file();
    let footer = u32::from_le_bytes(whole[whole.len() - 10..whole.len() - 6].try_into().unwrap()) as usize;
    let mut refused = 0;
    for at in whole.len() - 10 - footer..whole.len() - 17 {
        // a block is an offset, a length padded to 8 bytes and the length of its body, here made 2^62
        let mut bytes = whole.clone();
        bytes[at..at + 8].copy_from_slice(&(1_u64 << 62).to_le_bytes());
        let options = ReadOptions { target: Some("c".into()), ..ReadOptions::default() };
        let error = read_table_from("t.bin", &bytes[..], &options).unwrap_err().to_string();
        refused += usize::from(error.contains("a block lies outside the file"));
    }
    assert!(refused >= 2, "{refused}");
}

fn compressed(codec: CompressionType, stream: bool) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(Some(codec)).unwrap();
    let schema = batch().schema();
    if stream {
        let mut writer = StreamWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
        writer.write(&batch()).unwrap();
        writer.finish().unwrap();
        return writer.into_inner().unwrap();
    }
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
    writer.write(&batch()).unwrap();
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

/// Before the lengths were checked, the process ended: "memory allocation of 2485906053833680750 bytes failed".
#[test]
fn a_compressed_arrow_buffer_that_claims_too_much_is_refused_before_memory_is_asked_for() {
    let options = ReadOptions { target: Some("c".into()), missing: Missing::Mean, ..ReadOptions::default() };
    for codec in [CompressionType::ZSTD, CompressionType::LZ4_FRAME] {
        for stream in [false, true] {
            let whole = compressed(codec, stream);
            assert_eq!(read_table_from("t.bin", &whole[..], &options).unwrap().n_rows, 50);
            let mut refused = 0;
            // buffers begin at multiples of 8
            for at in (0..whole.len() - 8).step_by(8) {
                for claim in [1_u64 << 61, 1 << 45] {
                    let mut bytes = whole.clone();
                    bytes[at..at + 8].copy_from_slice(&claim.to_le_bytes());
                    let Err(error) = read_table_from("t.bin", &bytes[..], &options) else { continue };
                    refused += usize::from(error.to_string().contains("claims to open to"));
                }
            }
            // two columns have a list of nulls or of offsets besides their values
            assert!(refused >= 6, "{codec:?} {stream}: {refused}");
        }
    }
}

/// Each format with its whole bytes, to be changed at random.
fn seeds() -> Vec<(Format, Vec<u8>)> {
    let array = [npy_of("'<f8'", "(3, 2)"), vec![0; 48]].concat();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("X.npy", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(&array).unwrap();
    vec![
        (Format::Csv, b"a,\"b\",c\n1,2,x\n3,,y\n".to_vec()),
        (Format::Csv, gzip(b"a,\"b\",c\n1,2,x\n3,,y\n")),
        (Format::Npz, zip.finish().unwrap().into_inner()),
        (Format::Npy, array),
        (Format::Arrow, arrow_file()),
        (Format::Arrow, arrow_stream()),
        (Format::Parquet, parquet()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes);
        let formats = [Format::Csv, Format::Tsv, Format::Parquet, Format::Arrow, Format::Npy, Format::Npz];
        let magics = [&b""[..], b"", b"PAR1", b"ARROW1\0\0", b"\x93NUMPY\x01\0", b"PK\x03\x04"];
        for (format, magic) in formats.into_iter().zip(magics) {
            let _ = read_as(format, &bytes);
            let _ = read_as(format, &[magic, &bytes, magic].concat());
        }
        let _ = read(&gzip(&bytes));
        let _ = read(&[&b"\x1f\x8b\x08\0\0\0\0\0\0\0"[..], &bytes].concat());
    }

    #[test]
    fn whole_files_with_some_bytes_changed_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let options = ReadOptions { target: Some("-1".into()), ..ReadOptions::default() };
        for (format, mut bytes) in seeds() {
            for (place, byte) in &changes {
                let place = place.index(bytes.len());
                bytes[place] = *byte;
            }
            let _ = read_as(format, &bytes);
            let _ = read_table_from("t.bin", &bytes[..], &options);
        }
    }
}
