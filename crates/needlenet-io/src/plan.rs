//! The use of each column of a file: an input, the outcome, or none. Cost: O(p). Tested in
//! `tests/columns.rs`.

use std::collections::{HashMap, HashSet};

use crate::error::listed;
use crate::options::nearest;
use crate::outcome::Outcome;
use crate::{Coding, ColumnRef, Error, Known, ReadOptions};

/// The use of one column of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Skip,
    /// Input number, from 0, of the table to make.
    Input(usize),
    Target,
    /// An additional column, by its number.
    Beside(usize),
}

#[derive(Debug)]
pub(crate) struct Plan {
    /// The names of the inputs, in the order of the table.
    pub(crate) inputs: Vec<String>,
    /// The name of the outcome.
    pub(crate) target: Option<String>,
    /// The names of the additional columns.
    pub(crate) beside: Vec<String>,
    /// One use per column of the file.
    pub(crate) slots: Vec<Slot>,
}

impl Plan {
    /// `target` is apart from `options` since an npz file may hold the outcome outside its columns.
    pub(crate) fn new(
        file: &str,
        mut names: Vec<String>,
        target: Option<&ColumnRef>,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        let target = target.map(|column| outcome_column(file, column, &names, options)).transpose()?;
        let mut slots = vec![Slot::Skip; names.len()];
        for (at, name) in options.beside.iter().enumerate() {
            let column = ColumnRef(name.clone()).resolve_in(file, &names)?;
            if names[column] != *name {
                return Err(Error::NotAName { file: file.to_owned(), text: name.clone() });
            }
            if slots[column] != Slot::Skip {
                return Err(two_uses(file, name, "a column beside the inputs", "one once more"));
            }
            slots[column] = Slot::Beside(at);
        }
        match &options.exactly {
            Some(known) => place_exactly(file, &names, known, &mut slots)?,
            None => place_the_rest(file, &names, target, options, &mut slots)?,
        }
        if let Some(index) = target {
            match slots[index] {
                Slot::Skip => slots[index] = Slot::Target,
                Slot::Beside(_) => {
                    return Err(two_uses(file, &names[index], "a column beside the inputs", "the outcome"));
                }
                _ => return Err(two_uses(file, &names[index], "an input", "the outcome")),
            }
        }
        refuse_duplicates(file, &names, &slots)?;
        if let (Some(part), None) = (&options.part, &options.exactly) {
            for slot in &mut slots {
                if let Slot::Input(input) = *slot {
                    *slot = if part.contains(&input) { Slot::Input(input - part.start) } else { Slot::Skip };
                }
            }
        }
        let target = target.map(|index| std::mem::take(&mut names[index]));
        // move the names: those of a wide table take megabytes
        let is_input = |slot: &Slot| matches!(slot, Slot::Input(_));
        let in_order = names.into_iter().zip(&slots).filter(|(_, slot)| is_input(slot)).map(|(name, _)| name);
        let inputs: Vec<String> = match &options.exactly {
            Some(known) => known.iter().map(|known| known.name.clone()).collect(),
            None => in_order.collect(),
        };
        // a model without needles needs only the number of rows
        if inputs.is_empty() && options.exactly.is_none() {
            return Err(Error::NoInputs { file: file.to_owned() });
        }
        Ok(Self { inputs, target, beside: options.beside.clone(), slots })
    }

    /// The additional columns, without rows.
    pub(crate) fn outcomes(&self) -> (Option<Outcome>, Vec<Outcome>) {
        (self.target.clone().map(Outcome::new), self.beside.iter().cloned().map(Outcome::new).collect())
    }

    /// The inputs whose words stay words, also those that are numbers: categories by request, or by the model.
    pub(crate) fn categories(&self, options: &ReadOptions) -> HashSet<usize> {
        let is_category =
            |known: &Known| matches!(known.coding, Coding::Category { .. } | Coding::Ordered { .. });
        match &options.exactly {
            Some(known) => (0..known.len()).filter(|&input| is_category(&known[input])).collect(),
            None => {
                let asked = options.categories.iter().chain(options.ordered.iter().map(|(column, _)| column));
                asked.flat_map(|column| column.named(&self.inputs)).collect()
            }
        }
    }

    /// The columns of the file that are used, in the order of the file.
    pub(crate) fn used(&self) -> Vec<usize> {
        (0..self.slots.len()).filter(|&column| self.slots[column] != Slot::Skip).collect()
    }
}

/// The column of the outcome; of two with its name the one that is not left out.
fn outcome_column(
    file: &str,
    column: &ColumnRef,
    names: &[String],
    options: &ReadOptions,
) -> Result<usize, Error> {
    column.resolve_in(file, names).or_else(|error| {
        let Error::DuplicateName { .. } = error else { return Err(error) };
        let excluded = Wanted::new(file, names, options)?.excluded;
        let left: Vec<usize> = column.named(names).into_iter().filter(|at| !excluded.contains(at)).collect();
        if let [only] = left[..] { Ok(only) } else { Err(error) }
    })
}

