//! The subsample on which a tall table is searched.
//!
//! The search evaluates its samples many thousand times, and needs only as many as show the needles. So it uses
//! at most `WHOLE` samples; the candidate is then solved on sixteen times as many, and so on up to all of them.
//! The samples are sorted by outcome, and every k-th is taken; a rare class keeps at least `LEAST` samples.
//!
//! For numbers the null statistic of a subsample has the same law, because it is relative to the norm of the outcome. For
//! classes it is a sum over the samples, so it is smaller by the square root of the share of the samples.

use super::Search;
use crate::network::WHOLE;
use crate::outcome::Loss;
use crate::table::Design;

/// The number of samples of a table for each sample of its subsample.
const STRIDE: usize = 16;
/// Samples kept of each stratum; all of them if it has fewer.
const LEAST: usize = 100;

pub(super) struct Subsample {
    x: Design,
    loss: Box<dyn Loss>,
}

impl Subsample {
    /// The samples to search first; none if the table is short enough to be searched whole.
    pub fn of(x: &Design, loss: &dyn Loss) -> Option<Self> {
        let n = loss.n();
        if n <= WHOLE {
            return None;
        }
        let size = (n / STRIDE).max(WHOLE);
        let (strata, count) = loss.strata();
        let rows = rows_of(&strata, count, size);
        Some(Subsample { x: x.of_rows(&rows), loss: loss.of_rows(&rows) })
    }

    /// The search on these samples of `whole`.
    pub fn search<'a>(&'a self, whole: &Search<'a>) -> Search<'a> {
        let share = self.loss.size() / whole.loss.size();
        let factor = libm::pow(share, self.loss.growth());
        Search {
            x: &self.x,
            loss: &*self.loss,
            lambda: factor * whole.lambda,
            lambda_zero: factor * whole.lambda_zero,
            of_linear: (factor * whole.of_linear.0, factor * whole.of_linear.1),
            statistic: factor * whole.statistic,
            ..*whole
        }
    }
}

/// About `size` rows, evenly spread over the rows of each class.
fn rows_of(labels: &[usize], n_classes: usize, size: usize) -> Vec<usize> {
    let n = labels.len();
    let mut counts = vec![0; n_classes];
    labels.iter().for_each(|l| counts[*l] += 1);
    let kept: Vec<usize> = counts.iter().map(|&count| (count * size / n).max(LEAST.min(count))).collect();
    let mut seen = vec![0; n_classes];
    let is_next = |i: &usize| {
        let class = labels[*i];
        let at = seen[class];
        seen[class] += 1;
        (at + 1) * kept[class] / counts[class] > at * kept[class] / counts[class]
    };
    (0..n).filter(is_next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_its_share_of_every_class_and_enough_of_rare_ones() {
        let labels: Vec<usize> =
            (0..100_000).map(|i| if i < 120 { 2 } else { usize::from(i % 4 == 0) }).collect();
        let rows = rows_of(&labels, 3, 5000);
        let count = |class| rows.iter().filter(|i| labels[**i] == class).count();
        assert_eq!([count(0), count(1), count(2)], [3745, 1248, 100]);
        assert!(rows.windows(2).all(|pair| pair[0] < pair[1] && pair[1] - pair[0] < 100));
    }
}
