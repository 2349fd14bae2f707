//! Parquet and Arrow IPC tables, written by the Arrow crates themselves.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::sync::Arc;

use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType,
    Int8Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, Date32Array, Decimal128Array, DictionaryArray,
    Float32Array, Float64Array, Int8Array, Int64Array, NullArray, PrimitiveArray, RecordBatch, StringArray,
    StringViewArray, UInt16Array, UInt64Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field, Schema};
use needlenet_io::{Error, GroupKind, Known, Missing, ReadOptions, Table, read_table, read_table_from};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let field = |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    RecordBatch::try_new(schema, columns.into_iter().map(|(_, array)| array).collect()).unwrap()
}

fn parquet_with(batches: &[RecordBatch], compression: Compression) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_max_row_group_row_count(Some(1000))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batches[0].schema(), Some(properties)).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.close().unwrap();
    bytes
}

fn parquet(batches: &[RecordBatch]) -> Vec<u8> {
    parquet_with(batches, Compression::UNCOMPRESSED)
}

fn arrow_file(batches: &[RecordBatch], compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &batches[0].schema(), options).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

fn arrow_stream(batches: &[RecordBatch]) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batches[0].schema()).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

/// The same table as Parquet, Arrow file and Arrow stream.
fn each_format(batches: &[RecordBatch]) -> [Vec<u8>; 3] {
    [parquet(batches), arrow_file(batches, None), arrow_stream(batches)]
}

fn read(bytes: &[u8], options: &ReadOptions) -> Result<Table, Error> {
    read_table_from("t.bin", bytes, options)
}

fn small() -> RecordBatch {
    batch(vec![
        ("f", Arc::new(Float64Array::from(vec![1.5, -2.0, 1e300]))),
        ("id", Arc::new(StringArray::from(vec!["r1", "r2", "r3"]))),
        ("i", Arc::new(Int64Array::from(vec![1, 2, 3]))),
        ("y", Arc::new(StringArray::from(vec!["no", "yes", "no"]))),
    ])
}

#[test]
fn all_numeric_types_become_inputs() {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("i8", Arc::new(Int8Array::from(vec![-1, 2]))),
        ("u16", Arc::new(UInt16Array::from(vec![1, 65535]))),
        ("u64", Arc::new(UInt64Array::from(vec![3, 1 << 40]))),
        ("f32", Arc::new(Float32Array::from(vec![0.5, -0.25]))),
        ("bool", Arc::new(BooleanArray::from(vec![true, false]))),
        ("dec", Arc::new(Decimal128Array::from(vec![125, -5]).with_precision_and_scale(9, 2).unwrap())),
    ];
    for bytes in each_format(&[batch(columns)]) {
        let table = read(&bytes, &ReadOptions::default()).unwrap();
        let big = (1_u64 << 40) as f64;
        assert_eq!(table.values, [-1.0, 2.0, 1.0, 65535.0, 3.0, big, 0.5, -0.25, 1.0, 0.0, 1.25, -0.05]);
    }
}

#[test]
fn only_the_columns_of_use_are_needed_and_text_may_be_the_outcome() {
    let options =
        ReadOptions { target: Some("y".into()), exclude: vec!["id".into()], ..ReadOptions::default() };
    for bytes in each_format(&[small()]) {
        let table = read(&bytes, &options).unwrap();
        assert_eq!(table.names, ["f", "i"]);
        assert_eq!(table.values, [1.5, -2.0, 1e300, 1.0, 2.0, 3.0]);
        let target = table.target.unwrap();
        assert_eq!(target.text, ["no", "yes", "no"]);
        assert!(target.numbers.is_none());
    }
}

#[test]
fn a_model_gets_its_inputs_in_its_order() {
    let exactly = Some(vec![Known::number("i", 0.0), Known::number("f", 0.0)]);
    for bytes in each_format(&[small()]) {
        let table =
            read(&bytes, &ReadOptions { exactly: exactly.clone(), ..ReadOptions::default() }).unwrap();
        assert_eq!(table.values, [1.0, 2.0, 3.0, 1.5, -2.0, 1e300]);
    }
}

