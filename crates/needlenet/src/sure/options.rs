//! The options of `sure`.

use crate::error::{Error, Result};

/// Choices of [`sure`](crate::sure).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SureOptions {
    /// An input whose absolute correlation with a needle is at least this is its near copy.
    pub near_copy: f64,
    /// Pairs of halves of the samples; 0 for none.
    pub pairs: usize,
    /// The share of halves for which the bounds on chance selections are computed.
    pub cut: f64,
}

impl Default for SureOptions {
    /// At a correlation of .9 a fifth of the variance of an input is its own, so a test of it alone needs five times the
    /// samples. Pairs and cut are those of Shah and Samworth.
    fn default() -> Self {
        SureOptions { near_copy: 0.9, pairs: 50, cut: 0.9 }
    }
}

/// The largest number of pairs that is accepted.
const MOST_PAIRS: usize = 10_000;

impl SureOptions {
    pub(super) fn check(&self) -> Result<()> {
        if !(self.near_copy > 0.0 && self.near_copy <= 1.0) {
            let (name, accepted) = ("correlation of a near copy", "above 0 and at most 1");
            return Err(Error::Parameter { name, value: self.near_copy.to_string(), accepted });
        }
        if self.pairs > MOST_PAIRS {
            let (name, accepted) = ("number of pairs", "0 to 10000");
            return Err(Error::Parameter { name, value: self.pairs.to_string(), accepted });
        }
        if !(self.cut > 0.5 && self.cut <= 1.0) {
            let (name, accepted) = ("cut", "above 0.5 and at most 1");
            return Err(Error::Parameter { name, value: self.cut.to_string(), accepted });
        }
        Ok(())
    }
}