fn place_exactly(file: &str, names: &[String], known: &[Known], slots: &mut [Slot]) -> Result<(), Error> {
    let mut positions: HashMap<&str, usize> = HashMap::with_capacity(names.len());
    let mut repeated: HashMap<&str, usize> = HashMap::new();
    for (at, name) in names.iter().enumerate() {
        if *positions.entry(name).or_insert(at) != at {
            repeated.entry(name).or_insert(at);
        }
    }
    let absent: Vec<&String> =
        known.iter().map(|known| &known.name).filter(|name| !positions.contains_key(name.as_str())).collect();
    if !absent.is_empty() {
        let first = absent.iter().take(5).map(|name| (*name).clone()).collect();
        let nearest = nearest(absent[0], names);
        return Err(Error::AbsentColumns { file: file.to_owned(), count: absent.len(), first, nearest });
    }
    for (input, known) in known.iter().enumerate() {
        // two columns have this name: neither can be preferred
        let position = positions[known.name.as_str()];
        if let Some(second) = repeated.get(known.name.as_str()) {
            let (first, second) = (position + 1, second + 1);
            return Err(Error::DuplicateName {
                file: file.to_owned(),
                name: known.name.clone(),
                first,
                second,
                others: vec![second],
            });
        }
        match slots[position] {
            Slot::Skip => slots[position] = Slot::Input(input),
            Slot::Input(_) => return Err(two_uses(file, &known.name, "an input", "an input once more")),
            _ => return Err(two_uses(file, &known.name, "an input", "a column beside the inputs")),
        }
    }
    Ok(())
}

fn place_the_rest(
    file: &str,
    names: &[String],
    target: Option<usize>,
    options: &ReadOptions,
    slots: &mut [Slot],
) -> Result<(), Error> {
    let wanted = Wanted::new(file, names, options)?;
    if let Some(index) = target.filter(|index| wanted.excluded.contains(index)) {
        return Err(two_uses(file, &names[index], "the outcome", "an excluded column"));
    }
    let mut input = 0;
    for (column, slot) in slots.iter_mut().enumerate() {
        if *slot == Slot::Skip && Some(column) != target && wanted.has(column) {
            *slot = Slot::Input(input);
            input += 1;
        }
    }
    Ok(())
}

/// The columns that [`ReadOptions::only`] and [`ReadOptions::exclude`] select.
pub(crate) struct Wanted {
    only: Option<HashSet<usize>>,
    excluded: HashSet<usize>,
}

impl Wanted {
    pub fn new(file: &str, names: &[String], options: &ReadOptions) -> Result<Self, Error> {
        let meant = |columns: &[ColumnRef]| -> Result<HashSet<usize>, Error> {
            let each = columns.iter().map(|column| column.resolve_all(file, names));
            Ok(each.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
        };
        let excluded = meant(&options.exclude)?;
        let only = if options.only.is_empty() { None } else { Some(meant(&options.only)?) };
        Ok(Self { only, excluded })
    }

    pub fn has(&self, column: usize) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(&column)) && !self.excluded.contains(&column)
    }
}

/// Two used columns must not have the same name, because a needle is identified by its name.
fn refuse_duplicates(file: &str, names: &[String], slots: &[Slot]) -> Result<(), Error> {
    let mut seen: HashMap<&str, usize> = HashMap::with_capacity(names.len());
    let used = names.iter().zip(slots).enumerate().filter(|(_, (_, slot))| **slot != Slot::Skip);
    let mut pairs = Vec::new();
    for (column, (name, _)) in used {
        let first = *seen.entry(name).or_insert(column);
        if first != column {
            pairs.push((first + 1, column + 1));
        }
    }
    let Some(&(first, second)) = pairs.first() else { return Ok(()) };
    let (file, name) = (file.to_owned(), names[first - 1].clone());
    let others = pairs.into_iter().map(|(_, second)| second).collect();
    Err(Error::DuplicateName { file, name, first, second, others })
}

fn two_uses(file: &str, column: &str, first: &'static str, second: &'static str) -> Error {
    Error::TwoUses { file: file.to_owned(), column: column.to_owned(), first, second }
}

/// `x1`, `x2`, ..., `xp`.
pub(crate) fn numbered_names(columns: usize) -> Vec<String> {
    (1..=columns).map(|column| format!("x{column}")).collect()
}

/// Trims names; an empty name becomes `x<position>`, or `x<position>.2`, ... if that is taken.
pub(crate) fn filled_names(mut names: Vec<String>, notes: &mut Vec<String>) -> Vec<String> {
    if names.iter().all(|name| !name.is_empty()) {
        return names;
    }
    let mut taken: HashSet<String> = names.iter().cloned().collect();
    let mut unnamed = Vec::new();
    for (column, name) in names.iter_mut().enumerate().filter(|(_, name)| name.is_empty()) {
        let base = format!("x{}", column + 1);
        let mut made = base.clone();
        let mut count = 1;
        while !taken.insert(made.clone()) {
            count += 1;
            made = format!("{base}.{count}");
        }
        unnamed.push(made.clone());
        *name = made;
    }
    notes.push(format!(
        "{} columns have no name and are called {}",
        unnamed.len(),
        listed(&unnamed, unnamed.len())
    ));
    names
}
