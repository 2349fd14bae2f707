//! The structure of the columns: which are one input, and which inputs are always in. This module checks the names and
//! passes the structure to the learner. Tested in `tests/structure.rs`.

use std::collections::{BTreeMap, HashMap};

use needlenet::{Data, GroupFound, Model, Needle};

use crate::options::nearest;
use crate::{Coding, ColumnRef, Error, Group, GroupKind, Known, ReadOptions};

/// Columns that are one input, and columns that are always in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structure {
    /// Categories, and numbers with an indicator.
    pub groups: Vec<Group>,
    /// Groups given by the user: name and columns.
    pub given: Vec<(String, Vec<usize>)>,
    /// The names of the inputs that are always in.
    pub always: Vec<String>,
}

impl Structure {
    /// The structure of a table with these column names: its own groups, the groups of the user as pairs of input and
    /// group, and the inputs that are always in.
    pub fn new(
        file: &str,
        (names, groups): (&[String], &[Group]),
        given: &[(String, String)],
        always: &[String],
    ) -> Result<Self, Error> {
        // an index of a very wide table is not built unless it is needed
        if given.is_empty() && always.is_empty() {
            return Ok(Self { groups: groups.to_vec(), given: Vec::new(), always: Vec::new() });
        }
        let mut columns: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut grouped = vec![false; names.len()];
        for group in groups {
            columns.insert(&group.name, group.columns.clone().collect());
            grouped[group.columns.clone()].fill(true);
        }
        let alone = names.iter().enumerate().filter(|(at, _)| !grouped[*at]);
        columns.extend(alone.map(|(at, name)| (name.as_str(), vec![at])));
        let find = |wanted: &str| {
            columns.get(wanted).ok_or_else(|| {
                let names: Vec<String> = columns.keys().map(ToString::to_string).collect();
                let nearest = nearest(wanted, &names);
                Error::NoSuchInput {
                    file: file.to_owned(),
                    what: "groups",
                    wanted: wanted.to_owned(),
                    nearest,
                }
            })
        };
        let mut made: Vec<(String, Vec<usize>)> = Vec::new();
        let mut group_of: BTreeMap<&str, &str> = BTreeMap::new();
        for (input, group) in given {
            let found = find(input)?;
            let bad =
                |reason: String| Error::BadGroup { file: file.to_owned(), group: group.clone(), reason };
            if groups.iter().any(|own| own.name == *input) {
                return Err(bad(format!(
                    "\"{input}\" is a category or has missing cells, so it is a group of its own"
                )));
            }
            if let Some(other) = group_of.insert(input, group) {
                return Err(bad(format!("\"{input}\" is in the group \"{other}\" already")));
            }
            match made.iter_mut().find(|(name, _)| name == group) {
                Some((_, of)) => of.extend(found),
                None => made.push((group.clone(), found.clone())),
            }
        }
        if let Some((group, _)) =
            made.iter().find(|(name, of)| columns.get(name.as_str()).is_some_and(|c| c != of))
        {
            let reason = "an input has the same name".to_owned();
            return Err(Error::BadGroup { file: file.to_owned(), group: group.clone(), reason });
        }
        let mut kept: Vec<String> = Vec::new();
        let inputs: Vec<String> = columns.keys().map(ToString::to_string).collect();
        for input in always {
            let found = ColumnRef(input.clone()).resolve_inputs(file, "always", &inputs)?;
            kept.extend(found.into_iter().map(|at| inputs[at].clone()));
        }
        kept.sort_unstable();
        kept.dedup();
        if kept.len() == columns.len() {
            return Err(Error::AllAlways { file: file.to_owned() });
        }
        Ok(Self { groups: groups.to_vec(), given: made, always: kept })
    }

    /// The data with this structure; no other function passes it to the learner.
    pub fn apply(self, data: Data) -> needlenet::Result<Data> {
        let own = self.groups.into_iter().map(|group| {
            let kind = match group.kind {
                GroupKind::Category { levels } => needlenet::GroupKind::Category { levels },
                GroupKind::WithIndicator => needlenet::GroupKind::WithIndicator,
                GroupKind::Ordered { levels } => needlenet::GroupKind::Ordered { levels },
            };
            needlenet::Group { name: group.name, kind, columns: group.columns.collect() }
        });
        let given = self.given.into_iter().map(|(name, columns)| needlenet::Group {
            name,
            kind: needlenet::GroupKind::Given,
            columns,
        });
        let groups: Vec<needlenet::Group> = own.chain(given).collect();
        let data = if groups.is_empty() { data } else { data.with_groups(groups)? };
        if self.always.is_empty() { Ok(data) } else { data.with_always(&self.always) }
    }
}

/// The inputs that a model needs, each once, and for each of [`Model::inputs`] its column in the table that is read.
pub fn known_inputs(model: &Model, options: &ReadOptions) -> (Vec<Known>, Vec<usize>) {
    let mut known: Vec<Known> = Vec::new();
    let mut starts: HashMap<&str, usize> = HashMap::new();
    let mut columns = Vec::new();
    let mut width = 0;
    for input in model.inputs() {
        let found = model.groups.iter().find(|group| input.group.as_ref() == Some(&group.name));
        let coding = found.and_then(|group| coding_of(model, group));
        let name = match (&coding, found) {
            (Some(_), Some(group)) => group.name.as_str(),
            _ => input.name.as_str(),
        };
        let start = *starts.entry(name).or_insert_with(|| {
            let coding = coding.unwrap_or_else(|| number(input, options));
            let start = width;
            width += coding.width();
            known.push(Known { name: name.to_owned(), coding });
            start
        });
        let position = found.filter(|group| group.name == name);
        let position =
            position.and_then(|group| group.columns.iter().position(|column| *column == input.name));
        columns.push(start + position.unwrap_or(0));
    }
    (known, columns)
}

/// The coding of an input of several columns; none for a group of the user, whose columns are numbers.
fn coding_of(model: &Model, group: &GroupFound) -> Option<Coding> {
    // the model has no mean for columns that a prediction does not need
    let mean = |column: &String| {
        model.inputs().find(|input| input.name == *column).map_or(0.0, |input| input.scaling.mean)
    };
    match &group.kind {
        needlenet::GroupKind::Category { levels } => Some(Coding::Category {
            levels: levels.clone(),
            shares: group.columns.iter().map(mean).collect(),
            mode: group.mode,
        }),
        needlenet::GroupKind::Ordered { levels } => Some(Coding::Ordered {
            levels: levels.clone(),
            mean: group.columns.first().map_or(0.0, mean),
            mode: group.mode,
        }),
        needlenet::GroupKind::WithIndicator => {
            Some(Coding::WithIndicator { mean: group.columns.first().map_or(0.0, mean) })
        }
        needlenet::GroupKind::Given => None,
    }
}

/// An input of one column. In old model files, ordered levels are plain numbers.
fn number(input: &Needle, options: &ReadOptions) -> Coding {
    let mean = input.scaling.mean;
    match options.ordered.iter().find(|(column, _)| column.0 == input.name) {
        Some((_, levels)) => Coding::Ordered { levels: levels.clone(), mean, mode: None },
        None => Coding::Number { mean },
    }
}
