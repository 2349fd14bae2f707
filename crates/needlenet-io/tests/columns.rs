//! Which columns become inputs, under which names, in which order.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use needlenet_io::{ColumnRef, Error, Known, Missing, ReadOptions, Table, read_table_from};

fn read(text: &str, options: &ReadOptions) -> Result<Table, Error> {
    read_table_from("t.csv", text.as_bytes(), options)
}

fn names(columns: &[&str]) -> Vec<String> {
    columns.iter().map(|&name| name.to_owned()).collect()
}

fn known(columns: &[&str]) -> Option<Vec<Known>> {
    Some(columns.iter().map(|&name| Known::number(name, 0.0)).collect())
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
    let options = ReadOptions { exactly: known(&["hight"]), ..ReadOptions::default() };
    let error = read("height,y\n1,2\n", &options).unwrap_err().to_string();
    assert!(error.ends_with("did you mean \"height\"?"), "{error}");
}

#[test]
fn rules_for_missing_cells_are_read_and_written_by_the_same_words() {
    for word in ["error", "mean", "indicator", "drop-rows", "drop-columns"] {
        assert_eq!(word.parse::<Missing>().unwrap().to_string(), word);
    }
    assert_eq!(Missing::default(), Missing::Error);
    let error = "median".parse::<Missing>().unwrap_err().to_string();
    assert_eq!(
        error,
        "\"median\" is not a rule for missing cells; give error, mean, indicator, drop-rows or drop-columns"
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
fn a_model_gets_exactly_its_inputs_in_this_order_and_parses_nothing_else() {
    let exactly = known(&["c", "a"]);
    let options = ReadOptions { exactly, exclude: vec!["not there".into()], ..ReadOptions::default() };
    let table = read("a,b,c\n1,text,2\n3,,4\n", &options).unwrap();
    assert_eq!(table.names, ["c", "a"]);
    assert_eq!(table.values, [2.0, 4.0, 1.0, 3.0]);
    let options = ReadOptions { target: Some("b".into()), ..options };
    assert_eq!(read("a,b,c\n1,text,2\n3,more,4\n", &options).unwrap().target.unwrap().text, ["text", "more"]);
}

#[test]
fn absent_inputs_are_counted_and_the_first_are_named() {
    let exactly = Some((0..9).map(|column| Known::number(format!("g{column}"), 0.0)).collect());
    let error =
        read("a,g3\n1,2\n", &ReadOptions { exactly, ..ReadOptions::default() }).unwrap_err().to_string();
    let list = "\"g0\", \"g1\", \"g2\", \"g4\", \"g5\" and 3 more";
    assert_eq!(
        error,
        format!("t.csv: the table lacks 8 inputs of the model: {list}; give a table with these columns")
    );
}

#[test]
fn a_column_with_two_uses_is_an_error() {
    let target = Some(ColumnRef::from("a"));
    let exclude = ReadOptions { target: target.clone(), exclude: vec!["1".into()], ..ReadOptions::default() };
    let input = ReadOptions { target: target.clone(), exactly: known(&["a"]), ..ReadOptions::default() };
    let twice = ReadOptions { exactly: known(&["a", "a"]), ..ReadOptions::default() };
    let beside = ReadOptions { target, beside: names(&["a"]), ..ReadOptions::default() };
    let both = ReadOptions { beside: names(&["a", "a"]), ..ReadOptions::default() };
    for options in [exclude, input, twice, beside, both] {
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
    let error = read("1,z\r\n4,5\r\n4,6\r\n", &options).unwrap_err().to_string();
    assert!(
        error.contains("column \"x2\" holds numbers") && error.contains("\"z\" in row 1 (line 1)"),
        "{error}"
    );
}

#[test]
fn two_columns_of_one_name_are_refused_with_both_positions_unless_one_is_left_out() {
    let text = "a,b,target,a,target\n1,2,3,4,5\n6,7,8,9,10\n";
    let message = |options: &ReadOptions| read(text, options).unwrap_err().to_string();
    let expected = "t.csv: columns 1 and 4 are both called \"a\"; rename one, or leave one out by its number, such as \
                    --exclude 4";
    assert_eq!(message(&ReadOptions { exclude: vec!["5".into()], ..ReadOptions::default() }), expected);
    let target = ReadOptions { target: Some("target".into()), ..ReadOptions::default() };
    assert!(message(&target).starts_with("t.csv: columns 3 and 5 are both called \"target\""));
    let all = "t.csv: columns 1 and 4 are both called \"a\", and another column has the name of an earlier one; rename one, or \
               leave one out by its number, such as --exclude 4,5";
    assert_eq!(message(&ReadOptions::default()), all);
    let advised = ReadOptions { exclude: vec!["4".into(), "5".into()], ..target };
    let table = read(text, &advised).unwrap();
    assert_eq!(
        (table.names, table.target.unwrap().text),
        (vec!["a".to_owned(), "b".to_owned()], vec!["3".to_owned(), "8".to_owned()])
    );
    let by_number = ReadOptions {
        target: Some("3".into()),
        exclude: vec!["4".into(), "5".into()],
        ..ReadOptions::default()
    };
    assert_eq!(read(text, &by_number).unwrap().names, ["a", "b"]);
    let both = ReadOptions { exclude: vec!["a".into(), "target".into()], ..ReadOptions::default() };
    assert_eq!(read(text, &both).unwrap().names, ["b"]);
    let model = ReadOptions { exactly: known(&["b", "a"]), ..ReadOptions::default() };
    assert_eq!(message(&model), expected);
    let model = ReadOptions { exactly: known(&["b"]), ..ReadOptions::default() };
    assert_eq!(read(text, &model).unwrap().values, [2.0, 7.0]);
}

#[test]
fn patterns_choose_and_exclude_columns_and_one_that_matches_nothing_is_refused() {
    let text = "id,gene_1,gene_2,lag/1,y\nr,1,2,3,0\nr,4,5,6,1\n";
    let columns = |only: &[&str], exclude: &[&str]| {
        let refs = |names: &[&str]| names.iter().map(|name| ColumnRef::from(*name)).collect();
        let (only, exclude) = (refs(only), refs(exclude));
        read(text, &ReadOptions { target: Some("y".into()), only, exclude, ..ReadOptions::default() })
            .map(|table| table.names)
    };
    assert_eq!(columns(&["gene_*"], &[]).unwrap(), ["gene_1", "gene_2"]);
    assert_eq!(columns(&["gene_[12]", "lag*"], &["gene_?"]).unwrap(), ["lag/1"]);
    assert_eq!(columns(&[], &["i?", "*1"]).unwrap(), ["gene_2"]);
    let error = columns(&["snp_*"], &[]).unwrap_err().to_string();
    assert!(
        error.starts_with("t.csv: the pattern \"snp_*\" cannot be used: no column matches it;"),
        "{error}"
    );
    assert!(columns(&["gene_["], &[]).unwrap_err().to_string().contains("cannot be used"));
}

#[test]
fn columns_beside_the_inputs_are_kept_as_text_and_as_numbers() {
    let options = ReadOptions {
        target: Some("time".into()),
        beside: names(&["site", "weight"]),
        ..ReadOptions::default()
    };
    let table = read("a,time,site,weight\n1,5,north,2\n2,6,south,0.5\n", &options).unwrap();
    assert_eq!((table.names, table.values), (names(&["a"]), vec![1.0, 2.0]));
    assert_eq!((&table.beside[0].text[1], &table.beside[0].numbers), (&"south".to_owned(), &None));
    assert_eq!(table.beside[1].numbers, Some(vec![2.0, 0.5]));
    let error = read("a,time,site,weight\n1,5,north,\n2,6,south,0.5\n", &options).unwrap_err().to_string();
    assert!(
        error.starts_with("t.csv: the column \"weight\": 1 value is missing, the first in row 1"),
        "{error}"
    );
    let position = ReadOptions { beside: names(&["3"]), ..ReadOptions::default() };
    assert!(
        read("a,b,c\n1,2,3\n", &position).unwrap_err().to_string().contains("give the name of the column")
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
