//! Which columns become inputs, under which names, in which order.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use needlenet_io::{ColumnRef, Error, Missing, ReadOptions, Table, read_table_from};

fn read(text: &str, options: &ReadOptions) -> Result<Table, Error> {
    read_table_from("t.csv", text.as_bytes(), options)
}

fn names(columns: &[&str]) -> Vec<String> {
    columns.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn a_column_is_found_by_name_first_then_by_position_from_either_end() {
    let columns = names(&["a", "3", "c"]);
    let found = |text: &str| ColumnRef::from(text).resolve(&columns);
    assert_eq!(found("a").unwrap(), 0);
    assert_eq!(found("3").unwrap(), 1);
    assert_eq!(found("1").unwrap(), 0);
    assert_eq!(found("2").unwrap(), 1);
    assert_eq!(found("-1").unwrap(), 2);
    assert_eq!(found("-3").unwrap(), 0);
    for absent in ["0", "4", "-4", "b", "", "1.5", "99999999999999999999"] {
        let error = found(absent).unwrap_err().to_string();
        assert!(error.contains(&format!(
            "there is no column \"{absent}\"; give one of its 3 names (\"a\", \"3\", \"c\")"
        )));
    }
    assert_eq!("x".parse::<ColumnRef>().unwrap().to_string(), "x");
}

#[test]
fn a_misspelt_column_is_answered_with_the_name_meant() {
    let columns = names(&["outcome", "age", "Weight"]);
    for (wanted, meant) in
        [("outcom", "outcome"), ("otucome", "outcome"), ("weight", "Weight"), ("OUTCOME", "outcome")]
    {
        let error = ColumnRef::from(wanted).resolve(&columns).unwrap_err().to_string();
        assert!(error.ends_with(&format!("; did you mean \"{meant}\"?")), "{error}");
    }
    for other in ["price", "x", ""] {
        assert!(!ColumnRef::from(other).resolve(&columns).unwrap_err().to_string().contains("did you mean"));
    }
    let options = ReadOptions { only: Some(names(&["hight"])), ..ReadOptions::default() };
    let error = read("height,y\n1,2\n", &options).unwrap_err().to_string();
    assert!(error.ends_with("did you mean \"height\"?"), "{error}");
}

#[test]
fn rules_for_missing_cells_are_read_and_written_by_the_same_words() {
    for word in ["error", "mean", "drop-rows", "drop-columns"] {
        assert_eq!(word.parse::<Missing>().unwrap().to_string(), word);
    }
    assert_eq!(Missing::default(), Missing::Error);
    let error = "median".parse::<Missing>().unwrap_err().to_string();
    assert_eq!(
        error,
        "\"median\" is not a rule for missing cells; give error, mean, drop-rows or drop-columns"
    );
}

#[test]
fn target_and_excluded_columns_are_not_inputs_and_excluded_ones_are_not_parsed() {
    let options = ReadOptions {
        target: Some("y".into()),
        exclude: vec!["id".into(), "-1".into()],
        ..ReadOptions::default()
    };
    let table = read("id,a,y,b,comment\nr1,1,0,2,inf\nr2,3,1,4,\n", &options).unwrap();
    assert_eq!(table.names, ["a", "b"]);
    assert_eq!(table.values, [1.0, 3.0, 2.0, 4.0]);
    assert_eq!(table.target.unwrap().name, "y");
}

#[test]
fn only_gives_exactly_these_inputs_in_this_order_and_parses_nothing_else() {
    let only = Some(names(&["c", "a"]));
    let options = ReadOptions { only, exclude: vec!["not there".into()], ..ReadOptions::default() };
    let table = read("a,b,c\n1,text,2\n3,,4\n", &options).unwrap();
    assert_eq!(table.names, ["c", "a"]);
    assert_eq!(table.values, [2.0, 4.0, 1.0, 3.0]);
    let options = ReadOptions { target: Some("b".into()), ..options };
    assert_eq!(read("a,b,c\n1,text,2\n3,more,4\n", &options).unwrap().target.unwrap().text, ["text", "more"]);
}

#[test]
fn absent_inputs_are_counted_and_the_first_are_named() {
    let only = Some((0..9).map(|column| format!("g{column}")).collect());
    let error = read("a,g3\n1,2\n", &ReadOptions { only, ..ReadOptions::default() }).unwrap_err().to_string();
    let list = "\"g0\", \"g1\", \"g2\", \"g4\", \"g5\" and 3 more";
    assert_eq!(
        error,
        format!("t.csv: 8 of the inputs needed are absent: {list}; give a table with these columns")
    );
}

#[test]
fn a_column_with_two_uses_is_an_error() {
    let target = Some(ColumnRef::from("a"));
    let exclude = ReadOptions { target: target.clone(), exclude: vec!["1".into()], ..ReadOptions::default() };
    let only = ReadOptions { target, only: Some(names(&["a"])), ..ReadOptions::default() };
    let twice = ReadOptions { only: Some(names(&["a", "a"])), ..ReadOptions::default() };
    for options in [exclude, only, twice] {
        assert!(
            matches!(read("a,b\n1,2\n", &options).unwrap_err(), Error::TwoUses { column, .. } if column == "a")
        );
    }
}

#[test]
fn a_table_without_inputs_or_without_the_target_is_an_error() {
    let options = ReadOptions { target: Some("a".into()), ..ReadOptions::default() };
    assert!(matches!(read("a\n1\n", &options).unwrap_err(), Error::NoInputs { .. }));
    let error = read("b,c\n1,2\n", &options).unwrap_err().to_string();
    assert!(
        error.starts_with("t.csv: there is no column \"a\"; give one of its 2 names (\"b\", \"c\")"),
        "{error}"
    );
}

#[test]
fn without_header_columns_are_named_by_position_in_the_file() {
    let options = ReadOptions { header: false, target: Some("2".into()), ..ReadOptions::default() };
    let table = read("1,2,3\n4,5,6\n", &options).unwrap();
    assert_eq!(table.names, ["x1", "x3"]);
    assert_eq!(table.values, [1.0, 4.0, 3.0, 6.0]);
    assert_eq!(table.target.unwrap().numbers.unwrap(), [2.0, 5.0]);
}

#[test]
fn without_header_the_first_row_is_row_one_on_line_one() {
    let options = ReadOptions { header: false, ..ReadOptions::default() };
    let error = read("1,z\r\n4,5\r\n", &options).unwrap_err().to_string();
    assert!(error.starts_with("t.csv: row 1 (line 1), column \"x2\""), "{error}");
}

#[test]
fn repeated_names_get_a_suffix_that_no_other_column_has_and_a_note() {
    let table = read("a,a,a.2,a,b,b\n1,2,3,4,5,6\n", &ReadOptions::default()).unwrap();
    assert_eq!(table.names, ["a", "a.3", "a.2", "a.4", "b", "b.2"]);
    assert_eq!(
        table.notes,
        ["3 columns have the name of an earlier column and are called \"a.3\", \"a.4\", \"b.2\""]
    );
}

#[test]
fn a_column_without_name_is_called_by_its_position_with_a_note() {
    let table = read(",x3,,b\n1,2,3,4\n", &ReadOptions::default()).unwrap();
    assert_eq!(table.names, ["x1", "x3", "x3.2", "b"]);
    assert_eq!(table.notes, ["2 columns have no name and are called \"x1\", \"x3.2\""]);
}

#[test]
fn a_name_that_is_not_utf8_is_an_error_with_its_remedy() {
    let error =
        read_table_from("t.csv", &b"a,\xb0C\n1,2\n"[..], &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("the name of column 2") && error.contains("iconv"), "{error}");
}
