//! Inputs that are always in, from the table to the solver: which they are, whether they can be used, and their order.
//!
//! They are standardised like the other inputs. An input that is constant, or a linear combination of the others that are
//! always in, has no identifiable weight and is refused. Tested in `tests/always_in.rs`.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

use super::grid::on_grid;
use super::{AlwaysIn, Data, Design, GroupKind, Samples, Scaling};
use crate::error::{Error, Result};

/// If the other inputs that are always in leave less than this part of the variance of an input, it counts as their linear
/// combination: values are rounded to a grid of `2^-26`.
const IMPLIED: f64 = 1e-10;

impl Data {
    /// Inputs that are always in, by name: such as age and sex, they are adjusted for and not searched.
    ///
    /// They enter linearly and without penalty, and the null model contains them. So the level is the chance of finding
    /// anything if no other input matters given them. They enter linearly because they are not searched: neurons of their own
    /// would need a price, and could absorb the effect of a correlated input. To adjust for a nonlinear effect of age, add a
    /// column such as its square.
    ///
    /// ```
    /// use needlenet::{Data, Outcome};
    /// let x = vec![50.0, 61.0, 47.0, 55.0, /* second column */ 0.5, 0.1, 0.9, 0.3];
    /// let data = Data::new(x, vec!["age".into(), "gene".into()], Outcome::Regression(vec![1.0, 0.0, 2.0, 1.5]))?;
    /// assert_eq!(data.with_always(&["age"])?.always(), ["age"]);
    /// # Ok::<(), needlenet::Error>(())
    /// ```
    /// An input of several columns is named by its own name; give groups first ([`Data::with_groups`]). The first level of a
    /// category is the reference level.
    pub fn with_always<S: AsRef<str>>(mut self, names: &[S]) -> Result<Self> {
        let mut always = Always::default();
        for name in names.iter().map(AsRef::as_ref) {
            if let Some(group) = self.groups.iter().find(|group| group.name == name) {
                let reference = matches!(group.kind, GroupKind::Category { .. });
                let (implied, columns) = group.columns.split_at(usize::from(reference));
                always.implied.extend_from_slice(implied);
                always.columns.extend_from_slice(columns);
                continue;
            }
            let found = self.names.iter().position(|own| own == name);
            let index = found.ok_or_else(|| Error::UnknownInput { name: name.into() })?;
            if let Some(group) = self.groups.iter().find(|group| group.columns.contains(&index)) {
                return Err(Error::Conflict {
                    what: format!("the column \"{name}\" is a part of the input \"{}\"", group.name),
                    remedy: "name the whole input as one that is always in",
                });
            }
            always.columns.push(index);
        }
        for columns in [&mut always.columns, &mut always.implied] {
            columns.sort_unstable();
            columns.dedup();
        }
        if (0..self.names.len()).all(|j| always.takes(j)) {
            return Err(Error::Conflict {
                what: "every input is always in".into(),
                remedy: "leave at least one input to be searched",
            });
        }
        self.always = always;
        Ok(self)
    }

    /// The names of the columns that are always in, in the order of the table.
    pub fn always(&self) -> Vec<&str> {
        self.always.columns.iter().map(|&j| self.names[j].as_str()).collect()
    }
}

/// Which columns are always in, ascending.
#[derive(Debug, Clone, Default)]
pub(crate) struct Always {
    columns: Vec<usize>,
    /// Columns that are a linear combination of these and the intercept: the first level of a
    /// category.
    implied: Vec<usize>,
}

impl Always {
    /// Whether a column is not searched.
    pub fn takes(&self, column: usize) -> bool {
        self.columns.binary_search(&column).is_ok() || self.implied.binary_search(&column).is_ok()
    }

    /// Those that are always in, ascending.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The same after column `j` of the table has moved to `place[j]`.
    pub fn of_columns(&self, place: &[Option<usize>]) -> Self {
        let moved = |columns: &[usize]| {
            let mut columns: Vec<usize> = columns.iter().filter_map(|&j| place[j]).collect();
            columns.sort_unstable();
            columns
        };
        Always { columns: moved(&self.columns), implied: moved(&self.implied) }
    }

