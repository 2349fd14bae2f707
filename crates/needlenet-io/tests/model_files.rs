//! Model files: what is saved reads back bit for bit, and nothing else is believed.

#![allow(clippy::unwrap_used, reason = "a step that fails fails the test")]

use std::sync::OnceLock;

use needlenet::{Coding, Data, Fitted, Model, Outcome, Settings, SureOptions, fit, sure};
use needlenet_io::{ModelFileError, load_model, model_from_bytes, save_model};
use proptest::prelude::*;
use serde_json::{Value, json};

/// 60 samples of 4 inputs made from a recurrence; the outcome bends in the first and follows the third.
fn inputs() -> Vec<f64> {
    uniform(240)
}

fn uniform(count: usize) -> Vec<f64> {
    let mut state = 1_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count).map(|_| 2.0 * uniform() - 1.0).collect()
}

fn model(outcome: Outcome, hidden: &[usize]) -> Model {
    let names = ["a", "b", "c", "d"].map(String::from).to_vec();
    let settings = Settings { hidden: hidden.to_vec(), draws: 100, ..Settings::default() };
    fit(Data::new(inputs(), names, outcome).unwrap(), &settings).unwrap()
}

fn quantity() -> Outcome {
    let x = inputs();
    Outcome::Regression((0..60).map(|i| 5.0 * x[120 + i] + 2.0 * x[i].abs() + 0.1 * x[60 + i]).collect())
}

/// 200 samples of waves, which a few neurons with corners follow badly.
fn waves() -> Model {
    let x = uniform(800);
    let y = (0..200).map(|i| (4.0 * x[i]).sin() + x[400 + i] * x[400 + i]).collect();
    let names = ["a", "b", "c", "d"].map(String::from).to_vec();
    let settings = Settings { hidden: vec![5], draws: 100, ..Settings::default() };
    fit(Data::new(x, names, Outcome::Regression(y)).unwrap(), &settings).unwrap()
}

fn classes() -> Outcome {
    let x = inputs();
    let label = |i: usize| if x[120 + i] + 0.2 * x[180 + i] > 0.1 { "high" } else { "low" };
    Outcome::from_labels(&(0..60).map(label).collect::<Vec<_>>())
}

/// Classes by the first input, which the other three repeat with errors.
fn family() -> Model {
    let x = inputs();
    let copies = (0..240).map(|at| if at < 60 { x[at] } else { x[at % 60] + 0.6 * x[at] }).collect();
    let labels: Vec<&str> =
        (0..60).map(|i| if x[i] + 0.3 * x[100 + i] > 0.0 { "high" } else { "low" }).collect();
    let names = ["a", "b", "c", "d"].map(String::from).to_vec();
    let settings =
        Settings { hidden: vec![], penalty: "l1".parse().unwrap(), draws: 100, ..Settings::default() };
    fit(Data::new(copies, names, Outcome::from_labels(&labels)).unwrap(), &settings).unwrap()
}

/// Two inputs are always in.
fn adjusted() -> Model {
    let names = ["a", "b", "c", "d"].map(String::from).to_vec();
    let settings = Settings { hidden: vec![5], draws: 100, ..Settings::default() };
    let data = Data::new(inputs(), names, quantity()).unwrap().with_always(&["b", "d"]).unwrap();
    fit(data, &settings).unwrap()
}

fn noise() -> Outcome {
    Outcome::Regression((0..60).map(|i| f64::from((i * 7919 + 13) % 101)).collect())
}

fn models() -> &'static [Model] {
    static MODELS: OnceLock<Vec<Model>> = OnceLock::new();
    MODELS.get_or_init(|| {
        vec![
            model(quantity(), &[5]),
            model(classes(), &[4, 3]),
            model(quantity(), &[]),
            model(noise(), &[5]),
            family(),
            waves(),
            adjusted(),
        ]
    })
}

fn bytes_of(model: &Model) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.json");
    save_model(&path, model).unwrap();
    std::fs::read(path).unwrap()
}

