//! Decimal commas and thousands separators.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use needlenet_io::{Decimal, Error, ReadOptions, Table, read_table_from};

fn read(text: &str, decimal: Option<Decimal>) -> Result<Table, Error> {
    let options = ReadOptions { target: Some("y".into()), decimal, ..ReadOptions::default() };
    read_table_from("t.csv", text.as_bytes(), &options)
}

#[test]
fn semicolons_with_decimal_commas_are_found_and_said() {
    let table = read("a;b;y\n1,5;-2,25e1;0,1\n3;1.234,5;7\n4;1.234;8\n", None).unwrap();
    assert_eq!(table.values, [1.5, 3.0, 4.0, -22.5, 1234.5, 1234.0]);
    assert_eq!(table.target.unwrap().numbers.unwrap(), [0.1, 7.0, 8.0]);
    assert_eq!(table.notes[0], "numbers have decimal commas, and points separate thousands");
}

#[test]
fn a_decimal_point_among_decimal_commas_is_refused() {
    let error = read("a;b;y\n1,5;2;1\n3,5;1.5;2\n2;7;3\n2;7;3\n", None).unwrap_err().to_string();
    assert!(error.contains("\"b\" has \"1.5\" in row 2, which is no number with a decimal comma"), "{error}");
}

#[test]
fn quoted_decimal_commas_are_read_by_column_and_said() {
    let table = read("a,b,y\n\"1,5\",1,1\n\"2,25\",2,2\n3,3,3\n", None).unwrap();
    assert_eq!(table.values, [1.5, 2.25, 3.0, 1.0, 2.0, 3.0]);
    assert_eq!(table.notes, ["\"a\": commas are read as decimal commas"]);
    let error = read("a,b,y\n\"1,5\",1,1\n\"2,25\",2.5,2\n3,3,3\n", None).unwrap_err().to_string();
    assert!(
        error.contains("\"b\" has numbers with a decimal point such as 2.5 while \"a\" has decimal commas"),
        "{error}"
    );
    let error = read("a,y\n\"1,5\",1\n2.5,2\n3,3\n", None).unwrap_err().to_string();
    assert!(error.contains("\"a\" has numbers with a decimal point such as 2.5"), "{error}");
}

#[test]
fn thousands_are_read_where_they_are_clear() {
    let table = read("a,b,y\n\"1,234\",\"1,234,567\",1\n5,\"2,000.5\",2\n", None).unwrap();
    assert_eq!(table.values, [1234.0, 5.0, 1_234_567.0, 2000.5]);
    assert_eq!(table.notes, ["\"a\", \"b\": commas are read as separators of thousands"]);
}

#[test]
fn commas_that_may_be_either_are_refused_until_the_mark_is_given() {
    let text = "a;y\n1,234;1\n2,345;2\n";
    let error = read(text, None).unwrap_err().to_string();
    assert!(error.ends_with("pass --decimal comma or --decimal point"), "{error}");
    assert_eq!(read(text, Some(Decimal::Comma)).unwrap().values, [1.234, 2.345]);
    assert_eq!(read(text, Some(Decimal::Point)).unwrap().values, [1234.0, 2345.0]);
    assert!("semicolon".parse::<Decimal>().unwrap_err().to_string().contains("give point or comma"));
    for decimal in [Decimal::Comma, Decimal::Point] {
        assert_eq!(decimal.to_string().parse::<Decimal>().unwrap(), decimal);
    }
}

#[test]
fn decimal_commas_that_come_late_are_read_too() {
    let mut text = String::from("a;y\n");
    (0..5000).for_each(|row| text += &format!("{row};1\n"));
    text += "1,5;2\n";
    let table = read(&text, None).unwrap();
    assert_eq!(table.values[5000], 1.5);
    assert_eq!(table.notes, ["\"a\": commas are read as decimal commas"]);
}
