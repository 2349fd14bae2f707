//! A number per sample.

use needlenet::Link;

use super::Kind;

pub(super) struct Numbers;

impl Kind for Numbers {
    fn unit(&self) -> &'static str {
        "outcome"
    }

    fn empty_model_predicts(&self) -> &'static str {
        "the mean of the outcome"
    }

    fn why_linear(&self) -> &'static str {
        "a network does not explain more for its weights"
    }

    fn link(&self) -> Option<Link> {
        None
    }

    fn has_unit(&self) -> bool {
        true
    }
}
