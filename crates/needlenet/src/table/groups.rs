//! Groups of columns that are one input: the levels of a category, a value and its indicator of missing cells, or a group
//! given by the user.
//!
//! An input of `m` columns has `m` chances to look promising. Its columns get the penalty weight
//!
//! $$w_m = \frac{z(a / m)}{z(a)}, \qquad P(|Z| > z(q)) = q, \qquad a = 1 - (1 - \alpha)^{1/G},$$
//!
//! with `G` inputs in the table and `Z` standard Gaussian. The penalty of group `g` is `w_m` times the sum of the sizes of its
//! weights; its dual norm is `max |x_c'y| / w_m` over the columns `c` of the group. Under the null each `x_c'y` is Gaussian, so
//! at the threshold every input exceeds `lambda` with the same chance `a`, whether it has 1 column or 20. If the columns of a
//! group are correlated, its chance is lower.
//! A penalty weight `w` on a column has the same effect as dividing the column by `w`. So the standardised columns are divided,
//! and the solver, the threshold and the certificate need no code for groups.
//! Tested in `tests/groups.rs`.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The kind of a group of columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "name", deny_unknown_fields)]
pub enum GroupKind {
    /// One 0/1 column for each level, in the same order.
    Category {
        /// The levels.
        levels: Vec<String>,
    },
    /// One column that scores the levels 0, 1, 2, ... in this order.
    Ordered {
        /// The levels, from low to high.
        levels: Vec<String>,
    },
    /// The values, with missing ones replaced by the mean, and a 0/1 column that marks the missing
    /// ones.
    WithIndicator,
    /// Columns that the user wants to be one input.
    Given,
}

impl GroupKind {
    /// The levels of a category, ordered or not; empty for other groups.
    pub fn levels(&self) -> &[String] {
        match self {
            Self::Category { levels } | Self::Ordered { levels } => levels,
            Self::WithIndicator | Self::Given => &[],
        }
    }
}

/// Columns of a table that are one input.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The name of the input.
    pub name: String,
    /// Its kind.
    pub kind: GroupKind,
    /// Its columns.
    pub columns: Vec<usize>,
}

/// Refuses groups that are not consistent with the columns `names`.
pub(super) fn check(groups: &[Group], names: &[String]) -> Result<()> {
    let mut taken: Vec<Option<&str>> = vec![None; names.len()];
    let mut seen = HashSet::new();
    for Group { name, kind, columns } in groups {
        let bad = |reason: String| Err(Error::Group { group: name.clone(), reason });
        if columns.is_empty() {
            return bad("it has no column".into());
        }
        if !seen.insert(name.as_str()) {
            return bad("another group has the same name".into());
        }
        for &j in columns {
            let Some(place) = taken.get_mut(j) else {
                return bad(format!("column {} does not exist: the table has {}", j + 1, names.len()));
            };
            if let Some(other) = place.replace(name.as_str()) {
                return bad(format!("column \"{}\" is in group \"{other}\" already", names[j]));
            }
        }
        let (levels, expected) = match kind {
            GroupKind::Category { levels } => (levels.len(), levels.len()),
            GroupKind::Ordered { levels } => (levels.len(), 1),
            GroupKind::WithIndicator | GroupKind::Given => continue,
        };
        if columns.len() != expected {
            return bad(format!("it has {levels} levels and {} columns", columns.len()));
        }
    }
    let single = |j: &usize| taken[*j].is_none() && seen.contains(names[*j].as_str());
    if let Some(j) = (0..names.len()).find(single) {
        return Err(Error::Group { group: names[j].clone(), reason: "a column has the same name".into() });
    }
    Ok(())
}

/// The penalty weight of each of `p` columns, of which `varying` vary; none if there is no group.
pub(super) fn weights(groups: &[Group], varying: &[bool], alpha: f64) -> Option<Vec<f64>> {
    if groups.is_empty() {
        return None;
    }
    let count = |group: &Group| group.columns.iter().filter(|j| varying[**j]).count();
    let grouped: usize = groups.iter().map(count).sum();
    let inputs =
        varying.iter().filter(|v| **v).count() - grouped + groups.iter().filter(|g| count(g) > 0).count();
    let each = 1.0 - libm::pow(1.0 - alpha, 1.0 / inputs.max(1) as f64);
    let mut weights = vec![1.0; varying.len()];
    for group in groups {
        let weight = two_sided_quantile(each / count(group).max(1) as f64) / two_sided_quantile(each);
        group.columns.iter().for_each(|&j| weights[j] = weight);
    }
    Some(weights)
}

/// The `z` with `P(|Z| > z) = q` for a standard Gaussian `Z`.
fn two_sided_quantile(q: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    // bisection to the last digit: the chance falls with z
    for _ in 0..200 {
        let z = 0.5 * (low + high);
        if libm::erfc(z / std::f64::consts::SQRT_2) > q { low = z } else { high = z }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantiles_are_those_of_printed_tables() {
        for (q, z) in [(0.05, 1.959_963_985), (0.01, 2.575_829_304), (0.001, 3.290_526_731)] {
            assert!((two_sided_quantile(q) - z).abs() < 1e-8);
        }
    }

    #[test]
    fn columns_that_do_not_vary_do_not_count() {
        let group =
            |columns: &[usize]| Group { name: "g".into(), kind: GroupKind::Given, columns: columns.to_vec() };
        let of = |varying: &[bool], columns: &[usize]| weights(&[group(columns)], varying, 0.05).unwrap();
        assert_eq!(of(&[true, true, false], &[1, 2]), [1.0, 1.0, 1.0]);
        let w = of(&[true; 4], &[1, 2, 3]);
        assert_eq!(w[0], 1.0);
        assert!(w[1] > 1.1 && w[1] == w[3]);
    }
}
