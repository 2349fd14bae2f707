//! Files changed at random: every reader and the model file, from the small files in `tests/corpus`.
//!
//! Each mutant is read; what comes back is a whole table of finite numbers or an error of one short, harmless line, in
//! bounded memory and time. A model that is still believed must predict and be reported. Mutants of a compressed file are
//! made on both sides of gzip: of its bytes, and of what it opens to. The draws are the same in every run.
//!
//! `TRUST=all` tries as many mutants as fit into `TRUST_SECONDS` (600) and prints the counts, which `make trust` keeps.
//! What breaks a reader is written to `target/`, to be added to the corpus under a name that begins with `found-`.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod fitted;
mod hostile;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use allocation_counter::measure;
use fitted::models;
use flate2::read::GzDecoder;
use hostile::{MAX_MEMORY, gzip, load, read};
use needlenet_io::model_to_bytes;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The most that may be allocated at once: the bound for the table, and as much for the bytes of the file and the buffers
/// of the decoders, of which Arrow's is 64 MiB.
const MOST_ALLOCATED: u64 = 2 * MAX_MEMORY + (16 << 20);

/// No small file takes longer.
const LONGEST: Duration = Duration::from_secs(20);

/// Numbers that lengths, counts and offsets break at.
const EDGES: [u64; 14] = [
    0,
    1,
    7,
    8,
    0x7f,
    0x80,
    0xff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 40,
    i64::MAX as u64,
    u64::MAX,
];

/// Pieces of text that readers break at.
const WORDS: [&str; 22] = [
    ",",
    "\"",
    "\n",
    "\r",
    "\t",
    ";",
    "\0",
    "1e309",
    "-1e-320",
    "NaN",
    "inf",
    "null",
    "[]",
    "{}",
    "[[",
    "-1",
    "1e308",
    "18446744073709551616",
    "\u{202e}",
    "\u{1b}[2J",
    "true",
    "0.1",
];

fn all() -> bool {
    std::env::var("TRUST").is_ok_and(|how| how == "all")
}

/// How long one reader is tried with `TRUST=all`.
fn seconds() -> u64 {
    std::env::var("TRUST_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(600)
}

fn corpus() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension != "py"));
    files.sort();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), fs::read(path).unwrap())).collect()
}

/// Changes some bytes: sets, flips, numbers at their edges, words, parts cut out, doubled or taken from another file.
fn mutate(bytes: &mut Vec<u8>, other: &[u8], rng: &mut impl Rng) {
    let rounds = 1 << rng.random_range(0..4);
    for _ in 0..rounds {
        if bytes.is_empty() {
            return;
        }
        let at = rng.random_range(0..bytes.len());
        match rng.random_range(0..9) {
            0 => bytes[at] ^= 1 << rng.random_range(0..8),
            1 => bytes[at] = rng.random(),
            2 | 3 => {
                let width = [1, 2, 4, 8][rng.random_range(0..4)].min(bytes.len() - at);
                let mut edge = EDGES[rng.random_range(0..EDGES.len())].to_le_bytes();
                if rng.random() {
                    edge[..width].reverse();
                }
                bytes[at..at + width].copy_from_slice(&edge[..width]);
            }
            4 => {
                let word = WORDS[rng.random_range(0..WORDS.len())].bytes();
                let end = (at + rng.random_range(0..4)).min(bytes.len());
                bytes.splice(at..end, word);
            }
            5 => drop(bytes.drain(at..(at + rng.random_range(1..64)).min(bytes.len()))),
            6 => {
                let part = bytes[at..(at + rng.random_range(1..64)).min(bytes.len())].to_vec();
                let to = rng.random_range(0..bytes.len());
                bytes.splice(to..to, part);
            }
            7 if !other.is_empty() => {
                let from = rng.random_range(0..other.len());
                let part = &other[from..(from + rng.random_range(1..128)).min(other.len())];
                let end = (at + part.len()).min(bytes.len());
                bytes.splice(at..end, part.iter().copied());
            }
            _ if rng.random_range(0..8) == 0 => bytes.truncate(at),
            _ => bytes[at] = bytes[at].wrapping_add(1),
        }
    }
}

/// Does `work` within the bounds of memory and time; a panic is a failure like others.
fn bounded(work: impl FnOnce() -> Result<bool, String>) -> (Result<bool, String>, u64) {
    let start = Instant::now();
    let mut ended = Ok(false);
    let used = measure(|| {
        ended = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("a panic".into()));
    });
    if start.elapsed() > LONGEST {
        ended = Err(format!("{} seconds", start.elapsed().as_secs()));
    }
    if used.bytes_max > MOST_ALLOCATED {
        ended = Err(format!("{} bytes at once", used.bytes_max));
    }
    (ended, used.bytes_max)
}

/// What was tried of one kind of file.
#[derive(Default)]
struct Count {
    tried: usize,
    still_read: usize,
    most_allocated: u64,
    failed: Vec<String>,
}

