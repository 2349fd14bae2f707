//! The first lines of a text table: byte-order mark, line ends, separator. Tested in `tests/text_tables.rs`.
//!
//! The separator is the one, among comma, tab, semicolon and bar, that stands equally often in the first two
//! lines; the most frequent if several do, so that `a;b;c` over `1,5;2,5;3` is read with semicolons.

use std::io::{self, Read};

use crate::Error;

/// What is read ahead at most: the names of some hundred thousand columns.
const LONGEST_HEAD: usize = 1 << 22;

const CANDIDATES: [u8; 4] = *b",\t;|";

/// How lines end, as far as line numbers are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnd {
    Lf,
    CrLf,
    /// Lines that end in CR alone are not counted by the parser.
    Cr,
}

/// The first bytes of a text table, without the byte-order mark.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) bytes: Vec<u8>,
    pub(crate) line_end: LineEnd,
    counts: [[usize; CANDIDATES.len()]; 2],
    lines: usize,
}

impl Head {
    /// Reads the first two lines, quoted line ends left aside.
    pub(crate) fn read(input: &mut impl Read) -> io::Result<Self> {
        let mut head =
            Self { bytes: Vec::new(), line_end: LineEnd::Lf, counts: [[0; CANDIDATES.len()]; 2], lines: 0 };
        let mut quoted = false;
        let mut checked = 0;
        while head.lines < 2 && head.bytes.len() < LONGEST_HEAD {
            let more = input.by_ref().take(1 << 14).read_to_end(&mut head.bytes)?;
            if checked == 0 && head.bytes.starts_with(b"\xef\xbb\xbf") {
                head.bytes.drain(..3);
            }
            while checked < head.bytes.len() && head.lines < 2 {
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

    /// Refuses what is not text.
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

    /// The separator; a name that ends in `.tsv` or `.tab` decides for the tab.
    pub(crate) fn delimiter(&self, file: &str) -> u8 {
        let name = file.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        if name.ends_with(".tsv") || name.ends_with(".tab") {
            return b'\t';
        }
        let [first, second] = self.counts;
        let best = |agrees: &dyn Fn(usize) -> bool| {
            let fit = (0..CANDIDATES.len()).filter(|&c| first[c] > 0 && agrees(c));
            // the earlier candidate wins a tie
            fit.max_by_key(|&c| (first[c], CANDIDATES.len() - c))
        };
        best(&|c| first[c] == second[c]).or_else(|| best(&|_| true)).map_or(b',', |c| CANDIDATES[c])
    }
}
