//! Parquet files with a large footer, of which only the columns of use are decoded: they must read like any other.
//!
//! What makes a footer large does not matter, so most files here are small ones with a long note in the footer.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray,
    DurationMillisecondArray, Float32Array, Float64Array, Int64Array, ListArray, NullArray, RecordBatch,
    StringArray, StructArray, Time32SecondArray, TimestampNanosecondArray, TimestampSecondArray, UInt64Array,
};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{Field, Schema};
use needlenet_io::{Error, Known, Missing, ReadOptions, Table, read_table_from};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

/// A footer from this length on is wide.
const WIDE_FOOTER: usize = 1 << 20;

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let field = |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    RecordBatch::try_new(schema, columns.into_iter().map(|(_, array)| array).collect()).unwrap()
}

fn parquet(batch: &RecordBatch, note: usize) -> Vec<u8> {
    let note = KeyValue::new("note".to_owned(), "n".repeat(note));
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(2))
        .set_key_value_metadata(Some(vec![note]))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// The same table with a small footer and with a wide one; up to the footer, the bytes are the same.
fn both_ways(batch: &RecordBatch) -> [Vec<u8>; 2] {
    let files = [parquet(batch, 0), parquet(batch, WIDE_FOOTER)];
    assert!(footer_length(&files[0]) < WIDE_FOOTER / 2);
    files
}

fn footer_length(bytes: &[u8]) -> usize {
    u32::from_le_bytes(bytes[bytes.len() - 8..bytes.len() - 4].try_into().unwrap()) as usize
}

fn read(bytes: &[u8], options: &ReadOptions) -> Result<Table, Error> {
    read_table_from("t.parquet", bytes, options)
}

/// All that a reader can tell of a table, or the error.
fn story(result: Result<Table, Error>) -> String {
    result.map_or_else(|error| error.to_string(), |table| format!("{table:?}"))
}

fn of_all_kinds() -> RecordBatch {
    let words: DictionaryArray<Int8Type> =
        [Some("a"), Some("b"), None, Some("a"), Some("b")].into_iter().collect();
    let truths = [Some(true), Some(false), Some(true), Some(true), None];
    let decimals = Decimal128Array::from(vec![125, -5, 0, 7, 9]).with_precision_and_scale(9, 2).unwrap();
    batch(vec![
        ("f64", Arc::new(Float64Array::from(vec![Some(1.5), None, Some(1e300), Some(-0.0), Some(2.0)]))),
        ("id", Arc::new(StringArray::from(vec!["r1", "r2", "r3", "r4", "r5"]))),
        ("f32", Arc::new(Float32Array::from(vec![0.5, -0.25, 1.0, 2.0, 3.0]))),
        ("i64", Arc::new(Int64Array::from(vec![1, 2, 3, (1 << 53) + 1, 5]))),
        ("u64", Arc::new(UInt64Array::from(vec![3, 1 << 40, u64::MAX, 0, 1]))),
        ("same", Arc::new(BooleanArray::from(truths.to_vec()))),
        ("same", Arc::new(decimals)),
        ("day", Arc::new(Date32Array::from(vec![1, 2, 3, 4, 5]))),
        ("nil", Arc::new(NullArray::new(5))),
        ("y", Arc::new(words)),
    ])
}

