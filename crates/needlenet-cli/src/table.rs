//! From a file to the data of the learner: reads the table and decides its task.

use std::path::Path;

use needlenet::{Data, Outcome, SparseColumns, shown};
use needlenet_io::{Structure, Table, Target, read_table};

use crate::args::{TableArgs, TaskChoice};
use crate::cells::{self, is_sparse};
use crate::choices::table_options;
use crate::failure::Failure;
use crate::names;

/// Letters of a name in a message.
const LONGEST_NAME: usize = 60;

/// A table ready to be fitted.
pub struct Loaded<T = Data> {
    /// The data.
    pub data: T,
    /// How many rows each class has, in the order of the classes; none in regression.
    pub class_counts: Vec<usize>,
    /// Why this task was chosen, if it was decided here.
    pub task_reason: Option<String>,
    /// Notes of the reader for the user.
    pub notes: Vec<String>,
}

/// Reads a table with its outcome.
pub fn load(table: &TableArgs, task: TaskChoice) -> Result<Loaded, Failure> {
    if is_sparse(&table.file, &table.samples)? {
        let (read, cells) = cells::read(table)?;
        return prepare(table, task, read, Some(cells));
    }
    prepare(table, task, read_table(&table.file, &table_options(table)?)?, None)
}

/// The outcome, and properties of the samples.
pub struct Asked {
    /// The outcome.
    pub outcome: Outcome,
    /// The weights.
    pub weights: Option<Vec<f64>>,
    /// The offset.
    pub offset: Option<Vec<f64>>,
    /// Why this task was chosen, if it was decided here.
    pub task_reason: Option<String>,
}

/// The data of a table as read; the values of a sparse table are passed separately.
pub fn prepare(
    table: &TableArgs,
    task: TaskChoice,
    mut read: Table,
    sparse: Option<SparseColumns>,
) -> Result<Loaded, Failure> {
    let structure = structure(table, &read)?;
    let Asked { outcome, weights, offset, task_reason } = asked(table, task, &mut read)?;
    let bad = Failure::of_data(&table.file);
    let made = || {
        let data = match sparse {
            Some(cells) => Data::sparse(cells, read.names, outcome)?,
            None => Data::new(read.values, read.names, outcome)?,
        };
        let data = structure.apply(data)?;
        let data = if let Some(offset) = offset { data.with_offset(offset)? } else { data };
        if let Some(weights) = weights { data.with_weights(weights) } else { Ok(data) }
    };
    let data = made().map_err(bad)?;
    Ok(Loaded { class_counts: counts(data.outcome()), data, task_reason, notes: read.notes })
}

/// The outcome of a table as read, and its additional columns.
pub fn asked(table: &TableArgs, task: TaskChoice, read: &mut Table) -> Result<Asked, Failure> {
    let mut beside = std::mem::take(&mut read.beside).into_iter();
    let mut column = |name: &Option<String>| name.as_ref().and_then(|_| beside.next());
    let [event, strata, weights, offset] =
        [&table.event, &table.strata, &table.weights, &table.offset].map(&mut column);
    let weights = weights.map(|column| numbers_beside(table, "--weights", column)).transpose()?;
    let offset = offset.map(|column| numbers_beside(table, "--offset", column)).transpose()?;
    let target =
        read.target.take().ok_or_else(|| Failure::Usage("give the outcome with --target NAME".into()))?;
    let mut task_reason = None;
    let outcome = match (task, event) {
        (TaskChoice::Survival | TaskChoice::Auto, Some(event)) => survival(table, target, &event, strata)?,
        (TaskChoice::Survival, None) => {
            return Err(Failure::Usage("survival needs the columns --time NAME and --event NAME".into()));
        }
        (_, Some(_)) => {
            return Err(Failure::Usage(
                "--time and --event are for --task survival; give --target NAME".into(),
            ));
        }
        (TaskChoice::Regression, None) => Outcome::Regression(numbers_of(table, target)?),
        (TaskChoice::Counts, None) => Outcome::Counts(numbers_of(table, target)?),
        (TaskChoice::Classification, None) => Outcome::from_labels(&target.labels()),
        (TaskChoice::Auto, None) => {
            let (is_classes, reason) = target.is_classes();
            task_reason = Some(reason);
            if is_classes {
                Outcome::from_labels(&target.labels())
            } else {
                Outcome::Regression(numbers_of(table, target)?)
            }
        }
    };
    Ok(Asked { outcome, weights, offset, task_reason })
}