/// The files of all models, made once.
fn files() -> &'static [Vec<u8>] {
    static FILES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    FILES.get_or_init(|| models().iter().map(bytes_of).collect())
}

/// Uses everything of a model that a program would.
fn use_model(model: &Model) {
    model.check().unwrap();
    let columns = vec![&[0.5, -3.0, 1e6][..]; model.inputs().count()];
    for fitted in [Fitted::Predictor, Fitted::Refit, Fitted::Penalised] {
        model.predict(3, &columns, fitted).unwrap();
    }
}

#[test]
fn a_saved_model_reads_back_bit_for_bit() {
    for (model, bytes) in models().iter().zip(files()) {
        let back = model_from_bytes("m.json", bytes).unwrap();
        assert_eq!(back, *model);
        assert_eq!(bytes_of(&back), *bytes);
        use_model(&back);
    }
    assert!(!models()[0].needles.is_empty() && !models()[1].needles.is_empty());
    assert!(models()[3].needles.is_empty());
    assert!(!models()[4].stand_ins.is_empty());
}

#[test]
fn the_file_says_what_it_is() {
    let value: Value = serde_json::from_slice(&files()[0]).unwrap();
    assert_eq!(value["format"], "needlenet-model");
    assert_eq!(value["version"], 4);
    assert_eq!(value["model"]["n_samples"], 60);
}

#[test]
fn a_file_of_version_1_is_read_and_what_it_used_is_what_its_settings_said() {
    for (bytes, model) in files().iter().zip(models()) {
        let mut value: Value = serde_json::from_slice(bytes).unwrap();
        value["version"] = json!(1);
        without_predictor(&mut value);
        // version 1 kept what was used in the place of what was asked
        let used = value["model"].as_object_mut().unwrap().remove("used").unwrap();
        value["model"]["settings"]["hidden"] = used["hidden"].clone();
        value["model"]["settings"]["penalty"] = used["penalty"].clone();
        let read = model_from_bytes("old.json", value.to_string().as_bytes()).unwrap();
        assert_eq!((&read.used, &read.weights), (&model.used, &model.weights));
        assert_eq!(read.settings.hidden, model.used.hidden);
    }
}

/// Removes what versions before 3 did not have.
fn without_predictor(value: &mut Value) {
    let model = value["model"].as_object_mut().unwrap();
    for field in ["predictor", "held_out", "output_ranges"] {
        model.remove(field).unwrap();
    }
    for inputs in ["needles", "stand_ins"] {
        for input in model[inputs].as_array_mut().unwrap() {
            input.as_object_mut().unwrap().remove("range").unwrap();
        }
    }
}

#[test]
fn a_file_of_version_2_is_read_and_its_refit_predicts() {
    for (bytes, model) in files().iter().zip(models()) {
        let mut value: Value = serde_json::from_slice(bytes).unwrap();
        value["version"] = json!(2);
        without_predictor(&mut value);
        let read = model_from_bytes("old.json", value.to_string().as_bytes()).unwrap();
        let columns = vec![&[0.1, -0.2][..]; model.inputs().count()];
        let predicted = |model: &Model, fitted| model.predict(2, &columns, fitted).unwrap();
        assert_eq!(predicted(&read, Fitted::Predictor), predicted(model, Fitted::Refit));
        let ranges_are_known = read.outside(2, &columns).unwrap().is_some();
        assert_eq!(ranges_are_known, model.inputs().count() == 0);
    }
    assert!(models()[5].predictor.is_some() && models()[2].predictor.is_none());
}

#[test]
fn a_file_of_version_3_is_read_and_its_predictor_sees_saturated_inputs() {
    let mut value: Value = serde_json::from_slice(&files()[5]).unwrap();
    value["version"] = json!(3);
    value["model"]["predictor"].as_object_mut().unwrap().remove("coding").unwrap();
    let read = model_from_bytes("old.json", value.to_string().as_bytes()).unwrap();
    assert_eq!(read.predictor.unwrap().coding, Coding::Saturated);
}

