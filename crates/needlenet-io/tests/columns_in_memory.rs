//! Columns that another library holds in memory read like those of a file.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use needlenet_io::{
    Cells, Error, GroupKind, Missing, ReadOptions, read_columns, read_table_from, read_values,
};

fn words(words: &[&str]) -> Cells {
    Cells::Words(words.iter().map(|word| Some((*word).to_owned()).filter(|word| !word.is_empty())).collect())
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

#[test]
fn numbers_and_words_read_like_the_same_csv() {
    let kinds: Vec<&str> = ["u", "v", ""].into_iter().cycle().take(18).collect();
    let numbers: Vec<f64> = (0..18).map(|row| if row == 3 { f64::NAN } else { f64::from(row) }).collect();
    let text: String = (0..18)
        .map(|row| format!("{},{}\n", if row == 3 { String::new() } else { row.to_string() }, kinds[row]))
        .collect();
    for missing in [Missing::Mean, Missing::Indicator, Missing::DropRows] {
        let options = ReadOptions { missing, ..ReadOptions::default() };
        let columns =
            vec![("x".to_owned(), Cells::Numbers(numbers.clone())), ("k".to_owned(), words(&kinds))];
        let expected = read_table_from("t", format!("x,k\n{text}").as_bytes(), &options).unwrap();
        assert_eq!(read_columns("t", columns, &options).unwrap(), expected);
    }
}

#[test]
fn categories_come_with_their_levels_and_ordered_ones_are_scored() {
    let codes: Vec<i64> = (0..20).map(|row| [2, 0, -1, 0][row % 4]).collect();
    let category = |ordered| Cells::Category {
        levels: strings(&["low", "never", "high"]),
        codes: codes.clone(),
        ordered,
    };
    let options = ReadOptions { missing: Missing::Mean, ..ReadOptions::default() };
    let table = read_columns("X", vec![("c".to_owned(), category(false))], &options).unwrap();
    assert_eq!(table.names, ["c=high", "c=low"]);
    assert_eq!(table.values[..3], [1.0, 0.0, 1.0 / 3.0]);
    let table = read_columns("X", vec![("c".to_owned(), category(true))], &options).unwrap();
    assert_eq!(table.groups[0].kind, GroupKind::Ordered { levels: strings(&["low", "never", "high"]) });
    assert_eq!(table.values[..4], [2.0, 0.0, 2.0 / 3.0, 0.0]);
}

/// pandas reads a column of numbers as text if one of its cells is "."
#[test]
fn texts_that_are_numbers_are_numbers_unless_a_category_is_asked_for() {
    let cells = ["36", ".", "20.5", "-1e3", ""];
    let column = |cells: &[&str]| vec![("age".to_owned(), words(cells))];
    let options = ReadOptions { missing: Missing::Mean, ..ReadOptions::default() };
    let table = read_columns("X", column(&cells), &options).unwrap();
    let mean = (36.0 + 20.5 - 1e3) / 3.0;
    assert_eq!(table.values, [36.0, mean, 20.5, -1e3, mean]);
    let error = read_columns("X", column(&["1", "2", "low", "4"]), &options).unwrap_err().to_string();
    assert!(
        error.contains("holds numbers, but 1 of its cells is not, the first \"low\" in row 3"),
        "{error}"
    );
    let options = ReadOptions { categories: vec!["age".into()], ..options };
    let table = read_columns("X", column(&["007", "8"].repeat(6)), &options).unwrap();
    assert_eq!(table.names, ["age=007", "age=8"]);
}

/// The numbers of the other columns may have had decimal points.
#[test]
fn ambiguous_commas_are_refused_whatever_another_column_of_text_has() {
    let columns =
        vec![("clear".to_owned(), words(&["1,5", "2,5"])), ("either".to_owned(), words(&["1,500", "2,500"]))];
    let error = read_columns("X", columns, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("X: column \"either\" has numbers with commas such as \"1,500\""), "{error}");
}

#[test]
fn what_is_neither_a_number_nor_a_word_is_refused_with_everything_else() {
    let columns = vec![
        ("id".to_owned(), words(&["a", "b"])),
        ("day".to_owned(), Cells::Dates(vec![1.0, 2.0])),
        ("list".to_owned(), Cells::Other("lists".to_owned())),
        ("x".to_owned(), Cells::Numbers(vec![1.0, 2.0])),
    ];
    let error = read_columns("X", columns, &ReadOptions::default()).unwrap_err();
    let Error::Unusable { columns, .. } = error else { panic!("{error}") };
    assert_eq!(columns.iter().map(|of| of.column.as_str()).collect::<Vec<_>>(), ["id", "day", "list"]);
    let infinite = |last: f64| ("x".to_owned(), Cells::Numbers(vec![1.0, last]));
    let error =
        read_columns("X", vec![infinite(f64::INFINITY)], &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("X: column \"x\" has inf in row 2, which is not a finite number; "), "{error}");
    let values = vec![1.0, f64::NEG_INFINITY, f64::NAN, 2.0, f64::NAN, f64::NAN];
    let names = ["a", "b", "c"].map(str::to_owned).to_vec();
    let error = read_values("X", names, 2, values, &ReadOptions::default()).unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines.len(), 4, "{error}");
    assert!(lines[1].starts_with("  \"a\" has -inf in row 2, which is not a finite number"), "{error}");
    assert!(lines[2].starts_with("  \"c\" is empty: every cell is missing"), "{error}");
    assert!(lines[3].starts_with("  1 cell is missing, the first in row 1, column \"b\""), "{error}");
    let torn =
        vec![("x".to_owned(), Cells::Numbers(vec![1.0])), ("y".to_owned(), Cells::Numbers(vec![1.0, 2.0]))];
    assert!(matches!(read_columns("X", torn, &ReadOptions::default()).unwrap_err(), Error::Shape { .. }));
}
