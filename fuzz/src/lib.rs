//! What every target does: the checks of `crates/needlenet-io/tests/hostile`, whose failure ends the process.

#[path = "../../crates/needlenet-io/tests/hostile/mod.rs"]
mod hostile;

use std::sync::Once;

/// Gives bytes to the reader of a target.
///
/// # Panics
///
/// Where a reader breaks a promise: that is what is looked for.
pub fn check(target: &str, bytes: &[u8]) {
    static QUIET: Once = Once::new();
    // libFuzzer aborts at every panic, also at those of decoders that the readers turn into errors
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    if let Err(why) = hostile::run(target, bytes) {
        eprintln!("{target}: {why}");
        std::process::abort();
    }
}
