//! The inputs of a table: single columns, and groups of columns that form one input.
//!
//! A hypothesis is about an input. So all its columns are left out together, and it counts once in Holm's correction and in the
//! bounds of the halves. Inputs that are always in are not searched, so they are not tested.
//! Tested in `tests/sure_tables.rs`.

use crate::table::{Data, GroupKind, Scaling};

/// One input.
pub(crate) struct Input {
    pub name: String,
    /// All its columns.
    pub columns: Vec<usize>,
    is_searched: bool,
    is_category: bool,
}

/// The inputs of a table, those of one column first.
pub(crate) struct Haystack {
    pub inputs: Vec<Input>,
    of_column: Vec<usize>,
}

impl Haystack {
    pub fn of(data: &Data) -> Self {
        let is_searched = |columns: &[usize]| columns.iter().any(|j| !data.not_searched().takes(*j));
        let mut grouped = vec![false; data.n_features()];
        data.groups().iter().flat_map(|group| &group.columns).for_each(|&j| grouped[j] = true);
        let single = (0..data.n_features()).filter(|j| !grouped[*j]).map(|j| Input {
            name: data.names()[j].clone(),
            columns: vec![j],
            is_searched: is_searched(&[j]),
            is_category: false,
        });
        let several = data.groups().iter().map(|group| Input {
            name: group.name.clone(),
            columns: group.columns.clone(),
            is_searched: is_searched(&group.columns),
            is_category: matches!(group.kind, GroupKind::Category { .. }),
        });
        let inputs: Vec<Input> = single.chain(several).collect();
        let mut of_column = vec![0; data.n_features()];
        for (at, input) in inputs.iter().enumerate() {
            input.columns.iter().for_each(|&j| of_column[j] = at);
        }
        Haystack { inputs, of_column }
    }

    /// The input that a column belongs to.
    pub fn input_of(&self, column: usize) -> usize {
        self.of_column[column]
    }

    /// How many inputs are searched: the hypotheses.
    pub fn n_searched(&self) -> usize {
        self.inputs.iter().filter(|input| input.is_searched).count()
    }

    pub fn is_searched(&self, column: usize) -> bool {
        self.inputs[self.of_column[column]].is_searched
    }

    /// All columns of the inputs that some columns belong to, ascending.
    pub fn whole(&self, columns: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut whole: Vec<usize> =
            columns.flat_map(|j| self.inputs[self.of_column[j]].columns.iter().copied()).collect();
        whole.sort_unstable();
        whole.dedup();
        whole
    }

    /// The columns of an input that are tested: those that vary, and only one of a category with two levels.
    pub fn telling(&self, input: usize, data: &Data) -> Vec<usize> {
        let samples = data.samples();
        let varies = |j: &usize| Scaling::of(&data.column(*j), &samples).is_some();
        let mut columns: Vec<usize> = self.inputs[input].columns.iter().copied().filter(varies).collect();
        if self.inputs[input].is_category && columns.len() == 2 {
            columns.truncate(1);
        }
        columns
    }
}