#[test]
fn a_wide_footer_changes_nothing_that_is_read_or_refused() {
    let files = both_ways(&of_all_kinds());
    let excluding = |names: &[&str]| ReadOptions {
        exclude: names.iter().map(|&n| n.into()).collect(),
        ..ReadOptions::default()
    };
    let only = |names: &[&str]| {
        let exactly = Some(names.iter().map(|&name| Known::number(name, 0.0)).collect());
        ReadOptions { exactly, ..ReadOptions::default() }
    };
    let numbers = excluding(&["id", "day", "nil", "y", "7"]);
    let trials = [
        (ReadOptions::default(), "columns 6 and 7 are both called \"same\""),
        (excluding(&["id", "y", "7"]), "\"day\" holds dates"),
        (numbers.clone(), "2 cells are missing"),
        (ReadOptions { missing: Missing::DropRows, ..numbers }, "n_rows: 3"),
        (ReadOptions { target: Some("id".into()), ..only(&["u64", "f32"]) }, "\"r5\""),
        (ReadOptions { target: Some("i64".into()), ..only(&["u64"]) }, "9007199254740993"),
        (ReadOptions { missing: Missing::DropRows, target: Some("y".into()), ..only(&["i64"]) }, "n_rows: 4"),
        (only(&[]), "n_rows: 5"),
        (only(&["absent"]), "absent"),
    ];
    for (options, part) in trials {
        let stories = files.each_ref().map(|bytes| story(read(bytes, &options)));
        assert_eq!(stories[0], stories[1]);
        assert!(stories[0].contains(part), "{part}: {}", stories[0]);
    }
}

#[test]
fn a_time_that_only_arrows_schema_tells_from_a_number_is_refused() {
    let times: [ArrayRef; 5] = [
        Arc::new(DurationMillisecondArray::from(vec![1, 2])),
        Arc::new(Date64Array::from(vec![1, 2])),
        Arc::new(Time32SecondArray::from(vec![1, 2])),
        Arc::new(TimestampSecondArray::from(vec![1, 2])),
        Arc::new(TimestampNanosecondArray::from(vec![1, 2])),
    ];
    for time in times {
        let number = Arc::new(Int64Array::from(vec![1, 2]));
        for bytes in both_ways(&batch(vec![("x", number), ("t", time)])) {
            let error = read(&bytes, &ReadOptions::default()).unwrap_err().to_string();
            assert!(error.contains("column \"t\" holds"), "{error}");
            let options = ReadOptions { exclude: vec!["t".into()], ..ReadOptions::default() };
            assert_eq!(read(&bytes, &options).unwrap().values, [1.0, 2.0]);
        }
    }
}

#[test]
fn nested_columns_are_passed_over() {
    let inner: ArrayRef = Arc::new(Float64Array::from(vec![7.0, 8.0]));
    let group =
        StructArray::from(vec![(Arc::new(Field::new("inner", inner.data_type().clone(), true)), inner)]);
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), Some(2)]), None]);
    let x = Arc::new(Float64Array::from(vec![1.0, 2.0]));
    let z = Arc::new(Float64Array::from(vec![3.0, 4.0]));
    let nested = batch(vec![("x", x), ("group", Arc::new(group)), ("list", Arc::new(list)), ("z", z)]);
    for bytes in both_ways(&nested) {
        let options = ReadOptions {
            exactly: Some(vec![Known::number("z", 0.0), Known::number("x", 0.0)]),
            ..ReadOptions::default()
        };
        assert_eq!(read(&bytes, &options).unwrap().values, [3.0, 4.0, 1.0, 2.0]);
        assert!(matches!(read(&bytes, &ReadOptions::default()).unwrap_err(), Error::Unusable { .. }));
    }
}

#[test]
fn twelve_thousand_columns_read_like_those_of_an_arrow_file() {
    let names: Vec<String> = (0..12_000).map(|column| format!("x{column}")).collect();
    let column = |(at, name): (usize, &String)| {
        let cells: ArrayRef = match at % 3 {
            0 => Arc::new(Float64Array::from_iter_values((0..5).map(|row| (at * 5 + row) as f64 / 3.0))),
            1 => Arc::new(Int64Array::from_iter_values((0..5).map(|row| at as i64 * row))),
            _ => Arc::new(BooleanArray::from_iter((0..5).map(|row| Some((at + row) % 2 == 0)))),
        };
        (name.clone(), cells)
    };
    let columns: Vec<(String, ArrayRef)> = names.iter().enumerate().map(column).collect();
    let table = batch(columns.iter().map(|(name, cells)| (name.as_str(), cells.clone())).collect());
    let parquet = parquet(&table, 0);
    assert!(footer_length(&parquet) > WIDE_FOOTER);
    let mut writer = FileWriter::try_new(Vec::new(), &table.schema()).unwrap();
    writer.write(&table).unwrap();
    let arrow = writer.into_inner().unwrap();
    let some: Vec<Known> =
        [11_999, 7, 5000, 8, 9].map(|column: usize| Known::number(&names[column], 0.0)).into();
    for exactly in [None, Some(some)] {
        let options = ReadOptions { exactly, target: Some("x1".into()), ..ReadOptions::default() };
        assert_eq!(story(read(&parquet, &options)), story(read(&arrow, &options)));
    }
}

