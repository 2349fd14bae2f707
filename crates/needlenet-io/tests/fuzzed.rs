//! The files that coverage-guided fuzzing found (`make fuzz`): each is read or refused as any other bytes are.
//!
//! `tests/fuzzed/TARGET.zip` has the smallest inputs that reach all of the code that a target reached, or every k-th of them by
//! size if they are too many; an input whose name begins with `found-` once broke a reader.
#![allow(clippy::unwrap_used)]

mod hostile;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use hostile::{TARGETS, run};

#[test]
fn every_input_that_fuzzing_found_is_read_or_refused() {
    // the decoders' panics are errors, and need not be printed
    std::panic::set_hook(Box::new(|_| {}));
    let mut failed = Vec::new();
    for target in TARGETS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fuzzed/{target}.zip"));
        let mut inputs = zip::ZipArchive::new(File::open(path).unwrap()).unwrap();
        let (mut believed, count) = (0, inputs.len());
        for at in 0..count {
            let mut input = inputs.by_index(at).unwrap();
            let (name, mut bytes) = (input.name().unwrap().into_owned(), Vec::new());
            input.read_to_end(&mut bytes).unwrap();
            match std::panic::catch_unwind(|| run(target, &bytes)) {
                Ok(Ok(is_believed)) => believed += usize::from(is_believed),
                Ok(Err(why)) => failed.push(format!("{target}: {name}: {why}")),
                Err(_) => failed.push(format!("{target}: {name}: a panic")),
            }
        }
        if count < 10 || believed == 0 {
            failed.push(format!("{target}: {count} inputs, of which {believed} are a table or a model"));
        }
    }
    let _ = std::panic::take_hook();
    assert!(failed.is_empty(), "{failed:#?}");
}