#[test]
fn an_input_of_text_or_dates_is_an_error_that_names_column_type_and_remedy() {
    let dates = batch(vec![("day", Arc::new(Date32Array::from(vec![1, 2])))]);
    for bytes in each_format(&[small()]) {
        let error = read(&bytes, &ReadOptions::default()).unwrap_err().to_string();
        assert!(
            error.starts_with(
                "t.bin: column \"id\" looks like an identifier (3 different words in 3 rows, such as \"r1\";"
            ),
            "{error}"
        );
    }
    for bytes in each_format(&[dates]) {
        let error = read(&bytes, &ReadOptions::default()).unwrap_err().to_string();
        assert!(error.contains("column \"day\" holds dates; pass --dates days"), "{error}");
        let options = ReadOptions { dates_as_days: true, ..ReadOptions::default() };
        assert_eq!(read(&bytes, &options).unwrap().values, [1.0, 2.0]);
    }
}

#[test]
fn a_dictionary_may_be_the_outcome_and_is_a_category_as_an_input() {
    let words: DictionaryArray<Int8Type> = ["a", "b", "a", "b"].repeat(3).into_iter().map(Some).collect();
    let numbers = Float64Array::from_iter_values((0..12).map(f64::from));
    for bytes in each_format(&[batch(vec![("x", Arc::new(numbers)), ("y", Arc::new(words))])]) {
        let options = ReadOptions { target: Some("y".into()), ..ReadOptions::default() };
        assert_eq!(read(&bytes, &options).unwrap().target.unwrap().text[..3], ["a", "b", "a"]);
        let table = read(&bytes, &ReadOptions::default()).unwrap();
        assert_eq!(table.names, ["x", "y=a", "y=b"]);
        assert_eq!(table.groups[0].kind, GroupKind::Category { levels: vec!["a".into(), "b".into()] });
        assert_eq!(table.values[12..16], [1.0, 0.0, 1.0, 0.0]);
    }
}

/// Values 1, missing and 3 of every type that is a number or a date.
#[test]
fn every_type_of_number_and_date_is_read() {
    let ints = vec![Some(1), None, Some(3)];
    let decimal = |digits: i64| vec![Some(digits), None, Some(3 * digits)];
    let keys = Int8Array::from(vec![Some(1), None, Some(0)]);
    let coded = DictionaryArray::new(keys, Arc::new(Int64Array::from(vec![3, 1])));
    let day = 86_400;
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("integer", Arc::new(Int64Array::from(ints.clone()))),
        ("truth", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
        ("decimal32", Arc::new(decimals::<Decimal32Type>(decimal(100), |v| v as i32))),
        ("decimal64", Arc::new(decimals::<Decimal64Type>(decimal(100), |v| v))),
        ("decimal128", Arc::new(decimals::<Decimal128Type>(decimal(100), i128::from))),
        (
            "decimal256",
            Arc::new(decimals::<Decimal256Type>(decimal(100), |v| {
                <Decimal256Type as ArrowPrimitiveType>::Native::from_i128(v.into())
            })),
        ),
        ("dictionary", Arc::new(coded)),
        ("date32", Arc::new(PrimitiveArray::<Date32Type>::from(vec![Some(1), None, Some(3)]))),
        ("date64", Arc::new(PrimitiveArray::<Date64Type>::from(decimal(1000 * day)))),
        ("seconds", Arc::new(PrimitiveArray::<TimestampSecondType>::from(decimal(day)))),
        ("milliseconds", Arc::new(PrimitiveArray::<TimestampMillisecondType>::from(decimal(1_000 * day)))),
        (
            "microseconds",
            Arc::new(PrimitiveArray::<TimestampMicrosecondType>::from(decimal(1_000_000 * day))),
        ),
        (
            "nanoseconds",
            Arc::new(PrimitiveArray::<TimestampNanosecondType>::from(decimal(1_000_000_000 * day))),
        ),
    ];
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let options = ReadOptions { missing: Missing::Mean, dates_as_days: true, ..ReadOptions::default() };
    let table = read(&arrow_stream(&[batch(columns.clone())]), &options).unwrap();
    assert_eq!(table.names, names);
    for (name, cells) in names.iter().zip(table.values.chunks(3)) {
        let expected = if *name == "truth" { [1.0, 0.5, 0.0] } else { [1.0, 2.0, 3.0] };
        assert_eq!(cells, expected, "{name}");
    }
    for (target, texts) in [
        ("integer", ["1", "3"]),
        ("truth", ["true", "false"]),
        ("decimal64", ["1", "3"]),
        ("dictionary", ["1", "3"]),
    ] {
        let options =
            ReadOptions { target: Some(target.into()), missing: Missing::DropRows, ..options.clone() };
        let table = read(&arrow_stream(&[batch(columns.clone())]), &options).unwrap();
        assert_eq!(table.target.unwrap().text, texts, "{target}");
    }
}