#[test]
fn a_file_that_is_something_else_is_refused_by_name() {
    for text in ["", "   ", "a,b\n1,2\n", "[1,2]", "null", "{}", "{\"format\": \"other\", \"version\": 1}"] {
        let error = model_from_bytes("odd.json", text.as_bytes()).unwrap_err();
        assert!(matches!(error, ModelFileError::NotAModel { .. }), "{text}: {error}");
        assert!(error.to_string().starts_with("odd.json: is not a needlenet model"), "{error}");
    }
    let missing = load_model("nowhere/m.json".as_ref()).unwrap_err();
    assert!(missing.to_string().starts_with("nowhere/m.json: cannot be read"), "{missing}");
}

#[test]
fn a_newer_file_asks_for_an_upgrade_whatever_its_content() {
    let text = r#"{"format": "needlenet-model", "version": 7, "weights": {"new": true}}"#;
    let error = model_from_bytes("m.json", text.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "m.json: written by a newer needlenet (format version 7); this one reads versions up to 4: upgrade"
    );
}

#[test]
fn a_file_above_the_limit_is_refused_before_it_is_parsed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("huge.json");
    std::fs::File::create(&path).unwrap().set_len((256 << 20) + 1).unwrap();
    assert!(matches!(load_model(&path), Err(ModelFileError::TooLarge { .. })));
}

#[test]
fn parts_that_do_not_fit_together_are_refused() {
    let deep = "[".repeat(100_000);
    let cases: Vec<(&str, Value)> = vec![
        ("/model/weights/powers", json!([])),
        ("/model/weights/powers", json!([[], []])),
        ("/model/weights/powers/0", json!([9.0])),
        ("/model/weights/n_outputs", json!(0)),
        ("/model/weights/n_outputs", json!(u64::MAX)),
        ("/model/weights/refitted", json!([])),
        ("/model/weights/penalised/0", json!(null)),
        ("/model/weights/penalised", json!(vec![1.0; 1000])),
        ("/model/settings/hidden", json!([])),
        ("/model/settings/hidden", json!([u64::MAX])),
        ("/model/settings/hidden", json!([-1])),
        ("/model/settings/activation/sharpness", json!(0.0)),
        ("/model/settings/activation/powers", json!([])),
        ("/model/needles/0/scaling/scale", json!(0.0)),
        ("/model/needles/0/index", json!(4)),
        ("/model/needles/0/class", json!(2)),
        ("/model/needles", json!([])),
        ("/model/neurons/0/inputs/0/0", json!(99)),
        ("/model/task/scaling/scale", json!(-1.0)),
        ("/model/task", json!({"kind": "classification", "classes": [], "link": "logit"})),
        ("/model/task", json!({"kind": "classification", "classes": ["a", "b"], "link": "identity"})),
        ("/model/lambda", json!(0.0)),
        ("/model/lambda", json!("1.0")),
        ("/version", json!(0)),
        ("/version", json!(null)),
    ];
    for (place, value) in cases {
        let mut file: Value = serde_json::from_slice(&files()[0]).unwrap();
        *file.pointer_mut(place).unwrap_or_else(|| panic!("no {place} in the file")) = value.clone();
        let error = model_from_bytes("m.json", file.to_string().as_bytes()).unwrap_err();
        assert!(matches!(error, ModelFileError::Damaged { .. }), "{place} = {value}: {error}");
    }
    let of_predictor: [(&str, Value); 10] = [
        ("/model/predictor/neurons", json!(0)),
        ("/model/predictor/neurons", json!(u64::MAX)),
        ("/model/predictor/weights", json!([])),
        ("/model/predictor/weights/0", json!(null)),
        ("/model/predictor/coding", json!("backwards")),
        ("/model/predictor/coding", json!({ "ranks": [] })),
        ("/model/predictor/coding", json!({ "ranks": [[[1.0, 0.0], [0.0, 1.0]], [[0.0, 0.0]]] })),
        ("/model/needles/0/range", json!([1.0, 0.0])),
        ("/model/output_ranges", json!([])),
        ("/model/output_ranges", json!([[0.0, 1.0], [0.0, 1.0]])),
    ];
    for (place, value) in of_predictor {
        let mut file: Value = serde_json::from_slice(&files()[5]).unwrap();
        *file.pointer_mut(place).unwrap_or_else(|| panic!("no {place} in the file")) = value.clone();
        let error = model_from_bytes("m.json", file.to_string().as_bytes()).unwrap_err();
        assert!(matches!(error, ModelFileError::Damaged { .. }), "{place} = {value}: {error}");
    }
    let nested = format!("{{\"format\": {deep}");
    assert!(model_from_bytes("m.json", nested.as_bytes()).is_err());
    let text = String::from_utf8(files()[0].clone()).unwrap();
    let huge = text.replacen("\"lambda\":", "\"lambda\":1e999,\"was\":", 1);
    assert!(model_from_bytes("m.json", huge.as_bytes()).is_err());
}

