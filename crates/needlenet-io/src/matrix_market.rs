//! Sparse inputs from a Matrix Market file: `%%MatrixMarket matrix coordinate ... general`, also gzip.
//!
//! A row is a sample and a column an input; single-cell files often have it the other way round, which the caller says. Names of the
//! inputs may stand in a text file beside it, one a line (of several words the first). Written by hand because the readers
//! of other crates reserve the memory that the file's header asks for, and a damaged header may ask for any.
//! Cost: O(cells), and 12 bytes a cell besides those of the sorting. Tested in `tests/matrix_market.rs`.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use needlenet::SparseColumns;

use crate::memory::Room;
use crate::source::read_error;
use crate::{Error, ReadOptions};

/// A sparse matrix as read: its cells column after column.
#[derive(Debug, Clone)]
pub struct SparseMatrix {
    /// Samples.
    pub n_samples: usize,
    /// The cells.
    pub cells: SparseColumns,
}

impl SparseMatrix {
    /// Inputs.
    pub fn n_features(&self) -> usize {
        self.cells.starts.len().saturating_sub(1)
    }
}

/// Reads the file at `path`; with `turned` its rows are the inputs and its columns the samples.
pub fn read_matrix_market(path: &str, turned: bool) -> Result<SparseMatrix, Error> {
    let file = File::open(path).map_err(|source| Error::Open { file: path.into(), source })?;
    read_matrix_market_from(path, file, turned)
}

/// The same from any input; `name` stands for it in errors.
pub fn read_matrix_market_from(name: &str, input: impl Read, turned: bool) -> Result<SparseMatrix, Error> {
    read_matrix_market_within(name, input, turned, &ReadOptions::default())
}

/// The same in the memory that [`ReadOptions::max_memory`] allows; nothing else of the options is used.
pub fn read_matrix_market_within(
    name: &str,
    input: impl Read,
    turned: bool,
    options: &ReadOptions,
) -> Result<SparseMatrix, Error> {
    let room = Room::new(name, options);
    let mut input = BufReader::with_capacity(1 << 16, input);
    let magic = input.fill_buf().map_err(|source| Error::Read { file: name.into(), source })?;
    if magic.starts_with(b"\x1f\x8b") {
        return parse(name, BufReader::with_capacity(1 << 16, MultiGzDecoder::new(input)), turned, room);
    }
    parse(name, input, turned, room)
}

/// The first word of every line of a text file, also gzip.
pub fn read_names(path: &str) -> Result<Vec<String>, Error> {
    let error = |source| Error::Read { file: path.into(), source };
    let file = File::open(path).map_err(|source| Error::Open { file: path.into(), source })?;
    let mut input = BufReader::new(file);
    let is_gzip = input.fill_buf().map_err(error)?.starts_with(b"\x1f\x8b");
    let mut text = String::new();
    if is_gzip {
        MultiGzDecoder::new(input).read_to_string(&mut text).map_err(error)?;
    } else {
        input.read_to_string(&mut text).map_err(error)?;
    }
    Ok(text
        .lines()
        .map(|line| line.split(['\t', ',']).next().unwrap_or_default().trim().to_owned())
        .collect())
}

/// What a cell of the file holds beside its place.
#[derive(Clone, Copy, PartialEq)]
enum Field {
    Number,
    /// Nothing: the cell is 1.
    Pattern,
}

/// A line has at most so many bytes.
const LONGEST_LINE: u64 = 1 << 16;

/// The bytes that a cell takes: as it is read, and as it is kept.
const CELL: u64 = 16 + 12;