/// Where the footer begins, and where its notes do, which come after all that is needed.
fn before_notes(bytes: &[u8]) -> (usize, usize) {
    let start = bytes.len() - 8 - footer_length(bytes);
    let has = |at: &usize| bytes[*at..].starts_with(b"note") || bytes[*at..].starts_with(b"ARROW:schema");
    (start, (start..bytes.len()).find(has).unwrap())
}

fn three_columns() -> RecordBatch {
    batch(vec![
        ("a", Arc::new(Float64Array::from(vec![1.0, 2.0, 3.0]))),
        ("b", Arc::new(Int64Array::from(vec![4, 5, 6]))),
        ("c", Arc::new(BooleanArray::from(vec![true, false, true]))),
    ])
}

#[test]
fn a_footer_that_is_damaged_anywhere_is_an_error_or_the_same_table() {
    let options = ReadOptions {
        exactly: Some(vec![Known::number("c", 0.0), Known::number("a", 0.0)]),
        ..ReadOptions::default()
    };
    let [small, wide] = both_ways(&three_columns());
    let (from, to) = before_notes(&wide);
    assert_eq!(small[..to], wide[..to]);
    assert!(to - from > 500, "{}", to - from);
    let (mut errors, mut only_wide) = (0, 0);
    for at in from..to {
        for change in [0x01, 0x10, 0x80, 0xff] {
            let [result, wide_result] = [&small, &wide].map(|bytes| {
                let mut bytes = bytes.clone();
                bytes[at] ^= change;
                read(&bytes, &options)
            });
            match (result, wide_result) {
                (_, Err(_)) => errors += 1,
                (Ok(table), Ok(wide_table)) => assert_eq!(table.values, wide_table.values, "{at} {change}"),
                // column b, which is not decoded
                (Err(_), Ok(wide_table)) => {
                    only_wide += 1;
                    assert_eq!(wide_table.values, [1.0, 0.0, 1.0, 1.0, 2.0, 3.0], "{at} {change}");
                }
            }
        }
    }
    assert!(errors > 100 && only_wide > 10, "{errors} {only_wide}");
}

#[test]
fn a_wide_footer_that_is_cut_off_or_encrypted_gives_the_usual_error() {
    let [_, wide] = both_ways(&three_columns());
    let damaged = |bytes: &[u8]| match read(bytes, &ReadOptions::default()).unwrap_err() {
        Error::Damaged { format: "Parquet", reason, .. } => reason,
        // zeros are an empty list of row groups
        Error::NoRows { .. } => String::new(),
        error => panic!("{error}"),
    };
    let (footer, tail) = wide.split_at(wide.len() - 8);
    let (from, to) = before_notes(&wide);
    // what is at the end of a row group may be lacking
    for kept in from..to - 40 {
        // the tail says first that the footer is longer than it is, then where it was cut
        damaged(&[&footer[..kept], tail].concat());
        let length = u32::try_from(kept - from).unwrap().to_le_bytes();
        damaged(&[&footer[..kept], &length, b"PAR1"].concat());
        for byte in [0x00, 0xff] {
            let rest = vec![byte; footer.len() - kept];
            damaged(&[&footer[..kept], &rest, tail].concat());
        }
    }
    assert!(damaged(&[footer, &tail[..4], b"PARE"].concat()).contains("encrypt"));
}
