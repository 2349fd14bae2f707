//! The answers of shards that are finished, in a file: a fit that was stopped goes on where it was.
//!
//! A fit asks the same questions when it is run again. So an answer is kept under its shard and a hash of its question, and is
//! used again for the same question only: other settings, or another outcome, ask other ones. The file begins with the
//! fingerprint of the folder, and a file of another folder is not used. An answer is one write; a torn one is dropped.
//! Columns that were brought are few, and are read again. Memory: an answer is read from the file when it is asked for.
//! Tested here, in `needlenet-cli/tests/cli/shards.rs` and in `python/tests/test_shards.py`.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use needlenet::Observer;
use needlenet::shards::{Answer, Shards, Task};

use super::{bad, read_at};
use crate::Error;
use crate::ledger::open_locked;

/// A shard, and the hash of what it is asked.
type Question = (u64, u64);

/// A file of finished answers, open and locked.
pub struct Book(Mutex<Pages>);

struct Pages {
    file: File,
    end: u64,
    /// Where each answer is, and its length.
    known: HashMap<Question, (u64, usize)>,
}

impl Book {
    /// Opens or makes the file of a folder with this fingerprint; also says how many answers it has.
    pub fn open(path: &Path, fingerprint: u64) -> Result<(Self, usize), Error> {
        let failed = |source| Error::Write { file: path.display().to_string(), source };
        let Some(file) = open_locked(path).map_err(failed)? else {
            let reason = "another run uses it; wait for it, or give another file";
            return Err(bad(&path.display().to_string(), reason.into()));
        };
        let mut pages = Pages { end: 8, known: HashMap::new(), file };
        if pages.index(fingerprint).is_err() {
            pages.file.set_len(0).and_then(|()| pages.file.rewind()).map_err(failed)?;
            pages.file.write_all(&fingerprint.to_le_bytes()).map_err(failed)?;
        }
        pages.file.set_len(pages.end).and_then(|()| pages.file.seek(SeekFrom::End(0))).map_err(failed)?;
        let count = pages.known.len();
        Ok((Book(Mutex::new(pages)), count))
    }

    /// The answer of a shard to a message, if it is known.
    pub fn answer(&self, shard: usize, task: &[u8]) -> Option<Answer> {
        self.pages().answer((shard as u64, hash(task)))
    }

