//! A table as somebody has it: every column that cannot be used is named at once, with what it looks like and what to do.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use needlenet_io::{Error, Front, ReadOptions, Table, read_table_from};

fn read(text: &str, options: &ReadOptions) -> Result<Table, Error> {
    read_table_from("t.csv", text.as_bytes(), options)
}

fn target(name: &str) -> ReadOptions {
    ReadOptions { target: Some(name.into()), ..ReadOptions::default() }
}

/// Twelve rows with a column of each kind.
fn clinic() -> String {
    let mut text = String::from("patient,age,sex,smoker,visit,seen,dose,lab,y\n");
    for row in 0..12 {
        let (sex, smoker) = (["F", "M"][row % 2], ["yes", "No"][row % 2]);
        let lab = if row == 4 { "<0.1".to_owned() } else { format!("{row}.5") };
        let dose = format!("\"1,{}\"", 200 + row);
        text += &format!(
            "p{row},{},{sex},{smoker},2024-03-{:02},03/{:02}/2024,{dose},{lab},{row}\n",
            40 + row,
            row + 1,
            row + 1
        );
    }
    text
}

#[test]
fn all_columns_that_cannot_be_used_are_named_at_once() {
    let error = read(&clinic(), &target("y")).unwrap_err();
    let text = error.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "t.csv: 5 columns cannot be used as they are:",
            "  \"patient\" looks like an identifier (12 different words in 12 rows, such as \"p0\"; none in 5 rows or more); \
             leave it out with --exclude \"patient\"",
            "  \"visit\" looks like a date (such as \"2024-03-01\"); pass --dates days to read dates as days, or write what \
             matters as a number, such as an age",
            "  \"seen\" looks like a date (such as \"03/01/2024\") of which day and month may be exchanged; write dates as \
             2024-03-01, or what matters as a number, such as an age, or leave it out with --exclude \"seen\"",
            "  \"dose\" has numbers with commas such as \"1,200\", which may be decimal commas or separate thousands; pass \
             --decimal comma or --decimal point",
            "  \"lab\" holds numbers, but 1 of its cells is not, the first \"<0.1\" in row 5 (line 6); pass --missing-marker \
             \"<0.1\" and --missing mean if it means missing, or leave it out with --exclude \"lab\"",
        ]
    );
}

#[test]
fn following_the_advice_once_is_enough() {
    let options = ReadOptions {
        exclude: vec!["patient".into(), "seen".into()],
        dates_as_days: true,
        decimal: Some("point".parse().unwrap()),
        missing_markers: vec!["<0.1".into()],
        missing: needlenet_io::Missing::Mean,
        ..target("y")
    };
    let table = read(&clinic(), &options).unwrap();
    assert_eq!(table.names, ["age", "sex=F", "sex=M", "smoker", "visit", "dose", "lab"]);
    let column = |name: &str| {
        let at = table.names.iter().position(|other| other == name).unwrap();
        &table.values[at * 12..(at + 1) * 12]
    };
    assert_eq!(column("smoker")[..2], [1.0, 0.0]);
    assert_eq!(column("dose")[..2], [1200.0, 1201.0]);
    assert_eq!(column("visit")[1] - column("visit")[0], 1.0);
    // 0.5 to 11.5 without 4.5
    assert_eq!(column("lab")[4], (72.0 - 4.5) / 11.0);
    assert_eq!(
        table.notes,
        [
            "\"smoker\": true and yes are read as 1, false and no as 0",
            "\"visit\": dates are read as days since 1970-01-01",
            "1 missing cell filled with the column mean, in 1 column: \"lab\"",
            "1 column is read as a category: \"sex\" (2 levels)",
        ]
    );
}

/// Reads a table after following all the advice; no further error may come.
fn follows(text: &str, advice: &[&str], options: ReadOptions) -> Table {
    let error = read(text, &target("y")).unwrap_err().to_string();
    for advice in advice {
        assert!(error.contains(advice), "{advice}: {error}");
    }
    read(text, &ReadOptions { target: Some("y".into()), ..options }).unwrap()
}

