//! The outcome while it is read: text or numbers, with its missing values marked.
//!
//! An outcome may be text (classes), so a word among numbers is not refused at once. It is judged at the end:
//! if every value that is not a number is a usual way to write "missing", it is an error. Tested in
//! `tests/outcome.rs`.

use crate::commas::{commas, parse};
use crate::error::shown;
use crate::{Decimal, Error, Place, Target};

/// Words that may mean a missing cell, besides those that always do, in lower case.
const MISSING_WORDS: [&str; 4] = ["none", "nil", "missing", "-"];

/// The outcome of the rows read so far; `None` is a missing value.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) name: String,
    pub(crate) text: Vec<Option<String>>,
    /// NaN where missing; `None` when the values are not numbers.
    pub(crate) numbers: Option<Vec<f64>>,
}

impl Outcome {
    pub(crate) fn new(name: String) -> Self {
        Self { name, text: Vec::new(), numbers: None }
    }

    /// An outcome of numbers from a binary format, where NaN is missing.
    pub(crate) fn from_numbers(file: &str, name: String, values: Vec<f64>) -> Result<Self, Error> {
        if let Some(row) = values.iter().position(|value| value.is_infinite()) {
            let place = Place { file: file.to_owned(), row: row + 1, line: None, column: name };
            return Err(Error::NotFinite { place, text: shortest(values[row]) });
        }
        let text = values.iter().map(|&value| (!value.is_nan()).then(|| shortest(value))).collect();
        Ok(Self { name, text, numbers: Some(values) })
    }

    /// An outcome of truth values: its text is `true` and `false`, since it names classes.
    pub(crate) fn from_truths(name: String, values: &[f64]) -> Self {
        let text = values
            .iter()
            .map(|&value| Some(if value == 0.0 { "false" } else { "true" }.to_owned()))
            .collect();
        Self { name, text, numbers: None }
    }

    /// Whether every value is a number, some of them with commas.
    pub(crate) fn is_of_commas(&self) -> bool {
        let is_number = |text: &String| commas(text).is_some() || fast_float2::parse::<f64, _>(text).is_ok();
        self.numbers.is_none() && self.text.iter().flatten().all(is_number)
    }

    /// Converts text to numbers if every value is one; adds a note if only some are. Values with commas are numbers if all
    /// of them are and the decimal mark is known.
    pub(crate) fn settle_text(
        &mut self,
        file: &str,
        decimal: Option<Decimal>,
        notes: &mut Vec<String>,
    ) -> Result<(), Error> {
        let with_commas = self.text.iter().flatten().any(|text| text.contains(',')) && self.is_of_commas();
        if let Some(decimal) = decimal.filter(|_| with_commas) {
            let number =
                |text: &Option<String>| text.as_ref().map_or(Some(f64::NAN), |text| parse(text, decimal));
            self.numbers = self.text.iter().map(number).collect();
            if self.numbers.is_some() {
                let what = match decimal {
                    Decimal::Comma => "decimal commas",
                    Decimal::Point => "separators of thousands",
                };
                notes.push(format!("\"{}\": commas are read as {what}", self.name));
                return Ok(());
            }
        }
        let mut numbers = Vec::with_capacity(self.text.len());
        let mut first_word = None;
        let (mut words, mut strange, mut observed) = (0_usize, 0_usize, 0_usize);
        for (row, text) in self.text.iter().enumerate() {
            let Some(text) = text else {
                numbers.push(f64::NAN);
                continue;
            };
            observed += 1;
            match fast_float2::parse::<f64, _>(text) {
                Ok(value) if value.is_finite() => numbers.push(value),
                Ok(value) if value.is_infinite() => {
                    return Err(Error::NotFinite {
                        place: self.place(file, row),
                        text: shown(text.as_bytes()),
                    });
                }
                _ => {
                    first_word.get_or_insert(row);
                    words += 1;
                    strange += usize::from(!MISSING_WORDS.contains(&text.to_lowercase().as_str()));
                }
            }
        }
        let Some(row) = first_word else {
            self.numbers = Some(numbers);
            return Ok(());
        };
        let text = shown(self.text[row].as_deref().unwrap_or_default().as_bytes());
        if words < observed && strange == 0 {
            return Err(Error::TargetWord { place: self.place(file, row), text });
        }
        if words < observed {
            notes.push(format!(
                "the outcome \"{}\" is read as text: {words} of its {observed} values are not numbers, the first, \
                 \"{text}\", in row {}",
                self.name,
                row + 1
            ));
        }
        Ok(())
    }

    fn place(&self, file: &str, row: usize) -> Place {
        Place { file: file.to_owned(), row: row + 1, line: None, column: self.name.clone() }
    }
}

impl From<Outcome> for Target {
    fn from(outcome: Outcome) -> Self {
        Target {
            name: outcome.name,
            text: outcome.text.into_iter().map(Option::unwrap_or_default).collect(),
            numbers: outcome.numbers,
        }
    }
}

/// The shortest text that reads back as `value`: `1`, `0.1`, `1e300`.
pub(crate) fn shortest(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        // adding zero turns -0 into 0
        format!("{}", value + 0.0)
    } else {
        format!("{value:?}")
    }
}
