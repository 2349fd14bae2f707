//! Errors of the lab, each with its remedy.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The result of anything in the lab that can fail.
pub type Result<T> = std::result::Result<T, LabError>;

/// Why an experiment cannot continue.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabError {
    /// A file or folder failed.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another program writes to the file.
    #[error("{}: another program is writing it; wait for it, or give another folder", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// A file with other contents.
    #[error("{}: does not hold rows of this experiment ({reason}); give another folder", path.display())]
    NotRows {
        /// The file.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// A row that cannot be written.
    #[error("a row cannot be written: {reason}")]
    Row {
        /// What is wrong.
        reason: String,
    },
    /// Rows of another experiment.
    #[error("{}: has rows of {found}, and this is {wanted}; give another folder{remedy}", path.display())]
    Mixed {
        /// The folder.
        path: PathBuf,
        /// What the rows are of.
        found: String,
        /// What was asked for.
        wanted: String,
        /// What else may be done.
        remedy: &'static str,
    },
    /// An unknown name.
    #[error(transparent)]
    Design(#[from] crate::UnknownDesign),
    /// An unknown name.
    #[error(transparent)]
    Learner(#[from] crate::UnknownLearner),
    /// An unknown name.
    #[error(transparent)]
    Study(#[from] crate::UnknownStudy),
    /// A point that the study does not have.
    #[error("{value} is no point of {study}; there are {}", known.join(", "))]
    Point {
        /// The value given.
        value: String,
        /// The study.
        study: &'static str,
        /// Its points.
        known: Vec<String>,
    },
    /// Sizes that a design cannot have.
    #[error("\"{text}\": {reason}; write a design as nonlinear:s=8 or deep:n=300")]
    Sizes {
        /// The design as given.
        text: String,
        /// What is wrong.
        reason: String,
    },
    /// The threads could not be started.
    #[error("{threads} threads cannot be started: {reason}; give fewer")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// A table that cannot be read.
    #[error(transparent)]
    Table(#[from] needlenet_io::Error),
    /// Nothing to run or to show.
    #[error("{}: {what}", path.display())]
    Nothing {
        /// The folder.
        path: PathBuf,
        /// What is missing.
        what: &'static str,
    },
}

impl LabError {
    /// An error of the system, with the file it is about.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> LabError {
        let path = path.to_owned();
        |source| LabError::File { path, source }
    }
}
