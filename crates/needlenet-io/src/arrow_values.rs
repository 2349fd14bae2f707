//! Arrays of Arrow as numbers, texts and days.
//!
//! arrow-cast converts every type to every other, which made the Python package 9 MB larger. Here are the conversions that a
//! table needs: integers, floats, decimals, truth values, text, dates, and dictionaries of these. Cost: O(rows). Tested in
//! `tests/binary_tables.rs`.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrowPrimitiveType};
use arrow_schema::{ArrowError, DataType, TimeUnit};

/// Milliseconds of a day.
const DAY: f64 = 86_400_000.0;

/// Calls a function for the integer type of an array.
macro_rules! of_integer {
    ($array:expr, $call:ident, $else:expr) => {
        match $array.data_type() {
            DataType::Int8 => $call!(Int8Type),
            DataType::Int16 => $call!(Int16Type),
            DataType::Int32 => $call!(Int32Type),
            DataType::Int64 => $call!(Int64Type),
            DataType::UInt8 => $call!(UInt8Type),
            DataType::UInt16 => $call!(UInt16Type),
            DataType::UInt32 => $call!(UInt32Type),
            DataType::UInt64 => $call!(UInt64Type),
            other => $else(other),
        }
    };
}

/// Appends the values of an array of numbers; one that is missing is NaN.
pub(crate) fn numbers(array: &dyn Array, cells: &mut Vec<f64>) -> Result<(), ArrowError> {
    macro_rules! integer {
        ($kind:ty) => {
            Ok(push::<$kind>(array, cells, |value| value as f64))
        };
    }
    of_integer!(array, integer, |kind: &DataType| {
        match kind {
            DataType::Float16 => push::<Float16Type>(array, cells, f64::from),
            DataType::Float32 => push::<Float32Type>(array, cells, f64::from),
            DataType::Float64 if array.null_count() == 0 => {
                cells.extend_from_slice(array.as_primitive::<Float64Type>().values());
            }
            DataType::Float64 => push::<Float64Type>(array, cells, |value| value),
            DataType::Decimal32(_, scale) => {
                push::<Decimal32Type>(array, cells, |value| f64::from(value) / power(*scale));
            }
            DataType::Decimal64(_, scale) => {
                push::<Decimal64Type>(array, cells, |value| value as f64 / power(*scale));
            }
            DataType::Decimal128(_, scale) => {
                push::<Decimal128Type>(array, cells, |value| value as f64 / power(*scale));
            }
            DataType::Decimal256(_, scale) => {
                let number = |digits: String| digits.parse().unwrap_or(f64::NAN);
                push::<Decimal256Type>(array, cells, |value| number(value.to_string()) / power(*scale));
            }
            DataType::Boolean => {
                let number = |value: Option<bool>| value.map_or(f64::NAN, |value| f64::from(u8::from(value)));
                cells.extend(array.as_boolean().iter().map(number));
            }
            DataType::Null => cells.resize(cells.len() + array.len(), f64::NAN),
            DataType::Dictionary(..) => {
                let mut values = Vec::new();
                numbers(array.as_any_dictionary().values(), &mut values)?;
                entries(array, |at| cells.push(at.map_or(f64::NAN, |at| values[at])));
            }
            other => return Err(unknown(other, "numbers")),
        }
        Ok(())
    })
}

/// Gives the text of each row: words, digits of integers, or `true` and `false`.
pub(crate) fn texts(array: &dyn Array, mut each: impl FnMut(Option<&str>)) -> Result<(), ArrowError> {
    visit(array, &mut each)
}

fn visit(array: &dyn Array, each: &mut dyn FnMut(Option<&str>)) -> Result<(), ArrowError> {
    macro_rules! integer {
        ($kind:ty) => {{
            let digits = |value: Option<<$kind as ArrowPrimitiveType>::Native>| value.map(|v| v.to_string());
            array.as_primitive::<$kind>().iter().map(digits).for_each(|text| each(text.as_deref()));
            Ok(())
        }};
    }
    of_integer!(array, integer, |kind: &DataType| {
        match kind {
            DataType::Utf8 => array.as_string::<i32>().iter().for_each(each),
            DataType::LargeUtf8 => array.as_string::<i64>().iter().for_each(each),
            DataType::Utf8View => array.as_string_view().iter().for_each(each),
            DataType::Boolean => {
                let word = |value: bool| if value { "true" } else { "false" };
                array.as_boolean().iter().for_each(|value| each(value.map(word)));
            }
            DataType::Dictionary(..) => {
                let mut values: Vec<Option<String>> = Vec::new();
                visit(array.as_any_dictionary().values(), &mut |text| values.push(text.map(str::to_owned)))?;
                entries(array, |at| each(at.and_then(|at| values[at].as_deref())));
            }
            other => return Err(unknown(other, "text")),
        }
        Ok(())
    })
}

/// Appends dates and times as days since 1970-01-01, to the millisecond.
pub(crate) fn days(array: &dyn Array, cells: &mut Vec<f64>) -> Result<(), ArrowError> {
    let of = |milliseconds: i64| milliseconds as f64 / DAY;
    match array.data_type() {
        DataType::Date32 => push::<Date32Type>(array, cells, f64::from),
        DataType::Date64 => push::<Date64Type>(array, cells, of),
        DataType::Timestamp(TimeUnit::Second, _) => {
            push::<TimestampSecondType>(array, cells, |value| value as f64 * 1e3 / DAY);
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => push::<TimestampMillisecondType>(array, cells, of),
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            push::<TimestampMicrosecondType>(array, cells, |value| of(value / 1_000));
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            push::<TimestampNanosecondType>(array, cells, |value| of(value / 1_000_000));
        }
        other => return Err(unknown(other, "dates")),
    }
    Ok(())
}

fn push<T: ArrowPrimitiveType>(array: &dyn Array, cells: &mut Vec<f64>, number: impl Fn(T::Native) -> f64) {
    cells.extend(array.as_primitive::<T>().iter().map(|value| value.map_or(f64::NAN, &number)));
}

/// Gives the place of each row of a dictionary among its values; none if the row is missing.
fn entries(array: &dyn Array, mut each: impl FnMut(Option<usize>)) {
    let dictionary = array.as_any_dictionary();
    if dictionary.values().is_empty() {
        return (0..array.len()).for_each(|_| each(None));
    }
    let keys = dictionary.normalized_keys();
    keys.into_iter().enumerate().for_each(|(row, key)| each(array.is_valid(row).then_some(key)));
}

fn power(scale: i8) -> f64 {
    10_f64.powi(scale.into())
}

fn unknown(kind: &DataType, wanted: &str) -> ArrowError {
    ArrowError::CastError(format!("values of type {kind} are not {wanted}"))
}
