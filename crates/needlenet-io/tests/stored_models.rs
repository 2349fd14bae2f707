//! Model files of every version are kept, are read, and predict what they predicted.
//!
//! `make store` adds the files of the version that is written now, if there are none; files that are there are not changed.
#![allow(clippy::unwrap_used)]

mod fitted;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use needlenet::{Fitted, Prediction};
use needlenet_io::{model_from_bytes, model_to_bytes};
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

fn version(bytes: &[u8]) -> u64 {
    serde_json::from_slice::<Value>(bytes).unwrap()["version"].as_u64().unwrap()
}

/// The files, by their names.
fn files() -> BTreeMap<String, Vec<u8>> {
    let paths = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let models = paths.filter(|path| name(path).starts_with("version-"));
    models.map(|path| (name(&path), std::fs::read(&path).unwrap())).collect()
}

/// The predictions on a few samples, by each of the fitted networks.
fn outputs(file: &str, bytes: &[u8]) -> Vec<f64> {
    let model = model_from_bytes(file, bytes).unwrap();
    let column = [-1.0, -0.3, 0.0, 0.5, 2.0];
    let columns = vec![&column[..]; model.inputs().count()];
    let of = |fitted| match model.predict(column.len(), &columns, fitted).unwrap() {
        Prediction::Numbers(numbers) => numbers,
        Prediction::Classes { probabilities, .. } => probabilities,
    };
    [Fitted::Predictor, Fitted::Refit, Fitted::Penalised].into_iter().flat_map(of).collect()
}

#[test]
fn model_files_of_every_version_predict_what_they_predicted() {
    let stored = folder().join("outputs.json");
    let now = fitted::models().map(|(kind, model)| (kind, model_to_bytes("m.json", &model).unwrap()));
    let newest = version(&now[0].1);
    let mut expected: BTreeMap<String, Vec<f64>> =
        std::fs::read(&stored).map(|bytes| serde_json::from_slice(&bytes).unwrap()).unwrap_or_default();
    if std::env::var_os("STORE").is_some() {
        for (kind, bytes) in now {
            let path = folder().join(format!("version-{newest}-{kind}.json"));
            if !path.exists() {
                std::fs::write(path, bytes).unwrap();
            }
        }
        for (name, bytes) in files() {
            expected.entry(name.clone()).or_insert_with(|| outputs(&name, &bytes));
        }
        std::fs::write(&stored, serde_json::to_string_pretty(&expected).unwrap() + "\n").unwrap();
        return;
    }
    let files = files();
    assert!(files.keys().eq(expected.keys()), "each file has its outputs");
    for wanted in 1..=newest {
        assert!(
            files.values().any(|bytes| version(bytes) == wanted),
            "no file of version {wanted}: make store"
        );
    }
    for (name, bytes) in &files {
        for (found, expected) in outputs(name, bytes).iter().zip(&expected[name]) {
            // other processors round the sums of a network otherwise
            assert!((found - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "{name}: {found} {expected}");
        }
    }
}
