//! The learner's errors as Python exceptions: bad values are `ValueError`, files `OSError`.

use needlenet_io::ModelFileError;
use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};

/// An error of the learner.
pub fn of_learner(error: needlenet::Error) -> PyErr {
    let text = error.to_string();
    match error {
        needlenet::Error::Interrupted => PyKeyboardInterrupt::new_err(text),
        needlenet::Error::Threads { .. } => PyRuntimeError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// An error of a table.
pub fn of_table(error: needlenet_io::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// An error of a model file.
pub fn of_file(error: ModelFileError) -> PyErr {
    match error {
        ModelFileError::Read { source, file } => {
            // Python picks the subclass, such as FileNotFoundError, by the number
            PyOSError::new_err((source.raw_os_error().unwrap_or(0), source.to_string(), file))
        }
        ModelFileError::Write(error) => PyOSError::new_err(error.to_string()),
        other => PyValueError::new_err(other.to_string()),
    }
}
