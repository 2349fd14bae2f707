//! The four rules for missing cells, and their errors.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use needlenet_io::{Error, Missing, ReadOptions, Table, read_table_from};

const HOLES: &str = "a,b,c,y\n1,,10,0\n2,4,20,1\n,5,30,\n3,6,40,1\n";

fn read(text: &str, missing: Missing, target: Option<&str>) -> Result<Table, Error> {
    let options = ReadOptions { missing, target: target.map(Into::into), ..ReadOptions::default() };
    read_table_from("t.csv", text.as_bytes(), &options)
}

fn message(text: &str, missing: Missing, target: Option<&str>) -> String {
    read(text, missing, target).unwrap_err().to_string()
}

#[test]
fn by_default_missing_cells_are_counted_and_the_first_row_is_named() {
    assert_eq!(
        message(HOLES, Missing::Error, None),
        "t.csv: 3 cells are missing, the first in row 1, column \"b\"; pass --missing mean, drop-rows or drop-columns"
    );
}

#[test]
fn mean_fills_with_the_mean_of_the_observed_cells_and_says_so() {
    let table = read("a,b\n1,5\n,7\n3,\n", Missing::Mean, None).unwrap();
    assert_eq!(table.values, [1.0, 2.0, 3.0, 5.0, 7.0, 6.0]);
    let note = "2 missing cells filled with the mean of their column, in 2 columns: \"a\", \"b\"";
    assert_eq!(table.notes, [note]);
}

#[test]
fn the_mean_of_huge_cells_is_finite() {
    let table = read("a\n1e308\n1.5e308\nNA\n", Missing::Mean, None);
    assert!(table.is_err());
    let options = ReadOptions {
        missing: Missing::Mean,
        missing_markers: vec!["NA".to_owned()],
        ..ReadOptions::default()
    };
    let table = read_table_from("t.csv", "a\n1e308\n1.5e308\nNA\n".as_bytes(), &options).unwrap();
    assert_eq!(table.values[2], 1.25e308);
}

#[test]
fn mean_of_a_column_without_cells_is_an_error_that_names_it() {
    let error = message("a,b\n1,\n2,\n", Missing::Mean, None);
    assert!(error.starts_with("t.csv: every cell of column \"b\" is missing"), "{error}");
}

#[test]
fn drop_rows_drops_rows_with_a_missing_input_or_outcome_and_keeps_their_numbers() {
    let table = read(HOLES, Missing::DropRows, Some("y")).unwrap();
    assert_eq!((table.n_rows, &table.rows[..]), (2, &[2, 4][..]));
    assert_eq!(table.values, [2.0, 3.0, 4.0, 6.0, 20.0, 40.0]);
    let target = table.target.unwrap();
    assert_eq!((target.text, target.numbers), (vec!["1".to_owned(), "1".to_owned()], Some(vec![1.0, 1.0])));
    assert_eq!(table.notes, ["2 of 4 rows dropped because a cell is missing"]);
}

#[test]
fn drop_columns_drops_inputs_with_a_missing_cell() {
    let table = read("a,b,c\n1,,10\n2,4,20\n", Missing::DropColumns, None).unwrap();
    assert_eq!(table.names, ["a", "c"]);
    assert_eq!(table.values, [1.0, 2.0, 10.0, 20.0]);
    assert_eq!(table.notes, ["1 of 3 inputs dropped because a cell is missing: \"b\""]);
}

#[test]
fn a_missing_outcome_is_an_error_unless_rows_are_dropped() {
    let text = "a,y\n1,2\n2,\n3,\n";
    for missing in [Missing::Error, Missing::Mean, Missing::DropColumns] {
        assert_eq!(
            message(text, missing, Some("y")),
            "t.csv: 2 values of the outcome \"y\" are missing, the first in row 2; pass --missing drop-rows, or \
             clean the file"
        );
    }
    assert_eq!(read(text, Missing::DropRows, Some("y")).unwrap().rows, [1]);
}

#[test]
fn dropping_everything_is_an_error() {
    let text = "a,b\n1,\n,2\n";
    assert!(message(text, Missing::DropRows, None).contains("each of the 2 rows has a missing cell"));
    assert!(message(text, Missing::DropColumns, None).contains("each of the 2 inputs has a missing cell"));
}

#[test]
fn inputs_that_are_asked_for_by_name_are_not_dropped() {
    let options = ReadOptions {
        only: Some(vec!["a".to_owned(), "b".to_owned()]),
        missing: Missing::DropColumns,
        ..ReadOptions::default()
    };
    let error = read_table_from("t.csv", "a,b\n1,\n2,3\n".as_bytes(), &options).unwrap_err().to_string();
    assert!(
        error.contains("1 cells are missing") && error.ends_with("pass --missing mean or drop-rows"),
        "{error}"
    );
}

#[test]
fn a_marker_may_look_like_a_number() {
    let options = ReadOptions {
        missing: Missing::DropRows,
        missing_markers: vec!["-999".to_owned(), "n/a".to_owned()],
        ..ReadOptions::default()
    };
    let table = read_table_from("t.csv", "a,b\n1, -999 \n2,n/a\n3,-99\n".as_bytes(), &options).unwrap();
    assert_eq!(table.rows, [3]);
}

#[test]
fn a_whole_table_is_left_alone_by_every_rule() {
    for missing in [Missing::Error, Missing::Mean, Missing::DropRows, Missing::DropColumns] {
        let table = read("a,b\n1,2\n3,4\n", missing, None).unwrap();
        assert_eq!(table.values, [1.0, 3.0, 2.0, 4.0]);
        assert!(table.notes.is_empty());
    }
}
