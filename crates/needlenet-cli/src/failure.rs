//! Errors of the program: one line that names the file and the remedy.

use std::io;

use thiserror::Error;

/// A failure; its text follows "error: ".
#[derive(Debug, Error)]
pub enum Failure {
    /// The learner refused the data or a setting.
    #[error(transparent)]
    Learner(#[from] needlenet::Error),
    /// The learner refused the data of a file.
    #[error("{file}: {source}")]
    Data {
        /// The file.
        file: String,
        /// The reason.
        source: needlenet::Error,
    },
    /// A table could not be read, or a file not written.
    #[error(transparent)]
    Table(#[from] needlenet_io::Error),
    /// A model file could not be used.
    #[error(transparent)]
    Model(#[from] needlenet_io::ModelFileError),
    /// An experiment cannot continue.
    #[error(transparent)]
    Lab(#[from] needlenet_lab::LabError),
    /// Options that cannot be combined or used.
    #[error("{0}")]
    Usage(String),
    /// Standard output failed.
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// A refusal of the learner, with the file it is about.
    pub fn of_data(file: &str) -> impl FnOnce(needlenet::Error) -> Failure {
        let file = if file == "-" { "standard input" } else { file }.to_owned();
        |source| Failure::Data { file, source }
    }

    /// Whether the reader of standard output has closed it, as `head` does: not an error.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}
