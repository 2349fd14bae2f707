//! The null statistics of columns that come block by block: the running maxima for the outcome and for every null
//! draw.
//!
//! The statistic of a table is the largest over its columns. So blocks, and shards of columns, give the statistic of the
//! whole table by elementwise maxima, whatever the partition. The draws are stored if they fit into the given memory;
//! otherwise they are drawn again for each block of columns. Cost: O(draws * n) per block, besides the products. Tested
//! in `src/tests/shards.rs`.

use rayon::prelude::*;

use super::statistic::NullStatistic;
use super::{HELD, Null, Outcomes};
use crate::table::Design;

/// Outcomes of one column at once.
const DRAW_ROWS: usize = 192;

pub(crate) struct NullPass<'a> {
    null: &'a Null,
    statistics: &'a [NullStatistic],
    n: usize,
    observed: Outcomes,
    /// The first draw of each set, and its number of draws.
    sets: Vec<(usize, usize)>,
    held: Option<Vec<Outcomes>>,
}

impl<'a> NullPass<'a> {
    /// The outcome and `draws` null draws of `n` samples; the draws may take `memory` bytes.
    pub fn new(
        null: &'a Null,
        statistics: &'a [NullStatistic],
        n: usize,
        draws: usize,
        memory: usize,
    ) -> Self {
        let columns = null.columns(n);
        let mut observed = Outcomes::new(n, columns, 1);
        observed.set(0, &null.observed(n));
        let at_once = (DRAW_ROWS / columns).min(HELD / (n * columns)).max(1);
        let sets: Vec<(usize, usize)> =
            (0..draws).step_by(at_once).map(|first| (first, at_once.min(draws - first))).collect();
        let fits = draws.saturating_mul(n * columns * size_of::<f64>()) <= memory;
        let draw = |&(first, count): &(usize, usize)| Outcomes::of_null(null, n, first, count);
        let held = fits.then(|| sets.par_iter().map(draw).collect());
        NullPass { null, statistics, n, observed, sets, held }
    }

    /// The statistics before any column: one for the outcome, then one for each draw.
    pub fn nothing(&self) -> Vec<f64> {
        let outcomes = 1 + self.sets.iter().map(|(_, count)| count).sum::<usize>();
        vec![0.0; outcomes * self.statistics.len()]
    }

    /// Updates the maxima with some further columns.
    pub fn raise(&self, x: &Design, largest: &mut [f64]) {
        let per = self.statistics.len();
        let (of_outcome, of_draws) = largest.split_at_mut(per);
        raise(of_outcome, &self.observed.largest(x, self.statistics));
        for (at, &(first, count)) in self.sets.iter().enumerate() {
            let largest = &mut of_draws[first * per..(first + count) * per];
            match &self.held {
                Some(held) => raise(largest, &held[at].largest(x, self.statistics)),
                None => {
                    let drawn = Outcomes::of_null(self.null, self.n, first, count);
                    raise(largest, &drawn.largest(x, self.statistics));
                }
            }
        }
    }
}

/// Elementwise maxima.
fn raise(largest: &mut [f64], with: &[f64]) {
    largest.iter_mut().zip(with).for_each(|(largest, v)| *largest = largest.max(*v));
}
