//! A class per sample.

use needlenet::Link;

use super::Kind;

pub(super) struct Classes {
    pub link: Link,
}

impl Kind for Classes {
    fn unit(&self) -> &'static str {
        "log odds"
    }

    fn empty_model_predicts(&self) -> &'static str {
        "the class proportions"
    }

    fn why_linear(&self) -> &'static str {
        "a network does not predict left-out samples clearly better"
    }

    fn link(&self) -> Option<Link> {
        Some(self.link)
    }

    fn has_unit(&self) -> bool {
        false
    }
}
