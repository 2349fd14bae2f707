//! Arrow IPC: files and streams of record batches. Tested in `tests/binary_tables.rs`.

use std::io::{BufRead, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatchReader;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::ArrowError;

use crate::arrow::{Batches, damaged};
use crate::arrow_lengths::check_lengths;
use crate::memory::Room;
use crate::{Error, ReadOptions, Table};

/// Reads an IPC file or stream; the first bytes tell which it is.
pub(crate) fn read(file: &str, input: impl BufRead + Seek, options: &ReadOptions) -> Result<Table, Error> {
    guarded(file, "Arrow", || decode(file, input, options))
}

/// The decoders panic on some damaged files, for example if a buffer lies outside its message. Here the panic
/// becomes an error.
pub(crate) fn guarded<T>(
    file: &str,
    format: &'static str,
    decode: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    // after a panic the decoder is dropped, so its state does not matter
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
    check_lengths(file, &mut input, is_file, &Room::new(file, options))?;
    // the schema is read first, because the names decide what else is read
    let schema = if is_file {
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