impl Count {
    fn add(&mut self, name: &str, bytes: &[u8], (ended, allocated): (Result<bool, String>, u64)) {
        self.tried += 1;
        self.most_allocated = self.most_allocated.max(allocated);
        match ended {
            Ok(still) => self.still_read += usize::from(still),
            Err(why) => {
                let path = std::env::temp_dir().join(format!("found-{}-{name}", self.tried));
                let _ = fs::write(&path, bytes);
                self.failed.push(format!("{name}: {why}; kept as {}", path.display()));
            }
        }
    }
}

fn tell(counts: &BTreeMap<String, Count>) {
    println!("{:<12} {:>9} {:>9} {:>11} {:>7}", "file", "tried", "read", "most kB", "failed");
    for (kind, count) in counts {
        let most = count.most_allocated / 1000;
        let (tried, read, failed) = (count.tried, count.still_read, count.failed.len());
        println!("{kind:<12} {tried:>9} {read:>9} {most:>11} {failed:>7}");
    }
    let failed: Vec<&String> = counts.values().flat_map(|count| &count.failed).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn every_file_of_the_corpus_is_read_or_refused() {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    for (name, bytes) in corpus() {
        let count = counts.entry("corpus".into()).or_default();
        let mut read_once = false;
        for choice in 0..48 {
            let ended = bounded(|| read(&bytes, choice, None));
            read_once |= ended.0 == Ok(true);
            count.add(&name, &bytes, ended);
        }
        let text = ["marks.csv", "commas.csv"].contains(&name.as_str());
        assert!(read_once || text || name.starts_with("found-"), "{name} is a good file");
    }
    tell(&counts);
}

#[test]
fn mutants_of_every_format_are_read_or_refused_in_bounded_memory() {
    // the decoders' panics are errors, and need not be printed
    std::panic::set_hook(Box::new(|_| {}));
    let corpus = corpus();
    let mut rng = ChaCha8Rng::seed_from_u64(19);
    let start = Instant::now();
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let rounds = if all() { usize::MAX } else { 60 };
    for _ in 0..rounds {
        for (name, seed) in &corpus {
            let other = &corpus[rng.random_range(0..corpus.len())].1;
            let kind = name.split_once('.').unwrap().1;
            let mut kinds = vec![kind.to_owned()];
            if kind.ends_with(".gz") {
                kinds.push(format!("in {kind}"));
            }
            for kind in kinds {
                let behind = kind.starts_with("in ");
                let mut bytes = seed.clone();
                if behind {
                    bytes.clear();
                    GzDecoder::new(&seed[..]).read_to_end(&mut bytes).unwrap();
                }
                mutate(&mut bytes, other, &mut rng);
                if behind {
                    bytes = gzip(&bytes);
                }
                let choice = rng.random();
                let ended = bounded(|| read(&bytes, choice, None));
                counts.entry(kind).or_default().add(name, &bytes, ended);
            }
        }
        if all() && start.elapsed() > Duration::from_secs(seconds()) {
            break;
        }
    }
    let _ = std::panic::take_hook();
    tell(&counts);
}

#[test]
fn mutants_of_model_files_are_refused_or_can_be_used() {
    let seeds: Vec<Vec<u8>> =
        models().iter().map(|(_, model)| model_to_bytes("m.json", model).unwrap()).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(20);
    let start = Instant::now();
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let rounds = if all() { usize::MAX } else { 300 };
    for _ in 0..rounds {
        for (seed, kind) in seeds.iter().zip(["numbers", "classes", "counts", "survival"]) {
            let mut bytes = seed.clone();
            let other = &seeds[rng.random_range(0..seeds.len())];
            if rng.random() {
                mutate(&mut bytes, other, &mut rng);
            } else {
                change_number(&mut bytes, &mut rng);
            }
            let ended = bounded(|| load(&bytes));
            counts.entry(format!("model {kind}")).or_default().add(kind, &bytes, ended);
        }
        if all() && start.elapsed() > Duration::from_secs(seconds()) {
            break;
        }
    }
    tell(&counts);
}

/// Puts another value in the place of a number, so that the file is still JSON.
fn change_number(bytes: &mut Vec<u8>, rng: &mut impl Rng) {
    const VALUES: [&str; 14] = [
        "0",
        "-1",
        "1",
        "2",
        "1e308",
        "-1e308",
        "1e-308",
        "null",
        "\"a\"",
        "[]",
        "true",
        "4294967296",
        "0.5",
        "-0",
    ];
    let is_number = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'.' | b'e' | b'E' | b'+');
    let start = rng.random_range(0..bytes.len());
    let Some(first) = (start..bytes.len()).find(|&at| bytes[at].is_ascii_digit()) else { return };
    let first = (0..=first).rev().take_while(|&at| is_number(bytes[at])).last().unwrap_or(first);
    let last = (first..bytes.len()).take_while(|&at| is_number(bytes[at])).last().unwrap_or(first);
    bytes.splice(first..=last, VALUES[rng.random_range(0..VALUES.len())].bytes());
}
