//! Words among the cells of an input: each is a NaN that carries the code of its word, so that a column of words takes as
//! much memory as a column of numbers.
//!
//! A cell is a number, missing (`f64::NAN`), or the word of code k (the NaN of payload k + 1). Only a column that has a
//! [`Dictionary`] holds words; NaNs of other columns, whatever their payload, are missing. Cost: one hash for each word
//! read; memory: the different words, of which at most a bounded number is kept. Tested in `tests/categories.rs`.

use std::collections::{BTreeMap, HashMap};

use crate::error::shown;

/// The largest number of different words stored of one column: a column with more is not a
/// category.
const MOST_WORDS: usize = 100_000;

/// The largest number of different words stored of all columns together: some 100 MB.
const MOST_IN_ALL: usize = 1 << 20;

/// Bytes stored of a word: levels are distinguished by these.
const LONGEST_WORD: usize = 200;

/// The NaN of a missing cell.
const MISSING: u64 = 0x7ff8_0000_0000_0000;

/// The cell of a word.
pub(crate) fn of_code(code: usize) -> f64 {
    f64::from_bits(MISSING | (code as u64 + 1))
}

/// The code of the word in a cell; none for a number or a missing cell.
pub(crate) fn code(cell: f64) -> Option<usize> {
    let payload = cell.to_bits() ^ MISSING;
    // a NaN of another sign or kind has other high bits
    (cell.is_nan() && payload != 0 && payload >> 32 == 0).then(|| payload as usize - 1)
}

/// A word, how often it occurs in the column, and where first.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) count: usize,
    /// The data row, from 1, and the line of a text file.
    pub(crate) row: usize,
    pub(crate) line: Option<u64>,
}

/// The words of one column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dictionary {
    index: HashMap<Vec<u8>, usize>,
    pub(crate) words: Vec<Word>,
    /// Number of cells whose word was not stored because there are too many; they read as missing.
    pub(crate) beyond: usize,
}

impl Dictionary {
    /// The number of cells with words.
    pub(crate) fn cells(&self) -> usize {
        self.beyond + self.words.iter().map(|word| word.count).sum::<usize>()
    }
}

/// The words of all columns that have any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    pub(crate) columns: BTreeMap<usize, Dictionary>,
    kept: usize,
}

impl Words {
    /// The cell for a word of column `column`; the word is stored.
    pub(crate) fn cell(
        &mut self,
        column: usize,
        word: &[u8],
        row: usize,
        line: impl FnOnce() -> Option<u64>,
    ) -> f64 {
        let dictionary = self.columns.entry(column).or_default();
        let word = word.get(..LONGEST_WORD).unwrap_or(word);
        if let Some(&code) = dictionary.index.get(word) {
            dictionary.words[code].count += 1;
            return of_code(code);
        }
        if dictionary.words.len() >= MOST_WORDS || self.kept >= MOST_IN_ALL {
            dictionary.beyond += 1;
            return f64::NAN;
        }
        self.kept += 1;
        let code = dictionary.words.len();
        dictionary.index.insert(word.to_owned(), code);
        let text = String::from_utf8_lossy(word).into_owned();
        dictionary.words.push(Word { text, count: 1, row, line: line() });
        of_code(code)
    }
}

/// Words that software writes for a missing cell, in lower case; they apply to every column.
const MISSING_WORDS: [&str; 10] = ["na", "n/a", "nan", "-nan", "<na>", "#n/a", "nat", "null", ".", "?"];

/// Whether a trimmed cell is one of the usual ways to write "missing".
#[inline]
pub(crate) fn means_missing(cell: &[u8]) -> bool {
    cell.is_empty() || (cell.len() <= 4 && is_listed(cell))
}

fn is_listed(cell: &[u8]) -> bool {
    MISSING_WORDS.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(cell))
}

/// The number that a trimmed text is; none for words and for infinite numbers.
pub(crate) fn finite_number(text: &[u8]) -> Option<f64> {
    fast_float2::parse::<f64, _>(text).ok().filter(|number| number.is_finite())
}

/// A word for a message.
pub(crate) fn quoted(word: &str) -> String {
    format!("\"{}\"", shown(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_of_a_word_gives_its_code_back_and_no_other_cell_has_one() {
        for at in [0, 1, MOST_WORDS] {
            assert_eq!(code(of_code(at)), Some(at));
        }
        let nans = [f64::NAN, -f64::NAN, f64::from_bits(0x7ff8_dead_beef_0001)];
        for cell in nans.into_iter().chain([0.0, 1.5, f64::INFINITY]) {
            assert_eq!(code(cell), None, "{cell}");
        }
    }

    #[test]
    fn more_words_than_are_kept_are_counted() {
        let mut words = Words::default();
        for row in 0..MOST_WORDS + 7 {
            words.cell(3, row.to_string().as_bytes(), row + 1, || None);
        }
        let dictionary = &words.columns[&3];
        assert_eq!((dictionary.words.len(), dictionary.beyond), (MOST_WORDS, 7));
        assert_eq!(dictionary.cells(), MOST_WORDS + 7);
    }

    #[test]
    fn the_usual_words_for_missing_are_known_in_any_case() {
        for word in [
            "", "NA", "na", "N/A", "n/a", "NaN", "nan", "-nan", "<NA>", "#N/A", "NaT", "NULL", "null", ".",
            "?",
        ] {
            assert!(means_missing(word.as_bytes()), "{word}");
        }
        for word in ["none", "-", "missing", "nab", "0", "no"] {
            assert!(!means_missing(word.as_bytes()), "{word}");
        }
    }
}
