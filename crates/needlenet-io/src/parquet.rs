//! Parquet: only the columns of use are decoded, some rows at a time. Tested in `tests/binary_tables.rs`.

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use ::parquet::file::reader::ChunkReader;

use crate::arrow::{Batches, guarded};
use crate::blocks::Blocks;
use crate::{Error, ReadOptions, Table};

pub(crate) fn read(
    file: &str,
    input: impl ChunkReader + 'static,
    options: &ReadOptions,
) -> Result<Table, Error> {
    guarded(file, "Parquet", || decode(file, input, options))
}

fn decode(file: &str, input: impl ChunkReader + 'static, options: &ReadOptions) -> Result<Table, Error> {
    let damaged = |reason: String| Error::Damaged { file: file.to_owned(), format: "Parquet", reason };
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(input).map_err(|error| damaged(error.to_string()))?;
    let mut batches = Batches::new(file, builder.schema(), options)?;
    let columns = batches.used();
    let rows = Blocks::rows_per_block(columns.len()).clamp(64, 1 << 16);
    let mask = ProjectionMask::roots(builder.parquet_schema(), columns);
    let reader = builder
        .with_projection(mask)
        .with_batch_size(rows)
        .build()
        .map_err(|error| damaged(error.to_string()))?;
    for batch in reader {
        batches.push(&batch.map_err(|error| damaged(error.to_string()))?)?;
    }
    batches.finish(options)
}
