//! Columns of words are categories: levels, codes, pooling, order, and levels that a model does not know.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use needlenet_io::{Coding, Error, Group, GroupKind, Known, ReadOptions, Table, Unseen, read_table_from};

fn read(text: &str, options: &ReadOptions) -> Result<Table, Error> {
    read_table_from("t.csv", text.as_bytes(), options)
}

/// A table of one column `c` and a number beside it.
fn table_of(words: &[&str]) -> String {
    let rows: String = words.iter().enumerate().map(|(row, word)| format!("{row},{word}\n")).collect();
    format!("x,c\n{rows}")
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn category(words: &[&str]) -> GroupKind {
    GroupKind::Category { levels: strings(words) }
}

#[test]
fn a_column_of_words_is_one_input_with_a_column_for_each_sorted_level() {
    let table = read(&table_of(&["III", "I", "II", "I"].repeat(6)), &ReadOptions::default()).unwrap();
    assert_eq!(table.names, ["x", "c=I", "c=II", "c=III"]);
    assert_eq!(
        table.groups,
        [Group { name: "c".into(), kind: category(&["I", "II", "III"]), columns: 1..4 }]
    );
    let rows = |level: usize| &table.values[level * 24..level * 24 + 4];
    assert_eq!(
        [rows(1), rows(2), rows(3)],
        [&[0.0, 1.0, 0.0, 1.0], &[0.0, 0.0, 1.0, 0.0], &[1.0, 0.0, 0.0, 0.0]]
    );
    assert_eq!(table.notes, ["1 column is read as a category: \"c\" (3 levels)"]);
}

#[test]
fn each_row_has_exactly_one_level() {
    let words: Vec<&str> =
        (0..200).map(|row| ["a", "b", "c", "d", "rare"][if row == 17 { 4 } else { row % 4 }]).collect();
    let table = read(&table_of(&words), &ReadOptions::default()).unwrap();
    let columns = &table.values[200..];
    assert_eq!(table.names.len(), 6);
    for row in 0..200 {
        assert_eq!(columns.iter().skip(row).step_by(200).sum::<f64>(), 1.0);
    }
}

#[test]
fn rare_levels_are_pooled_with_a_note() {
    let words = [["a"; 6].as_slice(), &["b"; 5], &["c"; 4], &["d"]].concat();
    let table = read(&table_of(&words), &ReadOptions::default()).unwrap();
    assert_eq!(table.groups[0].kind, category(&["a", "b", "(other)"]));
    assert_eq!(table.values[48..].iter().sum::<f64>(), 5.0);
    assert_eq!(
        table.notes,
        [
            "\"c\": 2 levels with fewer than 5 rows are read as \"(other)\": \"c\", \"d\"",
            "1 column is read as a category: \"c\" (3 levels)"
        ]
    );
}

#[test]
fn an_identifier_is_refused_and_so_is_a_column_that_is_declared_a_category_but_is_one() {
    let words: Vec<String> = (0..30).map(|row| format!("p{row}")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let error = read(&table_of(&words), &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("\"c\" looks like an identifier (30 different words in 30 rows"), "{error}");
    assert!(error.ends_with("leave it out with --exclude \"c\""), "{error}");
    let error = read(
        &table_of(&words),
        &ReadOptions { categories: vec!["x".into(), "c".into()], ..ReadOptions::default() },
    );
    let error = error.unwrap_err().to_string();
    assert!(error.contains("\"x\" has 30 different levels in 30 rows, none in 5 rows or more"), "{error}");
}

#[test]
fn numbers_may_be_a_category_by_request_and_are_sorted_by_value() {
    let words: Vec<&str> = ["10", "9", "9.0", "ten"].into_iter().cycle().take(40).collect();
    let options = ReadOptions { categories: vec!["c*".into()], ..ReadOptions::default() };
    let table = read(&table_of(&words), &options).unwrap();
    assert_eq!(table.groups[0].kind, category(&["10", "9", "ten"]));
    let numbers: Vec<&str> = ["10", "9", "9.0"].into_iter().cycle().take(42).collect();
    assert_eq!(read(&table_of(&numbers), &options).unwrap().groups[0].kind, category(&["9", "10"]));
    let options = ReadOptions { categories: vec!["kind".into()], ..ReadOptions::default() };
    assert!(matches!(
        read(&table_of(&numbers), &options).unwrap_err(),
        Error::NoSuchInput { what: "category", .. }
    ));
}

#[test]
fn an_ordered_category_is_scored_from_low_to_high() {
    let order = strings(&["low", "mid", "high"]);
    let options = ReadOptions { ordered: vec![("c".into(), order.clone())], ..ReadOptions::default() };
    let table = read(&table_of(&["mid", "low", "high"]), &options).unwrap();
    assert_eq!(table.values[3..], [1.0, 0.0, 2.0]);
    assert_eq!(
        table.groups,
        [Group { name: "c".into(), kind: GroupKind::Ordered { levels: order }, columns: 1..2 }]
    );
    let error = read(&table_of(&["mid", "huge", "high"]), &options).unwrap_err().to_string();
    assert!(
        error.contains(
            "\"huge\" in row 2, which is not among its ordered levels (\"low\", \"mid\", \"high\")"
        ),
        "{error}"
    );
}

#[test]
fn a_category_of_one_level_is_a_constant_column() {
    let table = read(&table_of(&["same"; 8]), &ReadOptions::default()).unwrap();
    assert_eq!((table.names.len(), table.groups.len()), (2, 0));
    assert!(table.values[8..].iter().all(|value| *value == 0.0));
}

fn known(levels: &[&str], shares: &[f64]) -> ReadOptions {
    let coding = Coding::Category { levels: strings(levels), shares: shares.to_vec(), mode: Some(0) };
    let exactly = Some(vec![Known { name: "c".into(), coding }]);
    ReadOptions { exactly, ..ReadOptions::default() }
}

#[test]
fn a_model_codes_by_its_own_levels_whatever_the_new_table_has() {
    let options = known(&["a", "b", "c"], &[0.5, 0.3, 0.2]);
    let table = read(&table_of(&["c", "a"]), &options).unwrap();
    assert_eq!(table.names, ["c=a", "c=b", "c=c"]);
    assert_eq!(table.values, [0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    // levels that are numbers match however they are written
    let table = read(&table_of(&["2.0", "1"]), &known(&["1", "2"], &[0.5, 0.5])).unwrap();
    assert_eq!(table.values, [0.0, 1.0, 1.0, 0.0]);
}

#[test]
fn a_level_that_the_model_does_not_know_is_refused_or_read_as_mode_or_mean() {
    let options = known(&["a", "b"], &[0.4, 0.6]);
    let error = read(&table_of(&["a", "new", "b"]), &options).unwrap_err().to_string();
    assert_eq!(
        error,
        "t.csv: row 2, column \"c\": \"new\" is not among the levels that the model knows (\"a\", \"b\"); pass --unseen mode \
         (the most frequent level) or --unseen mean (the mean of all levels), or mend the table"
    );
    let as_mode = ReadOptions { unseen: Unseen::Mode, ..options.clone() };
    let table = read(&table_of(&["b", "new"]), &as_mode).unwrap();
    assert_eq!(table.values, [0.0, 1.0, 1.0, 0.0]);
    assert!(
        table.notes[0].contains("read as \"a\", the most frequent level of the fit: \"new\""),
        "{:?}",
        table.notes
    );
    let table = read(&table_of(&["a", "new"]), &ReadOptions { unseen: Unseen::Mean, ..options }).unwrap();
    assert_eq!(table.values, [1.0, 0.4, 0.0, 0.6]);
    assert_eq!(
        table.notes,
        ["\"c\": levels that the model does not know are read as the mean of all levels: \"new\""]
    );
}

#[test]
fn where_the_model_pooled_rare_levels_a_new_level_is_one_of_them() {
    let options = known(&["a", "(other)"], &[0.9, 0.1]);
    let table = read(&table_of(&["a", "new"]), &options).unwrap();
    assert_eq!(table.values, [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(table.notes, ["\"c\": levels that the model does not know are read as (other): \"new\""]);
}

#[test]
fn words_where_the_model_has_a_number_are_refused() {
    let options = ReadOptions { exactly: Some(vec![Known::number("c", 1.0)]), ..ReadOptions::default() };
    let words: Vec<&str> = ["u", "v"].repeat(8);
    let error = read(&table_of(&words), &options).unwrap_err().to_string();
    assert!(
        error.contains("\"c\" holds words such as \"u\", but the model knows it as a number; give numbers"),
        "{error}"
    );
}
