//! A part of the samples, to explore a tall table on.
//!
//! The search looks at its samples many thousand times, and needs no more of them than show the needles. So it goes on a
//! part of at most `WHOLE` samples; what it found is settled on sixteen times as many, and so on up to all of them.
//! In canonical order the samples are sorted by outcome, so that every so-many-th is a fair part; rare classes
//! keep at least `LEAST` samples.
//!
//! The null statistic of a part has the same law in regression, where it is relative to the norm of the outcome. That of
//! classes is a sum over the samples, and smaller by the square root of their share.

use super::path::Path;
use crate::loss::Loss;
use crate::network::WHOLE;

/// Samples of a table for each one of its part.
const STRIDE: usize = 16;
/// Samples kept of a class, if it has so many.
const LEAST: usize = 100;

pub(super) struct Part {
    x: Vec<f64>,
    loss: Loss,
}

impl Part {
    /// The part on which to look first; none if the samples are few.
    pub fn of(x: &[f64], loss: &Loss) -> Option<Self> {
        let n = loss.n();
        if n <= WHOLE {
            return None;
        }
        let size = (n / STRIDE).max(WHOLE);
        let rows = match loss {
            Loss::CrossEntropy { labels, n_classes, .. } => rows_of(labels, *n_classes, size),
            _ => rows_of(&vec![0; n], 1, size),
        };
        let x = x.chunks(n).flat_map(|column| rows.iter().map(|&i| column[i])).collect();
        Some(Part { x, loss: loss.of_rows(&rows) })
    }

    /// The path on this part of the samples of `whole`.
    pub fn path<'a>(&'a self, whole: &Path<'a>) -> Path<'a> {
        let share = self.loss.n() as f64 / whole.loss.n() as f64;
        let factor = if matches!(self.loss, Loss::CrossEntropy { .. }) { share.sqrt() } else { 1.0 };
        let (lambda, lambda_zero) = (factor * whole.lambda, factor * whole.lambda_zero);
        Path { x: &self.x, loss: &self.loss, lambda, lambda_zero, ..*whole }
    }
}

/// About `size` rows, evenly spread over those of each class.
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
