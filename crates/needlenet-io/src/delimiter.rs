//! The first lines of a text table: byte-order mark, line ends, separator. Tested in `tests/text_tables.rs`.
//!
//! The separator is the one of comma, tab, semicolon and bar that occurs equally often in the first two lines; if there are
//! several, the most frequent one. So `a;b;c` followed by `1,5;2,5;3` is read with semicolons. If no separator occurs equally
//! often in both, the first line may be a title, and the next two lines decide.

use std::collections::HashSet;
use std::io::{self, Read};

use crate::commas::{Commas, commas};
use crate::{Decimal, Error};

/// The largest number of bytes read ahead: enough for the names of several hundred thousand
/// columns.
const LONGEST_HEAD: usize = 1 << 22;

const CANDIDATES: [u8; 4] = *b",\t;|";

/// Number of lines that are inspected.
const LINES: usize = 6;

/// Number of bytes inspected to find the decimal mark.
const SAMPLED_RECORDS: usize = 100;
const SAMPLED_CELLS: usize = 10_000;

/// How lines end, as far as line numbers are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnd {
    Lf,
    CrLf,
    /// Lines that end in CR alone; the parser does not count these.
    Cr,
}

/// The first bytes of a text table, without the byte-order mark.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) bytes: Vec<u8>,
    pub(crate) line_end: LineEnd,
    counts: [[usize; CANDIDATES.len()]; LINES],
    lines: usize,
}

impl Head {
    /// Reads the first lines, ignoring quoted line ends.
    pub(crate) fn read(input: &mut impl Read) -> io::Result<Self> {
        let mut head = Self {
            bytes: Vec::new(),
            line_end: LineEnd::Lf,
            counts: [[0; CANDIDATES.len()]; LINES],
            lines: 0,
        };
        let mut quoted = false;
        let mut checked = 0;
        while head.lines < LINES && head.bytes.len() < LONGEST_HEAD {
            let more = input.by_ref().take(1 << 14).read_to_end(&mut head.bytes)?;
            if checked == 0 && head.bytes.starts_with(b"\xef\xbb\xbf") {
                head.bytes.drain(..3);
            }
            while checked < head.bytes.len() && head.lines < LINES {
                head.take(checked, &mut quoted);
                checked += 1;
            }
            if more == 0 {
                break;
            }
        }
        Ok(head)
    }

    fn take(&mut self, at: usize, quoted: &mut bool) {
        let byte = self.bytes[at];
        let blank = at == 0 || matches!(self.bytes[at - 1], b'\n' | b'\r');
        match byte {
            b'"' => *quoted = !*quoted,
            b'\n' | b'\r' if !*quoted => {
                if self.lines == 0 {
                    self.line_end = match (byte, self.bytes.get(at + 1)) {
                        (b'\n', _) => LineEnd::Lf,
                        (_, Some(b'\n')) => LineEnd::CrLf,
                        _ => LineEnd::Cr,
                    };
                }
                self.lines += usize::from(!blank);
            }
            _ if !*quoted => {
                if let Some(candidate) = CANDIDATES.iter().position(|&candidate| candidate == byte) {
                    self.counts[self.lines][candidate] += 1;
                }
            }
            _ => {}
        }
    }

    /// Refuses bytes that are not text.
    pub(crate) fn check(&self, file: &str) -> Result<(), Error> {
        let not_a_table =
            |reason: &str| Err(Error::NotATable { file: file.to_owned(), reason: reason.to_owned() });
        if self.bytes.starts_with(b"\xff\xfe") || self.bytes.starts_with(b"\xfe\xff") {
            return not_a_table("the text is UTF-16 (save it as UTF-8)");
        }
        let strange = |&byte: &u8| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0b | 0x0c);
        if let Some(at) = self.bytes.iter().position(strange) {
            return not_a_table(&format!(
                "byte {at} is 0x{:02x}, so it is neither text nor a known format",
                self.bytes[at]
            ));
        }
        Ok(())
    }

    /// The separator; for names that end in `.tsv` or `.tab` it is the tab.
    pub(crate) fn delimiter(&self, file: &str) -> u8 {
        let name = file.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        if name.ends_with(".tsv") || name.ends_with(".tab") {
            return b'\t';
        }
        let best = |line: usize, agrees: &dyn Fn(usize) -> bool| {
            let first = self.counts[line];
            let fit = (0..CANDIDATES.len()).filter(|&c| first[c] > 0 && agrees(c));
            // the earlier candidate wins a tie
            fit.max_by_key(|&c| (first[c], CANDIDATES.len() - c))
        };
        let agreeing = |line: usize| best(line, &|c| self.counts[line][c] == self.counts[line + 1][c]);
        let found =
            (0..LINES - 1).find_map(agreeing).or_else(|| (0..LINES).find_map(|line| best(line, &|_| true)));
        found.map_or(b',', |c| CANDIDATES[c])
    }

    /// The decimal mark, if the first rows have numbers with commas and another separator: `1;2,5`.
    pub(crate) fn decimal(&self, delimiter: u8) -> Option<Decimal> {
        if delimiter == b',' {
            return None;
        }
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(&self.bytes[..]);
        let mut records: Vec<csv::ByteRecord> =
            reader.byte_records().take(SAMPLED_RECORDS).map_while(Result::ok).skip(1).collect();
        // the last record may be cut off
        if records.len() > 1 {
            records.pop();
        }
        let cells = records.iter().flat_map(|record| record.iter()).take(SAMPLED_CELLS);
        let with_comma =
            cells.filter(|cell| cell.contains(&b',')).filter_map(|cell| std::str::from_utf8(cell).ok());
        let mut clear = with_comma.filter_map(|cell| match commas(cell.trim()) {
            Some(Commas::Clear(decimal)) => Some(decimal),
            _ => None,
        });
        let first = clear.next()?;
        clear.all(|other| other == first).then_some(first)
    }

    /// The number of title records above the names: each has one cell only, the first, while the record of the names has
    /// several different words and no number.
    pub(crate) fn titles(&self, delimiter: u8) -> usize {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(&self.bytes[..]);
        let mut records =
            reader.byte_records().take(LINES).map_while(Result::ok).filter(|record| !record.is_empty());
        let filled =
            |record: &csv::ByteRecord| record.iter().filter(|cell| !cell.trim_ascii().is_empty()).count();
        let mut titles = 0;
        for record in records.by_ref() {
            if filled(&record) == 0 && record.len() == 1 {
                continue;
            }
            if filled(&record) == 0 || (filled(&record) == 1 && !record[0].trim_ascii().is_empty()) {
                titles += 1;
                continue;
            }
            let is_word = |cell: &[u8]| {
                !cell.trim_ascii().is_empty() && fast_float2::parse::<f64, _>(cell.trim_ascii()).is_err()
            };
            let different: HashSet<&[u8]> = record.iter().map(<[u8]>::trim_ascii).collect();
            let is_header = record.len() > 1 && record.iter().all(is_word) && different.len() == record.len();
            // a record of words may be data of categories: it has the names only if the record below has a number in some
            // cell
            let below = records.next();
            let has_number = below.is_some_and(|below| below.iter().any(|cell| !is_word(cell)));
            return if is_header && has_number { titles } else { 0 };
        }
        0
    }
}
