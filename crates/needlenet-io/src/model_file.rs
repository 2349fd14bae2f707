//! Model files: `{"format": "needlenet-model", "version": 4, "model": {...}}`.
//!
//! A model file contains only data, so reading one of unknown origin is safe: its size is bounded, every
//! number in it is finite, and [`Model::check`] refuses inconsistent parts. Numbers are restored bit for bit.
//! The fields are described in `docs/model-file.md`. Tested in `tests/model_files.rs`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use needlenet::Model;
use serde::{Deserialize, Serialize};

use crate::{Error, write_atomically};

/// The field `format` of every model file.
const FORMAT: &str = "needlenet-model";

/// The version written, and the newest that can be read.
const VERSION: u64 = 4;

/// The largest size of a model file: a million weights take some 20 MB.
const LARGEST: u64 = 256 << 20;

/// Why a model file was not read or not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelFileError {
    /// The file could not be opened or read.
    #[error("{file}: cannot be read: {source}")]
    Read {
        /// The file.
        file: String,
        /// The reason.
        source: io::Error,
    },
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] Error),
    /// The file is larger than any model.
    #[error("{file}: is larger than {} MiB, so it is no needlenet model; give a file that needlenet fit --out wrote", LARGEST >> 20)]
    TooLarge {
        /// The file.
        file: String,
    },
    /// The file is not a model file.
    #[error("{file}: is not a needlenet model ({reason}); give a file that needlenet fit --out wrote")]
    NotAModel {
        /// The file.
        file: String,
        /// What was found.
        reason: String,
    },
    /// The file ends too early.
    #[error("{file}: the model is cut off at line {line}, column {column}; copy the file again or fit again")]
    CutOff {
        /// The file.
        file: String,
        /// Where it ends.
        line: usize,
        /// Where it ends.
        column: usize,
    },
    /// The file was damaged or edited.
    #[error("{file}: the model is damaged: {reason}; copy the file again or fit again")]
    Damaged {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// The file was written by a newer version.
    #[error(
        "{file}: written by a newer needlenet (format version {version}); this one reads versions up to {VERSION}: upgrade"
    )]
    Newer {
        /// The file.
        file: String,
        /// Its version.
        version: u64,
    },
    /// A model that could not be read back.
    #[error("{file}: not written, since the model could not be read back: {reason}")]
    Unwritable {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
}

#[derive(Serialize)]
struct Written<'a> {
    format: &'a str,
    version: u64,
    model: &'a Model,
}

/// The fields that every version has.
#[derive(Deserialize)]
struct Header {
    format: Option<String>,
    version: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CurrentFile {
    #[serde(rename = "format")]
    _format: String,
    #[serde(rename = "version")]
    _version: u64,
    model: Model,
}

/// Writes a model atomically: a reader sees the old file or the whole new one.
pub fn save_model(path: &Path, model: &Model) -> Result<(), ModelFileError> {
    Ok(write_atomically(path, &model_to_bytes(&path.display().to_string(), model)?)?)
}

/// The bytes of a model's file, which [`model_from_bytes`] reads; `file` stands for it in errors.
pub fn model_to_bytes(file: &str, model: &Model) -> Result<Vec<u8>, ModelFileError> {
    let unwritable = |reason: String| ModelFileError::Unwritable { file: file.to_owned(), reason };
    let written = Written { format: FORMAT, version: VERSION, model };
    let mut bytes = serde_json::to_vec(&written).map_err(|error| unwritable(error.to_string()))?;
    bytes.push(b'\n');
    // JSON has no NaN: refuse to write a file that cannot be read back
    let read_back = model_from_bytes(file, &bytes).map_err(|error| unwritable(error.to_string()))?;
    if read_back != *model {
        return Err(unwritable("it reads back as another model".into()));
    }
    Ok(bytes)
}

/// Reads a model that [`save_model`] wrote.
pub fn load_model(path: &Path) -> Result<Model, ModelFileError> {
    let file = path.display().to_string();
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|opened| opened.take(LARGEST + 1).read_to_end(&mut bytes))
        .map_err(|source| ModelFileError::Read { file: file.clone(), source })?;
    model_from_bytes(&file, &bytes)
}

/// Reads a model from the bytes of its file; `file` stands for it in errors.
pub fn model_from_bytes(file: &str, bytes: &[u8]) -> Result<Model, ModelFileError> {
    let file = file.to_owned();
    if bytes.len() as u64 > LARGEST {
        return Err(ModelFileError::TooLarge { file });
    }
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return Err(ModelFileError::NotAModel { file, reason: "it does not begin with {".into() });
    }
    let header: Header = serde_json::from_slice(bytes).map_err(|error| json_error(&file, bytes, &error))?;
    match (header.format.as_deref(), header.version) {
        (Some(FORMAT), Some(1)) => return checked(file.clone(), of_version_1(&file, bytes)?),
        // these fields are optional: version 3 had one coding for the inputs of a predictor and no ordered levels, version 2
        // no predictor and no ranges
        (Some(FORMAT), Some(2 | 3 | VERSION)) => {}
        (Some(FORMAT), Some(version)) if version > VERSION => {
            return Err(ModelFileError::Newer { file, version });
        }
        (Some(FORMAT), version) => {
            let reason = match version {
                Some(version) => format!("there is no format version {version}"),
                None => "it has no format version".into(),
            };
            return Err(ModelFileError::Damaged { file, reason });
        }
        _ => {
            return Err(ModelFileError::NotAModel {
                file,
                reason: format!("its field \"format\" is not \"{FORMAT}\""),
            });
        }
    }
    let CurrentFile { model, .. } =
        serde_json::from_slice(bytes).map_err(|error| json_error(&file, bytes, &error))?;
    checked(file, model)
}

/// Version 1 had no field `used`: the field `settings` described what was used instead of what was
/// requested.
fn of_version_1(file: &str, bytes: &[u8]) -> Result<Model, ModelFileError> {
    let damaged = |reason: String| ModelFileError::Damaged { file: file.to_owned(), reason };
    let mut whole: serde_json::Value =
        serde_json::from_slice(bytes).map_err(|error| json_error(file, bytes, &error))?;
    let settings = whole["model"]["settings"].clone();
    let used = serde_json::json!({ "hidden": settings["hidden"], "penalty": settings["penalty"] });
    match whole["model"].as_object_mut() {
        Some(model) if !model.contains_key("used") => drop(model.insert("used".into(), used)),
        _ => return Err(damaged("it has no model of version 1".into())),
    }
    serde_json::from_value::<CurrentFile>(whole)
        .map(|file| file.model)
        .map_err(|error| damaged(error.to_string()))
}

fn checked(file: String, model: Model) -> Result<Model, ModelFileError> {
    match model.check() {
        Ok(()) => Ok(model),
        Err(needlenet::Error::Model { reason }) => Err(ModelFileError::Damaged { file, reason }),
        Err(error) => Err(ModelFileError::Damaged { file, reason: error.to_string() }),
    }
}

fn json_error(file: &str, bytes: &[u8], error: &serde_json::Error) -> ModelFileError {
    let file = file.to_owned();
    // a file that is cut inside a number gives the error of a bad number, not of an early end
    if error.is_eof() || !bytes.trim_ascii_end().ends_with(b"}") {
        return ModelFileError::CutOff { file, line: error.line(), column: error.column() };
    }
    ModelFileError::Damaged { file, reason: error.to_string() }
}
