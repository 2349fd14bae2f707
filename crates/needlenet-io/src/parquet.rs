//! Parquet: only the needed columns are decoded, some columns and some of their rows at a time, so that there
//! is never a second copy of a wide table. Of a wide footer, too, only these columns are decoded. Tested in
//! `tests/binary_tables.rs` and `tests/wide_parquet.rs`.

use std::io;
use std::sync::Arc;

use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use ::parquet::arrow::{ProjectionMask, parquet_to_arrow_schema};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::ParquetMetaDataReader;
use ::parquet::file::reader::ChunkReader;
use arrow_schema::DataType;

use crate::arrow::{Batches, names_and_kinds};
use crate::arrow_file::guarded;
use crate::blocks::span_width;
use crate::memory::{Room, bytes_of_cells};
use crate::parquet_footer::Footer;
use crate::{Error, ReadOptions, Table};

/// The cells decoded at once: 4 MB.
const BATCH_CELLS: usize = 1 << 19;

/// The columns of a wide footer decoded at once; the decoder needs up to 6 kB for each, whatever the number of
/// rows.
const WIDE_SPAN: usize = 400;

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
    let metadata = Metadata::load(&open()?).map_err(|error| damaged(error.to_string()))?;
    let mut batches = {
        let (names, kinds) =
            metadata.names_and_kinds(&open()?).map_err(|error| damaged(error.to_string()))?;
        Batches::new(file, names, &kinds, options)?
    };
    let used = batches.used();
    // a column of one value takes some bytes for any number of rows
    Room::new(file, options).check(bytes_of_cells(metadata.n_rows(), used.len() as u64))?;
    let width = metadata.span_width(used.len());
    // without columns, the rows are counted
    let spans = if used.is_empty() { vec![&used[..]] } else { used.chunks(width).collect() };
    for columns in spans {
        let opened = || open().map_err(|error| error.to_string());
        for batch in some(&metadata, opened, columns).map_err(damaged)? {
            batches.push(&batch.map_err(|error| damaged(error.to_string()))?, columns)?;
        }
        batches.close(columns)?;
    }
    batches.finish(options)
}

/// Some columns, some rows at a time; `open` opens the file.
pub(crate) fn some<R: ChunkReader + 'static>(
    metadata: &Metadata,
    open: impl Fn() -> Result<R, String>,
    columns: &[usize],
) -> Result<ParquetRecordBatchReader, String> {
    let (part, mask) = metadata.part(&open()?, columns).map_err(|error| error.to_string())?;
    ParquetRecordBatchReaderBuilder::new_with_metadata(open()?, part)
        .with_projection(mask)
        .with_batch_size((BATCH_CELLS / columns.len().max(1)).clamp(64, 1 << 16))
        .build()
        .map_err(|error| error.to_string())
}

/// The metadata of the footer.
pub(crate) enum Metadata {
    Whole(ArrowReaderMetadata),
    Wide(Footer),
}

impl Metadata {
    pub(crate) fn load(file: &impl ChunkReader) -> Result<Self, ParquetError> {
        match Footer::find(file) {
            Some(footer) => Ok(Self::Wide(footer)),
            None => ArrowReaderMetadata::load(file, ArrowReaderOptions::new()).map(Self::Whole),
        }
    }

    /// The names and types of all columns.
    pub(crate) fn names_and_kinds(
        &self,
        file: &impl ChunkReader,
    ) -> Result<(Vec<String>, Vec<DataType>), ParquetError> {
        let footer = match self {
            Self::Whole(metadata) => return Ok(names_and_kinds(metadata.schema())),
            Self::Wide(footer) => footer,
        };
        let all: Vec<usize> = (0..footer.n_columns()).collect();
        let (mut names, mut kinds) = (Vec::with_capacity(all.len()), Vec::with_capacity(all.len()));
        for columns in all.chunks(self.span_width(all.len())) {
            let part = ParquetMetaDataReader::decode_schema(&footer.schema(file, columns)?)?;
            let (some_names, some_kinds) = names_and_kinds(&parquet_to_arrow_schema(&part, None)?);
            names.extend(some_names);
            kinds.extend(some_kinds);
        }
        Ok((names, kinds))
    }

    /// The number of rows that the footer states.
    pub(crate) fn n_rows(&self) -> u64 {
        let n_rows = match self {
            Self::Whole(metadata) => metadata.metadata().file_metadata().num_rows(),
            Self::Wide(footer) => footer.n_rows(),
        };
        u64::try_from(n_rows).unwrap_or(0)
    }

    /// The columns to decode at once.
    pub(crate) fn span_width(&self, n_columns: usize) -> usize {
        match self {
            // a span of a small table is not worth a further pass over the footer
            Self::Whole(metadata) => {
                let n_rows = metadata.metadata().file_metadata().num_rows();
                let n_rows = usize::try_from(n_rows).unwrap_or(0).max(1);
                span_width(n_columns).max(BATCH_CELLS / n_rows)
            }
            Self::Wide(_) => span_width(n_columns).min(WIDE_SPAN),
        }
    }

    /// The metadata needed to read `columns`, and the positions of the columns in it.
    fn part(
        &self,
        file: &impl ChunkReader,
        columns: &[usize],
    ) -> Result<(ArrowReaderMetadata, ProjectionMask), ParquetError> {
        match self {
            Self::Whole(metadata) => {
                let mask = ProjectionMask::roots(metadata.parquet_schema(), columns.iter().copied());
                Ok((metadata.clone(), mask))
            }
            Self::Wide(footer) => {
                let part = ParquetMetaDataReader::decode_metadata(&footer.part(file, columns)?)?;
                let part = ArrowReaderMetadata::try_new(Arc::new(part), ArrowReaderOptions::new())?;
                Ok((part, ProjectionMask::all()))
            }
        }
    }
}
