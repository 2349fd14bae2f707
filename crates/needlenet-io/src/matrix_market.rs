//! Sparse inputs from a Matrix Market file: `%%MatrixMarket matrix coordinate ... general`, also gzip.
//!
//! Rows are samples and columns are inputs. Single-cell files are often transposed, which the caller must say. The names of the
//! inputs may be in a text file beside it, one per line (the first word of each line). This reader is our own because those of
//! other crates allocate the memory that the header of the file asks for, and a damaged header may ask for any amount. Cost:
//! O(cells), and 12 bytes per cell besides those of the sorting. Tested in `tests/matrix_market.rs`.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use needlenet::SparseColumns;

use crate::memory::Room;
use crate::plan::{Wanted, numbered_names};
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

/// Reads the file at `path`; with `turned`, its rows are the inputs and its columns the samples.
pub fn read_matrix_market(path: &str, turned: bool) -> Result<SparseMatrix, Error> {
    let file = File::open(path).map_err(|source| Error::Open { file: path.into(), source })?;
    read_matrix_market_from(path, file, turned)
}

/// Whether a file is a Matrix Market one, by its first bytes, also inside gzip.
pub fn is_matrix_market(path: &str) -> bool {
    let mut start = String::new();
    let opened = File::open(path).and_then(plain);
    opened.is_ok_and(|input| input.take(MAGIC.len() as u64).read_to_string(&mut start).is_ok())
        && start.eq_ignore_ascii_case(MAGIC)
}

const MAGIC: &str = "%%MatrixMarket";

/// The decompressed bytes of a file.
fn plain(file: File) -> std::io::Result<Box<dyn BufRead>> {
    let mut input = BufReader::with_capacity(1 << 16, file);
    let is_gzip = input.fill_buf()?.starts_with(b"\x1f\x8b");
    Ok(if is_gzip {
        Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(input)))
    } else {
        Box::new(input)
    })
}

/// A sparse table with the names that stand beside it, as 10x and scanpy write them: `matrix.mtx`, `features.tsv` (or
/// `genes.tsv`) and `barcodes.tsv`, each also gzip, all with the same prefix.
#[derive(Debug, Clone)]
pub struct SparseTable {
    /// The cells.
    pub matrix: SparseMatrix,
    /// The names of the inputs: the first word of each line of `features.tsv`, or `x1`, `x2`, ...
    pub names: Vec<String>,
    /// The names of the samples, if there are any.
    pub barcodes: Option<Vec<String>>,
}

/// Reads a sparse table. Its orientation follows from the names beside it, otherwise from the number of samples if it is known;
/// otherwise rows are samples. Of the options only the memory, `only` and `exclude` are used.
pub fn read_sparse_table(
    path: &str,
    n_samples: Option<usize>,
    options: &ReadOptions,
) -> Result<SparseTable, Error> {
    let names = names_beside(path, &["features.tsv", "genes.tsv"])?;
    let barcodes = names_beside(path, &["barcodes.tsv"])?;
    let counts = (names.as_ref().map(Vec::len), barcodes.as_ref().map(Vec::len).or(n_samples));
    let file =
        File::open(path).and_then(plain).map_err(|source| Error::Open { file: path.into(), source })?;
    let turned = |height: usize, width: usize| {
        let fits = |inputs: usize, samples: usize| {
            counts.0.is_none_or(|p| p == inputs) && counts.1.is_none_or(|n| n == samples)
        };
        match (fits(height, width), fits(width, height), counts) {
            // a square matrix with names is in the format of 10x, whose rows are inputs
            (true, true, (Some(_), _)) => Ok(true),
            (_, true, _) => Ok(false),
            (true, false, _) => Ok(true),
            (false, false, (p, n)) => {
                let told = |count: Option<usize>| count.map_or("any number of".to_owned(), |c| c.to_string());
                Err(Error::Shape {
                    file: path.to_owned(),
                    found: format!(
                        "is {height} x {width}, which does not fit {} inputs and {} samples",
                        told(p),
                        told(n)
                    ),
                    expected: "files of names and a table of samples that belong to the matrix",
                })
            }
        }
    };
    let matrix = parse(path, file, turned, Room::new(path, options))?;
    let names = names.unwrap_or_else(|| numbered_names(matrix.n_features()));
    let wanted = Wanted::new(path, &names, options)?;
    let wanted: Vec<usize> = (0..names.len()).filter(|&input| wanted.has(input)).collect();
    refuse_twice(path, &names, &wanted)?;
    if wanted.len() == names.len() {
        return Ok(SparseTable { matrix, names, barcodes });
    }
    let names = wanted.iter().map(|&input| names[input].clone()).collect();
    Ok(SparseTable { matrix: matrix.of_inputs(&wanted), names, barcodes })
}

/// A needle is told by its name, so two inputs must not have the same.
fn refuse_twice(path: &str, names: &[String], inputs: &[usize]) -> Result<(), Error> {
    let mut seen = HashMap::with_capacity(inputs.len());
    for &input in inputs {
        if let Some(first) = seen.insert(&names[input], input) {
            let (name, first, second) = (names[input].clone(), first + 1, input + 1);
            return Err(Error::DuplicateName {
                file: path.to_owned(),
                name,
                first,
                second,
                others: vec![second],
            });
        }
    }
    Ok(())
}

