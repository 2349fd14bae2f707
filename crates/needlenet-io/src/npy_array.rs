//! One NumPy array as a stream of numbers or of texts.
//!
//! A header is checked before it is parsed, and items are passed on as they are read, so that a header with
//! wrong sizes costs no memory. Tested in `tests/numpy_tables.rs` and `tests/hostile_files.rs`.

use std::fmt::Display;
use std::io::{self, BufRead, Read};

use half::f16;
use npyz::{DType, Deserialize, NpyFile, NpyHeader, TypeChar};

use crate::Error;
use crate::memory::Room;

/// Limits on columns, header and text, beyond those of any real table; checked before memory is
/// allocated.
const MOST_COLUMNS: u64 = 1 << 24;
const LONGEST_HEADER: usize = 1 << 16;
const LONGEST_TEXT: u64 = 1 << 16;

const FIELDS: &str = "the array has named fields";
const PLAIN: &str = "an array of integers, floats or truth values";

/// Fills a slice with the next items; an error if the file ends before.
type Numbers<'a> = Box<dyn FnMut(&mut [f64]) -> io::Result<()> + 'a>;

pub(crate) fn open<R: BufRead>(file: &str, format: &'static str, mut input: R) -> Result<NpyFile<R>, Error> {
    let header = checked_header(&mut input).and_then(|header| NpyHeader::from_reader(header.as_slice()));
    let header = header.map_err(|error| refused(file, format, &error))?;
    Ok(NpyFile::with_header(header, input))
}

/// The header, and where the items start.
pub(crate) fn header(mut input: impl Read) -> io::Result<(NpyHeader, u64)> {
    let header = checked_header(&mut input)?;
    Ok((NpyHeader::from_reader(header.as_slice())?, header.len() as u64))
}

/// The bytes of the header, if they can be parsed safely: nothing nested, as the parser (py_literal 0.4) reads a bracket inside of a
/// bracket up to four times, and no product of sizes beyond 64 bits.
fn checked_header(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let bad = |reason: &str| Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    let mut header = vec![0; 10];
    input.read_exact(&mut header)?;
    let mut length = usize::from(header[8]) | usize::from(header[9]) << 8;
    if header[6] > 1 {
        let mut high = [0; 2];
        input.read_exact(&mut high)?;
        length |= usize::from(high[0]) << 16 | usize::from(high[1]) << 24;
        header.extend(high);
    }
    if length > LONGEST_HEADER {
        return bad("the header is longer than that of any plain array");
    }
    let start = header.len();
    header.resize(start + length, 0);
    input.read_exact(&mut header[start..])?;
    let text = String::from_utf8_lossy(&header[start..]);
    if text.contains("[(") {
        return Err(io::Error::new(io::ErrorKind::Unsupported, FIELDS));
    }
    // `[` is that of a unit of time
    if ['{', '(', '['].into_iter().any(|bracket| text.matches(bracket).count() > 1) {
        return bad("the header is not that of a plain array");
    }
    let sizes = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let product = sizes
        .map(|digits| digits.parse::<u64>().ok())
        .try_fold(1_u64, |all, one| all.checked_mul(one?.max(1)));
    if product.is_none() {
        return bad("the header gives sizes that are too large");
    }
    Ok(header)
}

/// Rows and columns; a 1-d array is one column.
pub(crate) fn shape<R: Read>(file: &str, array: &NpyFile<R>) -> Result<(u64, usize), Error> {
    let found = || format!("the array has the shape {:?}", array.shape());
    let (rows, columns) = match *array.shape() {
        [rows] => (rows, 1),
        [rows, columns] => (rows, columns),
        _ => {
            let expected = "an array of samples x inputs, with one or two dimensions";
            return Err(Error::Shape { file: file.to_owned(), found: found(), expected });
        }
    };
    match usize::try_from(columns) {
        Ok(width) if columns <= MOST_COLUMNS => Ok((rows, width)),
        _ => {
            Err(Error::Shape { file: file.to_owned(), found: found(), expected: "at most 16777216 columns" })
        }
    }
}