fn decimals<T: DecimalType>(digits: Vec<Option<i64>>, native: fn(i64) -> T::Native) -> PrimitiveArray<T> {
    let values: PrimitiveArray<T> = digits.into_iter().map(|digits| digits.map(native)).collect();
    values.with_precision_and_scale(T::MAX_PRECISION, 2).unwrap()
}

#[test]
fn a_dictionary_without_values_is_missing_and_views_are_words() {
    let none = DictionaryArray::new(Int8Array::new_null(12), Arc::new(StringArray::from(Vec::<&str>::new())));
    let words = StringViewArray::from_iter_values(["a", "b"].repeat(6));
    let columns: Vec<(&str, ArrayRef)> = vec![("none", Arc::new(none)), ("words", Arc::new(words))];
    let options = ReadOptions { missing: Missing::DropColumns, ..ReadOptions::default() };
    assert_eq!(read(&arrow_stream(&[batch(columns)]), &options).unwrap().names, ["words=a", "words=b"]);
}

#[test]
fn an_ordered_dictionary_is_scored_in_its_order() {
    let words: DictionaryArray<Int8Type> = ["low", "high", "mid"].into_iter().map(Some).collect();
    let kind = words.data_type().clone();
    let field = Field::new("stage", kind, true).with_dict_is_ordered(true);
    let schema = Arc::new(Schema::new(vec![field]));
    let batch = RecordBatch::try_new(schema, vec![Arc::new(words)]).unwrap();
    for bytes in [arrow_file(std::slice::from_ref(&batch), None), arrow_stream(std::slice::from_ref(&batch))]
    {
        let table = read(&bytes, &ReadOptions::default()).unwrap();
        assert_eq!((&table.names[..], &table.values[..]), (&["stage".to_owned()][..], &[0.0, 1.0, 2.0][..]));
        let levels = vec!["low".to_owned(), "high".to_owned(), "mid".to_owned()];
        assert_eq!(table.groups[0].kind, GroupKind::Ordered { levels });
    }
}

#[test]
fn numbers_of_the_outcome_are_written_the_shortest_way() {
    let outcome = |array: ArrayRef| {
        let x: ArrayRef = Arc::new(Int64Array::from(vec![0; array.len()]));
        let bytes = parquet(&[batch(vec![("x", x), ("y", array)])]);
        read(&bytes, &ReadOptions { target: Some("y".into()), ..ReadOptions::default() })
            .unwrap()
            .target
            .unwrap()
    };
    let floats = outcome(Arc::new(Float64Array::from(vec![1.0, -0.0, 0.1, 1e300])));
    assert_eq!(floats.text, ["1", "0", "0.1", "1e300"]);
    assert_eq!(floats.numbers.unwrap(), [1.0, 0.0, 0.1, 1e300]);
    let integers = outcome(Arc::new(Int64Array::from(vec![7, (1 << 53) + 1])));
    assert_eq!(integers.text, ["7", "9007199254740993"]);
    let truths = outcome(Arc::new(BooleanArray::from(vec![true, false])));
    assert_eq!((truths.text, truths.numbers), (vec!["true".to_owned(), "false".to_owned()], None));
}

