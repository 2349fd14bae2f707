//! Recognises a column that is not all numbers: truth values, numbers with commas, dates, an identifier, or the levels of a
//! category; and gives a remedy for those that cannot be inputs. Cost: O(different words). Tested in `tests/first_contact.rs`.

use crate::commas::{Commas, commas};
use crate::dates::{Date, date};
use crate::words::{Dictionary, Word, quoted};
use crate::{Decimal, Front, Unusable};

/// A level with fewer rows is rare: too few to distinguish its effect from chance.
pub(crate) const RARE: usize = 5;

/// The kind of a column, judged by its words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Look {
    /// true and false, or yes and no.
    Truths,
    /// Numbers with commas, all unambiguous in the same sense, or all ambiguous.
    Commas(Commas),
    /// Numbers with decimal commas, and numbers with thousands separators.
    MixedCommas,
    Dates,
    /// Dates whose day and month may be swapped.
    DoubtfulDates,
    /// Numbers, some of them infinite.
    Infinite,
    /// Numbers, and words in less than half of the cells.
    MostlyNumbers,
    /// As many words as rows, or every word in fewer rows than a level needs.
    Identifier,
    Category,
}

/// The kind of a column that has `numbers` cells with numbers besides its words; `binary` tells whether these are all 0
/// or 1.
pub(crate) fn look(dictionary: &Dictionary, numbers: usize, binary: bool) -> Look {
    let words = &dictionary.words;
    let every = |is: &dyn Fn(&str) -> bool| dictionary.beyond == 0 && words.iter().all(|word| is(&word.text));
    if every(&|word| truth(word).is_some()) && binary {
        return Look::Truths;
    }
    if every(&|word| commas(word).is_some()) {
        return of_commas(words);
    }
    if numbers == 0 && every(&|word| date(word).is_some()) {
        let doubtful = words.iter().any(|word| date(&word.text) == Some(Date::Doubtful));
        return if doubtful { Look::DoubtfulDates } else { Look::Dates };
    }
    let is_infinite = |word: &str| word.parse::<f64>().is_ok_and(f64::is_infinite);
    if every(&is_infinite) {
        return Look::Infinite;
    }
    if dictionary.cells() < numbers {
        return Look::MostlyNumbers;
    }
    if dictionary.beyond > 0 || words.iter().all(|word| word.count < RARE) {
        return Look::Identifier;
    }
    Look::Category
}

fn of_commas(words: &[Word]) -> Look {
    let has = |wanted| words.iter().any(|word| commas(&word.text) == Some(Commas::Clear(wanted)));
    match (has(Decimal::Comma), has(Decimal::Point)) {
        (true, true) => Look::MixedCommas,
        (true, false) => Look::Commas(Commas::Clear(Decimal::Comma)),
        (false, true) => Look::Commas(Commas::Clear(Decimal::Point)),
        (false, false) => Look::Commas(Commas::Either),
    }
}

/// The truth value of a word.
pub(crate) fn truth(word: &str) -> Option<bool> {
    let is = |wanted: &str| word.eq_ignore_ascii_case(wanted);
    if is("true") || is("yes") {
        Some(true)
    } else if is("false") || is("no") {
        Some(false)
    } else {
        None
    }
}

/// Why a column of this kind cannot be an input, and what to do; none if it can.
pub(crate) fn unusable(
    column: &str,
    look: Look,
    dictionary: &Dictionary,
    n_rows: usize,
    front: Front,
) -> Option<Unusable> {
    let first = dictionary.words.first()?;
    let example = quoted(&first.text);
    let leave_out = front.leave_out(column);
    let place = match first.line {
        Some(line) => format!("row {} (line {line})", first.row),
        None => format!("row {}", first.row),
    };
    let cells = dictionary.cells();
    let (looks, remedy) = match look {
        Look::Truths | Look::Category | Look::Commas(Commas::Clear(_)) => return None,
        Look::Commas(Commas::Either) => (
            format!(
                "has numbers with commas such as {example}, which may be decimal commas or separate thousands"
            ),
            front
                .choose("pass --decimal comma or --decimal point", "convert the column to numbers")
                .to_owned(),
        ),
        Look::MixedCommas => (
            format!(
                "has numbers such as {example} with decimal commas and others with commas that separate thousands"
            ),
            "write all decimals with a point".to_owned(),
        ),
        Look::Dates => (format!("looks like a date (such as {example})"), remedy_of_dates(front)),
        Look::DoubtfulDates => (
            format!("looks like a date (such as {example}) of which day and month may be exchanged"),
            "write dates as 2024-03-01, or what matters as a number, such as an age".to_owned(),
        ),
        Look::Infinite => (
            format!("has {example} in {place}, which is not a finite number"),
            marker(front, &first.text, column),
        ),
        Look::MostlyNumbers => (
            format!(
                "holds numbers, but {} of its cells {} not, the first {example} in {place}",
                cells,
                are(cells)
            ),
            format!(
                "{}, or {}",
                marker(front, &first.text, column),
                front.choose(
                    "pass --category to read its values as levels",
                    "convert it to text to read its values as levels"
                )
            ),
        ),
        Look::Identifier => {
            let many = if dictionary.beyond > 0 { "more than " } else { "" };
            let words = dictionary.words.len();
            let kind =
                if words == cells && cells > 1 { "an identifier" } else { "an identifier or free text" };
            (
                format!(
                    "looks like {kind} ({many}{words} different words in {n_rows} rows, such as {example}; none in {RARE} rows \
                     or more)"
                ),
                leave_out,
            )
        }
    };
    Some(Unusable { column: column.to_owned(), looks, remedy })
}

pub(crate) fn remedy_of_dates(front: Front) -> String {
    front
        .choose(
            "pass --dates days to read dates as days, or write what matters as a number, such as an age",
            "give dates='days' to read dates as days, or write what matters as a number, such as an age",
        )
        .to_owned()
}

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

fn marker(front: Front, word: &str, column: &str) -> String {
    match front {
        Front::Program => format!(
            "pass --missing-marker {} if it means missing, or {}",
            quoted(word),
            front.leave_out(column)
        ),
        Front::Python => "put NaN where it means missing, or clean the column".to_owned(),
    }
}
