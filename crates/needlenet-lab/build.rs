//! Tells the lab which commit last changed what its rows depend on, so that rows of different programs are not
//! mixed. Without git (a published crate) there is only the version.

use std::process::Command;

/// What can change a result of the lab.
const SOURCES: [&str; 3] = ["crates/needlenet/src", "crates/needlenet-lab/src", "Cargo.lock"];

fn main() {
    let git = |words: &[&str]| {
        let done = Command::new("git").arg("-C").arg("../..").args(words).output().ok()?;
        done.status.success().then(|| String::from_utf8_lossy(&done.stdout).trim().to_owned())
    };
    let with_sources = |words: &[&'static str]| [words, &["--"], &SOURCES].concat();
    let commit = git(&with_sources(&["log", "-1", "--format=%h"])).filter(|commit| !commit.is_empty());
    let changed = git(&with_sources(&["status", "--porcelain"])).is_some_and(|files| !files.is_empty());
    let version = env!("CARGO_PKG_VERSION");
    let version = match commit {
        Some(commit) => format!("{version}+{commit}{}", if changed { ".changed" } else { "" }),
        None => version.to_owned(),
    };
    println!("cargo::rustc-env=NEEDLENET_LAB_VERSION={version}");
    for source in SOURCES {
        println!("cargo::rerun-if-changed=../../{source}");
    }
    if let Some(log) = git(&["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
}
