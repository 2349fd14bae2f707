//! Holm's correction, where most p-values are 1 and are not listed.
//!
//! $$ \tilde p_{(k)} = \max_{i \le k} (m - i + 1)\, p_{(i)}. $$

/// Holm's adjusted p-values of the smallest of `m`; the others are 1.
pub(super) fn holm(p_values: &[f64], m: usize) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]).then(a.cmp(b)));
    let (mut adjusted, mut largest) = (vec![1.0; p_values.len()], 0.0f64);
    for (rank, &at) in order.iter().enumerate() {
        largest = largest.max((m - rank) as f64 * p_values[at]).min(1.0);
        adjusted[at] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holm_counts_the_inputs_that_were_not_selected() {
        // by hand: 10 * .001, 9 * .004, then 8 * .003 would be smaller than the one before it
        assert_eq!(holm(&[0.004, 0.001, 0.5], 10), [9.0 * 0.004, 10.0 * 0.001, 1.0]);
        assert_eq!(holm(&[0.01, 0.01], 2), [0.02, 0.02]);
        assert!(holm(&[], 5).is_empty());
    }
}