#[test]
fn missing_cells_are_named_with_the_columns_that_cannot_be_used() {
    let mut text = String::from("id,day,a,empty,b,y\n");
    for row in 0..12 {
        let (day, a) = (["", "2024-03-01"][usize::from(row > 2)], ["NA", "n/a", ".", "2.5"][row.min(3)]);
        text += &format!("p{row},{day},{a},,{row},{row}\n");
    }
    let error = read(&text, &target("y")).unwrap_err().to_string();
    assert!(
        error.starts_with("t.csv: 3 columns cannot be used as they are:\n  \"id\" looks like"),
        "{error}"
    );
    // 3 of the day and 3 of a; the columns that can only be left out do not count
    let last = "\n  6 cells are missing, the first in row 1, column \"day\"; pass --missing mean, indicator, drop-rows or \
                drop-columns";
    assert!(error.ends_with(last), "{error}");
    let table = follows(
        &text,
        &["--exclude \"id\"", "\"empty\" is empty: every cell is missing; leave it out", "--dates days"],
        ReadOptions {
            exclude: vec!["id".into(), "empty".into()],
            dates_as_days: true,
            missing: needlenet_io::Missing::Mean,
            ..ReadOptions::default()
        },
    );
    assert_eq!(table.names, ["day", "a", "b"]);
}

#[test]
fn only_rules_for_missing_cells_that_leave_a_table_are_advised() {
    for (text, advice) in [
        ("a,b,y\n1,,1\n2,3,2\n", "mean, indicator, drop-rows or drop-columns"),
        ("a,b,y\n,1,1\n2,,2\n", "mean or indicator"),
        ("a,b,y\n,1,1\n2,3,2\n4,,3\n", "mean, indicator or drop-rows"),
        (
            "a,b,y\n,1,1\n,3,2\n1,2,NA\n",
            "remove the rows without this value and pass --missing mean, indicator or drop-columns",
        ),
    ] {
        let error = read(text, &target("y")).unwrap_err().to_string();
        assert!(error.ends_with(advice), "{text}: {error}");
    }
    let error = read("a,y\n,1\n3,\n4,2\n5,3\n", &target("y")).unwrap_err().to_string();
    assert_eq!(
        error,
        "t.csv: the outcome \"y\": 1 value is missing, the first in row 2; 1 cell of the inputs is missing too: pass --missing \
         drop-rows, which keeps 2 of 4 rows, or remove the rows without this value and pass --missing mean or indicator"
    );
}

#[test]
fn all_words_among_numbers_are_named_and_levels_are_advised_only_if_there_are_some() {
    let rows = |number: fn(usize) -> String| {
        let cell = |row: usize| match row {
            1 => "low".to_owned(),
            4 => "inf".to_owned(),
            _ => number(row),
        };
        (0..20).map(|row| format!("{},{row}\n", cell(row))).collect::<String>()
    };
    let markers = "2 of its cells are not, \"low\", \"inf\", the first in row 2 (line 3); pass --missing-marker \"low\" \
                   --missing-marker \"inf\" and --missing mean if they mean missing, or leave it out with --exclude \"a,b\"";
    let markers = markers.replace("\"a,b\"", "'\"a,b\"'");
    let text = format!("\"a,b\",y\n{}", rows(|row| format!("{row}.25")));
    let error = read(&text, &target("y")).unwrap_err().to_string();
    assert!(error.ends_with(&markers), "{error}");
    let text = format!("\"a,b\",y\n{}", rows(|row| format!("{}", row % 2)));
    let table = follows(
        &text,
        &[&markers, ", or pass --category '\"a,b\"' to read its values as levels"],
        ReadOptions { categories: vec!["a,b".into()], ..ReadOptions::default() },
    );
    assert_eq!(table.names, ["a,b=0", "a,b=1", "a,b=(other)"]);
}

#[test]
fn an_outcome_that_cannot_be_used_is_named_with_the_columns() {
    let rows: String =
        (0..12).map(|row| format!("p{row},{row},{}\n", if row == 3 { "-" } else { "1.5" })).collect();
    let error = read(&format!("id,a,y\n{rows}"), &target("y")).unwrap_err().to_string();
    assert!(error.contains("\n  \"id\" looks like an identifier"), "{error}");
    assert!(error.contains("\n  row 4, column \"y\": \"-\" stands among numbers"), "{error}");
}

