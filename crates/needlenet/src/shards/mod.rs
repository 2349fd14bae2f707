//! Tables whose columns are not in memory: on disk, or on other machines.
//!
//! A table is cut into *shards* of columns, each with all samples. The learner needs four calls on a shard (`task.rs`). The
//! search runs on the most promising columns, which are loaded once; a table in memory with as many columns is searched in the
//! same way. Then the KKT conditions are checked on every column of every shard; columns that violate them join, and the
//! problem is solved again. So the certificate is on all inputs, and the result equals that of the same table in memory,
//! however its columns are cut. Cost: three passes over the columns, and one more for every round in which columns join.
//! Memory: the searched columns and a few blocks. Tested in `src/tests/shards.rs`.

mod answer;
mod passes;
pub(crate) mod shared;
mod task;

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

pub use self::answer::answer;
use self::answer::answered;
pub(crate) use self::passes::Stored;
pub use self::task::{Answer, Task};
use crate::error::{Error, Result};
use crate::progress::Observer;
use crate::settings::Settings;
use crate::table::{Data, Outcome};

/// A shard: some columns of a table with all its samples.
pub trait Columns: Send + Sync {
    /// Its name in error messages.
    fn name(&self) -> String;

    /// Number of samples.
    fn n_samples(&self) -> usize;

    /// Number of columns.
    fn n_columns(&self) -> usize;

    /// Reads some columns side by side. An error says what is wrong and what to do.
    fn read(&self, columns: Range<usize>, values: &mut [f64]) -> std::result::Result<(), String>;
}

/// The shards of a table, and how to send tasks to them.
pub trait Shards: Send + Sync {
    /// The name and the number of columns of each shard, in the order of the table.
    fn shards(&self) -> Vec<(String, usize)>;

    /// The answers of some shards, given by their index, in the same order. On the side of a shard, [`answer`] computes its
    /// answer.
    fn ask(&self, tasks: Vec<(usize, Task)>, observer: &dyn Observer) -> Result<Vec<Answer>>;
}

/// Shards on this machine, processed one after the other by all threads.
pub struct Here {
    shards: Vec<Box<dyn Columns>>,
    memory: usize,
}

impl Here {
    /// `memory` is about the number of bytes that a pass may use.
    pub fn new(shards: Vec<Box<dyn Columns>>, memory: usize) -> Self {
        Here { shards, memory }
    }
}

impl Shards for Here {
    fn shards(&self) -> Vec<(String, usize)> {
        self.shards.iter().map(|shard| (shard.name(), shard.n_columns())).collect()
    }

    fn ask(&self, tasks: Vec<(usize, Task)>, observer: &dyn Observer) -> Result<Vec<Answer>> {
        tasks.iter().map(|(at, task)| answered(&*self.shards[*at], task, self.memory, observer)).collect()
    }
}

/// A table in shards with its outcome.
///
/// ```
/// use std::ops::Range;
/// use needlenet::shards::{Columns, Here, Sharded};
/// use needlenet::{Outcome, Settings, fit_sharded};
///
/// struct Multiples(Range<usize>);
/// impl Columns for Multiples {
///     fn name(&self) -> String { format!("columns {:?}", self.0) }
///     fn n_samples(&self) -> usize { 40 }
///     fn n_columns(&self) -> usize { self.0.len() }
///     fn read(&self, columns: Range<usize>, values: &mut [f64]) -> Result<(), String> {
///         for (j, column) in columns.zip(values.chunks_mut(40)) {
///             let at = 40 * (self.0.start + j);
///             column.iter_mut().enumerate().for_each(|(i, v)| *v = (((at + i) * 7919 + 13) % 101) as f64);
///         }
///         Ok(())
///     }
/// }
/// let shards = Here::new(vec![Box::new(Multiples(0..2)), Box::new(Multiples(2..3))], 1 << 20);
/// let y = (40..80).map(|i| 2.0 * ((i * 7919 + 13) % 101) as f64 + 1.0).collect();
/// let names = ["a", "b", "c"].map(String::from).to_vec();
/// let table = Sharded::new(shards, names, Outcome::Regression(y))?;
/// assert_eq!(fit_sharded(table, &Settings::default(), &())?.selected(), ["b"]);
/// # Ok::<(), needlenet::Error>(())
/// ```
#[derive(Clone)]
pub struct Sharded {
    shards: Arc<dyn Shards>,
    /// Outcome, weights, offset and names.
    about: Data,
    /// The rows that are used, ascending; none means all.
    rows: Option<Arc<[usize]>>,
}

impl fmt::Debug for Sharded {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Sharded").field("shards", &self.shards.shards()).finish_non_exhaustive()
    }
}

impl Sharded {
    /// Checks names and outcome; the fit checks the columns.
    pub fn new(shards: impl Shards + 'static, names: Vec<String>, outcome: Outcome) -> Result<Self> {
        let of_shards = shards.shards();
        let expected: usize = of_shards.iter().map(|(_, columns)| columns).sum();
        if names.len() != expected {
            return Err(Error::Shape { what: "names of columns", found: names.len(), expected });
        }
        let shard_of = |column: usize| {
            let mut end = 0;
            let holds = |(_, columns): &&(String, usize)| {
                end += columns;
                column < end
            };
            of_shards.iter().find(holds).map_or(String::new(), |(name, _)| name.clone())
        };
        let mut seen: HashMap<&str, usize> = HashMap::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            if let Some(first) = seen.insert(name, at) {
                let first = shard_of(first);
                let reason = format!(
                    "the column \"{name}\" is in \"{first}\" too; a needle is told by its name: rename one"
                );
                return Err(Error::Shard { shard: shard_of(at), reason });
            }
        }
        drop(seen);
        Ok(Sharded { shards: Arc::new(shards), about: Data::elsewhere(names, outcome)?, rows: None })
    }

    /// See [`Data::with_weights`].
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        let rows: Vec<usize> = (0..weights.len()).filter(|i| weights[*i] > 0.0).collect();
        self.rows = (rows.len() < weights.len()).then(|| rows.into());
        self.about = self.about.with_weights(weights)?;
        Ok(self)
    }

    /// See [`Data::weighed`].
    pub(crate) fn weighed(mut self, given: &Settings) -> (Self, Settings) {
        let settings;
        (self.about, settings) = self.about.weighed(given);
        (self, settings)
    }

    /// See [`Data::with_offset`]; to be given before weights.
    pub fn with_offset(mut self, offset: Vec<f64>) -> Result<Self> {
        self.about = self.about.with_offset(offset)?;
        Ok(self)
    }

    /// See [`Data::with_always`].
    pub fn with_always<S: AsRef<str>>(mut self, names: &[S]) -> Result<Self> {
        self.about = self.about.with_always(names)?;
        Ok(self)
    }

    /// Number of samples that are used.
    pub fn n_samples(&self) -> usize {
        self.about.n_samples()
    }

    /// Number of inputs.
    pub fn n_features(&self) -> usize {
        self.about.n_features()
    }

    /// The outcome.
    pub fn outcome(&self) -> &Outcome {
        self.about.outcome()
    }
}
