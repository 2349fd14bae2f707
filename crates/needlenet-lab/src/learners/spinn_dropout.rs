//! spinn with dropout of hidden neurons during training; the rate is chosen on the validation set like the
//! other two parameters.

use needlenet::Result;

use super::spinn::Spinn;
use super::{Learned, Learner};
use crate::sample::Sample;

/// spinn with more rates on its grid.
#[derive(Debug, Clone)]
pub struct SpinnDropout(Spinn);

impl Default for SpinnDropout {
    fn default() -> Self {
        SpinnDropout(Spinn { dropouts: vec![0.1, 0.3], ..Spinn::default() })
    }
}

impl Learner for SpinnDropout {
    fn learn(&self, train: &Sample, test: &Sample, seed: u64) -> Result<Learned> {
        self.0.learn(train, test, seed)
    }
}
