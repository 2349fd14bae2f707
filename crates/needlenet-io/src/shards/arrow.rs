//! An Arrow file (IPC, also called Feather) as a shard: of each record batch only the buffers of the columns in question are read.
//!
//! The decoder reads a batch whole, which of many columns would be the whole file for every few of them. Columns of numbers
//! have two buffers each, which cells are there and the cells, and the footer says where they are. So they are read by their
//! position. A cell that is not there becomes NaN, which the first pass refuses with its row and column.

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{root_as_footer, root_as_message};
use arrow_schema::DataType;
use needlenet::shards::Columns;

use super::{bad, read_at};
use crate::Error;
use crate::arrow_file::guarded;

/// The length of the footer, and the signature.
const TAIL: u64 = 10;

#[derive(Debug)]
pub(super) struct Batches {
    name: String,
    file: File,
    kinds: Vec<DataType>,
    n: usize,
    batches: Vec<Batch>,
}

/// Where the buffers of a batch are: for each column which cells are there, unless all are, and the cells.
#[derive(Debug)]
struct Batch {
    rows: usize,
    buffers: Vec<(Option<u64>, u64)>,
}

/// The shard, and the names of its columns.
pub(super) fn open(path: &Path) -> Result<(Batches, Vec<String>), Error> {
    guarded(&path.display().to_string(), "Arrow", || opened(path))
}

fn opened(path: &Path) -> Result<(Batches, Vec<String>), Error> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|source| Error::Open { file: name.clone(), source })?;
    let length = file.metadata().map_err(|source| Error::Read { file: name.clone(), source })?.len();
    let damaged = |reason: String| Error::Damaged { file: name.clone(), format: "Arrow", reason };
    let bytes = |from: u64, count: u64| {
        if from.checked_add(count).is_none_or(|end| end > length) {
            return Err(damaged("a block lies outside the file".into()));
        }
        let mut bytes = vec![0; count as usize];
        read_at(&file, &mut bytes, from).map_err(|error| damaged(error.to_string()))?;
        Ok(bytes)
    };
    let tail = bytes(length.saturating_sub(TAIL), TAIL.min(length))?;
    let tail = tail.try_into().map_err(|_| damaged("the file is too short".into()))?;
    let footer_length = read_footer_length(tail).map_err(|error| damaged(error.to_string()))? as u64;
    let footer = bytes((length - TAIL).saturating_sub(footer_length), footer_length)?;
    let footer = root_as_footer(&footer).map_err(|error| damaged(error.to_string()))?;
    let schema = footer.schema().ok_or_else(|| damaged("there is no schema".into()))?;
    let schema = try_fb_to_schema(schema).map_err(|error| damaged(error.to_string()))?;
    let (names, kinds) = crate::arrow::names_and_kinds(&schema);
    for (column, kind) in names.iter().zip(&kinds) {
        if width(kind).is_none() {
            let remedy =
                "a shard has numbers of 8 to 64 bits only: put other columns into the table of the samples";
            return Err(bad(&name, format!("the column \"{column}\" holds values of type {kind}; {remedy}")));
        }
    }
    let mut batches = Vec::new();
    for block in footer.recordBatches().into_iter().flatten() {
        let parts = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()];
        let [offset, head, body] = parts.map(|part| u64::try_from(part).unwrap_or(u64::MAX));
        let head_bytes = bytes(offset, head)?;
        // the mark and the length, or the length alone in old files
        let skipped = if head_bytes.starts_with(&[0xff; 4]) { 8 } else { 4 };
        let message = head_bytes.get(skipped..).unwrap_or_default();
        let message = root_as_message(message).map_err(|error| damaged(error.to_string()))?;
        let outside = || damaged("a buffer lies outside its batch".into());
        let batch = message.header_as_record_batch().ok_or_else(outside)?;
        if batch.compression().is_some() {
            let remedy = "write it again without compression, or as Parquet";
            return Err(bad(&name, format!("its batches are compressed; {remedy}")));
        }
        let rows = usize::try_from(batch.length()).map_err(|_| outside())?;
        let (nodes, places) = (batch.nodes(), batch.buffers());
        let (Some(nodes), Some(places)) = (nodes, places) else { return Err(outside()) };
        if nodes.len() != kinds.len() || places.len() != 2 * kinds.len() {
            return Err(outside());
        }
        let mut buffers = Vec::with_capacity(kinds.len());
        for (j, kind) in kinds.iter().enumerate() {
            let place = |at: usize, least: usize| {
                let (from, count) = (places.get(at).offset(), places.get(at).length());
                let [from, count] = [from, count].map(|part| u64::try_from(part).unwrap_or(u64::MAX));
                let inside = from.checked_add(count).is_some_and(|end| end <= body) && count >= least as u64;
                if inside { Ok(offset + head + from) } else { Err(outside()) }
            };
            let there =
                if nodes.get(j).null_count() > 0 { Some(place(2 * j, rows.div_ceil(8))?) } else { None };
            buffers.push((there, place(2 * j + 1, rows.saturating_mul(width(kind).unwrap_or(0)))?));
        }
        if offset.checked_add(head).and_then(|at| at.checked_add(body)).is_none_or(|end| end > length) {
            return Err(outside());
        }
        batches.push(Batch { rows, buffers });
    }
    let n = batches.iter().fold(0usize, |n, batch: &Batch| n.saturating_add(batch.rows));
    Ok((Batches { name: name.clone(), file, kinds, n, batches }, names))
}

