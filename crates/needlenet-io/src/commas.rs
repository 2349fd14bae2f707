//! Numbers with commas: decimal commas (`1,5`) or thousands separators (`1,234.5`), and which of the two a table
//! uses.
//!
//! `1,234` can be either. One unambiguous number anywhere in the table decides for all; without one, the table is
//! refused. Tested in `tests/commas.rs`.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// The decimal mark of the numbers of a text table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decimal {
    /// `1.5`; a comma separates thousands.
    Point,
    /// `1,5`; a point separates thousands.
    Comma,
}

impl FromStr for Decimal {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "point" => Ok(Self::Point),
            "comma" => Ok(Self::Comma),
            _ => Err(Error::UnknownWord {
                text: text.to_owned(),
                what: "a decimal mark",
                accepted: "point or comma",
            }),
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Point => "point",
            Self::Comma => "comma",
        })
    }
}

/// The meaning of the commas of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Commas {
    Clear(Decimal),
    /// Ambiguous, as in `1,234`.
    Either,
}

/// The meaning of the commas of `text`; none if it is not a number with commas.
pub(crate) fn commas(text: &str) -> Option<Commas> {
    let read = |decimal| parse(text, decimal).is_some();
    match (read(Decimal::Point), read(Decimal::Comma)) {
        (true, true) => Some(Commas::Either),
        (true, false) => Some(Commas::Clear(Decimal::Point)),
        (false, true) => Some(Commas::Clear(Decimal::Comma)),
        (false, false) => None,
    }
}

/// The number written with this decimal mark; the other mark may separate thousands.
pub(crate) fn parse(text: &str, decimal: Decimal) -> Option<f64> {
    let (mark, separator) = match decimal {
        Decimal::Point => ('.', ','),
        Decimal::Comma => (',', '.'),
    };
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => unsigned.split_at(at),
        None => (unsigned, ""),
    };
    let (whole, fraction) = match mantissa.split_once(mark) {
        Some((whole, fraction)) => (whole, fraction),
        None => (mantissa, ""),
    };
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = whole.split(separator);
    let first = parts.next().unwrap_or_default();
    let grouped = whole.contains(separator);
    // groups of three after one to three digits; 0,123 is not a thousand
    let first_fits = !grouped || ((1..=3).contains(&first.len()) && !first.starts_with('0'));
    let fits =
        first_fits && digits(first) && digits(fraction) && parts.all(|part| part.len() == 3 && digits(part));
    if !fits || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    let plain: String = whole.chars().filter(|c| *c != separator).collect();
    let value = fast_float2::parse::<f64, _>(format!("{sign}{plain}.{fraction}{exponent}")).ok()?;
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_are_decimal_thousands_or_either() {
        use Commas::{Clear, Either};
        let cases = [
            ("1,5", Some(Clear(Decimal::Comma))),
            ("-0,123", Some(Clear(Decimal::Comma))),
            ("1234,567", Some(Clear(Decimal::Comma))),
            ("1.234,5", Some(Clear(Decimal::Comma))),
            ("1.234.567", Some(Clear(Decimal::Comma))),
            ("1,5e-3", Some(Clear(Decimal::Comma))),
            (",5", Some(Clear(Decimal::Comma))),
            ("1,234", Some(Either)),
            ("1,234,567", Some(Clear(Decimal::Point))),
            ("1,234.5", Some(Clear(Decimal::Point))),
            ("1,23,4", None),
            ("1,2.3", None),
            ("a,5", None),
            (",", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(commas(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers_are_read_with_either_mark() {
        assert_eq!(parse("-1.234,5", Decimal::Comma), Some(-1234.5));
        assert_eq!(parse("1,5e-3", Decimal::Comma), Some(0.0015));
        assert_eq!(parse("1.234", Decimal::Comma), Some(1234.0));
        assert_eq!(parse("1,234.5", Decimal::Point), Some(1234.5));
        assert_eq!(parse("1,234", Decimal::Point), Some(1234.0));
        assert_eq!(parse("12,34", Decimal::Point), None);
        assert_eq!(parse("1,5e999", Decimal::Comma), None);
    }
}
