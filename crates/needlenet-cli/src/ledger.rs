//! What of `fit --sure` is finished, in a file beside the model: MODEL.sure. The same command goes on from it, and it goes when the
//! model is saved. Tested in `tests/cli/resume.rs`.

use std::path::{Path, PathBuf};

use needlenet::{Finished, Model, Observer, Progress};
use needlenet_io::SureLedger;

use crate::failure::Failure;
use crate::progress::Bar;

/// Opens the file of a model that will be saved to `out`, and gives what is finished.
pub fn open(out: &Path, model: &Model) -> Result<(SureLedger, Vec<Finished>), Failure> {
    let mut path = out.as_os_str().to_owned();
    path.push(".sure");
    SureLedger::open(&PathBuf::from(path), model)
        .map_err(|error| Failure::Usage(format!("{error}: give another --out")))
}

/// Shows the progress, and keeps finished parts if there is a file for them.
pub struct Keeping<'a> {
    pub bar: &'a Bar,
    pub ledger: Option<&'a SureLedger>,
}

impl Observer for Keeping<'_> {
    fn step(&self, progress: Progress) -> bool {
        self.bar.step(progress)
    }

    fn finished(&self, piece: &Finished) {
        self.ledger.into_iter().for_each(|ledger| ledger.append(piece));
    }
}
