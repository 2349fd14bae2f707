//! Arrow IPC: files and streams of record batches. Tested in `tests/binary_tables.rs`.

use std::io::{BufRead, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatchReader;
use arrow_ipc::reader::{FileReader, StreamReader, read_footer_length};
use arrow_ipc::root_as_footer;
use arrow_schema::ArrowError;

use crate::arrow::{Batches, damaged};
use crate::{Error, ReadOptions, Table};

/// Reads an IPC file or stream, whichever its first bytes say.
pub(crate) fn read(file: &str, input: impl BufRead + Seek, options: &ReadOptions) -> Result<Table, Error> {
    guarded(file, "Arrow", || decode(file, input, options))
}

/// The decoders panic on some damaged files, for example when a buffer lies outside its message: here that is
/// an error.
pub(crate) fn guarded(
    file: &str,
    format: &'static str,
    decode: impl FnOnce() -> Result<Table, Error>,
) -> Result<Table, Error> {
    // what the decoder leaves half-done is dropped with it
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|panic| {
        let text =
            panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        let reason = text.unwrap_or("the decoder failed").to_owned();
        Err(Error::Damaged { file: file.to_owned(), format, reason })
    })
}

fn decode(file: &str, mut input: impl BufRead + Seek, options: &ReadOptions) -> Result<Table, Error> {
    let damaged = |error: ArrowError| damaged(file, &error);
    let is_file = input.fill_buf().is_ok_and(|bytes| bytes.starts_with(b"ARROW1"));
    // the schema comes first, since what is then read depends on the names
    let schema = if is_file {
        check_blocks(&mut input).map_err(damaged)?;
        FileReader::try_new(&mut input, None).map_err(damaged)?.schema()
    } else {
        StreamReader::try_new(&mut input, None).map_err(damaged)?.schema()
    };
    input.rewind().map_err(|source| Error::Read { file: file.to_owned(), source })?;
    let batches = Batches::of_schema(file, &schema, options)?;
    let columns = Some(batches.used());
    if is_file {
        read_all(batches, FileReader::try_new(input, columns).map_err(damaged)?, options)
    } else {
        read_all(batches, StreamReader::try_new(input, columns).map_err(damaged)?, options)
    }
}

/// Refuses a footer whose blocks do not lie inside the file: the reader would ask for their memory first.
fn check_blocks(input: &mut (impl Read + Seek)) -> Result<(), ArrowError> {
    let outside = || ArrowError::ParseError("a block lies outside the file".to_owned());
    let length = input.seek(SeekFrom::End(0))?;
    let mut tail = [0; 10];
    input.seek(SeekFrom::Start(length.checked_sub(10).ok_or_else(outside)?))?;
    input.read_exact(&mut tail)?;
    let footer_length = read_footer_length(tail)?;
    let start = length.checked_sub(10 + footer_length as u64).ok_or_else(outside)?;
    input.seek(SeekFrom::Start(start))?;
    let mut bytes = vec![0; footer_length];
    input.read_exact(&mut bytes)?;
    let footer = root_as_footer(&bytes).map_err(|error| ArrowError::ParseError(error.to_string()))?;
    let blocks =
        footer.recordBatches().into_iter().flatten().chain(footer.dictionaries().into_iter().flatten());
    for block in blocks {
        let parts = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()];
        let end = parts.into_iter().try_fold(0_u64, |end, part| end.checked_add(u64::try_from(part).ok()?));
        if end.is_none_or(|end| end > length) {
            return Err(outside());
        }
    }
    input.rewind()?;
    Ok(())
}

fn read_all(
    mut batches: Batches,
    reader: impl RecordBatchReader,
    options: &ReadOptions,
) -> Result<Table, Error> {
    let columns = batches.used();
    for batch in reader {
        batches.push(&batch.map_err(|error| damaged(batches.file(), &error))?, &columns)?;
    }
    batches.close(&columns)?;
    batches.finish(options)
}
