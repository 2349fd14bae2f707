//! Random splits of a table: 70% for training, 30% for testing.
//!
//! Splits are stratified by class and, in survival, by event, so that both parts have the same shares. One seed is one
//! split, on any machine: `needlenet lab splits` prints them for other programs.

use needlenet::Outcome;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// The share of the training part.
const LEARNING: f64 = 0.7;

/// Two disjoint sets of rows, counted from 0, that together are the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Rows to learn from.
    pub train: Vec<usize>,
    /// Rows to test on.
    pub test: Vec<usize>,
}

impl Split {
    /// The split of a seed.
    ///
    /// ```
    /// use needlenet::Outcome;
    /// use needlenet_lab::Split;
    /// let outcome = Outcome::from_labels(&["a", "b", "a", "b", "a", "b", "a", "b", "a", "b"]);
    /// let split = Split::new(&outcome, 7);
    /// assert_eq!((split.train.len(), split.test.len()), (8, 2)); // 3.5 of 5 rounds to 4
    /// ```
    pub fn new(outcome: &Outcome, seed: u64) -> Split {
        let strata: Vec<Vec<usize>> = match outcome {
            Outcome::Regression(y) | Outcome::Counts(y) => vec![(0..y.len()).collect()],
            Outcome::Survival { events, .. } => {
                [true, false].map(|seen| (0..events.len()).filter(|&i| events[i] == seen).collect()).to_vec()
            }
            Outcome::Classification { labels, classes } => (0..classes.len())
                .map(|class| (0..labels.len()).filter(|&i| labels[i] == class).collect())
                .collect(),
        };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut train, mut test) = (Vec::new(), Vec::new());
        for mut rows in strata {
            rows.shuffle(&mut rng);
            let cut = (LEARNING * rows.len() as f64).round() as usize;
            train.extend_from_slice(&rows[..cut]);
            test.extend_from_slice(&rows[cut..]);
        }
        Split { train, test }
    }
}
