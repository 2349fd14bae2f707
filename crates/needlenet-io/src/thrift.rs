//! The part of Thrift's [compact
//! protocol](https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md) that is needed to
//! split a Parquet footer into its parts and to assemble some of them again.
//!
//! Every step of a [`Walk`] returns `None` if the bytes end or are not understood. A length is checked against the
//! remaining bytes before it is used. Cost: O(bytes). Tested in `tests/wide_parquet.rs`.

/// Kinds of values.
pub(crate) const I32: u8 = 5;
pub(crate) const I64: u8 = 6;
pub(crate) const BINARY: u8 = 8;
pub(crate) const LIST: u8 = 9;
pub(crate) const STRUCT: u8 = 12;

/// Ends a struct.
pub(crate) const STOP: u8 = 0;

/// The deepest nesting accepted; a Parquet footer has less than ten levels.
const MAX_DEPTH: u8 = 32;

/// A place in the bytes.
pub(crate) struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Walks through a struct: `visit` gets the number and the kind of each field and must step over its value.
    pub(crate) fn fields(&mut self, mut visit: impl FnMut(&mut Self, i64, u8) -> Option<()>) -> Option<()> {
        let mut id: i64 = 0;
        loop {
            let byte = self.byte()?;
            let (step, kind) = (byte >> 4, byte & 15);
            if kind == STOP {
                return Some(());
            }
            id = if step == 0 { self.number()? } else { id.checked_add(i64::from(step))? };
            visit(self, id, kind)?;
        }
    }

    /// Walks through a list of structs, each of which `visit` must step over. Returns where they begin, and
    /// where the last one ends.
    pub(crate) fn structs(&mut self, mut visit: impl FnMut(&mut Self) -> Option<()>) -> Option<Vec<u32>> {
        let (kind, count) = self.list()?;
        if kind != STRUCT && count > 0 {
            return None;
        }
        let mut positions = Vec::with_capacity(count + 1);
        for _ in 0..count {
            positions.push(u32::try_from(self.at).ok()?);
            visit(self)?;
        }
        positions.push(u32::try_from(self.at).ok()?);
        Some(positions)
    }

    pub(crate) fn skip(&mut self, kind: u8) -> Option<()> {
        self.skip_within(kind, MAX_DEPTH)
    }

    fn skip_within(&mut self, kind: u8, depth: u8) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            // a truth value is its kind
            1 | 2 => Some(()),
            3 => self.take(1).map(drop),
            4..=I64 => self.varint().map(drop),
            7 => self.take(8).map(drop),
            BINARY => self.binary().map(drop),
            LIST => {
                let (kind, count) = self.list()?;
                match kind {
                    // in a list a truth value is a byte
                    1 | 2 => self.take(count).map(drop),
                    _ => (0..count).try_for_each(|_| self.skip_within(kind, depth)),
                }
            }
            STRUCT => self.fields(|walk, _, kind| walk.skip_within(kind, depth)),
            _ => None,
        }
    }

    pub(crate) fn number(&mut self) -> Option<i64> {
        let folded = self.varint()?;
        Some((folded >> 1).cast_signed() ^ -(folded & 1).cast_signed())
    }

    pub(crate) fn binary(&mut self) -> Option<&'a [u8]> {
        let length = self.varint()?;
        self.take(usize::try_from(length).ok()?)
    }

    /// The kind and the number of the elements of a list.
    fn list(&mut self) -> Option<(u8, usize)> {
        let byte = self.byte()?;
        let count = if byte >> 4 == 15 { self.varint()? } else { u64::from(byte >> 4) };
        let count = usize::try_from(count).ok()?;
        // an element takes at least one byte
        (count <= self.bytes.len() - self.at).then_some((byte & 15, count))
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let bytes = self.bytes[self.at..].get(..length)?;
        self.at += length;
        Some(bytes)
    }
}

/// Opens a field whose number is `step` more than that of the field before.
pub(crate) fn push_field(bytes: &mut Vec<u8>, step: u8, kind: u8) {
    bytes.push(step << 4 | kind);
}

/// Opens a list of structs.
pub(crate) fn push_structs(bytes: &mut Vec<u8>, count: usize) {
    bytes.push(0xf0 | STRUCT);
    push_varint(bytes, count as u64);
}

pub(crate) fn push_number(bytes: &mut Vec<u8>, value: i64) {
    push_varint(bytes, (value << 1 ^ value >> 63).cast_unsigned());
}

fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}
