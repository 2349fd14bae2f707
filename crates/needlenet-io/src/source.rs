//! Opens a table and finds its format from the first bytes.
//!
//! Formats that are read from their end (Parquet, Arrow files, zip) need a seekable file; bytes from a pipe
//! or from gzip are first read into memory. Tested in `tests/hostile_files.rs`.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek};

use flate2::bufread::MultiGzDecoder;
use zip::ZipArchive;

use crate::memory::Room;
use crate::npy_array::damaged;
use crate::{Error, Format, ReadOptions, Table, arrow_file, numpy, ods, parquet, text, xlsx};

const STANDARD_INPUT: &str = "standard input";

/// Number of bytes needed to recognise the format.
const MAGIC_LENGTH: u64 = 8;

/// Reads the table at `path`; `-` is standard input.
pub fn read_table(path: &str, options: &ReadOptions) -> Result<Table, Error> {
    if path == "-" {
        return read_table_from(STANDARD_INPUT, io::stdin().lock(), options);
    }
    let file = path.to_owned();
    let mut handle = File::open(path).map_err(|source| Error::Open { file: file.clone(), source })?;
    let kind = handle.metadata().map_err(|source| Error::Open { file: file.clone(), source })?;
    if kind.is_dir() {
        return Err(Error::Directory { file });
    }
    if !kind.is_file() {
        return read_table_from(path, handle, options);
    }
    let mut magic = Vec::new();
    let peeked = handle.by_ref().take(MAGIC_LENGTH).read_to_end(&mut magic).and_then(|_| handle.rewind());
    peeked.map_err(|source| Error::Read { file, source })?;
    if is_gzip(&magic) {
        return read_table_from(path, handle, options);
    }
    check_magic(path, &magic)?;
    match options.format.unwrap_or_else(|| format_of(&magic)) {
        Format::Parquet => parquet::read(path, || handle.try_clone(), options),
        Format::Arrow => arrow_file::read(path, BufReader::new(handle), options),
        format @ (Format::Npz | Format::Xlsx | Format::Ods) => {
            read_archive(path, format, BufReader::new(handle), options)
        }
        Format::Csv | Format::Tsv | Format::Npy => read_table_from(path, handle, options),
    }
}

/// Reads a table from `input`; `name` stands for it in errors, and its extension may tell the separator.
pub fn read_table_from(name: &str, input: impl Read, options: &ReadOptions) -> Result<Table, Error> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let magic = peek(name, &mut input)?;
    let input = Cursor::new(magic.clone()).chain(input);
    if is_gzip(&magic) {
        let mut plain = MultiGzDecoder::new(input);
        let magic = peek(name, &mut plain)?;
        return decode(name, &magic, Cursor::new(magic.clone()).chain(plain), options);
    }
    decode(name, &magic, input, options)
}

fn decode(name: &str, magic: &[u8], input: impl Read, options: &ReadOptions) -> Result<Table, Error> {
    check_magic(name, magic)?;
    let format = options.format.unwrap_or_else(|| format_of(magic));
    match format {
        Format::Csv | Format::Tsv => text::read(name, input, options),
        Format::Npy => numpy::read_npy(name, BufReader::with_capacity(1 << 16, input), options),
        Format::Parquet | Format::Arrow | Format::Npz | Format::Xlsx | Format::Ods => {
            let bytes = Room::new(name, options).read_to_end(input, |source| read_error(name, source))?;
            match format {
                Format::Parquet => {
                    let bytes = bytes::Bytes::from(bytes);
                    parquet::read(name, || Ok(bytes.clone()), options)
                }
                Format::Arrow => arrow_file::read(name, Cursor::new(bytes), options),
                format => read_archive(name, format, Cursor::new(bytes), options),
            }
        }
    }
}

/// Spreadsheets and npz files are both zip archives; the names of their members tell which it is.
fn read_archive(
    name: &str,
    format: Format,
    mut input: impl Read + Seek,
    options: &ReadOptions,
) -> Result<Table, Error> {
    let format = match options.format {
        Some(_) => format,
        None => {
            let zip = ZipArchive::new(&mut input).map_err(|error| damaged(name, "zip", error))?;
            let has = |member: &str| zip.index_for_name(member).is_some();
            if has("xl/workbook.xml") {
                Format::Xlsx
            } else if has("content.xml") {
                Format::Ods
            } else {
                Format::Npz
            }
        }
    };
    input.rewind().map_err(|source| read_error(name, source))?;
    match format {
        Format::Npz => numpy::read_npz(name, input, options),
        Format::Ods => ods::read(name, input, options),
        _ => xlsx::read(name, input, options),
    }
}

fn peek(file: &str, input: &mut impl Read) -> Result<Vec<u8>, Error> {
    let mut magic = Vec::new();
    input.take(MAGIC_LENGTH).read_to_end(&mut magic).map_err(|source| read_error(file, source))?;
    Ok(magic)
}

/// Refuses an HDF5 file, which many single-cell tables are; other files, and those that cannot be opened, are left to their readers.
pub fn refuse_hdf5(path: &str) -> Result<(), Error> {
    let Ok(mut file) = File::open(path) else { return Ok(()) };
    let kind = file.metadata().map_err(|source| Error::Open { file: path.to_owned(), source })?;
    // a pipe can be read once only
    if kind.is_file() { check_magic(path, &peek(path, &mut file)?) } else { Ok(()) }
}

fn check_magic(file: &str, magic: &[u8]) -> Result<(), Error> {
    if magic.starts_with(b"\x89HDF\r\n\x1a\n") {
        return Err(Error::Hdf5 { file: file.to_owned() });
    }
    Ok(())
}

fn is_gzip(magic: &[u8]) -> bool {
    magic.starts_with(b"\x1f\x8b")
}

fn format_of(magic: &[u8]) -> Format {
    // an Arrow stream opens with the mark of its first message
    let starts = |with: &[u8]| magic.starts_with(with);
    if starts(b"PAR1") {
        Format::Parquet
    } else if starts(b"ARROW1") || starts(b"\xff\xff\xff\xff") {
        Format::Arrow
    } else if starts(b"\x93NUMPY") {
        Format::Npy
    } else if starts(b"PK\x03\x04") || starts(b"PK\x05\x06") {
        Format::Npz
    } else {
        Format::Csv
    }
}

/// Reading errors of these kinds occur only in gzip, and mean that its data is damaged.
pub(crate) fn read_error(file: &str, source: io::Error) -> Error {
    match source.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            Error::Damaged { file: file.to_owned(), format: "gzip", reason: source.to_string() }
        }
        _ => Error::Read { file: file.to_owned(), source },
    }
}
