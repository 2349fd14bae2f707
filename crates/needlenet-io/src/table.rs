//! The result of reading: the inputs as one column-major array, and the outcome. Tested in
//! `tests/text_tables.rs`.

use crate::Group;

/// A table of finite numbers, with its outcome if one was requested.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The names of the columns; an input of several columns has a name for each, such as `stage=II`.
    pub names: Vec<String>,
    /// The number of samples.
    pub n_rows: usize,
    /// The cells, column-major: column `j` is `values[j * n_rows..(j + 1) * n_rows]`. All are finite.
    pub values: Vec<f64>,
    /// The inputs of several columns, and the ordered categories; every other column is an input of its own.
    pub groups: Vec<Group>,
    /// The outcome.
    pub target: Option<Target>,
    /// The additional columns, in the order in which they were requested.
    pub beside: Vec<Target>,
    /// The rows kept, counted from 1 among the data rows of the file.
    pub rows: Vec<usize>,
    /// Notes for the user: rows or columns dropped, cells filled, columns renamed.
    pub notes: Vec<String>,
}

/// The outcome, or an additional column.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Its name in the file.
    pub name: String,
    /// Its values as written; numbers of binary formats the shortest way (`1`, not `1.0`).
    pub text: Vec<String>,
    /// Its values as numbers, if every value is a number.
    pub numbers: Option<Vec<f64>>,
}