/// The bytes of a cell of numbers.
fn width(kind: &DataType) -> Option<usize> {
    match kind {
        DataType::Int8 | DataType::UInt8 => Some(1),
        DataType::Int16 | DataType::UInt16 => Some(2),
        DataType::Float32 | DataType::Int32 | DataType::UInt32 => Some(4),
        DataType::Float64 | DataType::Int64 | DataType::UInt64 => Some(8),
        _ => None,
    }
}

/// The cells of a type as numbers.
fn fill(kind: &DataType, bytes: &[u8], values: &mut [f64]) {
    macro_rules! of {
        ($type:ty) => {
            for (v, cell) in values.iter_mut().zip(bytes.chunks_exact(size_of::<$type>())) {
                *v = cell.try_into().map_or(f64::NAN, |cell| <$type>::from_le_bytes(cell) as f64);
            }
        };
    }
    match kind {
        DataType::Int8 => of!(i8),
        DataType::UInt8 => of!(u8),
        DataType::Int16 => of!(i16),
        DataType::UInt16 => of!(u16),
        DataType::Float32 => of!(f32),
        DataType::Int32 => of!(i32),
        DataType::UInt32 => of!(u32),
        DataType::Int64 => of!(i64),
        DataType::UInt64 => of!(u64),
        _ => of!(f64),
    }
}

impl Columns for Batches {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn n_samples(&self) -> usize {
        self.n
    }

    fn n_columns(&self) -> usize {
        self.kinds.len()
    }

    fn read(&self, columns: Range<usize>, values: &mut [f64]) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("cannot be read: {error}");
        for (j, column) in columns.zip(values.chunks_mut(self.n)) {
            let mut rest = column;
            for batch in &self.batches {
                let (part, next) = rest.split_at_mut(batch.rows);
                rest = next;
                let (there, cells) = batch.buffers[j];
                let mut bytes = vec![0; batch.rows * width(&self.kinds[j]).unwrap_or(0)];
                read_at(&self.file, &mut bytes, cells).map_err(failed)?;
                fill(&self.kinds[j], &bytes, part);
                if let Some(there) = there {
                    let mut bits = vec![0; batch.rows.div_ceil(8)];
                    read_at(&self.file, &mut bits, there).map_err(failed)?;
                    let gone = |i: &usize| bits[i / 8] >> (i % 8) & 1 == 0;
                    (0..batch.rows).filter(gone).for_each(|i| part[i] = f64::NAN);
                }
            }
        }
        Ok(())
    }
}
