//! The footer of a wide Parquet file, stored as byte positions instead of being decoded.
//!
//! A decoded footer takes about 1.5 kB per column, more than the cells of 100 rows. So the footer is scanned once to
//! find the position of each column, and the decoder gets footers that contain only some columns at a time.
//!
//! ```text
//! footer     = schema [root, leaf, leaf, ...], row groups [columns [chunk, chunk, ...], ...], notes
//! part(2..4) = schema [root, leaf 2, leaf 3],  row groups [columns [chunk 2, chunk 3], ...]
//! ```
//!
//! Anything that is not understood, such as damage, is left to the decoder of whole footers, which reports it. The
//! numbers of the fields are those of [parquet.thrift](https://github.com/apache/parquet-format).
//! Cost: O(bytes of the footer); memory: 4 bytes a column and row group. Tested in `tests/wide_parquet.rs`.

use ::parquet::arrow::ARROW_SCHEMA_META_KEY;
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::FooterTail;
use ::parquet::file::reader::ChunkReader;
use arrow_ipc::{Type, root_as_message_with_opts};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flatbuffers::VerifierOptions;

use crate::thrift::{BINARY, I32, I64, LIST, STOP, STRUCT, Walk, push_field, push_number, push_structs};

/// The smallest size of a wide footer in bytes: about 10,000 columns.
const WIDE: usize = 1 << 20;

/// The bytes after the footer: its length and a mark.
const TAIL: usize = 8;

/// Where the columns of a flat table are in its footer.
#[derive(Debug)]
pub(crate) struct Footer {
    start: u64,
    n_rows: i64,
    leaves: Positions,
    groups: Vec<RowGroup>,
}

#[derive(Debug)]
struct RowGroup {
    n_rows: i64,
    chunks: Positions,
}

/// Where the elements of a list begin, counted from the start of the footer, and where the last one ends.
type Positions = Vec<u32>;

impl Footer {
    /// The footer of `file` if it is wide, no column is nested and all is understood.
    pub(crate) fn find(file: &impl ChunkReader) -> Option<Self> {
        let end = file.len().checked_sub(TAIL as u64)?;
        let tail = FooterTail::try_from(&file.get_bytes(end, TAIL).ok()?[..]).ok()?;
        let length = tail.metadata_length();
        if tail.is_encrypted_footer() || length < WIDE {
            return None;
        }
        let start = end.checked_sub(length as u64)?;
        let bytes = file.get_bytes(start, length).ok()?;
        let (mut schema, mut n_rows, mut groups, mut arrow_schema) = (None, None, None, None);
        Walk::new(&bytes).fields(|walk, id, kind| {
            match (id, kind) {
                (2, LIST) => schema = Some(flat_schema(walk)?),
                (3, I64) => n_rows = Some(walk.number()?),
                (4, LIST) => groups = Some(row_groups(walk)?),
                (5, LIST) => arrow_schema = find_arrow_schema(walk)?,
                // how the columns are encrypted
                (8, _) => return None,
                _ => walk.skip(kind)?,
            }
            Some(())
        })?;
        let ((leaves, columns), groups) = (schema?, groups?);
        let whole = groups.iter().all(|group| group.chunks.len() == leaves.len());
        let plain = arrow_schema.is_none_or(|text| adds_nothing(text, &columns) == Some(true));
        (whole && plain).then_some(Self { start, n_rows: n_rows?, leaves, groups })
    }

    pub(crate) fn n_columns(&self) -> usize {
        self.leaves.len() - 1
    }

    pub(crate) fn n_rows(&self) -> i64 {
        self.n_rows
    }

    /// A footer with the names and types of `columns` only, and no cells. The columns are in the order of the
    /// file.
    pub(crate) fn schema(&self, file: &impl ChunkReader, columns: &[usize]) -> Result<Vec<u8>, ParquetError> {
        self.assemble(file, columns, &[])
    }

    /// A footer with `columns` only, in the order of the file.
    pub(crate) fn part(&self, file: &impl ChunkReader, columns: &[usize]) -> Result<Vec<u8>, ParquetError> {
        self.assemble(file, columns, &self.groups)
    }

    fn assemble(
        &self,
        file: &impl ChunkReader,
        columns: &[usize],
        groups: &[RowGroup],
    ) -> Result<Vec<u8>, ParquetError> {
        let mut part = Vec::new();
        // the version, which must be there but is not used
        push_field(&mut part, 1, I32);
        push_number(&mut part, 1);
        push_field(&mut part, 1, LIST);
        push_structs(&mut part, columns.len() + 1);
        push_root(&mut part, columns.len());
        self.copy(file, &self.leaves, columns, &mut part)?;
        push_field(&mut part, 1, I64);
        push_number(&mut part, self.n_rows);
        push_field(&mut part, 1, LIST);
        push_structs(&mut part, groups.len());
        for group in groups {
            push_field(&mut part, 1, LIST);
            push_structs(&mut part, columns.len());
            self.copy(file, &group.chunks, columns, &mut part)?;
            // the size in bytes, which must be there but is not used
            push_field(&mut part, 1, I64);
            push_number(&mut part, 0);
            push_field(&mut part, 1, I64);
            push_number(&mut part, group.n_rows);
            part.push(STOP);
        }
        part.push(STOP);
        Ok(part)
    }