    /// Keeps the answer of a shard to a message; what cannot be written is asked again.
    pub fn keep(&self, shard: usize, task: &[u8], answer: &Answer) {
        self.pages().keep((shard as u64, hash(task)), answer);
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shards whose finished answers are kept in a file.
pub struct Kept<S> {
    shards: S,
    book: Book,
}

impl<S: Shards> Kept<S> {
    /// Shards of the folder whose answers are in the file.
    pub fn new(book: Book, shards: S) -> Self {
        Kept { shards, book }
    }
}

/// Where the answers of a model that is saved to `out` are kept.
pub fn kept_beside(out: &Path) -> PathBuf {
    let mut path = out.as_os_str().to_owned();
    path.push(".passes");
    path.into()
}

impl Pages {
    /// Finds the whole answers; an error if the file is not that of the fingerprint.
    fn index(&mut self, fingerprint: u64) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        let mut file = BufReader::new(&self.file);
        if word(&mut file)? != fingerprint {
            return Err(io::ErrorKind::InvalidData.into());
        }
        while let (Ok(shard), Ok(asked), Ok(bytes), Ok(check)) =
            (word(&mut file), word(&mut file), word(&mut file), word(&mut file))
        {
            let from = self.end + 32;
            if bytes > length.saturating_sub(from) {
                break;
            }
            let mut answer = vec![0; bytes as usize];
            if file.read_exact(&mut answer).is_err() || hash(&answer) != check {
                break;
            }
            self.known.insert((shard, asked), (from, answer.len()));
            self.end = from + bytes;
        }
        Ok(())
    }

    fn answer(&self, question: Question) -> Option<Answer> {
        let &(from, length) = self.known.get(&question)?;
        let mut bytes = vec![0; length];
        read_at(&self.file, &mut bytes, from).ok()?;
        Answer::from_bytes(&bytes).ok()
    }

    fn keep(&mut self, question: Question, answer: &Answer) {
        let Ok(bytes) = answer.to_bytes() else { return };
        let words = [question.0, question.1, bytes.len() as u64, hash(&bytes)];
        let frame = [words.map(u64::to_le_bytes).concat(), bytes].concat();
        if self.file.write_all(&frame).is_ok() {
            self.known.insert(question, (self.end + 32, frame.len() - 32));
            self.end += frame.len() as u64;
        }
    }
}

fn word(file: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    file.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

pub(super) fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl<S: Shards> Shards for Kept<S> {
    fn shards(&self) -> Vec<(String, usize)> {
        self.shards.shards()
    }

    fn ask(
        &self,
        tasks: Vec<(usize, Task)>,
        observer: &dyn Observer,
    ) -> Result<Vec<Answer>, needlenet::Error> {
        let one = |(at, task): (usize, Task)| {
            if !task.is_pass() {
                return Ok(self.shards.ask(vec![(at, task)], observer)?.pop());
            }
            let bytes = task.to_bytes()?;
            if let Some(answer) = self.book.answer(at, &bytes) {
                return Ok(Some(answer));
            }
            let answer = self.shards.ask(vec![(at, task)], observer)?.pop();
            answer.iter().for_each(|answer| self.book.keep(at, &bytes, answer));
            Ok(answer)
        };
        let answers: Result<Vec<Option<Answer>>, needlenet::Error> = tasks.into_iter().map(one).collect();
        Ok(answers?.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use needlenet::shards::{Columns, Here, Sharded};
    use needlenet::{Error, Model, Observer, Outcome, Progress, Settings, fit_sharded};

    use super::{Book, Kept, kept_beside};

    const N: usize = 40;
    const P: usize = 4200;

    /// Columns that count how many of them were read.
    struct Counted(Range<usize>, Arc<AtomicUsize>);

    impl Columns for Counted {
        fn name(&self) -> String {
            format!("columns {:?}", self.0)
        }
        fn n_samples(&self) -> usize {
            N
        }
        fn n_columns(&self) -> usize {
            self.0.len()
        }
        fn read(&self, columns: Range<usize>, values: &mut [f64]) -> Result<(), String> {
            self.1.fetch_add(columns.len(), Ordering::Relaxed);
            for (j, column) in columns.zip(values.chunks_mut(N)) {
                column.copy_from_slice(&made(self.0.start + j));
            }
            Ok(())
        }
    }

    fn made(j: usize) -> Vec<f64> {
        let cell = |i: usize| {
            let mut state = (j * N + i) as u64 ^ 0x9e37_79b9_7f4a_7c15;
            for _ in 0..3 {
                state = (state ^ (state >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            }
            (state >> 40) as f64 / (1_u64 << 24) as f64
        };
        (0..N).map(cell).collect()
    }

    /// Stops the fit once as many columns were read.
    struct Until(usize, Arc<AtomicUsize>);

    impl Observer for Until {
        fn step(&self, _: Progress) -> bool {
            true
        }
        fn go_on(&self) -> bool {
            self.1.load(Ordering::Relaxed) < self.0
        }
    }

    /// The fit with answers kept in a file, how many it found there, and how many columns it read.
    fn run(path: &std::path::Path, fingerprint: u64, until: usize) -> (Result<Model, Error>, usize, usize) {
        let read = Arc::new(AtomicUsize::new(0));
        let shard = |k: usize| Box::new(Counted(600 * k..600 * (k + 1), read.clone())) as Box<dyn Columns>;
        let here = Here::new((0..7).map(shard).collect(), 1 << 20);
        let (book, found) = Book::open(path, fingerprint).unwrap();
        let kept = Kept::new(book, here);
        let (a, b) = (made(7), made(4000));
        let y = a.iter().zip(&b).map(|(a, b)| 3.0 * a - 4.0 * b).collect();
        let names = (0..P).map(|j| format!("x{j}")).collect();
        let table = Sharded::new(kept, names, Outcome::Regression(y)).unwrap();
        let settings = Settings { hidden: Vec::new(), draws: 100, threads: 1, ..Settings::default() };
        let model = fit_sharded(table, &settings, &Until(until, read.clone()));
        (model, found, read.load(Ordering::Relaxed))
    }

    #[test]
    fn a_fit_that_was_stopped_goes_on_from_the_shards_that_were_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = kept_beside(&folder.path().join("m.json"));
        let (whole, found, read_whole) = run(&path, 1, usize::MAX);
        let whole = whole.unwrap();
        assert_eq!((found, whole.passes), (0, Some(3)));
        std::fs::remove_file(&path).unwrap();

        // in the second pass, after three of its seven shards
        let (stopped, ..) = run(&path, 1, P + 3 * 600);
        assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
        // a torn answer at the end is dropped
        let kept = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&kept[..], &[7; 100]].concat()).unwrap();
        let (resumed, found, read) = run(&path, 1, usize::MAX);
        assert_eq!((found, read), (10, read_whole - P - 3 * 600));
        assert_eq!(serde_json::to_value(resumed.unwrap()).unwrap(), serde_json::to_value(&whole).unwrap());

        // all passes are known now, but not to another folder
        let (_, found, read) = run(&path, 1, usize::MAX);
        assert_eq!((found, read), (21, read_whole - 3 * P));
        let (other, found, read) = run(&path, 2, usize::MAX);
        assert_eq!((found, read), (0, read_whole));
        assert_eq!(serde_json::to_value(other.unwrap()).unwrap(), serde_json::to_value(&whole).unwrap());
    }
}
