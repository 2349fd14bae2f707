//! Inputs that are always in, on their way from the table to the solver: which they are, whether they can be used, and their order.
//!
//! They are standardised as the other inputs are. An input that does not vary, or that others of them imply, has no weight of its own
//! and is refused. Tested in `tests/always_in.rs`.

use faer::{Mat, Side};

use super::{AlwaysIn, Data, Samples, Scaling};
use crate::error::{Error, Result};

/// An input of which less than this part of the variance is left beside the other inputs that are always in is implied by them: values are
/// rounded to a grid of `2^-26`.
const IMPLIED: f64 = 1e-10;

impl Data {
    /// With inputs that are always in, by name: as age and sex, they are adjusted for and not searched.
    ///
    /// They enter linearly and without penalty, and the null model contains them: what is found is found beyond them, and the level
    /// is the chance of finding anything where there is nothing beyond them. They enter linearly because they are not searched:
    /// neurons of their own would need a price, and could take up what belongs to an input that goes with them. A bend of age is
    /// adjusted for by a further column, as its square.
    ///
    /// ```
    /// use needlenet::{Data, Outcome};
    /// let x = vec![50.0, 61.0, 47.0, 55.0, /* second column */ 0.5, 0.1, 0.9, 0.3];
    /// let data = Data::new(x, vec!["age".into(), "gene".into()], Outcome::Regression(vec![1.0, 0.0, 2.0, 1.5]))?;
    /// assert_eq!(data.with_always(&["age"])?.always(), ["age"]);
    /// # Ok::<(), needlenet::Error>(())
    /// ```
    pub fn with_always<S: AsRef<str>>(mut self, names: &[S]) -> Result<Self> {
        let mut always = Vec::with_capacity(names.len());
        for name in names.iter().map(AsRef::as_ref) {
            let found = self.names.iter().position(|own| own == name);
            let index = found.ok_or_else(|| Error::UnknownInput { name: name.into() })?;
            if !always.contains(&index) {
                always.push(index);
            }
        }
        if always.len() == self.names.len() {
            return Err(Error::Conflict {
                what: "every input is always in".into(),
                remedy: "leave at least one input to be searched",
            });
        }
        always.sort_unstable();
        self.always = always;
        Ok(self)
    }

    /// The names of the inputs that are always in, in the order of the table.
    pub fn always(&self) -> Vec<&str> {
        self.always.iter().map(|&j| self.names[j].as_str()).collect()
    }
}

/// Refuses inputs that have no weight of their own beside the others, from their standardised columns; `None` is one that does not vary.
pub(super) fn check(
    names: &[&str],
    scalings: &[Option<Scaling>],
    values: &AlwaysIn,
    samples: &Samples,
    n: usize,
) -> Result<()> {
    let refuse = |name: &str, why: &str| {
        Err(Error::Conflict {
            what: format!("the input \"{name}\" cannot be always in: {why}"),
            remedy: "leave it out of the inputs that are always in",
        })
    };
    if let Some(at) = scalings.iter().position(Option::is_none) {
        return refuse(names[at], "it is the same in every row");
    }
    if names.len() + 2 > n {
        return Err(Error::Conflict {
            what: format!(
                "{} inputs that are always in leave nothing of {n} samples to explain",
                names.len()
            ),
            remedy: "adjust for fewer inputs, or give more samples",
        });
    }
    let columns: Vec<&[f64]> = values.columns().collect();
    let product = |a: usize, b: usize| samples.sum(n, |i| columns[a][i] * columns[b][i]) / samples.total(n);
    for at in 1..names.len() {
        let gram = Mat::from_fn(at, at, |a, b| product(a, b));
        let along = Mat::from_fn(at, 1, |a, _| product(a, at));
        let explained = match gram.llt(Side::Lower) {
            Ok(factor) => {
                let solved = faer::linalg::solvers::Solve::solve(&factor, &along);
                (0..at).map(|a| along[(a, 0)] * solved[(a, 0)]).sum()
            }
            Err(_) => f64::INFINITY,
        };
        if !(product(at, at) - explained > IMPLIED) {
            return refuse(names[at], "others of them say the same");
        }
    }
    Ok(())
}
