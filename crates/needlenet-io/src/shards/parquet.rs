//! A Parquet file as a shard: of each row group only the columns in question are decoded.
//!
//! A cell that is not there becomes NaN, which the first pass refuses with its row and column.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use arrow_array::Array;
use arrow_schema::DataType;
use needlenet::shards::Columns;

use super::bad;
use crate::Error;
use crate::arrow_file::guarded;
use crate::arrow_values::numbers;
use crate::parquet::{Metadata, some};

pub(super) struct Groups {
    name: String,
    path: PathBuf,
    metadata: Metadata,
    p: usize,
    n: usize,
}

/// The shard, and the names of its columns.
pub(super) fn open(path: &Path) -> Result<(Groups, Vec<String>), Error> {
    let name = path.display().to_string();
    guarded(&name, "Parquet", || {
        let file = File::open(path).map_err(|source| Error::Open { file: name.clone(), source })?;
        let damaged = |reason: String| Error::Damaged { file: name.clone(), format: "Parquet", reason };
        let metadata = Metadata::load(&file).map_err(|error| damaged(error.to_string()))?;
        let (names, kinds) = metadata.names_and_kinds(&file).map_err(|error| damaged(error.to_string()))?;
        for (column, kind) in names.iter().zip(&kinds) {
            if !(kind.is_numeric() || *kind == DataType::Boolean) {
                let remedy = "a shard has numbers only: put other columns into the table of the samples";
                return Err(bad(
                    &name,
                    format!("the column \"{column}\" holds values of type {kind}; {remedy}"),
                ));
            }
        }
        let n = usize::try_from(metadata.n_rows()).map_err(|error| damaged(error.to_string()))?;
        let shard = Groups { name: name.clone(), path: path.to_owned(), metadata, p: names.len(), n };
        Ok((shard, names))
    })
}

impl Groups {
    fn fill(&self, columns: &[usize], values: &mut [f64]) -> Result<(), String> {
        // each read has its own place in the file
        let open = || File::open(&self.path).map_err(|error| error.to_string());
        let mut before = 0;
        for batch in some(&self.metadata, open, columns)? {
            let batch = batch.map_err(|error| error.to_string())?;
            let after = before + batch.num_rows();
            for (column, cells) in values.chunks_mut(self.n).zip(batch.columns()) {
                let mut values = Vec::with_capacity(cells.len());
                numbers(cells, &mut values).map_err(|error| error.to_string())?;
                let part = column.get_mut(before..after).ok_or("it has more rows than its footer says")?;
                part.copy_from_slice(&values);
            }
            before = after;
        }
        if before == self.n { Ok(()) } else { Err(format!("{before} rows where its footer says {}", self.n)) }
    }
}

impl Columns for Groups {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn n_samples(&self) -> usize {
        self.n
    }

    fn n_columns(&self) -> usize {
        self.p
    }

    fn read(&self, columns: Range<usize>, values: &mut [f64]) -> Result<(), String> {
        let all: Vec<usize> = columns.collect();
        let width = self.metadata.span_width(all.len());
        for (columns, values) in all.chunks(width).zip(values.chunks_mut(width * self.n)) {
            let filled = guarded(&self.name, "Parquet", || Ok(self.fill(columns, values)));
            filled.map_err(|error| error.to_string())??;
        }
        Ok(())
    }
}
