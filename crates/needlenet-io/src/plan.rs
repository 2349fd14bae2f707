//! What each column of a file is for: an input, the outcome, or nothing. Cost: O(p). Tested in
//! `tests/columns.rs`.

use std::collections::{HashMap, HashSet};

use crate::error::listed;
use crate::options::nearest;
use crate::{ColumnRef, Error, ReadOptions};

/// The use of one column of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Skip,
    /// Input number, from 0, of the table to make.
    Input(usize),
    Target,
}

#[derive(Debug)]
pub(crate) struct Plan {
    /// The names of the inputs, in the order of the table.
    pub(crate) inputs: Vec<String>,
    /// The name of the outcome.
    pub(crate) target: Option<String>,
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
        let target = target.map(|column| column.resolve_in(file, &names)).transpose()?;
        let mut slots = vec![Slot::Skip; names.len()];
        match &options.only {
            Some(only) => place_exactly(file, &names, only, &mut slots)?,
            None => place_the_rest(file, &names, target, options, &mut slots)?,
        }
        if let Some(index) = target {
            if slots[index] != Slot::Skip {
                return Err(two_uses(file, &names[index], "an input", "the outcome"));
            }
            slots[index] = Slot::Target;
        }
        let target = target.map(|index| std::mem::take(&mut names[index]));
        // the names are moved: those of a wide table take megabytes
        let is_input = |slot: &Slot| matches!(slot, Slot::Input(_));
        let in_order = names.into_iter().zip(&slots).filter(|(_, slot)| is_input(slot)).map(|(name, _)| name);
        let inputs: Vec<String> = options.only.clone().unwrap_or_else(|| in_order.collect());
        // a model without needles predicts from the number of rows alone
        if inputs.is_empty() && options.only.is_none() {
            return Err(Error::NoInputs { file: file.to_owned() });
        }
        Ok(Self { inputs, target, slots })
    }

    /// The name of a column by its use; one without use has none.
    pub(crate) fn name(&self, slot: Slot) -> &str {
        match slot {
            Slot::Input(input) => &self.inputs[input],
            Slot::Target => self.target.as_deref().unwrap_or_default(),
            Slot::Skip => "",
        }
    }

    /// The columns of the file that are of use, in the order of the file.
    pub(crate) fn used(&self) -> Vec<usize> {
        (0..self.slots.len()).filter(|&column| self.slots[column] != Slot::Skip).collect()
    }
}

fn place_exactly(file: &str, names: &[String], only: &[String], slots: &mut [Slot]) -> Result<(), Error> {
    let positions: HashMap<&str, usize> =
        names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let absent: Vec<&String> = only.iter().filter(|name| !positions.contains_key(name.as_str())).collect();
    if !absent.is_empty() {
        let first = absent.iter().take(5).map(|name| (*name).clone()).collect();
        let nearest = nearest(absent[0], names);
        return Err(Error::AbsentColumns { file: file.to_owned(), count: absent.len(), first, nearest });
    }
    for (input, name) in only.iter().enumerate() {
        let slot = &mut slots[positions[name.as_str()]];
        if *slot != Slot::Skip {
            return Err(two_uses(file, name, "an input", "an input once more"));
        }
        *slot = Slot::Input(input);
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
    let mut excluded = HashSet::new();
    for column in &options.exclude {
        excluded.insert(column.resolve_in(file, names)?);
    }
    if let Some(index) = target.filter(|index| excluded.contains(index)) {
        return Err(two_uses(file, &names[index], "the outcome", "an excluded column"));
    }
    let used = (0..names.len()).filter(|column| Some(*column) != target && !excluded.contains(column));
    used.enumerate().for_each(|(input, column)| slots[column] = Slot::Input(input));
    Ok(())
}

fn two_uses(file: &str, column: &str, first: &'static str, second: &'static str) -> Error {
    Error::TwoUses { file: file.to_owned(), column: column.to_owned(), first, second }
}

/// `x1`, `x2`, ..., `xp`.
pub(crate) fn numbered_names(columns: usize) -> Vec<String> {
    (1..=columns).map(|column| format!("x{column}")).collect()
}

/// Names without blanks or repeats: an empty one becomes `x<position>`, a repeated one `name.2`, `name.3`,
/// ...
pub(crate) fn unique_names(raw: Vec<String>, notes: &mut Vec<String>) -> Vec<String> {
    let distinct: HashSet<&str> = raw.iter().map(String::as_str).collect();
    if distinct.len() == raw.len() && !distinct.contains("") {
        return raw;
    }
    let mut taken: HashSet<String> = raw.iter().filter(|name| !name.is_empty()).cloned().collect();
    // how often each name has come so far, so that many repeats of one name stay O(p)
    let mut seen: HashMap<String, usize> = HashMap::new();
    let (mut unnamed, mut renamed) = (Vec::new(), Vec::new());
    let mut names = Vec::with_capacity(raw.len());
    for (column, name) in raw.into_iter().enumerate() {
        let unique = if name.is_empty() {
            let base = format!("x{}", column + 1);
            let made = if taken.insert(base.clone()) { base } else { suffixed(&base, &mut 1, &mut taken) };
            unnamed.push(made.clone());
            made
        } else if let Some(count) = seen.get_mut(&name) {
            let made = suffixed(&name, count, &mut taken);
            renamed.push(made.clone());
            made
        } else {
            seen.insert(name.clone(), 1);
            name
        };
        names.push(unique);
    }
    if !unnamed.is_empty() {
        notes.push(format!(
            "{} columns have no name and are called {}",
            unnamed.len(),
            listed(&unnamed, unnamed.len())
        ));
    }
    if !renamed.is_empty() {
        let list = listed(&renamed, renamed.len());
        notes.push(format!(
            "{} columns have the name of an earlier column and are called {list}",
            renamed.len()
        ));
    }
    names
}

fn suffixed(base: &str, count: &mut usize, taken: &mut HashSet<String>) -> String {
    loop {
        *count += 1;
        let candidate = format!("{base}.{count}");
        if taken.insert(candidate.clone()) {
            return candidate;
        }
    }
}