    /// Appends the elements of `list` that belong to `columns`.
    fn copy(
        &self,
        file: &impl ChunkReader,
        list: &[u32],
        columns: &[usize],
        part: &mut Vec<u8>,
    ) -> Result<(), ParquetError> {
        let (Some(&first), Some(&last)) = (columns.first(), columns.last()) else { return Ok(()) };
        let place = |position: u32| (position - list[first]) as usize;
        let bytes = file.get_bytes(self.start + u64::from(list[first]), place(list[last + 1]))?;
        for &column in columns {
            part.extend_from_slice(&bytes[place(list[column])..place(list[column + 1])]);
        }
        Ok(())
    }
}

/// The root of a schema: a name, which is not used, and the number of its children.
fn push_root(part: &mut Vec<u8>, n_columns: usize) {
    push_field(part, 4, BINARY);
    part.extend_from_slice(b"\x06schema");
    push_field(part, 1, I32);
    push_number(part, n_columns as i64);
    part.push(STOP);
}

/// A column as Parquet's schema has it.
struct Leaf<'a> {
    name: &'a [u8],
    /// It has a physical type only.
    bare: bool,
    n_children: i64,
}

/// The columns of a schema; `None` if one is nested.
fn flat_schema<'a>(walk: &mut Walk<'a>) -> Option<(Positions, Vec<Leaf<'a>>)> {
    let mut columns = Vec::new();
    let mut positions = walk.structs(|walk| {
        let mut leaf = Leaf { name: &[], bare: true, n_children: 0 };
        walk.fields(|walk, id, kind| {
            match (id, kind) {
                (4, BINARY) => leaf.name = walk.binary()?,
                (5, I32) => leaf.n_children = walk.number()?,
                _ => walk.skip(kind)?,
            }
            leaf.bare &= id != 6 && id != 10;
            Some(())
        })?;
        columns.push(leaf);
        Some(())
    })?;
    if columns.is_empty() {
        return None;
    }
    let root = columns.remove(0);
    positions.remove(0);
    let flat = usize::try_from(root.n_children) == Ok(columns.len())
        && columns.iter().all(|leaf| leaf.n_children == 0);
    flat.then_some((positions, columns))
}

fn row_groups(walk: &mut Walk) -> Option<Vec<RowGroup>> {
    let mut groups = Vec::new();
    walk.structs(|walk| {
        let (mut chunks, mut n_rows) = (None, None);
        walk.fields(|walk, id, kind| {
            match (id, kind) {
                (1, LIST) => chunks = Some(walk.structs(|walk| walk.skip(STRUCT))?),
                (3, I64) => n_rows = Some(walk.number()?),
                _ => walk.skip(kind)?,
            }
            Some(())
        })?;
        groups.push(RowGroup { n_rows: n_rows?, chunks: chunks? });
        Some(())
    })?;
    Some(groups)
}

/// Arrow's schema, if it is among the notes of the writer, which are pairs of a key and a text.
fn find_arrow_schema<'a>(walk: &mut Walk<'a>) -> Option<Option<&'a [u8]>> {
    let mut schema = None;
    walk.structs(|walk| {
        let mut is_schema = false;
        walk.fields(|walk, id, kind| {
            match (id, kind) {
                (1, BINARY) => is_schema = walk.binary()? == ARROW_SCHEMA_META_KEY.as_bytes(),
                (2, BINARY) if is_schema => schema = Some(walk.binary()?),
                _ => walk.skip(kind)?,
            }
            Some(())
        })
    })?;
    Some(schema)
}

/// Whether the schema of Parquet contains everything that matters here of the schema of Arrow. A duration, for
/// example, is a plain integer in Parquet, and only the schema of Arrow tells that it is not a number.
fn adds_nothing(arrow_schema: &[u8], columns: &[Leaf]) -> Option<bool> {
    let bytes = BASE64_STANDARD.decode(arrow_schema).ok()?;
    // older writers leave out the mark and the length before the message
    let message = if bytes.starts_with(&[0xff; 4]) { bytes.get(8..)? } else { &bytes[..] };
    // the usual limit, which is that of the decoder, is reached at 500,000 columns
    let options = VerifierOptions { max_tables: usize::MAX, ..VerifierOptions::default() };
    let fields = root_as_message_with_opts(&options, message).ok()?.header_as_schema()?.fields()?;
    let hidden = |kind| {
        matches!(kind, Type::Date | Type::Time | Type::Timestamp | Type::Duration)
            || matches!(kind, Type::Utf8 | Type::LargeUtf8 | Type::Utf8View)
    };
    let agrees = |(field, leaf): (arrow_ipc::Field, &Leaf)| {
        field.name().map(str::as_bytes) == Some(leaf.name) && !(leaf.bare && hidden(field.type_type()))
    };
    Some(fields.len() == columns.len() && fields.iter().zip(columns).all(agrees))
}
