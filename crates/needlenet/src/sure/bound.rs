//! Bounds on the number of inputs that complementary pairs select by chance (Shah and Samworth, 2013).
//!
//! Let half samples select `q` of `p` inputs on average, and `theta = q / p`. Of the inputs whose chance to be selected
//! from half of the samples is at most `theta`, the expected number selected in a share of at least `cut` of the `2 B`
//! halves is at most
//!
//! $$ \frac{\theta q}{2\,\mathrm{cut} - 1} \quad\text{(Theorem 1)}, \qquad C(\mathrm{cut}, B)\, \theta q \quad\text{(Theorem 2)}, $$
//!
//! the second if the law of the share of pairs that select such an input twice is unimodal, with
//! `C = 4 (1 - cut + 1/2B) / (1 + 1/B)` above a cut of 3/4 and `1 / (2 (2 cut - 1 - 1/2B))` up to it.
//! Cost: none. Tested below.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The expected number of inputs at or above the cut, of those that a half selects no more often than an average input.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelectionBounds {
    /// The share of halves from which on an input counts.
    pub cut: f64,
    /// The mean number of inputs selected from a half.
    pub q: f64,
    /// The bound that holds for every distribution; none at cuts up to 1/2.
    pub worst_case: Option<f64>,
    /// The bound if the distribution of the share of pairs is unimodal; none where the theorem does not hold.
    pub unimodal: Option<f64>,
}

/// The bounds for `q` of `p` inputs selected from a half on average, over `pairs` pairs.
///
/// ```
/// use needlenet::selection_bounds;
/// let bounds = selection_bounds(5.0, 4088, 0.9, 50)?;
/// assert!((bounds.worst_case.unwrap() - 0.00764).abs() < 5e-6);
/// assert!((bounds.unimodal.unwrap() - 0.00264).abs() < 5e-6);
/// # Ok::<(), needlenet::Error>(())
/// ```
pub fn selection_bounds(q: f64, p: usize, cut: f64, pairs: usize) -> Result<SelectionBounds> {
    let bad = |name, value: String, accepted| Err(Error::Parameter { name, value, accepted });
    if !(cut > 0.0 && cut <= 1.0) {
        return bad("cut", cut.to_string(), "above 0 and at most 1");
    }
    if pairs == 0 {
        return bad("number of pairs", pairs.to_string(), "at least 1");
    }
    if !(q >= 0.0 && q <= p as f64 && p > 0) {
        return bad("mean number of inputs selected", q.to_string(), "from 0 to the number of inputs");
    }
    let theta = q / p as f64;
    let half = 1.0 / (2.0 * pairs as f64);
    let worst_case = (cut > 0.5).then(|| theta * q / (2.0 * cut - 1.0));
    let least = (0.5 + theta * theta).min(0.5 + half + 0.75 * theta * theta);
    let holds = theta <= 1.0 / 3f64.sqrt() && cut > least;
    let constant = if cut > 0.75 {
        4.0 * (1.0 - cut + half) / (1.0 + 2.0 * half)
    } else {
        1.0 / (2.0 * (2.0 * cut - 1.0 - half))
    };
    let unimodal = (holds && constant > 0.0).then_some(constant * theta * q);
    Ok(SelectionBounds { cut, q, worst_case, unimodal })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_the_published_example() {
        // q = 5, p = 4088, cut .9, 50 pairs: 25 / 4088 / .8, and 4 (.1 + .01) / 1.02 * 25 / 4088
        let bounds = selection_bounds(5.0, 4088, 0.9, 50).unwrap();
        assert_eq!(format!("{:.4}", bounds.worst_case.unwrap()), "0.0076");
        assert_eq!(format!("{:.4}", bounds.unimodal.unwrap()), "0.0026");
    }

    #[test]
    fn unimodal_bound_has_another_formula_up_to_three_quarters() {
        // by hand: 1 / (2 (.4 - .01)) * 25 / 100
        let bounds = selection_bounds(5.0, 100, 0.7, 50).unwrap();
        assert!((bounds.unimodal.unwrap() - 0.25 / 0.78).abs() < 1e-12);
    }

    #[test]
    fn no_bound_where_the_theorems_do_not_hold() {
        assert_eq!(selection_bounds(5.0, 100, 0.5, 50).unwrap().worst_case, None);
        assert_eq!(selection_bounds(90.0, 100, 0.9, 50).unwrap().unimodal, None);
        for (q, p, cut, pairs) in
            [(f64::NAN, 10, 0.9, 50), (11.0, 10, 0.9, 50), (1.0, 10, 1.1, 50), (1.0, 10, 0.9, 0)]
        {
            assert!(selection_bounds(q, p, cut, pairs).is_err());
        }
    }
}
