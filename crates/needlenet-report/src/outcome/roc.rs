//! Ranking and calibration of predicted probabilities.

use crate::quality::thinned;

/// The largest number of points of a curve that are drawn.
const MOST_CORNERS: usize = 120;

/// Number of bins of a calibration curve; all have the same number of samples.
const BINS: usize = 10;

/// The ROC curve, and the area below it; none if a side has no sample.
pub(super) fn roc(scores: &[f64], is_member: &[bool]) -> Option<(Vec<[f64; 2]>, f64)> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    let members = is_member.iter().filter(|m| **m).count() as f64;
    let others = is_member.len() as f64 - members;
    if members == 0.0 || others == 0.0 {
        return None;
    }
    let (mut points, mut area, mut at) = (vec![[0.0, 0.0]], 0.0, [0.0, 0.0]);
    // samples with equal scores are one step, whatever their order
    for tied in order.chunk_by(|a, b| scores[*a] == scores[*b]) {
        let hits = tied.iter().filter(|i| is_member[**i]).count() as f64;
        let next = [at[0] + (tied.len() as f64 - hits) / others, at[1] + hits / members];
        area += (next[0] - at[0]) * (at[1] + next[1]) / 2.0;
        at = next;
        points.push(at);
    }
    let mut drawn: Vec<[f64; 2]> = thinned(points.len(), MOST_CORNERS).map(|i| points[i]).collect();
    drawn.push([1.0, 1.0]);
    Some((drawn, area))
}

/// Mean prediction and share of members in bins of equal size, from the least likely.
pub(super) fn calibration(scores: &[f64], is_member: &[bool]) -> Vec<[f64; 2]> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*a].total_cmp(&scores[*b]));
    let bin = |rows: &[usize]| {
        let n = rows.len() as f64;
        let share = rows.iter().filter(|i| is_member[**i]).count() as f64 / n;
        [rows.iter().map(|i| scores[*i]).sum::<f64>() / n, share]
    };
    order.chunks(scores.len().div_ceil(BINS).max(1)).map(bin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_is_the_share_of_pairs_in_the_right_order_and_ties_count_half() {
        // members 0.9, 0.4, 0.4 against others 0.4, 0.1: right 1 + 1, 0.5 + 1, 0.5 + 1 of 6 pairs
        let (points, area) = roc(&[0.9, 0.4, 0.4, 0.4, 0.1], &[true, true, true, false, false]).unwrap();
        assert!((area - 5.0 / 6.0).abs() < 1e-12, "{area}");
        assert_eq!((points[0], points[points.len() - 1]), ([0.0, 0.0], [1.0, 1.0]));
        assert!(roc(&[0.5], &[true]).is_none());
    }

    #[test]
    fn bins_hold_the_mean_and_the_share() {
        let scores: Vec<f64> = (0..20).map(|i| f64::from(i) / 20.0).collect();
        let members: Vec<bool> = (0..20).map(|i| i % 2 == 0).collect();
        let bins = calibration(&scores, &members);
        assert_eq!(bins.len(), 10);
        assert!((bins[0][0] - 0.025).abs() < 1e-12 && bins.iter().all(|bin| bin[1] == 0.5));
    }
}
