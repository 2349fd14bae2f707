//! Decides which numbers or categories the words of each column are, and reports all columns that cannot be read in one
//! error. Cost: O(cells of columns with words). Tested in `tests/first_contact.rs`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::commas::{self, Commas};
use crate::dates::{Date, date};
use crate::draft::{Declared, Draft};
use crate::error::listed;
use crate::looks::{Look, RARE, look, remedy_of_dates, truth, unusable};
use crate::outcome::shortest;
use crate::words::{Dictionary, code, quoted};
use crate::{Coding, Decimal, Error, Front, Known, ReadOptions, Unusable, category};

/// The coding of an input that is not a plain number.
#[derive(Debug)]
pub(crate) enum Kind {
    /// A category; its cells are indices into this list.
    Words(Vec<String>),
    /// An ordered category, whose cells are scores.
    Ordered(Vec<String>),
    /// A number whose missing cells are marked.
    WithIndicator { mean: f64 },
}

/// Commas that may be decimal or separate thousands.
const EITHER: Look = Look::Commas(Commas::Either);

/// The kind of a column according to the user or the file.
#[derive(Clone)]
enum Wish {
    Category,
    Ordered(Vec<String>),
}

/// How a column is read.
enum Reading {
    Truths,
    Commas(Decimal),
    Days,
    Kind(Kind),
    /// With the levels of the model, or as numbers.
    Done,
}

impl Draft {
    /// Converts words, also those of the outcome, to numbers or to indices into a list of texts.
    pub(crate) fn interpret(&mut self, options: &ReadOptions) -> Result<BTreeMap<usize, Kind>, Error> {
        let wishes = self.wishes(options)?;
        let dictionaries = std::mem::take(&mut self.words.columns);
        let looks: BTreeMap<usize, Look> =
            dictionaries.iter().map(|(&input, words)| (input, self.look_at(input, words))).collect();
        let decimal = self.decimal(&looks, options);
        let mut todo: BTreeSet<usize> =
            dictionaries.keys().chain(wishes.keys()).chain(self.declared.keys()).copied().collect();
        let known = options.exactly.as_deref().unwrap_or_default();
        todo.extend((0..known.len()).filter(|&input| is_category(&known[input])));
        let (mut kinds, mut bad) = (BTreeMap::new(), BTreeMap::new());
        let mut told: [Vec<usize>; 4] = Default::default();
        let empty = Dictionary::default();
        for input in todo {
            let column = Column {
                name: &self.names[input],
                words: dictionaries.get(&input).unwrap_or(&empty),
                look: looks.get(&input).copied(),
                wish: wishes.get(&input),
                declared: self.declared.get(&input),
                known: known.get(input),
            };
            let cells = &mut self.values[input * self.n_rows..(input + 1) * self.n_rows];
            if let Some(known) = column.known.filter(|known| is_category(known)) {
                category::apply_known(&self.file, known, cells, column.words, options, &mut self.notes)?;
                continue;
            }
            match column.read(cells, decimal, options) {
                Ok(Reading::Truths) => told[0].push(input),
                Ok(Reading::Commas(Decimal::Comma)) => told[1].push(input),
                Ok(Reading::Commas(Decimal::Point)) => told[2].push(input),
                Ok(Reading::Days) => told[3].push(input),
                Ok(Reading::Kind(kind)) => drop(kinds.insert(input, kind)),
                Ok(Reading::Done) => {}
                Err(refused) => drop(bad.insert(input, refused)),
            }
        }
        if let Some(&comma) = told[1].first().filter(|_| options.decimal.is_none() && self.from_text) {
            let before = bad.len();
            self.refuse_points(comma, &dictionaries, &mut bad, options);
            if bad.len() > before {
                // with both marks in the table, ambiguous commas stay so
                let either = told[1].iter().copied().filter(|input| looks[input] == EITHER);
                let refused = either.map(|input| {
                    let (name, cells) = (&self.names[input], self.cells(input));
                    unusable(name, EITHER, &dictionaries[&input], cells, options).map(|of| (input, of))
                });
                bad.extend(refused.flatten());
            }
        }
        self.refuse_infinite(&mut bad, options);
        self.refuse_empty(&mut bad, options);
        self.note(&told);
        let texts = self.outcome.iter_mut().chain(&mut self.beside).filter(|column| column.numbers.is_none());
        let mut settled = texts.map(|column| column.settle_text(&self.file, decimal, &mut self.notes));
        let of_outcome = settled.find_map(Result::err);
        match of_outcome {
            _ if !bad.is_empty() => Err(self.refusal(bad, &dictionaries, &looks, of_outcome, options)),
            Some(error) => Err(error),
            None => Ok(kinds),
        }
    }