#[test]
fn nulls_and_nans_are_missing_and_infinities_are_errors() {
    let holes = batch(vec![
        ("a", Arc::new(Float64Array::from(vec![Some(1.0), None, Some(f64::NAN), Some(3.0)]))),
        ("b", Arc::new(Int64Array::from(vec![Some(1), Some(2), Some(3), Some(4)]))),
        ("y", Arc::new(Int64Array::from(vec![None, Some(2), Some(3), Some(4)]))),
        ("nil", Arc::new(NullArray::new(4))),
    ]);
    for bytes in each_format(&[holes]) {
        let exclude = vec!["nil".into()];
        let options = ReadOptions { target: Some("y".into()), exclude, ..ReadOptions::default() };
        assert!(matches!(read(&bytes, &options).unwrap_err(), Error::MissingTarget { count: 1, row: 1, .. }));
        let table = read(&bytes, &ReadOptions { missing: Missing::DropRows, ..options.clone() }).unwrap();
        assert_eq!(table.rows, [4]);
        let options = ReadOptions { target: None, ..options };
        let error = read(&bytes, &options).unwrap_err();
        assert!(matches!(error, Error::MissingCells { count: 3, row: 1, .. }), "{error}");
    }
    let infinite = batch(vec![("a", Arc::new(Float32Array::from(vec![1.0, f32::NEG_INFINITY])))]);
    for bytes in each_format(&[infinite]) {
        let error = read(&bytes, &ReadOptions::default()).unwrap_err().to_string();
        assert!(
            error.starts_with("t.bin: column \"a\" has -inf in row 2, which is not a finite number"),
            "{error}"
        );
    }
}

#[test]
fn many_batches_and_row_groups_keep_their_order() {
    let span = |from: i64| {
        let numbers: Vec<i64> = (from..from + 3500).collect();
        let halves: Vec<f64> = numbers.iter().map(|&value| value as f64 / 2.0).collect();
        batch(vec![("a", Arc::new(Int64Array::from(numbers))), ("b", Arc::new(Float64Array::from(halves)))])
    };
    let batches: Vec<RecordBatch> = (0..50).map(|part| span(part * 3500)).collect();
    for bytes in each_format(&batches) {
        let table = read(&bytes, &ReadOptions::default()).unwrap();
        let n = table.n_rows;
        assert_eq!(n, 175_000);
        assert!(
            (0..n).all(|row| table.values[row] == row as f64 && table.values[n + row] == row as f64 / 2.0)
        );
    }
}

#[test]
fn an_infinite_cell_in_a_later_batch_has_its_row_in_the_file() {
    let part = |last: f64| batch(vec![("a", Arc::new(Float64Array::from(vec![0.0, last])))]);
    let error = read(&arrow_stream(&[part(1.0), part(f64::INFINITY)]), &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("row 4"), "{error}");
}

#[test]
fn every_usual_compression_is_read() {
    let numbers: Vec<f64> = (0..5000).map(|value| f64::from(value % 7)).collect();
    let batches = [batch(vec![("a", Arc::new(Float64Array::from(numbers.clone())))])];
    let mut files: Vec<Vec<u8>> = [
        Compression::SNAPPY,
        Compression::LZ4_RAW,
        Compression::GZIP(parquet::basic::GzipLevel::default()),
        Compression::ZSTD(parquet::basic::ZstdLevel::default()),
        Compression::BROTLI(parquet::basic::BrotliLevel::default()),
    ]
    .into_iter()
    .map(|compression| parquet_with(&batches, compression))
    .collect();
    files.push(arrow_file(&batches, Some(CompressionType::LZ4_FRAME)));
    files.push(arrow_file(&batches, Some(CompressionType::ZSTD)));
    for bytes in files {
        assert_eq!(read(&bytes, &ReadOptions::default()).unwrap().values, numbers);
    }
}

#[test]
fn a_file_on_disk_reads_like_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let options = ReadOptions { exactly: Some(vec![Known::number("i", 0.0)]), ..ReadOptions::default() };
    for (index, bytes) in each_format(&[small()]).iter().enumerate() {
        let path = folder.path().join(format!("table-{index}"));
        fs::write(&path, bytes).unwrap();
        assert_eq!(read_table(path.to_str().unwrap(), &options).unwrap().values, [1.0, 2.0, 3.0]);
    }
}

#[test]
fn a_table_without_rows_is_an_error() {
    let empty =
        RecordBatch::new_empty(Arc::new(Schema::new(vec![Field::new("a", DataType::Float64, false)])));
    for bytes in each_format(&[empty]) {
        assert!(matches!(read(&bytes, &ReadOptions::default()).unwrap_err(), Error::NoRows { .. }));
    }
}
