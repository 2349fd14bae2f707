//! Checks the lengths that an Arrow file states, before the decoder allocates that much memory.
//!
//! Each buffer of a compressed message begins with its decompressed length, and the decoder reserves that length
//! before it decompresses the buffer. A damaged length of 2^61 bytes would end the process. So the messages are walked once:
//! their bodies must lie inside the file, and their decompressed lengths must be possible and fit into memory. Cost: O(messages), and
//! one small read for each compressed buffer. Tested in `tests/hostile_files.rs`.

use std::io::{Read, Seek, SeekFrom};

use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{Message, RecordBatch, root_as_footer, root_as_message};

use crate::Error;
use crate::memory::Room;

/// Zstandard puts at most 128 KiB into a block of 4 bytes, and lz4 shrinks less.
const MOST_SHRUNK: u64 = 1 << 15;

/// The length prefix of a compressed buffer: its decompressed length.
const PREFIX: u64 = 8;

/// Walks the messages of a file or of a stream.
pub(crate) fn check_lengths(
    file: &str,
    input: &mut (impl Read + Seek),
    is_file: bool,
    room: &Room,
) -> Result<(), Error> {
    let mut walk = Walk { file, length: 0, input, room };
    walk.length = walk.seek(SeekFrom::End(0))?;
    if is_file {
        walk.blocks()?
    } else {
        walk.stream()?
    }
    walk.seek(SeekFrom::Start(0)).map(drop)
}

struct Walk<'a, R> {
    file: &'a str,
    length: u64,
    input: &'a mut R,
    room: &'a Room,
}

impl<R: Read + Seek> Walk<'_, R> {
    fn damaged(&self, reason: impl ToString) -> Error {
        Error::Damaged { file: self.file.to_owned(), format: "Arrow", reason: reason.to_string() }
    }

    fn outside(&self) -> Error {
        self.damaged("a block lies outside the file")
    }

    fn seek(&mut self, place: SeekFrom) -> Result<u64, Error> {
        self.input.seek(place).map_err(|error| self.damaged(error))
    }

    /// The bytes from `start` on, if the file is long enough.
    fn bytes(&mut self, start: u64, length: u64) -> Result<Vec<u8>, Error> {
        if start.checked_add(length).is_none_or(|end| end > self.length) {
            return Err(self.outside());
        }
        self.seek(SeekFrom::Start(start))?;
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| self.outside())?];
        self.input.read_exact(&mut bytes).map_err(|error| self.damaged(error))?;
        Ok(bytes)
    }

    /// The messages that the footer of a file lists.
    fn blocks(&mut self) -> Result<(), Error> {
        const TAIL: u64 = 10;
        let tail_at = self.length.checked_sub(TAIL).ok_or_else(|| self.outside())?;
        let tail: [u8; 10] = self.bytes(tail_at, TAIL)?.try_into().map_err(|_| self.outside())?;
        let footer_length = read_footer_length(tail).map_err(|error| self.damaged(error))? as u64;
        let start = tail_at.checked_sub(footer_length).ok_or_else(|| self.outside())?;
        let bytes = self.bytes(start, footer_length)?;
        let footer = root_as_footer(&bytes).map_err(|error| self.damaged(error))?;
        let batches = footer.recordBatches().into_iter().flatten();
        for block in batches.chain(footer.dictionaries().into_iter().flatten()) {
            let parts = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()];
            let [offset, head, body] = parts.map(|part| u64::try_from(part).unwrap_or(u64::MAX));
            let end = offset.checked_add(head).and_then(|end| end.checked_add(body));
            if end.is_none_or(|end| end > self.length) {
                return Err(self.outside());
            }
            let head_bytes = self.bytes(offset, head)?;
            // the mark and the length, or the length alone in old files
            let skipped = if head_bytes.starts_with(&[0xff; 4]) { 8 } else { 4 };
            let message = head_bytes.get(skipped..).ok_or_else(|| self.outside())?;
            let message = root_as_message(message).map_err(|error| self.damaged(error))?;
            self.message(&message, offset + head, body)?;
        }
        Ok(())
    }

    /// Walks one message after the other; the decoder handles what is not understood here.
    fn stream(&mut self) -> Result<(), Error> {
        let mut at = 0;
        while at + 4 <= self.length {
            let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            let mut head = word(&self.bytes(at, 4)?);
            at += 4;
            if head == u32::MAX && at + 4 <= self.length {
                head = word(&self.bytes(at, 4)?);
                at += 4;
            }
            let head = u64::from(head);
            if head == 0 || head > self.length - at {
                return Ok(());
            }
            let bytes = self.bytes(at, head)?;
            at += head;
            let Ok(message) = root_as_message(&bytes) else { return Ok(()) };
            let Ok(body) = u64::try_from(message.bodyLength()) else { return Ok(()) };
            if body > self.length - at {
                return Err(self.outside());
            }
            self.message(&message, at, body)?;
            at += body;
        }
        Ok(())
    }

    fn message(&mut self, message: &Message, body_at: u64, body: u64) -> Result<(), Error> {
        self.room.check(body)?;
        if let Some(batch) = message.header_as_record_batch() {
            self.batch(&batch, body_at, body)?;
        }
        if let Some(batch) = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data()) {
            self.batch(&batch, body_at, body)?;
        }
        Ok(())
    }

    /// The decompressed size of the buffers of a batch.
    fn batch(&mut self, batch: &RecordBatch, body_at: u64, body: u64) -> Result<(), Error> {
        if batch.compression().is_none() {
            return Ok(());
        }
        let mut opened: u64 = 0;
        for buffer in batch.buffers().into_iter().flatten() {
            let parts = [buffer.offset(), buffer.length()].map(u64::try_from);
            let [Ok(offset), Ok(length)] = parts else { return Err(self.outside()) };
            if offset.checked_add(length).is_none_or(|end| end > body) {
                return Err(self.outside());
            }
            if length < PREFIX {
                continue;
            }
            let prefix: [u8; 8] =
                self.bytes(body_at + offset, PREFIX)?.try_into().map_err(|_| self.outside())?;
            // -1 is a buffer that is not compressed; the decoder refuses other negative lengths
            let Ok(claimed) = u64::try_from(i64::from_le_bytes(prefix)) else { continue };
            if claimed > length.saturating_mul(MOST_SHRUNK) {
                let reason = format!("a buffer of {length} bytes claims to open to {claimed}");
                return Err(self.damaged(reason));
            }
            opened = opened.saturating_add(claimed);
            self.room.check(opened)?;
        }
        Ok(())
    }
}