    fn wishes(&self, options: &ReadOptions) -> Result<HashMap<usize, Wish>, Error> {
        let mut wishes = HashMap::new();
        // for prediction the model gives the kind of each input
        if options.exactly.is_some() {
            return Ok(wishes);
        }
        for column in &options.categories {
            let inputs = column.resolve_inputs(&self.file, "category", &self.names)?;
            wishes.extend(inputs.into_iter().map(|input| (input, Wish::Category)));
        }
        for (column, levels) in &options.ordered {
            let inputs = column.resolve_inputs(&self.file, "ordered", &self.names)?;
            wishes.extend(inputs.into_iter().map(|input| (input, Wish::Ordered(levels.clone()))));
        }
        Ok(wishes)
    }

    fn look_at(&self, input: usize, words: &Dictionary) -> Look {
        let numbers = || self.cells(input).iter().filter(|cell| !cell.is_nan());
        look(words, numbers().count(), numbers().all(|cell| *cell == 0.0 || *cell == 1.0))
    }

    /// The decimal mark of ambiguous numbers with commas: that of the unambiguous ones, if they
    /// agree.
    fn decimal(&self, looks: &BTreeMap<usize, Look>, options: &ReadOptions) -> Option<Decimal> {
        // other columns of a table in memory may be numbers already, whatever their mark was
        if options.decimal.is_some() || !self.from_text {
            return options.decimal;
        }
        let of_look =
            |look: &Look| if let Look::Commas(Commas::Clear(decimal)) = look { Some(*decimal) } else { None };
        let texts = self.outcome.iter().chain(&self.beside).filter(|column| column.is_of_commas());
        let of_text = |text: &String| match commas::commas(text) {
            Some(Commas::Clear(decimal)) if text.contains(',') => Some(decimal),
            _ => None,
        };
        let texts = texts.flat_map(|column| &column.text).flatten();
        let mut clear = looks.values().filter_map(of_look).chain(texts.filter_map(of_text));
        let first = clear.next()?;
        clear.all(|other| other == first).then_some(first)
    }

    /// If some columns have decimal commas, a point in another column may separate thousands.
    fn refuse_points(
        &self,
        comma: usize,
        dictionaries: &BTreeMap<usize, Dictionary>,
        bad: &mut BTreeMap<usize, Unusable>,
        options: &ReadOptions,
    ) {
        for input in (0..self.names.len()).filter(|input| !dictionaries.contains_key(input)) {
            let refused = with_points(&self.names[input], self.cells(input), &self.names[comma], options);
            bad.extend(refused.map(|refused| (input, refused)));
        }
    }

    fn note(&mut self, told: &[Vec<usize>; 4]) {
        let whats = [
            "true and yes are read as 1, false and no as 0",
            "commas are read as decimal commas",
            "commas are read as separators of thousands",
            "dates are read as days since 1970-01-01",
        ];
        for (inputs, what) in told.iter().zip(whats).filter(|(inputs, _)| !inputs.is_empty()) {
            let names: Vec<&str> = inputs.iter().map(|&input| self.names[input].as_str()).collect();
            self.notes.push(format!("{}: {what}", listed(&names, names.len())));
        }
    }
}

/// A column that has words, or whose kind is given by the user, the file or the model.
struct Column<'a> {
    name: &'a str,
    words: &'a Dictionary,
    look: Option<Look>,
    wish: Option<&'a Wish>,
    declared: Option<&'a Declared>,
    known: Option<&'a Known>,
}

