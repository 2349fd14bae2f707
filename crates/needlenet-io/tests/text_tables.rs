//! CSV and TSV: what is accepted, and what the errors say.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use needlenet_io::{Error, Format, ReadOptions, Table, read_table_from};

fn read(text: &str) -> Result<Table, Error> {
    read_table_from("t.csv", text.as_bytes(), &ReadOptions::default())
}

fn message(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn values_are_column_major_and_rows_count_from_one() {
    let table = read("a,b\n1,4\n2,5\n3,6\n").unwrap();
    assert_eq!(table.names, ["a", "b"]);
    assert_eq!(table.values, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!((table.n_rows, table.rows), (3, vec![1, 2, 3]));
    assert!(table.notes.is_empty() && table.target.is_none());
}

#[test]
fn line_ends_byte_order_mark_quotes_blanks_and_spaces_do_not_change_a_table() {
    let plain = read("a,b\n1,2\n3,-4e-1\n").unwrap();
    for same in [
        "a,b\r\n1,2\r\n3,-4e-1\r\n",
        "a,b\r1,2\r3,-4e-1\r",
        "\u{feff}a,b\n1,2\n3,-4e-1",
        "\"a\",\"b\"\n\"1\",\"2\"\n3,-0.4\n\n\n",
        "a,b\n1,2\n3,-4e-1\n\n  \n",
        " a , b \n 1 ,\t2\n3.0, -.4 \n",
        "a;b\n1;2\n3;-.4\n",
        "a\tb\n1\t2\n+3\t-.4\n",
        "a|b\n1|2\n3|-.4\n",
    ] {
        assert_eq!(read(same).unwrap(), plain, "{same:?}");
    }
}

#[test]
fn gzip_of_one_or_several_members_reads_like_the_text() {
    let plain = read("a,b\n1,2\n3,4\n").unwrap();
    let one = gzip("a,b\n1,2\n3,4\n");
    let several = [gzip("a,b\n1,"), gzip("2\n3,"), gzip("4\n")].concat();
    for bytes in [one, several] {
        assert_eq!(read_table_from("t.csv.gz", &bytes[..], &ReadOptions::default()).unwrap(), plain);
    }
}

#[test]
fn quoted_names_may_hold_the_separator_quotes_and_line_ends() {
    let table = read("\"a, kg\",\"say \"\"b\"\"\",\"c\nd\"\n1,2,3\n").unwrap();
    assert_eq!(table.names, ["a, kg", "say \"b\"", "c\nd"]);
}

#[test]
fn the_separator_is_the_one_that_agrees_between_the_first_two_lines() {
    assert_eq!(read("a|1,b|2,c|3\n1,2,3\n").unwrap().names, ["a|1", "b|2", "c|3"]);
    assert_eq!(read("x;y;w, kg\n1;2;3\n").unwrap().names, ["x", "y", "w, kg"]);
    assert_eq!(read("single\n1\n").unwrap().names, ["single"]);
}

#[test]
fn extension_format_and_option_decide_the_separator_in_that_order() {
    let read_as =
        |name: &str, text: &str, options: &ReadOptions| read_table_from(name, text.as_bytes(), options);
    let default = ReadOptions::default();
    assert_eq!(read_as("t.tsv", "a,b\tc\n1\t2\n", &default).unwrap().names, ["a,b", "c"]);
    assert_eq!(read_as("t.TAB.gz", "a,b,c\td\n1\t2\n", &default).unwrap().names, ["a,b,c", "d"]);
    let tsv = ReadOptions { format: Some(Format::Tsv), ..ReadOptions::default() };
    assert_eq!(read_as("t.txt", "a,b\tc\n1\t2\n", &tsv).unwrap().names, ["a,b", "c"]);
    let colon = ReadOptions { delimiter: Some(b':'), ..ReadOptions::default() };
    assert_eq!(read_as("t.tsv", "a:b\n1:2\n", &colon).unwrap().names, ["a", "b"]);
}

#[test]
fn text_among_numbers_names_file_column_value_row_line_and_remedy() {
    assert_eq!(
        message("a,YXLD_at\n1,2\n3,<0.1\n5,6\n"),
        "t.csv: column \"YXLD_at\" holds numbers, but 1 of its cells is not, the first \"<0.1\" in row 2 (line 3); pass \
         --missing-marker \"<0.1\" and --missing mean if it means missing, or leave it out with --exclude \"YXLD_at\""
    );
}

#[test]
fn the_usual_words_for_missing_and_markers_are_missing_cells() {
    for word in ["NA", "nan", "NaN", "n/a", "N/A", ".", "null", "<NA>", "#N/A", "?", "", "marker"] {
        let options = ReadOptions { missing_markers: vec!["marker".to_owned()], ..ReadOptions::default() };
        let text = format!("a,b\n1,2\n3,{word}\n4,5\n");
        let error = read_table_from("t.csv", text.as_bytes(), &options).unwrap_err();
        assert!(matches!(error, Error::MissingCells { count: 1, row: 2, .. }), "{word}: {error}");
    }
    for word in ["none", "-", "missing"] {
        assert!(message(&format!("a,b\n1,2\n3,{word}\n4,5\n")).contains("--missing-marker"), "{word}");
    }
}

#[test]
fn infinite_and_overflowing_cells_are_not_finite_numbers() {
    for word in ["inf", "-Infinity", "1e999"] {
        let error = message(&format!("a,b\n1,{word}\n"));
        let start =
            format!("t.csv: column \"b\" has \"{word}\" in row 1 (line 2), which is not a finite number;");
        assert!(error.starts_with(&start), "{error}");
    }
}

#[test]
fn a_row_of_another_length_is_named_with_both_lengths() {
    assert!(
        message("a,b,c\n1,2,3\n4,5\n").starts_with("t.csv: row 2 (line 3) has 2 cells, 3 were expected;")
    );
    assert!(message("a,b\n1,2,3,4\n").starts_with("t.csv: row 1 (line 2) has 4 cells, 2 were expected;"));
    assert!(
        message("a,b\nr1,2,3\n").ends_with("name every column in the header, also that of the row names")
    );
}

#[test]
fn the_line_in_an_error_is_right_for_all_line_ends_blank_lines_and_quoted_line_ends() {
    let line = |text: &str| match read(text).unwrap_err() {
        Error::Unusable { columns, .. } => {
            let (_, place) = columns[0].looks.split_once("\"x\" in row ").unwrap();
            place.to_owned()
        }
        other => panic!("{other}"),
    };
    assert_eq!(line("a,b\n1,2\n3,x\n5,6\n"), "2 (line 3)");
    assert_eq!(line("a,b\n1,2\n5,6\n3,x"), "3 (line 4)");
    assert_eq!(line("a,b\r\n1,2\r\n3,x\r\n5,6\r\n"), "2 (line 3)");
    assert_eq!(line("a,b\r\nx,2\r\n1,2\r\n1,2\r\n"), "1 (line 2)");
    assert_eq!(line("a,b\n1,2\n\n\n3,x\n5,6\n"), "2 (line 5)");
    assert_eq!(line("a,\"b\nc\"\n1,2\n3,x\n5,6\n"), "2 (line 4)");
    assert_eq!(line("a,b\r1,2\r3,x\r5,6\r"), "2");
}

#[test]
fn a_long_cell_is_cut_in_the_error() {
    let error = message(&format!("a,b\n1,{}\n1,2\n1,2\n", "y".repeat(5000)));
    assert!(error.len() < 400 && error.contains("yyy..."), "{error}");
}

#[test]
fn tables_longer_and_wider_than_one_block_keep_their_cells_in_place() {
    // blocks hold 2^19 cells: 3 columns fill one after 174763 rows, 600000 columns with each row
    for (rows, columns) in [(400_000, 3), (3, 600_000), (1000, 1000)] {
        let mut text = (0..columns).map(|column| format!("c{column}")).collect::<Vec<_>>().join(",");
        text.push('\n');
        for row in 0..rows {
            let line: Vec<String> = (0..columns).map(|column| (row * columns + column).to_string()).collect();
            text.push_str(&line.join(","));
            text.push('\n');
        }
        let table = read(&text).unwrap();
        assert_eq!((table.n_rows, table.names.len()), (rows, columns));
        let right = |(cell, &value): (usize, &f64)| value == ((cell % rows) * columns + cell / rows) as f64;
        assert!(table.values.iter().enumerate().all(right));
    }
}
