//! Groups and inputs that are always in, by name; and what a model needs of a new table.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use needlenet::{Data, Outcome, Settings};
use needlenet_io::{Coding, Missing, ReadOptions, Structure, Table, known_inputs, read_table_from};

/// Sixty rows: `y` follows `stage` and `b`; `a` is missing now and then.
fn table(missing: Missing) -> Table {
    let mut text = String::from("a,stage,b,y\n");
    let mut state = 7_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    for row in 0..60 {
        let stage = row % 3;
        let (a, b) = (uniform(), uniform());
        let gap = if row % 10 == 4 { "NA".to_owned() } else { a.to_string() };
        let y = 3.0 * f64::from(u8::from(stage == 2)) + 4.0 * b + 0.1 * uniform();
        text += &format!("{gap},{},{b},{y}\n", ["I", "II", "III"][stage]);
    }
    let options = ReadOptions { target: Some("y".into()), missing, ..ReadOptions::default() };
    read_table_from("t.csv", text.as_bytes(), &options).unwrap()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(input, group)| ((*input).to_owned(), (*group).to_owned())).collect()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn names_of_inputs_become_columns_and_a_category_is_one_name() {
    let table = table(Missing::Mean);
    let given = pairs(&[("b", "labs"), ("a", "labs")]);
    let structure =
        Structure::new("t.csv", (&table.names, &table.groups), &given, &names(&["stage"])).unwrap();
    assert_eq!(structure.given, [("labs".to_owned(), vec![4, 0])]);
    assert_eq!(structure.always, ["stage"]);
    assert_eq!(structure.groups.len(), 1);
}

#[test]
fn a_misspelt_input_is_answered_with_the_name_meant_and_impossible_groups_are_refused() {
    let table = table(Missing::Mean);
    let message = |given: &[(&str, &str)], always: &[&str]| {
        Structure::new("t.csv", (&table.names, &table.groups), &pairs(given), &names(always))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(message(&[], &["stge"]), "t.csv: always: there is no input \"stge\"; did you mean \"stage\"?");
    assert_eq!(message(&[("B", "g")], &[]), "t.csv: groups: there is no input \"B\"; did you mean \"b\"?");
    assert!(message(&[("stage", "g")], &[]).contains("\"stage\" is a category or has missing cells"));
    assert!(message(&[("a", "g"), ("a", "h")], &[]).contains("\"a\" is in the group \"g\" already"));
    assert!(message(&[("a", "b")], &[]).contains("an input has the same name"));
    assert!(message(&[], &["a", "b", "stage"]).contains("nothing to find"));
}

#[test]
fn a_model_of_categories_and_indicators_knows_what_it_needs_of_a_new_table() {
    let table = table(Missing::Indicator);
    let structure = Structure::new("t.csv", (&table.names, &table.groups), &[], &[]).unwrap();
    assert_eq!(structure.groups.len(), 2);
    let y = table.target.clone().unwrap().numbers.unwrap();
    let data = Data::new(table.values.clone(), table.names.clone(), Outcome::Regression(y)).unwrap();
    let settings = Settings { hidden: Vec::new(), draws: 300, threads: 1, ..Settings::default() };
    let model = needlenet::fit(structure.apply(data).unwrap(), &settings).unwrap();
    let (known, columns) = known_inputs(&model, &ReadOptions::default());
    let by_name: Vec<&str> = known.iter().map(|known| known.name.as_str()).collect();
    assert!(by_name.contains(&"stage") && by_name.contains(&"b"), "{by_name:?}");
    assert_eq!(columns.len(), model.inputs().count());
    let stage = known.iter().find(|known| known.name == "stage").unwrap();
    assert!(matches!(&stage.coding, Coding::Category { levels, .. } if levels == &["I", "II", "III"]));
    // the columns are those of the model's inputs
    let options = ReadOptions { exactly: Some(known), ..ReadOptions::default() };
    let new = read_table_from("new.csv", "stage,b\nIII,0.1\nI,0.2\n".as_bytes(), &options).unwrap();
    let read: Vec<&str> = columns.iter().map(|&column| new.names[column].as_str()).collect();
    assert_eq!(read, model.inputs().map(|input| input.name.as_str()).collect::<Vec<_>>());
    let values: Vec<&[f64]> =
        columns.iter().map(|&column| &new.values[column * 2..(column + 1) * 2]).collect();
    let needlenet::Prediction::Numbers(predicted) =
        model.predict(2, &values, needlenet::Fitted::Predictor).unwrap()
    else {
        panic!("a regression predicts numbers")
    };
    // 3 + 0.4 and 0.8, up to noise
    assert!((predicted[0] - 3.4).abs() < 0.3 && (predicted[1] - 0.8).abs() < 0.3, "{predicted:?}");
}