impl Column<'_> {
    /// Reads the cells as numbers, scores or indices into a list of texts.
    fn read(
        &self,
        cells: &mut [f64],
        decimal: Option<Decimal>,
        options: &ReadOptions,
    ) -> Result<Reading, Unusable> {
        match (self.wish, self.declared) {
            (_, Some(Declared::Other(kind))) => {
                return Err(self.refused(format!("holds {kind}"), options.front.leave_out(self.name)));
            }
            (Some(Wish::Ordered(levels)), _) | (None, Some(Declared::Ordered(levels))) => {
                return self.scores(cells, levels);
            }
            (Some(Wish::Category), _) | (None, Some(Declared::Category)) => {
                return self.texts(cells, options, true);
            }
            (None, Some(Declared::Dates)) if options.dates_as_days => return Ok(Reading::Days),
            (None, Some(Declared::Dates)) => {
                return Err(self.refused("holds dates".to_owned(), remedy_of_dates(options.front)));
            }
            (None, None) => {}
        }
        let Some(look) = self.look else { return Ok(Reading::Done) };
        match look {
            Look::Truths => {
                self.replace(cells, |word| truth(word).map(|value| f64::from(u8::from(value))));
                Ok(Reading::Truths)
            }
            Look::Commas(found) => {
                let mark = match (found, options.decimal) {
                    (_, Some(asked)) => Some(asked),
                    (Commas::Clear(clear), None) => Some(clear),
                    (Commas::Either, None) => decimal,
                };
                self.commas(cells, look, mark, options)
            }
            Look::Dates if options.dates_as_days => {
                self.replace(cells, |word| match date(word) {
                    Some(Date::Days(days)) => Some(days),
                    _ => None,
                });
                Ok(Reading::Days)
            }
            _ => match unusable(self.name, look, self.words, cells, options) {
                Some(refused) => Err(refused),
                None => self.texts(cells, options, false),
            },
        }
    }

    /// Reads numbers with commas; the same column must not use a point as decimal mark too.
    fn commas(
        &self,
        cells: &mut [f64],
        look: Look,
        mark: Option<Decimal>,
        options: &ReadOptions,
    ) -> Result<Reading, Unusable> {
        let Some(mark) = mark else {
            return match unusable(self.name, look, self.words, cells, options) {
                Some(refused) => Err(refused),
                None => Ok(Reading::Done),
            };
        };
        if mark == Decimal::Comma && options.decimal.is_none() {
            with_points(self.name, cells, self.name, options).map_or(Ok(()), Err)?;
        }
        if let Some(word) = self.words.words.iter().find(|word| commas::parse(&word.text, mark).is_none()) {
            let looks = format!(
                "has {} in row {}, which is no number with a decimal {mark}",
                quoted(&word.text),
                word.row
            );
            return Err(
                self.refused(looks, "pass the other mark with --decimal, or clean the column".to_owned())
            );
        }
        self.replace(cells, |word| commas::parse(word, mark));
        Ok(Reading::Commas(mark))
    }

    /// Reads a category; `declared` if the user or the file says that it is one.
    fn texts(&self, cells: &mut [f64], options: &ReadOptions, declared: bool) -> Result<Reading, Unusable> {
        if self.known.is_some() {
            let example = self.words.words.first().map(|word| quoted(&word.text)).unwrap_or_default();
            let looks = format!("holds words such as {example}, but the model knows it as a number");
            return Err(self.refused(looks, "give numbers".to_owned()));
        }
        let names = category::texts(cells, self.words);
        // an empty column is refused as such
        if declared && !names.is_empty() {
            let mut counts = vec![0_usize; names.len()];
            cells.iter().filter(|cell| !cell.is_nan()).for_each(|cell| counts[*cell as usize] += 1);
            if self.words.beyond > 0 || counts.iter().all(|count| *count < RARE) {
                let many = if self.words.beyond > 0 { "more than " } else { "" };
                let looks = format!(
                    "has {many}{} different levels in {} rows, none in {RARE} rows or more, as an identifier has",
                    names.len(),
                    cells.len()
                );
                return Err(self.refused(looks, options.front.leave_out(self.name)));
            }
        }
        Ok(Reading::Kind(Kind::Words(names)))
    }

    fn scores(&self, cells: &mut [f64], levels: &[String]) -> Result<Reading, Unusable> {
        match category::apply(cells, self.words, levels).first() {
            None => Ok(Reading::Kind(Kind::Ordered(levels.to_vec()))),
            Some(unseen) => {
                let looks = format!(
                    "has {} in row {}, which is not among its ordered levels ({})",
                    quoted(&unseen.level),
                    unseen.rows[0] + 1,
                    listed(levels, levels.len())
                );
                Err(self.refused(looks, "give all levels, from low to high".to_owned()))
            }
        }
    }

    /// Replaces each word by its number.
    fn replace(&self, cells: &mut [f64], number: impl Fn(&str) -> Option<f64>) {
        let numbers: Vec<f64> =
            self.words.words.iter().map(|word| number(&word.text).unwrap_or(f64::NAN)).collect();
        for cell in cells {
            if let Some(at) = code(*cell) {
                *cell = numbers.get(at).copied().unwrap_or(f64::NAN);
            }
        }
    }

    fn refused(&self, looks: String, remedy: String) -> Unusable {
        Unusable { column: self.name.to_owned(), looks, remedy }
    }
}

/// Refuses a column with decimal points in a table whose column `comma` has decimal commas: a point may separate thousands.
fn with_points(column: &str, cells: &[f64], comma: &str, options: &ReadOptions) -> Option<Unusable> {
    let with_point = || cells.iter().filter(|cell| cell.is_finite() && cell.fract() != 0.0);
    let looks = format!(
        "has numbers with a decimal point such as {} while \"{comma}\" has decimal commas",
        shortest(*with_point().next()?)
    );
    // 1.234 may be 1234; 0.234 and 1.2345 are not
    let may_be_thousands = |cell: &f64| (1.0..1e3).contains(&cell.abs()) && (cell * 1e3).fract() == 0.0;
    let mut remedy = format!("write \"{comma}\" with decimal points");
    if options.front == Front::Program && with_point().all(may_be_thousands) {
        remedy = format!("pass --decimal comma if points separate thousands, or {remedy}");
    }
    Some(Unusable { column: column.to_owned(), looks, remedy })
}

fn is_category(known: &Known) -> bool {
    matches!(known.coding, Coding::Category { .. } | Coding::Ordered { .. })
}
