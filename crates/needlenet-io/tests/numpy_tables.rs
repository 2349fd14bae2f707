//! npy and npz tables, written by npyz and zip.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use std::io::{Cursor, Write};

use needlenet_io::{Error, ReadOptions, Table, read_table_from};
use npyz::{DType, Order, Serialize, TypeStr, WriterBuilder};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

fn npy<T: Serialize>(dtype: &str, order: Order, shape: &[u64], items: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let dtype = DType::Plain(dtype.parse::<TypeStr>().unwrap());
    let builder = npyz::WriteOptions::new().dtype(dtype).shape(shape).order(order).writer(&mut bytes);
    let mut writer = builder.begin_nd().unwrap();
    items.iter().for_each(|item| writer.push(item).unwrap());
    writer.finish().unwrap();
    bytes
}

fn words(items: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let dtype = DType::Plain("<U8".parse::<TypeStr>().unwrap());
    let shape = [items.len() as u64];
    let builder = npyz::WriteOptions::<str>::new().dtype(dtype).shape(&shape).writer(&mut bytes);
    let mut writer = builder.begin_nd().unwrap();
    items.iter().for_each(|item| writer.push(item).unwrap());
    writer.finish().unwrap();
    bytes
}

fn npz(method: CompressionMethod, arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        let options = SimpleFileOptions::default().compression_method(method);
        zip.start_file(format!("{name}.npy"), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn read(bytes: &[u8]) -> Result<Table, Error> {
    read_with(bytes, None)
}

fn read_with(bytes: &[u8], target: Option<&str>) -> Result<Table, Error> {
    let options = ReadOptions { target: target.map(Into::into), ..ReadOptions::default() };
    read_table_from("t.npy", bytes, &options)
}

fn x() -> Vec<u8> {
    npy("<f8", Order::C, &[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0_f64])
}

#[test]
fn every_dtype_in_both_byte_orders_is_read() {
    macro_rules! check {
        ($($kind:ty: $names:expr;)*) => {$(
            for dtype in $names {
                let items: Vec<$kind> = [1_u8, 2, 3, 100].iter().map(|&item| <$kind>::from(item)).collect();
                let table = read(&npy(dtype, Order::C, &[2, 2], &items)).unwrap();
                assert_eq!(table.values, [1.0, 3.0, 2.0, 100.0], "{dtype}");
            }
        )*};
    }
    check! {
        f64: ["<f8", ">f8"]; f32: ["<f4", ">f4"]; half::f16: ["<f2", ">f2"];
        i64: ["<i8", ">i8"]; i32: ["<i4", ">i4"]; i16: ["<i2", ">i2"];
        u64: ["<u8", ">u8"]; u32: ["<u4", ">u4"]; u16: ["<u2", ">u2"]; u8: ["|u1"];
    }
    assert_eq!(read(&npy("|i1", Order::C, &[2], &[-1_i8, 100])).unwrap().values, [-1.0, 100.0]);
    assert_eq!(read(&npy("|b1", Order::C, &[2, 1], &[true, false])).unwrap().values, [1.0, 0.0]);
}

#[test]
fn fortran_order_gives_the_same_table_as_c_order() {
    let fortran = npy("<f8", Order::Fortran, &[3, 2], &[1.0, 3.0, 5.0, 2.0, 4.0, 6.0_f64]);
    for target in [None, Some("1"), Some("x2")] {
        assert_eq!(read_with(&fortran, target).unwrap(), read_with(&x(), target).unwrap());
    }
}

#[test]
fn columns_are_named_by_position_and_the_target_may_be_a_name_or_a_position() {
    let table = read_with(&x(), Some("-1")).unwrap();
    assert_eq!((table.names, table.values), (vec!["x1".to_owned()], vec![1.0, 3.0, 5.0]));
    let target = read_with(&x(), Some("x1")).unwrap().target.unwrap();
    assert_eq!((target.name.as_str(), target.numbers), ("x1", Some(vec![1.0, 3.0, 5.0])));
    assert_eq!(target.text, ["1", "3", "5"]);
}

#[test]
fn nan_is_missing_and_infinity_is_an_error_with_its_place() {
    let nan = npy("<f8", Order::C, &[2, 2], &[1.0, 2.0, f64::NAN, 4.0]);
    assert!(matches!(read(&nan).unwrap_err(), Error::MissingCells { count: 1, row: 2, .. }));
    for order in [Order::C, Order::Fortran] {
        let infinite = npy("<f8", order, &[2, 2], &[1.0, 2.0, 3.0, f64::INFINITY]);
        let error = read(&infinite).unwrap_err().to_string();
        assert!(
            error.starts_with("t.npy: column \"x2\" has inf in row 2, which is not a finite number"),
            "{error}"
        );
        assert!(matches!(read_with(&infinite, Some("x2")).unwrap_err(), Error::NotFinite { .. }));
    }
}

#[test]
fn shapes_and_dtypes_that_are_no_table_are_named() {
    let cube = read(&npy("<f8", Order::C, &[1, 1, 1], &[1.0_f64])).unwrap_err().to_string();
    assert!(cube.contains("the array has the shape [1, 1, 1]; give an array of samples x inputs"), "{cube}");
    let text = read(&words(&["a", "b"])).unwrap_err().to_string();
    assert!(text.contains("dtype") && text.contains("U8") && text.contains("integers, floats"), "{text}");
    assert!(matches!(read(&npy::<f64>("<f8", Order::C, &[0, 2], &[])).unwrap_err(), Error::NoRows { .. }));
    assert!(matches!(read(&npy::<f64>("<f8", Order::C, &[2, 0], &[])).unwrap_err(), Error::NoInputs { .. }));
}

#[test]
fn npz_has_x_y_and_names_stored_or_compressed() {
    let y = npy("<i8", Order::C, &[3], &[0_i64, 1, 0]);
    let arrays = [("X", x()), ("y", y), ("feature_names", words(&["gène", "b"]))];
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        for target in [None, Some("y")] {
            let table = read_with(&npz(method, &arrays), target).unwrap();
            assert_eq!(table.names, ["gène", "b"]);
            assert_eq!(table.values, [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
            let target = table.target.unwrap();
            assert_eq!((target.name.as_str(), target.numbers), ("y", Some(vec![0.0, 1.0, 0.0])));
        }
    }
}

#[test]
fn npz_outcome_may_be_text_or_truth_values() {
    let target =
        |y: Vec<u8>| read(&npz(CompressionMethod::Stored, &[("X", x()), ("y", y)])).unwrap().target.unwrap();
    let text = target(words(&["yes", "no", "yes"]));
    assert_eq!((text.text, text.numbers), (["yes", "no", "yes"].map(str::to_owned).to_vec(), None));
    let truth = target(npy("|b1", Order::C, &[3], &[true, false, true]));
    assert_eq!((truth.text, truth.numbers), (["true", "false", "true"].map(str::to_owned).to_vec(), None));
}

#[test]
fn npz_target_may_be_a_column_of_x_and_then_y_is_left_with_a_note() {
    let y = npy("<i8", Order::C, &[3], &[0_i64, 1, 0]);
    let table = read_with(&npz(CompressionMethod::Stored, &[("X", x()), ("y", y)]), Some("x2")).unwrap();
    assert_eq!(table.names, ["x1"]);
    assert_eq!(table.target.unwrap().numbers.unwrap(), [2.0, 4.0, 6.0]);
    assert_eq!(table.notes.len(), 1);
}

#[test]
fn npz_of_one_array_is_read_whatever_its_name() {
    assert_eq!(read(&npz(CompressionMethod::Deflated, &[("arr_0", x())])).unwrap(), read(&x()).unwrap());
}

#[test]
fn npz_that_fits_nothing_says_what_it_has() {
    let error =
        read(&npz(CompressionMethod::Stored, &[("data", x()), ("labels", x())])).unwrap_err().to_string();
    assert!(
        error.contains("has 2 arrays (\"data\", \"labels\") and none is \"X\"; give arrays X and y"),
        "{error}"
    );
    let y = npy("<i8", Order::C, &[2], &[0_i64, 1]);
    let error = read(&npz(CompressionMethod::Stored, &[("X", x()), ("y", y)])).unwrap_err().to_string();
    assert!(error.contains("\"X\" has 3 rows but \"y\" has 2 values"), "{error}");
    let names = words(&["a"]);
    let error = read(&npz(CompressionMethod::Stored, &[("X", x()), ("feature_names", names)])).unwrap_err();
    assert!(error.to_string().contains("has 1 names but \"X\" has 2 columns"), "{error}");
}

#[test]
fn npz_names_that_are_not_text_are_left_with_a_note() {
    let table = read(&npz(CompressionMethod::Stored, &[("X", x()), ("feature_names", x())])).unwrap();
    assert_eq!(table.names, ["x1", "x2"]);
    assert!(table.notes[0].contains("feature_names"));
}