    /// Moves the standardised columns to the samples, in an order that depends on their values only. Returns the index and the
    /// scaling of each.
    pub fn taken(
        &self,
        x: &Design,
        names: &[String],
        scalings: &mut [Option<Scaling>],
        samples: &mut Samples,
    ) -> Result<Vec<(usize, Scaling)>> {
        let n = x.n();
        self.implied.iter().for_each(|&j| scalings[j] = None);
        if self.columns.is_empty() {
            return Ok(Vec::new());
        }
        let named: Vec<&str> = self.columns.iter().map(|&j| names[j].as_str()).collect();
        let of: Vec<Option<Scaling>> = self.columns.iter().map(|&j| scalings[j].take()).collect();
        let mut columns: Vec<(usize, Scaling, Vec<f64>)> = Vec::with_capacity(of.len());
        for ((&j, scaling), name) in self.columns.iter().zip(of).zip(&named) {
            let Some(scaling) = scaling else { return refused(name, "it is the same in every row") };
            columns.push((j, scaling, x.column(j).iter().map(|v| scaling.on_grid(*v)).collect()));
        }
        check(&named, &columns, samples, n)?;
        columns.sort_by_key(|(_, _, values)| {
            let column = values.iter().map(|v| i128::from(on_grid(*v)));
            column.fold((0i128, 0i128), |(size, cubed), q| (size + q.abs(), cubed.wrapping_add(q * q * q)))
        });
        let values = columns.iter().flat_map(|(_, _, values)| values).copied().collect();
        samples.always = Some(AlwaysIn::new(values, n));
        Ok(columns.into_iter().map(|(j, scaling, _)| (j, scaling)).collect())
    }

    /// [`Always::taken`] of a table in shards; `values` are those of the columns that are always in.
    pub fn taken_elsewhere(
        &self,
        values: Vec<f64>,
        names: &[String],
        samples: &mut Samples,
    ) -> Result<Vec<(usize, Scaling)>> {
        if self.columns.is_empty() {
            return Ok(Vec::new());
        }
        let n = values.len() / self.columns.len();
        let x = Design::dense(values, n);
        let names: Vec<String> = self.columns.iter().map(|&j| names[j].clone()).collect();
        let here = Always { columns: (0..names.len()).collect(), implied: Vec::new() };
        let taken = here.taken(&x, &names, &mut x.scalings(samples), samples)?;
        Ok(taken.into_iter().map(|(at, scaling)| (self.columns[at], scaling)).collect())
    }
}

fn refused<T>(name: &str, why: &str) -> Result<T> {
    Err(Error::Conflict {
        what: format!("the input \"{name}\" cannot be always in: {why}"),
        remedy: "leave it out of the inputs that are always in",
    })
}

/// Refuses inputs that are linear combinations of the others, from their standardised columns.
fn check(names: &[&str], columns: &[(usize, Scaling, Vec<f64>)], samples: &Samples, n: usize) -> Result<()> {
    if names.len() + 2 > n {
        return Err(Error::Conflict {
            what: format!(
                "{} inputs that are always in leave nothing of {n} samples to explain",
                names.len()
            ),
            remedy: "adjust for fewer inputs, or give more samples",
        });
    }
    let value = |at: usize, i: usize| columns[at].2[i];
    let product = |a: usize, b: usize| samples.sum(n, |i| value(a, i) * value(b, i)) / samples.total(n);
    let gram = Mat::from_fn(names.len(), names.len(), product);
    for at in 1..names.len() {
        let along = gram.get(..at, at..at + 1);
        let explained = match gram.get(..at, ..at).llt(Side::Lower) {
            Ok(factor) => (along.transpose() * factor.solve(along))[(0, 0)],
            Err(_) => f64::INFINITY,
        };
        if gram[(at, at)] - explained <= IMPLIED {
            return refused(names[at], "others of them say the same");
        }
    }
    Ok(())
}
