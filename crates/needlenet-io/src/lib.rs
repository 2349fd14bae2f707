//! Tables in and out: CSV, TSV, Parquet, Arrow IPC and NumPy files become one [`Table`] of `f64`.
//!
//! ```text
//! bytes -> gzip? -> format (magic bytes) -> names -> plan (inputs, outcome, skipped) -> blocks -> Table
//! ```
//!
//! Each step is a module: `source` opens and recognises, `plan` decides what each column of the file is for,
//! `text`, `parquet`, `arrow` and `numpy` read the cells, `blocks` puts them column by column,
//! `missing` deals with the empty cells. A missing cell is a NaN from the moment it is read until `missing`
//! has removed it; no other NaN and no infinity can get in. Memory: the table and about a thirtieth of it; the
//! cells of an Arrow file of one batch are there twice. Tested in `tests/`. Without the feature `tables` (on by
//! default) only model files remain.
//!
//! ```
//! use needlenet_io::{ReadOptions, read_table_from};
//!
//! let options = ReadOptions { target: Some("y".into()), ..ReadOptions::default() };
//! let table = read_table_from("small.csv", "a,y\n1.5,yes\n2,no\n".as_bytes(), &options)?;
//! assert_eq!(table.names, ["a"]);
//! assert_eq!(table.values, [1.5, 2.0]);
//! # Ok::<(), needlenet_io::Error>(())
//! ```

#[cfg(feature = "tables")]
mod arrow;
#[cfg(feature = "tables")]
mod arrow_lengths;
#[cfg(feature = "tables")]
mod blocks;
#[cfg(feature = "tables")]
mod delimiter;
mod error;
#[cfg(feature = "tables")]
mod memory;
#[cfg(feature = "tables")]
mod missing;
mod model_file;
#[cfg(feature = "tables")]
mod npy_array;
#[cfg(feature = "tables")]
mod numpy;
#[cfg(feature = "tables")]
mod options;
#[cfg(feature = "tables")]
mod outcome;
#[cfg(feature = "tables")]
mod parquet;
#[cfg(feature = "tables")]
mod parquet_footer;
#[cfg(feature = "tables")]
mod plan;
#[cfg(feature = "tables")]
mod source;
#[cfg(feature = "tables")]
mod table;
#[cfg(feature = "tables")]
mod text;
#[cfg(feature = "tables")]
mod thrift;
mod write;

pub use error::{Error, Place};
pub use model_file::{ModelFileError, load_model, model_from_bytes, model_to_bytes, save_model};
#[cfg(feature = "tables")]
pub use options::{ColumnRef, Format, Missing, ReadOptions};
#[cfg(feature = "tables")]
pub use source::{read_table, read_table_from};
#[cfg(feature = "tables")]
pub use table::{Table, Target};
pub use write::{check_outputs, write_atomically};