/// The groups and the inputs that are always in, by the names of the table.
fn structure(table: &TableArgs, read: &Table) -> Result<Structure, Failure> {
    let given = table.groups.as_deref().map(groups_of_file).transpose()?.unwrap_or_default();
    let always: Vec<String> = names::each(&table.always).cloned().collect();
    Ok(Structure::new(&table.file, (&read.names, &read.groups), &given, &always)?)
}

/// The file of `--groups`: input and group in each row.
fn groups_of_file(path: &Path) -> Result<Vec<(String, String)>, Failure> {
    let file = path.display();
    let bad = |reason: String| {
        Failure::Usage(format!("{file}: {reason}; give a CSV file with the columns input and group"))
    };
    let mut reader =
        csv::ReaderBuilder::new().trim(csv::Trim::All).from_path(path).map_err(|e| bad(e.to_string()))?;
    let header = reader.headers().map_err(|e| bad(e.to_string()))?;
    let at = |name: &str| header.iter().position(|column| column.eq_ignore_ascii_case(name));
    let (Some(input), Some(group)) = (at("input"), at("group")) else {
        return Err(bad(format!("its columns are {}", header.iter().collect::<Vec<_>>().join(", "))));
    };
    let mut rows = Vec::new();
    for (row, record) in reader.records().enumerate() {
        let record = record.map_err(|e| bad(e.to_string()))?;
        match (record.get(input), record.get(group)) {
            (Some(input), Some(group)) if !input.is_empty() && !group.is_empty() => {
                rows.push((input.to_owned(), group.to_owned()));
            }
            _ => return Err(bad(format!("row {} has an empty cell", row + 1))),
        }
    }
    Ok(rows)
}

/// An additional column, which must hold numbers.
pub fn numbers_beside(table: &TableArgs, option: &str, column: Target) -> Result<Vec<f64>, Failure> {
    beside_of_file(&table.file, option, column)
}

/// The same for a file without outcome arguments.
pub fn beside_of_file(file: &str, option: &str, column: Target) -> Result<Vec<f64>, Failure> {
    let Target { name, text, numbers } = column;
    numbers.ok_or_else(|| {
        let word = text.iter().find(|text| text.trim().parse::<f64>().is_err()).map_or("", String::as_str);
        Failure::Usage(format!(
            "{file}: {option}: \"{}\" holds text (\"{}\"), not numbers; give another column",
            shown(&name, LONGEST_NAME),
            shown(word, 40)
        ))
    })
}

fn survival(
    table: &TableArgs,
    target: Target,
    event: &Target,
    strata: Option<Target>,
) -> Result<Outcome, Failure> {
    let seen = |text: &String| match text.to_ascii_lowercase().as_str() {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        number => match number.parse::<f64>() {
            Ok(1.0) => Some(true),
            Ok(0.0) => Some(false),
            _ => None,
        },
    };
    let events: Vec<Option<bool>> = event.text.iter().map(seen).collect();
    if let Some(row) = events.iter().position(Option::is_none) {
        return Err(Failure::Usage(format!(
            "{}: row {} of --event is {}; give 1 where the event was seen and 0 where it was not",
            table.file,
            row + 1,
            event.text[row]
        )));
    }
    let times = numbers_of(table, target)?;
    let strata = strata.map(|strata| strata_of(&strata));
    Ok(Outcome::Survival {
        times,
        events: events.into_iter().flatten().collect(),
        strata: strata.unwrap_or_default(),
    })
}

/// The stratum of each row: numbers that are equal are one stratum, however they are written.
pub fn strata_of(column: &Target) -> Vec<String> {
    match &column.numbers {
        Some(numbers) => numbers.iter().map(f64::to_string).collect(),
        None => column.text.clone(),
    }
}

fn numbers_of(table: &TableArgs, target: Target) -> Result<Vec<f64>, Failure> {
    let kind = target.kind();
    let Target { name, text, numbers } = target;
    numbers.ok_or_else(|| {
        let word = text.iter().find(|text| text.trim().parse::<f64>().is_err()).map_or("", String::as_str);
        let example = if kind == "text" { format!(" (\"{}\")", shown(word, 40)) } else { String::new() };
        Failure::Usage(format!(
            "{}: the target \"{}\" is {kind}{example}, not numbers; use --task classification or another target",
            table.file,
            shown(&name, LONGEST_NAME)
        ))
    })
}

/// How many rows each class has.
pub fn counts(outcome: &Outcome) -> Vec<usize> {
    let mut counts = vec![0; outcome.classes().len()];
    if let Outcome::Classification { labels, .. } = outcome {
        labels.iter().for_each(|&label| counts[label] += 1);
    }
    counts
}