/// The names in a file beside the matrix.
fn names_beside(path: &str, files: &[&str]) -> Result<Option<Vec<String>>, Error> {
    let Some((prefix, _)) = path.rsplit_once("matrix.mtx") else { return Ok(None) };
    for file in files.iter().flat_map(|file| [format!("{prefix}{file}"), format!("{prefix}{file}.gz")]) {
        if Path::new(&file).is_file() {
            return read_names(&file).map(Some);
        }
    }
    Ok(None)
}

impl SparseMatrix {
    /// One input as numbers.
    pub fn column(&self, input: usize) -> Vec<f64> {
        let mut values = vec![0.0; self.n_samples];
        let cells = self.cells.starts[input]..self.cells.starts[input + 1];
        for (row, value) in self.cells.rows[cells.clone()].iter().zip(&self.cells.values[cells]) {
            values[*row as usize] = *value;
        }
        values
    }

    /// Some samples, each at most once, in this order.
    pub fn of_samples(self, samples: &[usize]) -> Self {
        if samples.len() == self.n_samples && samples.iter().enumerate().all(|(at, sample)| at == *sample) {
            return self;
        }
        let mut place = vec![u32::MAX; self.n_samples];
        samples.iter().enumerate().for_each(|(at, sample)| place[*sample] = at as u32);
        let SparseColumns { starts, rows, values } = self.cells;
        let mut cells = SparseColumns { starts: vec![0], rows: Vec::new(), values: Vec::new() };
        for column in starts.windows(2) {
            let own = rows[column[0]..column[1]].iter().zip(&values[column[0]..column[1]]);
            let mut kept: Vec<(u32, f64)> = own
                .map(|(row, value)| (place[*row as usize], *value))
                .filter(|(row, _)| *row != u32::MAX)
                .collect();
            kept.sort_unstable_by_key(|(row, _)| *row);
            cells.rows.extend(kept.iter().map(|(row, _)| *row));
            cells.values.extend(kept.iter().map(|(_, value)| *value));
            cells.starts.push(cells.rows.len());
        }
        Self { n_samples: samples.len(), cells }
    }

    /// Some inputs, in this order.
    pub fn of_inputs(self, inputs: &[usize]) -> Self {
        let SparseColumns { starts, rows, values } = self.cells;
        let mut cells = SparseColumns { starts: vec![0], rows: Vec::new(), values: Vec::new() };
        for &input in inputs {
            let own = starts[input]..starts[input + 1];
            cells.rows.extend_from_slice(&rows[own.clone()]);
            cells.values.extend_from_slice(&values[own]);
            cells.starts.push(cells.rows.len());
        }
        Self { cells, ..self }
    }

    /// Adds an input.
    pub fn push_column(&mut self, values: &[f64]) {
        let cells = values.iter().enumerate().filter(|(_, value)| **value != 0.0);
        for (row, value) in cells {
            self.cells.rows.push(row as u32);
            self.cells.values.push(*value);
        }
        self.cells.starts.push(self.cells.rows.len());
    }
}

/// The same from any input; `name` stands for it in errors.
pub fn read_matrix_market_from(name: &str, input: impl Read, turned: bool) -> Result<SparseMatrix, Error> {
    read_matrix_market_within(name, input, turned, &ReadOptions::default())
}

/// The same within the memory that [`ReadOptions::max_memory`] allows; the other options are not used.
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
        let input = BufReader::with_capacity(1 << 16, MultiGzDecoder::new(input));
        return parse(name, input, |_, _| Ok(turned), room);
    }
    parse(name, input, |_, _| Ok(turned), room)
}

/// The first word of every line of a text file, also gzip.
pub fn read_names(path: &str) -> Result<Vec<String>, Error> {
    let error = |source| Error::Read { file: path.into(), source };
    let file = File::open(path).map_err(|source| Error::Open { file: path.into(), source })?;
    let mut text = String::new();
    plain(file).and_then(|mut input| input.read_to_string(&mut text)).map_err(error)?;
    Ok(text
        .lines()
        .map(|line| line.split(['\t', ',']).next().unwrap_or_default().trim().to_owned())
        .collect())
}

/// The value of a cell in the file.
#[derive(Clone, Copy, PartialEq)]
enum Field {
    Number,
    /// No value: the cell is 1.
    Pattern,
}

/// The largest number of bytes of a line.
const LONGEST_LINE: u64 = 1 << 16;

/// Bytes per cell: while reading, and when stored.
const CELL: u64 = 16 + 12;

/// `turned` says of height and width whether the rows are the inputs.
fn parse(
    name: &str,
    mut input: impl BufRead,
    turned: impl FnOnce(usize, usize) -> Result<bool, Error>,
    mut room: Room,
) -> Result<SparseMatrix, Error> {
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
    let turned = turned(height, width)?;
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
        // a full list doubles its memory
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

/// A larger number of columns is an error in the file.
const MOST_COLUMNS: usize = 100_000_000;

/// The beginning of a line, for an error.
fn short(line: &str) -> String {
    let steers = |c: char| c.is_control();
    line.chars().take(40).map(|c| if steers(c) { '?' } else { c }).collect()
}
