//! The outcome of a text table: its text, its numbers, and words that stray among numbers.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use needlenet_io::{Error, ReadOptions, Table, read_table_from};

fn read(values: &[&str]) -> Result<Table, Error> {
    let options = ReadOptions { target: Some("y".into()), ..ReadOptions::default() };
    let rows: String = values.iter().map(|value| format!("1,{value}\n")).collect();
    read_table_from("t.csv", format!("a,y\n{rows}").as_bytes(), &options)
}

#[test]
fn an_outcome_of_numbers_keeps_its_text_and_its_numbers() {
    let target = read(&["1.50", " 2 ", "3e0"]).unwrap().target.unwrap();
    assert_eq!(target.text, ["1.50", "2", "3e0"]);
    assert_eq!(target.numbers.unwrap(), [1.5, 2.0, 3.0]);
}

#[test]
fn an_outcome_of_words_has_no_numbers_and_no_note() {
    let table = read(&["yes", "no", "none"]).unwrap();
    let target = table.target.unwrap();
    assert_eq!(target.text, ["yes", "no", "none"]);
    assert!(target.numbers.is_none() && table.notes.is_empty());
}

#[test]
fn a_word_for_missing_among_numbers_is_an_error() {
    assert_eq!(
        read(&["1", "none", "2"]).unwrap_err().to_string(),
        "t.csv: row 2, column \"y\": \"none\" stands among numbers; pass --missing-marker \"none\" or clean the file"
    );
    assert!(matches!(read(&["1", "nan"]).unwrap_err(), Error::MissingTarget { count: 1, row: 2, .. }));
    assert!(matches!(read(&["up", "NA"]).unwrap_err(), Error::MissingTarget { count: 1, row: 2, .. }));
}

#[test]
fn another_word_among_numbers_makes_the_outcome_text_with_a_note() {
    let table = read(&["1", "2", "high"]).unwrap();
    assert!(table.target.unwrap().numbers.is_none());
    assert_eq!(
        table.notes,
        [
            "the outcome \"y\" is read as text: 1 of its 3 values are not numbers, the first, \"high\", in row 3"
        ]
    );
}

#[test]
fn an_infinite_outcome_is_not_a_finite_number() {
    let error = read(&["1", "inf"]).unwrap_err().to_string();
    assert!(error.starts_with("t.csv: row 2, column \"y\": \"inf\" is not a finite number"), "{error}");
}
