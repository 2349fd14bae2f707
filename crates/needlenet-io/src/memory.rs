//! A bound on the memory of a table, for every reader.
//!
//! A small file can expand to a table that no machine can hold. Gzip compresses by up to 1,032, a Parquet file of some
//! kilobytes can repeat one number 50 million times, and in a line of commas each comma is a column. So a reader counts
//! what it is about to store, and refuses the table before it allocates. The bound is
//! [`ReadOptions::max_memory`](crate::ReadOptions::max_memory), by default half of the memory that is free. Cost: an addition
//! for each row or batch. Tested here and in `tests/memory.rs`.

use std::io::{self, Read};

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use crate::{Error, ReadOptions};

/// The free memory of a system that does not report it: 8 GiB.
const UNTOLD: u64 = 8 << 30;

/// Bytes for the name and the use of a column, besides the letters of the name.
const COLUMN: u64 = 256;

/// Bytes of a text besides its letters.
const TEXT: u64 = 48;

/// Bytes that the text parser may need for one byte of a line: each comma ends a cell, the end of a cell takes 8
/// bytes, and the list of ends is copied when it grows.
const PER_BYTE_OF_LINE: u64 = 32;

/// What the system says of its memory, in bytes.
#[derive(Debug, Clone, Copy)]
struct Reading {
    /// What new programs can have; 0 if the system does not say.
    available: u64,
    /// The limit of the control group of the process, and what its programs hold. Files that the system keeps in memory are not
    /// among it: they give way.
    group: Option<(u64, u64)>,
}

impl Reading {
    fn now() -> Self {
        let ram = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
        let system = System::new_with_specifics(ram);
        let group = system.cgroup_limits().map(|group| (group.total_memory, group.rss));
        Reading { available: system.available_memory(), group }
    }

    /// Half of what is free, for the machine and for the group.
    fn share(self) -> u64 {
        let own = Some(self.available).filter(|available| *available > 0);
        let of_group = self.group.map(|(limit, held)| limit.saturating_sub(held));
        own.into_iter().chain(of_group).min().unwrap_or(UNTOLD) / 2
    }
}

/// The default of `--max-memory`: half of the memory that is free now.
pub fn half_of_free_memory() -> u64 {
    Reading::now().share()
}

/// The memory that is left for a table.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    file: String,
    limit: u64,
    left: u64,
}

impl Room {
    pub(crate) fn new(file: &str, options: &ReadOptions) -> Self {
        let limit = options.max_memory.unwrap_or_else(half_of_free_memory);
        Self { file: file.to_owned(), limit, left: limit }
    }

    /// Counts `bytes` that are about to be stored.
    pub(crate) fn take(&mut self, bytes: u64) -> Result<(), Error> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| self.too_large())?;
        Ok(())
    }

    /// Refuses `bytes` that do not fit, without counting them.
    pub(crate) fn check(&self, bytes: u64) -> Result<(), Error> {
        if bytes <= self.left { Ok(()) } else { Err(self.too_large()) }
    }

    /// Returns bytes that were needed for a while only.
    pub(crate) fn give_back(&mut self, bytes: u64) {
        self.left = self.left.saturating_add(bytes).min(self.limit);
    }

    /// Counts the cells of a table, and a thirtieth of them for transposing.
    pub(crate) fn take_cells(&mut self, rows: usize, columns: usize) -> Result<(), Error> {
        self.take(bytes_of_cells(rows as u64, columns as u64))
    }

    /// Counts the names of columns.
    pub(crate) fn take_columns(&mut self, columns: usize, letters: usize) -> Result<(), Error> {
        self.take((columns as u64).saturating_mul(COLUMN).saturating_add(3 * letters as u64))
    }

    /// Counts a text that is stored.
    pub(crate) fn take_text(&mut self, letters: usize) -> Result<(), Error> {
        self.take(TEXT + letters as u64)
    }

    /// The bound of the table.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// The longest line of text that can be parsed.
    pub(crate) fn longest_line(&self) -> u64 {
        self.limit / PER_BYTE_OF_LINE
    }

    pub(crate) fn too_large(&self) -> Error {
        Error::TooLarge {
            file: self.file.clone(),
            limit: bytesize::ByteSize(self.limit).display().si().to_string(),
        }
    }

    /// All bytes of `input`, which are stored.
    pub(crate) fn read_to_end(
        &mut self,
        input: impl Read,
        failed: impl FnOnce(io::Error) -> Error,
    ) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        input.take(self.left.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
        self.take(bytes.len() as u64)?;
        Ok(bytes)
    }
}

/// The bytes of cells.
pub(crate) fn bytes_of_cells(rows: u64, columns: u64) -> u64 {
    let cells = rows.saturating_mul(columns);
    cells.saturating_mul(8).saturating_add(cells / 4)
}

/// A text stream that ends with an error if a line, or an XML event, is too long to be parsed.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: R,
    longest: u64,
    in_line: u64,
}

impl<R> Lines<R> {
    pub(crate) fn new(input: R, longest: u64) -> Self {
        Self { input, longest, in_line: 0 }
    }

    /// A line has ended.
    pub(crate) fn next_line(&mut self) {
        self.in_line = 0;
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.in_line > self.longest {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "a line is too long"));
        }
        let read = self.input.read(buffer)?;
        self.in_line += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_half_of_what_is_free_in_the_machine_and_in_its_group() {
        for (available, group, half) in [
            (10_000, None, 5_000),
            // a limit above the memory of the machine
            (10_000, Some((40_000, 1_000)), 5_000),
            (10_000, Some((6_000, 1_000)), 2_500),
            (10_000, Some((6_000, 7_000)), 0),
            (0, Some((6_000, 1_000)), 2_500),
            (0, None, UNTOLD / 2),
        ] {
            assert_eq!(Reading { available, group }.share(), half, "{available} {group:?}");
        }
    }
}
