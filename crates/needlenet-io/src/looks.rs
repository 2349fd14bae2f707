//! Recognises a column that is not all numbers: truth values, numbers with commas, dates, an identifier, or the levels of a
//! category; and gives a remedy for those that cannot be inputs. Cost: O(different words). Tested in `tests/first_contact.rs`.

use std::collections::HashMap;

use crate::commas::{Commas, commas};
use crate::dates::{Date, date};
use crate::error::listed;
use crate::options::on_command_line;
use crate::words::{Dictionary, Word, quoted};
use crate::{Decimal, Front, Missing, ReadOptions, Unusable};

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
    cells: &[f64],
    options: &ReadOptions,
) -> Option<Unusable> {
    let first = dictionary.words.first()?;
    let (front, n_rows) = (options.front, cells.len());
    let example = quoted(&first.text);
    let leave_out = front.leave_out(column);
    let place = match first.line {
        Some(line) => format!("row {} (line {line})", first.row),
        None => format!("row {}", first.row),
    };
    let with_words = dictionary.cells();
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
            format!("write dates as 2024-03-01, or what matters as a number, such as an age, or {leave_out}"),
        ),
        Look::Infinite => (
            format!("has {example} in {place}, which is not a finite number"),
            if_missing(&dictionary.words, column, options),
        ),
        Look::MostlyNumbers => {
            let words = match dictionary.words.len() {
                1 => format!("the first {example} in {place}"),
                _ => format!("{}, the first in {place}", all_of(&dictionary.words)),
            };
            let looks =
                format!("holds numbers, but {with_words} of its cells {} not, {words}", are(with_words));
            let mut remedy = if_missing(&dictionary.words, column, options);
            if has_levels(dictionary, cells) {
                remedy += &match front {
                    Front::Program => {
                        format!(
                            ", or pass --category {} to read its values as levels",
                            on_command_line(column)
                        )
                    }
                    Front::Python => format!(", or give category=[{column:?}] to read its values as levels"),
                };
            }
            (looks, remedy)
        }
        Look::Identifier => {
            let many = if dictionary.beyond > 0 { "more than " } else { "" };
            let words = dictionary.words.len();
            let kind =
                if words == with_words && words > 1 { "an identifier" } else { "an identifier or free text" };
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

/// The different words of a column, the first of many.
fn all_of(words: &[Word]) -> String {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    listed(&texts, texts.len())
}

/// Words that one may want to pass one by one.
const FEW_WORDS: usize = 4;

/// What to do with words that may mean missing; with the rule for missing cells that is needed then, if none is given.
fn if_missing(words: &[Word], column: &str, options: &ReadOptions) -> String {
    let front = options.front;
    let and_fill = options.missing == Missing::Error;
    match front {
        Front::Program if words.len() > FEW_WORDS => {
            format!("clean the column, or {}", front.leave_out(column))
        }
        Front::Program => {
            let markers: Vec<String> =
                words.iter().map(|word| format!("--missing-marker {}", quoted(&word.text))).collect();
            let rule = if and_fill { " and --missing mean" } else { "" };
            let it_means = if words.len() == 1 { "it means" } else { "they mean" };
            format!("pass {}{rule} if {it_means} missing, or {}", markers.join(" "), front.leave_out(column))
        }
        Front::Python => {
            let rule = if and_fill { " and give missing='mean'" } else { "" };
            format!("put NaN where it means missing{rule}, or clean the column")
        }
    }
}

/// Whether a column of numbers and words has a value in enough rows to be a level.
fn has_levels(dictionary: &Dictionary, cells: &[f64]) -> bool {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for cell in cells.iter().filter(|cell| !cell.is_nan()) {
        *counts.entry(cell.to_bits()).or_default() += 1;
    }
    dictionary.beyond == 0
        && counts
            .into_values()
            .chain(dictionary.words.iter().map(|word| word.count))
            .any(|count| count >= RARE)
}
