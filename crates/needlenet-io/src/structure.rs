//! What a table says about its columns beyond their numbers: which are one input, and which inputs are always in. Here the
//! names are checked, and here the learner is told. Tested in `tests/structure.rs`.

use std::collections::BTreeMap;

use needlenet::{Data, Model};

use crate::options::nearest;
use crate::{Coding, Error, Group, GroupKind, Known, ReadOptions, Table};

/// Columns that are one input, and columns that are always in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structure {
    /// Categories, and numbers with an indicator.
    pub groups: Vec<Group>,
    /// Groups that the user gave: name and columns.
    pub given: Vec<(String, Vec<usize>)>,
    /// The columns of the inputs that are always in.
    pub always: Vec<usize>,
}

impl Structure {
    /// The structure of a table: its own groups, those that the user gave as pairs of input and group, and the inputs that are
    /// always in.
    pub fn new(file: &str, table: &Table, given: &[(String, String)], always: &[String]) -> Result<Self, Error> {
        let mut columns: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut grouped = vec![false; table.names.len()];
        for group in &table.groups {
            columns.insert(&group.name, group.columns.clone().collect());
            grouped[group.columns.clone()].fill(true);
        }
        let alone = table.names.iter().enumerate().filter(|(at, _)| !grouped[*at]);
        columns.extend(alone.map(|(at, name)| (name.as_str(), vec![at])));
        let find = |what: &'static str, wanted: &str| {
            columns.get(wanted).ok_or_else(|| {
                let names: Vec<String> = columns.keys().map(ToString::to_string).collect();
                let nearest = nearest(wanted, &names);
                Error::NoSuchInput { file: file.to_owned(), what, wanted: wanted.to_owned(), nearest }
            })
        };
        let mut made: Vec<(String, Vec<usize>)> = Vec::new();
        let mut group_of: BTreeMap<&str, &str> = BTreeMap::new();
        for (input, group) in given {
            let found = find("groups", input)?;
            let bad = |reason: String| Error::BadGroup { file: file.to_owned(), group: group.clone(), reason };
            if found.len() > 1 {
                return Err(bad(format!("\"{input}\" has several columns and is a group of its own")));
            }
            if let Some(other) = group_of.insert(input, group) {
                return Err(bad(format!("\"{input}\" is in the group \"{other}\" already")));
            }
            match made.iter_mut().find(|(name, _)| name == group) {
                Some((_, of)) => of.extend(found),
                None => made.push((group.clone(), found.clone())),
            }
        }
        if let Some((group, _)) = made.iter().find(|(name, of)| columns.get(name.as_str()).is_some_and(|c| c != of)) {
            let reason = "an input has the same name".to_owned();
            return Err(Error::BadGroup { file: file.to_owned(), group: group.clone(), reason });
        }
        let mut kept: Vec<usize> = Vec::new();
        for input in always {
            kept.extend(find("always", input.trim())?);
        }
        kept.sort_unstable();
        kept.dedup();
        if kept.len() == table.names.len() {
            return Err(Error::AllAlways { file: file.to_owned() });
        }
        let mut groups = table.groups.clone();
        // a score is one column: the learner need not know of its levels
        groups.retain(|group| group.columns.len() > 1);
        Ok(Self { groups, given: made, always: kept })
    }

    /// The data with this structure: the only place where the learner is told.
    pub fn apply(self, data: Data) -> needlenet::Result<Data> {
        let refused = |what: String, remedy| Err(needlenet::Error::Conflict { what, remedy });
        if let Some(group) = self.groups.first() {
            return refused(
                format!("the input \"{}\" of {} columns", group.name, group.columns.len()),
                "the learner takes inputs of one column only: leave it out",
            );
        }
        if let Some((group, _)) = self.given.first() {
            return refused(format!("the group \"{group}\""), "the learner takes no groups: leave them out");
        }
        if !self.always.is_empty() {
            return refused("inputs that are always in".to_owned(), "the learner takes none: leave them out");
        }
        Ok(data)
    }
}

/// The inputs that a model needs, each once, and the column of each of [`Model::inputs`] in the table that is read by them.
pub fn known_inputs(model: &Model, options: &ReadOptions) -> (Vec<Known>, Vec<usize>) {
    let known = model.inputs().map(|input| {
        let mean = input.scaling.mean;
        let levels = options.ordered.iter().find(|(column, _)| column.0 == input.name);
        let coding = match levels {
            Some((_, levels)) => Coding::Ordered { levels: levels.clone(), mean },
            None => Coding::Number { mean },
        };
        Known { name: input.name.clone(), coding }
    });
    let known: Vec<Known> = known.collect();
    let columns = (0..known.len()).collect();
    (known, columns)
}

#[expect(dead_code, reason = "until the learner has groups")]
fn kind_of(kind: &GroupKind) -> &'static str {
    match kind {
        GroupKind::Category { .. } => "category",
        GroupKind::Ordered { .. } => "ordered",
        GroupKind::WithIndicator => "indicator",
    }
}
