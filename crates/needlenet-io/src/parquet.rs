//! Parquet: only the columns of use are decoded, some columns and some of their rows at a time, so that a wide
//! table is never there twice. Tested in `tests/binary_tables.rs`.

use std::io;

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use ::parquet::file::reader::ChunkReader;

use crate::arrow::{Batches, guarded};
use crate::blocks::span_width;
use crate::{Error, ReadOptions, Table};

/// The cells decoded at once: 4 MB.
const BATCH_CELLS: usize = 1 << 19;

/// Reads the file that `open` opens, which it does once for every span of columns.
pub(crate) fn read<R: ChunkReader + 'static>(
    file: &str,
    open: impl Fn() -> io::Result<R>,
    options: &ReadOptions,
) -> Result<Table, Error> {
    guarded(file, "Parquet", || decode(file, open, options))
}

fn decode<R: ChunkReader + 'static>(
    file: &str,
    open: impl Fn() -> io::Result<R>,
    options: &ReadOptions,
) -> Result<Table, Error> {
    let damaged = |reason: String| Error::Damaged { file: file.to_owned(), format: "Parquet", reason };
    let open = || open().map_err(|source| Error::Read { file: file.to_owned(), source });
    let metadata = ArrowReaderMetadata::load(&open()?, ArrowReaderOptions::new())
        .map_err(|error| damaged(error.to_string()))?;
    let mut batches = Batches::new(file, metadata.schema(), options)?;
    let used = batches.used();
    // a span of a small table is not worth a further pass over the footer
    let rows = usize::try_from(metadata.metadata().file_metadata().num_rows()).unwrap_or(0).max(1);
    let width = span_width(used.len()).max(BATCH_CELLS / rows);
    // without columns, the rows are counted
    let spans = if used.is_empty() { vec![&used[..]] } else { used.chunks(width).collect() };
    for columns in spans {
        let mask = ProjectionMask::roots(metadata.parquet_schema(), columns.iter().copied());
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(open()?, metadata.clone())
            .with_projection(mask)
            .with_batch_size((BATCH_CELLS / columns.len().max(1)).clamp(64, 1 << 16))
            .build()
            .map_err(|error| damaged(error.to_string()))?;
        for batch in reader {
            batches.push(&batch.map_err(|error| damaged(error.to_string()))?, columns)?;
        }
        batches.close(columns)?;
    }
    batches.finish(options)
}
