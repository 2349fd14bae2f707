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

/// Harrell's concordance: the share of comparable pairs that the risk orders correctly; equal risks count as half.
///
/// A pair is comparable if the shorter time has an event; at equal times, if exactly one has an event. 0.5 if no pair is
/// comparable. Cost: O(n log n).
///
/// ```
/// let c = needlenet::metrics::concordance(&[1.0, 2.0, 3.0], &[true, true, false], &[2.0, 1.0, 1.5]);
/// assert_eq!(c, 2.0 / 3.0);
/// ```
pub fn concordance(times: &[f64], events: &[bool], risks: &[f64]) -> f64 {
    let mut sorted = risks.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let rank = |i: usize| sorted.partition_point(|r| *r < risks[i]);
    // longest times first; at one time those without event before those with it
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by(|&a, &b| times[b].total_cmp(&times[a]).then(events[a].cmp(&events[b])));
    let mut seen = Counter(vec![0; sorted.len() + 1]);
    let (mut known, mut right, mut all) = (0.0, 0.0, 0u64);
    for group in order.chunk_by(|&a, &b| times[a] == times[b] && events[a] == events[b]) {
        if events[group[0]] {
            for &i in group {
                let (lower, not_higher) = (seen.below(rank(i)), seen.below(rank(i) + 1));
                right += lower as f64 + (not_higher - lower) as f64 / 2.0;
                known += all as f64;
            }
        }
        group.iter().for_each(|&i| seen.add(rank(i)));
        all += group.len() as u64;
    }
    if known > 0.0 { right / known } else { 0.5 }
}

/// Counts by rank, in a Fenwick tree.
struct Counter(Vec<u64>);

impl Counter {
    fn add(&mut self, rank: usize) {
        let mut at = rank + 1;
        while at < self.0.len() {
            self.0[at] += 1;
            at += at & at.wrapping_neg();
        }
    }

    /// The number of entries with a smaller rank.
    fn below(&self, rank: usize) -> u64 {
        let (mut at, mut sum) = (rank, 0);
        while at > 0 {
            sum += self.0[at];
            at &= at - 1;
        }
        sum
    }
}