/// The items as numbers, in the order of the file, many at a time.
pub(crate) fn numbers<'a, R: BufRead + 'a>(file: &str, array: NpyFile<R>) -> Result<Numbers<'a>, Error> {
    let dtype = array.dtype();
    let scalar = match &dtype {
        DType::Plain(scalar) => Some((scalar.type_char(), scalar.size_field())),
        _ => None,
    };
    let numbers = match scalar {
        Some((TypeChar::Float, 8)) => stream::<f64, R>(array, |value| value),
        Some((TypeChar::Float, 4)) => stream::<f32, R>(array, f64::from),
        Some((TypeChar::Float, 2)) => stream::<f16, R>(array, f64::from),
        Some((TypeChar::Int, 8)) => stream::<i64, R>(array, |value| value as f64),
        Some((TypeChar::Int, 4)) => stream::<i32, R>(array, f64::from),
        Some((TypeChar::Int, 2)) => stream::<i16, R>(array, f64::from),
        Some((TypeChar::Int, 1)) => stream::<i8, R>(array, f64::from),
        Some((TypeChar::Uint, 8)) => stream::<u64, R>(array, |value| value as f64),
        Some((TypeChar::Uint, 4)) => stream::<u32, R>(array, f64::from),
        Some((TypeChar::Uint, 2)) => stream::<u16, R>(array, f64::from),
        Some((TypeChar::Uint, 1)) => stream::<u8, R>(array, f64::from),
        Some((TypeChar::Bool, 1)) => stream::<bool, R>(array, |value| f64::from(u8::from(value))),
        _ => None,
    };
    numbers.ok_or_else(|| Error::Shape {
        file: file.to_owned(),
        found: format!("the array has the dtype {}", dtype.descr()),
        expected: PLAIN,
    })
}

fn stream<'a, T: Deserialize + 'a, R: BufRead + 'a>(
    array: NpyFile<R>,
    number: fn(T) -> f64,
) -> Option<Numbers<'a>> {
    let mut items = array.data::<T>().ok()?;
    Some(Box::new(move |places| {
        for place in places {
            // if the items end early, the declared shape was larger than the file
            let item = items.next().ok_or_else(|| io::Error::other("cells are lacking"))??;
            *place = number(item);
        }
        Ok(())
    }))
}

/// The items as text, or the array back if its dtype is not `U` or `S`.
pub(crate) fn texts<R: BufRead>(
    file: &str,
    array: NpyFile<R>,
    room: &mut Room,
) -> Result<Result<Vec<String>, NpyFile<R>>, Error> {
    let is_text = match &array.dtype() {
        DType::Plain(scalar) => {
            matches!(scalar.type_char(), TypeChar::UnicodeStr | TypeChar::ByteStr)
                && scalar.size_field() <= LONGEST_TEXT
        }
        _ => false,
    };
    if !is_text {
        return Ok(Err(array));
    }
    match array.try_data::<String>() {
        Ok(items) => {
            let mut texts = Vec::new();
            for item in items {
                let text = item.map_err(|error| damaged(file, "npz", error))?;
                room.take_text(text.len())?;
                texts.push(text);
            }
            Ok(Ok(texts))
        }
        Err(array) => Ok(Err(array)),
    }
}

pub(crate) fn is_truth(dtype: &DType) -> bool {
    matches!(dtype, DType::Plain(scalar) if scalar.type_char() == TypeChar::Bool)
}

/// Why there is no header.
pub(crate) fn refused(file: &str, format: &'static str, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::Unsupported => {
            Error::Shape { file: file.to_owned(), found: error.to_string(), expected: PLAIN }
        }
        _ => damaged(file, format, error),
    }
}

pub(crate) fn damaged(file: &str, format: &'static str, error: impl Display) -> Error {
    Error::Damaged { file: file.to_owned(), format, reason: error.to_string() }
}
