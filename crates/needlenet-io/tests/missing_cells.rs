//! The five rules for missing cells, and their errors.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use needlenet_io::{Coding, Error, Group, GroupKind, Known, Missing, ReadOptions, Table, read_table_from};

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
        "t.csv: 3 cells are missing, the first in row 1, column \"b\"; pass --missing mean, indicator, drop-rows or drop-columns"
    );
}

#[test]
fn mean_fills_with_the_mean_of_the_observed_cells_and_says_so() {
    let table = read("a,b\n1,5\n,7\n3,\n", Missing::Mean, None).unwrap();
    assert_eq!(table.values, [1.0, 2.0, 3.0, 5.0, 7.0, 6.0]);
    let note = "2 missing cells filled with the column mean, in 2 columns: \"a\", \"b\"";
    assert_eq!(table.notes, [note]);
}

#[test]
fn the_mean_of_huge_cells_is_finite() {
    let table = read("a\n1e308\n1.5e308\nNA\n", Missing::Mean, None).unwrap();
    assert_eq!(table.values[2], 1.25e308);
}

#[test]
fn mean_of_a_column_without_cells_is_an_error_that_names_it() {
    let error = message("a,b\n1,\n2,\n", Missing::Mean, None);
    assert!(
        error.starts_with("t.csv: column \"b\" is empty: every cell is missing; leave it out with --exclude"),
        "{error}"
    );
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
    for missing in [Missing::Error, Missing::Mean, Missing::Indicator, Missing::DropColumns] {
        assert_eq!(
            message(text, missing, Some("y")),
            "t.csv: the outcome \"y\": 2 values are missing, the first in row 2; pass --missing drop-rows, or \
             clean the table"
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
        exactly: Some(vec![Known::number("a", 0.0), Known::number("b", 0.0)]),
        missing: Missing::DropColumns,
        ..ReadOptions::default()
    };
    let error = read_table_from("t.csv", "a,b\n1,\n2,3\n".as_bytes(), &options).unwrap_err().to_string();
    assert!(
        error.contains("1 cell is missing") && error.ends_with("pass --missing mean or drop-rows"),
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
    for missing in
        [Missing::Error, Missing::Mean, Missing::Indicator, Missing::DropRows, Missing::DropColumns]
    {
        let table = read("a,b\n1,2\n3,4\n", missing, None).unwrap();
        assert_eq!(table.values, [1.0, 3.0, 2.0, 4.0]);
        assert!(table.notes.is_empty());
    }
}

/// Six rows, `a` missing in five of them.
const GAPS: &str = "a,b\n2,1\n,2\nNA,3\nn/a,4\n.,5\nNaN,6\n4,\n";

#[test]
fn an_indicator_is_a_second_column_of_the_same_input_and_few_missing_cells_have_none() {
    let table = read(GAPS, Missing::Indicator, None).unwrap();
    assert_eq!(table.names, ["a", "a=(missing)", "b"]);
    assert_eq!(table.groups, [Group { name: "a".into(), kind: GroupKind::WithIndicator, columns: 0..2 }]);
    assert_eq!(table.values[..7], [2.0, 3.0, 3.0, 3.0, 3.0, 3.0, 4.0]);
    assert_eq!(table.values[7..14], [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
    assert_eq!(table.values[14..], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 3.5]);
    assert_eq!(
        table.notes,
        [
            "missing cells are filled with the column mean, and marked, in 1 column: \"a\"",
            "1 missing cell filled with the column mean, in 1 column: \"b\" (fewer than 5 in each are not \
             marked)"
        ]
    );
}

#[test]
fn the_missing_cells_of_a_prediction_get_the_mean_of_the_fit_not_of_the_new_table() {
    let exactly = Some(vec![Known::number("b", -7.0), Known::number("a", 100.0)]);
    let options = ReadOptions { exactly, missing: Missing::Mean, ..ReadOptions::default() };
    let table = read_table_from("t.csv", "a,b\n1,\nNA,2\n3,4\n".as_bytes(), &options).unwrap();
    assert_eq!(table.values, [-7.0, 2.0, 4.0, 1.0, 100.0, 3.0]);
    assert_eq!(
        table.notes,
        ["2 missing cells filled with the column mean of the fit, in 2 columns: \"b\", \"a\""]
    );
    // a column without any cell is no problem then
    let table = read_table_from("t.csv", "a,b\n1,\n2,\n".as_bytes(), &options).unwrap();
    assert_eq!(table.values[..2], [-7.0, -7.0]);
}

#[test]
fn an_input_with_an_indicator_needs_no_rule_at_prediction() {
    let exactly = Some(vec![Known { name: "a".into(), coding: Coding::WithIndicator { mean: 9.0 } }]);
    let options = ReadOptions { exactly, ..ReadOptions::default() };
    let table = read_table_from("t.csv", "a,b\n1,\n,2\n".as_bytes(), &options).unwrap();
    assert_eq!(table.values, [1.0, 9.0, 0.0, 1.0]);
}

#[test]
fn the_missing_cells_of_a_category_are_shares_or_a_level_of_their_own() {
    let rows: String = (0..16).map(|row| ["u\n", "v\n", "v\n", "NA\n"][row % 4]).collect();
    let shares = read(&format!("c,d\n{}", rows.replace('\n', ",1\n")), Missing::Mean, None).unwrap();
    // 4 rows are u: too few for a level of their own
    assert_eq!(shares.names, ["c=v", "c=(other)", "d"]);
    assert_eq!(shares.values[..4], [0.0, 1.0, 1.0, 2.0 / 3.0]);
    assert_eq!(shares.values[16..20], [1.0, 0.0, 0.0, 1.0 / 3.0]);
    let longer = format!("c,d\n{}", rows.repeat(2).replace('\n', ",1\n"));
    let marked = read(&longer, Missing::Indicator, None).unwrap();
    assert_eq!(marked.names, ["c=u", "c=v", "c=(missing)", "d"]);
    assert_eq!(marked.values[64..68], [0.0, 0.0, 0.0, 1.0]);
    let levels = vec!["u".to_owned(), "v".to_owned(), "(missing)".to_owned()];
    let coding = Coding::Category { levels, shares: vec![0.25, 0.5, 0.25], mode: None };
    let exactly = Some(vec![Known { name: "c".into(), coding }]);
    let options = ReadOptions { exactly, ..ReadOptions::default() };
    let table = read_table_from("t.csv", "c\nv\nNA\n".as_bytes(), &options).unwrap();
    assert_eq!(table.values, [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn dropping_columns_keeps_the_categories_that_are_whole() {
    let rows: String = (0..12)
        .map(|row| format!("{},{},{}\n", if row == 3 { "" } else { "p" }, row, ["s", "t"][row % 2]))
        .collect();
    let table = read(&format!("gap,x,kind\n{rows}"), Missing::DropColumns, None).unwrap();
    assert_eq!(table.names, ["x", "kind=s", "kind=t"]);
    assert_eq!(table.groups[0].columns, 1..3);
}
