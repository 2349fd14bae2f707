//! Tables in and out: CSV, TSV, spreadsheets, Parquet, Arrow IPC and NumPy files become one [`Table`] of `f64`.
//!
//! ```text
//! bytes -> gzip? -> format (magic bytes) -> names -> plan (inputs, outcome, skipped) -> blocks -> draft
//! draft -> words become numbers or categories -> missing cells -> columns and groups -> Table -> learner's data
//! ```
//!
//! Each step is a module: `source` opens a file and recognises its format, `plan` decides the use of each column, `text`,
//! `xlsx` and `ods` (then `sheet`), `parquet`, `arrow_file` and `numpy` read the cells, `blocks` puts them column by column, `interpret` decides
//! what words mean, `missing` handles the empty cells, `layout` makes the columns of categories and `structure` tells
//! the learner which columns are one input. A missing cell is a NaN until `missing` has removed it, and a word is a NaN that
//! carries a code; no other NaN and no infinity can get in. Memory: the table and about a thirtieth of it; an Arrow file of
//! one batch is in memory twice. Tested in `tests/`. The feature `tables` (on by default) reads files; `columns` alone takes
//! tables of other libraries; without both only model files remain.
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

#![forbid(unsafe_code)]

#[cfg(feature = "columns")]
#[cfg_attr(not(feature = "tables"), allow(dead_code))]
mod arrow;
#[cfg(feature = "tables")]
mod arrow_file;
#[cfg(feature = "tables")]
mod arrow_lengths;
#[cfg(feature = "columns")]
mod arrow_values;
#[cfg(feature = "columns")]
#[cfg_attr(not(feature = "tables"), allow(dead_code))]
mod blocks;
#[cfg(feature = "columns")]
mod category;
#[cfg(feature = "columns")]
mod columns;
#[cfg(feature = "columns")]
mod commas;
#[cfg(feature = "columns")]
mod dates;
#[cfg(feature = "tables")]
mod delimiter;
#[cfg(feature = "columns")]
mod draft;
mod error;
#[cfg(feature = "columns")]
mod interpret;
#[cfg(feature = "columns")]
mod known;
#[cfg(feature = "columns")]
mod layout;
mod ledger;
#[cfg(feature = "columns")]
mod looks;
#[cfg(feature = "tables")]
mod matrix_market;
#[cfg(feature = "columns")]
#[cfg_attr(not(feature = "tables"), allow(dead_code))]
mod memory;
#[cfg(feature = "columns")]
mod missing;
mod model_file;
#[cfg(feature = "shards")]
#[cfg_attr(not(feature = "tables"), allow(dead_code))]
mod npy_array;
#[cfg(feature = "tables")]
mod numpy;
#[cfg(feature = "tables")]
mod ods;
#[cfg(feature = "columns")]
mod options;
#[cfg(feature = "columns")]
#[cfg_attr(not(feature = "tables"), allow(dead_code))]
mod outcome;
#[cfg(feature = "tables")]
mod parquet;
#[cfg(feature = "tables")]
mod parquet_footer;
#[cfg(feature = "columns")]
#[cfg_attr(not(feature = "tables"), allow(dead_code))]
mod plan;
#[cfg(feature = "columns")]
mod refusal;
#[cfg(feature = "shards")]
#[cfg_attr(not(feature = "tables"), allow(dead_code))]
mod shards;
#[cfg(feature = "tables")]
mod sheet;
#[cfg(feature = "tables")]
mod source;
#[cfg(feature = "columns")]
mod structure;
mod sure_ledger;
#[cfg(feature = "columns")]
mod table;
mod task;
#[cfg(feature = "tables")]
mod text;
#[cfg(feature = "tables")]
mod thrift;
#[cfg(feature = "columns")]
mod words;
mod write;
#[cfg(feature = "tables")]
mod xlsx;

#[cfg(feature = "columns")]
pub use arrow::read_batches;
#[cfg(feature = "columns")]
pub use columns::{Cells, read_columns, read_values};
#[cfg(feature = "columns")]
pub use commas::Decimal;
pub use error::{Error, Place, Unusable};
#[cfg(feature = "columns")]
pub use known::{Coding, Group, GroupKind, Known, MISSING_LEVEL, OTHER};
pub use ledger::{open_locked, whole_lines};
#[cfg(feature = "tables")]
pub use matrix_market::{
    SparseMatrix, SparseTable, is_matrix_market, read_matrix_market, read_matrix_market_from,
    read_matrix_market_within, read_names, read_sparse_table,
};
#[cfg(feature = "columns")]
pub use memory::half_of_free_memory;
pub use model_file::{ModelFileError, load_model, model_from_bytes, model_to_bytes, save_model};
#[cfg(feature = "columns")]
pub use options::{ColumnRef, Format, Front, Missing, ReadOptions, Unseen};
#[cfg(feature = "shards")]
pub use shards::{Book, Folder, Kept, Named, kept_beside};
#[cfg(feature = "tables")]
pub use shards::{shard_bed, shard_table};
#[cfg(feature = "tables")]
pub use source::{read_table, read_table_from, refuse_hdf5};
#[cfg(feature = "columns")]
pub use structure::{Structure, known_inputs};
pub use sure_ledger::{SureLedger, SureLedgerError, piece_from_text, piece_to_text};
#[cfg(feature = "columns")]
pub use table::{Table, Target};
pub use task::numbers_are_classes;
pub use write::{check_outputs, write_atomically};
