//! How well a selection or a prediction did (paper, section 3).

/// How a selected set compares with the truth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recovery {
    /// Whether the set is exactly the truth; its mean over replicates is PESR.
    pub exact: bool,
    /// Share of the true inputs that were selected; 1 when there is none to find.
    pub true_positive_rate: f64,
    /// Share of the selected inputs that are false; 0 when none was selected.
    pub false_discovery_rate: f64,
}

/// Compares a selected set with the truth.
///
/// ```
/// let r = needlenet::metrics::recovery(&[0, 1, 7], &[0, 1]);
/// assert!(!r.exact && r.true_positive_rate == 1.0);
/// assert_eq!(r.false_discovery_rate, 1.0 / 3.0);
/// ```
pub fn recovery(selected: &[usize], truth: &[usize]) -> Recovery {
    let found = selected.iter().filter(|j| truth.contains(j)).count();
    Recovery {
        exact: found == truth.len() && found == selected.len(),
        true_positive_rate: if truth.is_empty() { 1.0 } else { found as f64 / truth.len() as f64 },
        false_discovery_rate: (selected.len() - found) as f64 / selected.len().max(1) as f64,
    }
}

/// Mean squared difference (PE squared, against the noiseless mean).
pub fn mean_squared_error(predicted: &[f64], truth: &[f64]) -> f64 {
    predicted.iter().zip(truth).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / truth.len() as f64
}

/// Share of labels that agree.
pub fn accuracy(predicted: &[usize], truth: &[usize]) -> f64 {
    predicted.iter().zip(truth).filter(|(a, b)| a == b).count() as f64 / truth.len() as f64
}