#[test]
fn a_model_with_a_number_that_json_cannot_hold_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.json");
    let mut model = models()[0].clone();
    model.certificate.kkt_violation = f64::NAN;
    let error = save_model(&path, &model).unwrap_err();
    assert!(matches!(error, ModelFileError::Unwritable { .. }), "{error}");
    assert!(!path.exists());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_truncation_is_an_error(which in 0..4_usize, part in 0.0..1.0_f64) {
        let bytes = files()[which].trim_ascii_end();
        let cut = (part * bytes.len() as f64) as usize;
        prop_assert!(model_from_bytes("m.json", &bytes[..cut]).is_err());
    }

    #[test]
    fn any_damaged_byte_is_an_error_or_a_model_that_can_be_used(which in 0..4_usize, part in 0.0..1.0_f64, byte: u8) {
        let mut bytes = files()[which].clone();
        let at = (part * bytes.len() as f64) as usize;
        bytes[at] = byte;
        if let Ok(model) = model_from_bytes("m.json", &bytes) {
            use_model(&model);
        }
    }

    /// Most bytes of a file are digits of null draws; the structure is where damage could mislead.
    #[test]
    fn damaged_structure_is_an_error_or_a_model_that_can_be_used(
        which in 0..4_usize, at in any::<prop::sample::Index>(), with in any::<prop::sample::Index>(),
    ) {
        let mut file: Value = serde_json::from_slice(&files()[which]).unwrap();
        let draws = file.pointer_mut("/model/threshold/draws").unwrap();
        *draws = json!([1.0, 2.0]);
        let mut bytes = file.to_string().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = *with.get(b"0123456789-e.,[]{}:\"n");
        if let Ok(model) = model_from_bytes("m.json", &bytes) {
            use_model(&model);
        }
    }
}

#[test]
fn how_sure_the_needles_are_is_kept_and_checked() {
    let names = ["a", "b", "c", "d"].map(String::from).to_vec();
    let data = Data::new(inputs(), names, quantity()).unwrap();
    let settings = Settings { hidden: Vec::new(), draws: 100, ..Settings::default() };
    let mut fitted = fit(data.clone(), &settings).unwrap();
    let options = SureOptions { pairs: 2, ..SureOptions::default() };
    fitted.sure = Some(sure(&data, &fitted, &options, &()).unwrap());
    let bytes = needlenet_io::model_to_bytes("m", &fitted).unwrap();
    assert_eq!(model_from_bytes("m", &bytes).unwrap(), fitted);
    let mut file: Value = serde_json::from_slice(&bytes).unwrap();
    for (field, value) in [("p_value", json!(1.5)), ("frequency", json!(-0.1)), ("name", json!("other"))] {
        let mut forged = file.clone();
        forged["model"]["sure"]["needles"][0][field] = value;
        assert!(model_from_bytes("m", forged.to_string().as_bytes()).is_err(), "{field}");
    }
    // a file from before has no such field
    file["model"].as_object_mut().unwrap().remove("sure");
    assert_eq!(model_from_bytes("m", file.to_string().as_bytes()).unwrap().sure, None);
}