fn parse(name: &str, mut input: impl BufRead, turned: bool, mut room: Room) -> Result<SparseMatrix, Error> {
    let damaged = |line: usize, reason: String| Error::Damaged {
        file: name.into(),
        format: "Matrix Market",
        reason: format!("line {line}: {reason}"),
    };
    let mut at = 0;
    let mut next = || -> Result<Option<(usize, String)>, Error> {
        let mut line = String::new();
        at += 1;
        match input.by_ref().take(LONGEST_LINE).read_line(&mut line) {
            Ok(0) => Ok(None),
            Ok(read) if read as u64 == LONGEST_LINE => Err(damaged(at, "it is too long".into())),
            Ok(_) => Ok(Some((at, line))),
            Err(source) => Err(read_error(name, source)),
        }
    };
    let header = next()?.map(|(_, line)| line.to_lowercase()).unwrap_or_default();
    let field = match header.split_whitespace().collect::<Vec<_>>()[..] {
        ["%%matrixmarket", "matrix", "coordinate", "real" | "integer", "general"] => Field::Number,
        ["%%matrixmarket", "matrix", "coordinate", "pattern", "general"] => Field::Pattern,
        _ => {
            let reason = "it does not begin with \"%%MatrixMarket matrix coordinate real general\" \
                          (or integer, or pattern); other kinds are not read";
            return Err(damaged(1, reason.into()));
        }
    };
    let sizes = loop {
        match next()? {
            Some((_, line)) if line.starts_with('%') || line.trim().is_empty() => {}
            Some((at, line)) => {
                let numbers: Vec<Option<usize>> =
                    line.split_whitespace().map(|word| word.parse().ok()).collect();
                match numbers[..] {
                    [Some(rows), Some(columns), Some(cells)] => break (rows, columns, cells),
                    _ => return Err(damaged(at, format!("\"{}\" is not three sizes", short(&line)))),
                }
            }
            None => return Err(damaged(2, "the sizes are missing".into())),
        }
    };
    let (height, width, count) = sizes;
    let (n_samples, p) = if turned { (width, height) } else { (height, width) };
    if n_samples > u32::MAX as usize || p > MOST_COLUMNS {
        return Err(damaged(2, format!("{height} x {width} is more than a sparse table may be")));
    }
    room.take((p as u64 + 1) * size_of::<usize>() as u64)?;
    let mut cells: Vec<(u32, u32, f64)> = Vec::new();
    while let Some((at, line)) = next()? {
        if line.trim().is_empty() {
            continue;
        }
        let mut words = line.split_whitespace();
        let mut place = |size: usize| {
            let place: Option<usize> = words.next().and_then(|word| word.parse().ok());
            place.filter(|place| (1..=size).contains(place)).map(|place| place - 1)
        };
        let (row, column) = (place(height), place(width));
        let value = match field {
            Field::Pattern => Some(1.0),
            Field::Number => words.next().and_then(|word| word.parse::<f64>().ok()),
        };
        let (Some(row), Some(column), Some(value), None) = (row, column, value, words.next()) else {
            return Err(damaged(
                at,
                format!("\"{}\" is not a cell of a {height} x {width} matrix", short(&line)),
            ));
        };
        let (sample, input) = if turned { (column, row) } else { (row, column) };
        // the list doubles when it is full
        if cells.len() == cells.capacity() {
            room.check(CELL * 2 * cells.len() as u64)?;
        }
        cells.push((input as u32, sample as u32, value));
    }
    if cells.len() != count {
        return Err(damaged(2, format!("{count} cells are announced and {} are there", cells.len())));
    }
    cells.sort_unstable_by_key(|(input, sample, _)| (*input, *sample));
    if let Some(pair) = cells.windows(2).find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
        let (input, sample, _) = pair[0];
        return Err(damaged(
            2,
            format!("the cell of sample {} and input {} is there twice", sample + 1, input + 1),
        ));
    }
    let mut starts = vec![0; p + 1];
    cells.iter().for_each(|(input, ..)| starts[*input as usize + 1] += 1);
    (0..p).for_each(|j| starts[j + 1] += starts[j]);
    let rows = cells.iter().map(|(_, sample, _)| *sample).collect();
    let values = cells.iter().map(|(.., value)| *value).collect();
    Ok(SparseMatrix { n_samples, cells: SparseColumns { starts, rows, values } })
}

/// More columns than this cannot be meant.
const MOST_COLUMNS: usize = 100_000_000;

/// The beginning of a line, for an error.
fn short(line: &str) -> String {
    let steers = |c: char| c.is_control();
    line.chars().take(40).map(|c| if steers(c) { '?' } else { c }).collect()
}