#[test]
fn a_table_with_both_decimal_marks_names_the_ambiguous_columns_too() {
    let rows: String =
        (0..12).map(|row| format!("\"7,{row}\",\"1,{}\",0.{row}5,{row}\n", 200 + row)).collect();
    let error = read(&format!("weight,dose,lab,y\n{rows}"), &target("y")).unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert!(
        lines[1].starts_with("  \"dose\" has numbers with commas such as \"1,200\", which may be"),
        "{error}"
    );
    assert!(
        lines[2].ends_with("while \"weight\" has decimal commas; write \"weight\" with decimal points"),
        "{error}"
    );
    assert_eq!(lines.len(), 3, "{error}");
}

#[test]
fn many_bad_columns_are_counted_and_the_last_are_named_in_one_line() {
    let names: Vec<String> = (0..30).map(|column| format!("c{column}")).collect();
    let row = |row: usize| (0..30).map(|column| format!("w{row}x{column}")).collect::<Vec<_>>().join(",");
    let text = format!("{}\n{}\n{}\n", names.join(","), row(0), row(1));
    let error = read(&text, &ReadOptions::default()).unwrap_err().to_string();
    assert!(
        error.starts_with("t.csv: 30 columns cannot be used as they are:\n  \"c0\" looks like"),
        "{error}"
    );
    assert!(error.ends_with("\n  and \"c20\", \"c21\", \"c22\", \"c23\", \"c24\" and 5 more"), "{error}");
    assert_eq!(error.lines().count(), 22);
}

#[test]
fn python_gets_remedies_of_its_own() {
    let options = ReadOptions { front: Front::Python, ..target("y") };
    let error = read(&clinic(), &options).unwrap_err().to_string();
    assert!(!error.contains("--"), "{error}");
    assert!(error.contains("X.drop(columns=\"patient\")"), "{error}");
    let error = read("a,b\n1,\n2,3\n", &ReadOptions { front: Front::Python, ..ReadOptions::default() });
    assert_eq!(
        error.unwrap_err().to_string(),
        "t.csv: 1 cell is missing, the first in row 1, column \"b\"; give missing='mean', 'indicator', 'drop-rows' or \
         'drop-columns'"
    );
}

#[test]
fn truth_values_are_numbers_and_may_stand_beside_zero_and_one() {
    let table = read("a,b,c\ntrue,yes,1\nFALSE,NO,yes\n", &ReadOptions::default()).unwrap();
    assert_eq!(table.values, [1.0, 0.0, 1.0, 0.0, 1.0, 1.0]);
    assert_eq!(table.notes, ["\"a\", \"b\", \"c\": true and yes are read as 1, false and no as 0"]);
    assert!(read("a\nyes\n2\n3\n", &ReadOptions::default()).is_err());
}

#[test]
fn a_title_above_the_names_is_left_out_with_a_note() {
    for text in [
        "Growth of seedlings\na,b,y\n1,2,3\n4,5,6\n",
        "\"Growth, 2024\"\n\na,b,y\n1,2,3\n4,5,6\n",
        "Growth of seedlings,,\na,b,y\n1,2,3\n4,5,6\n",
        "Growth of seedlings,,\n,,\na,b,y\n1,2,3\n4,5,6\n",
        "Growth of seedlings\nmeasured in 2024\na;b;y\n1;2;3\n4;5;6\n",
    ] {
        let table = read(text, &target("y")).unwrap();
        assert_eq!((&table.names[..], table.n_rows), (&["a".to_owned(), "b".to_owned()][..], 2), "{text}");
        assert!(
            table.notes[0].ends_with("stands above the names of the columns and is taken for a title"),
            "{text}"
        );
    }
    // no title: one column, and a first name that is empty
    assert_eq!(read("a\n1\n2\n", &ReadOptions::default()).unwrap().names, ["a"]);
    assert_eq!(read("a,\n1,2\n3,4\n", &ReadOptions::default()).unwrap().names, ["a", "x2"]);
}

#[test]
fn a_transposed_table_is_recognised_by_its_outcome() {
    let text = "gene,s1,s2,s3\ng1,1,2,3\noutcome,0,1,0\n";
    let error = read(text, &target("outcome")).unwrap_err().to_string();
    assert_eq!(
        error,
        "t.csv: there is no column \"outcome\", but row 2 of the first column is \"outcome\": the table looks transposed; \
         exchange rows and columns, so that each row is a sample"
    );
    assert!(read(text, &target("outcme")).unwrap_err().to_string().contains("there is no column \"outcme\""));
}
