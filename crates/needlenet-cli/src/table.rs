//! From a file to the learner's data: reads the table and decides which task its outcome poses.

use std::collections::{BTreeMap, HashMap};

use needlenet::{Data, Outcome, shown};
use needlenet_io::{ColumnRef, Table, Target, read_table};

use crate::args::{TableArgs, TaskChoice};
use crate::choices::table_options;
use crate::failure::Failure;

/// Whole numbers with more distinct values than this are a quantity.
const MOST_CLASSES: usize = 10;

/// Whole numbers that stand in fewer rows each, on average, are a quantity.
const ROWS_PER_CLASS: usize = 5;

/// Letters of a name in a message.
const LONGEST_NAME: usize = 60;

/// A table ready to be fitted.
pub struct Loaded {
    /// The data.
    pub data: Data,
    /// How many rows each class has, in the order of the classes; none in regression.
    pub class_counts: Vec<usize>,
    /// Why the task is what it is, when it was decided here.
    pub task_reason: Option<String>,
    /// What the reader did that the user should know.
    pub notes: Vec<String>,
}

/// Reads a table with its outcome.
pub fn load(table: &TableArgs, task: TaskChoice) -> Result<Loaded, Failure> {
    prepare(table, task, read_table(&table.file, &table_options(table)?)?)
}

/// The data of a table as read.
pub fn prepare(table: &TableArgs, task: TaskChoice, mut read: Table) -> Result<Loaded, Failure> {
    let mut column = |option: &str, name: &Option<String>| {
        name.as_deref().map(|name| taken_out(&mut read, &table.file, option, name)).transpose()
    };
    let event = column("--event", &table.event)?;
    let strata = column("--strata", &table.strata)?;
    let weights = column("--weights", &table.weights)?;
    let offset = column("--offset", &table.offset)?;
    let target = read.target.ok_or_else(|| Failure::Usage("give the outcome with --target NAME".into()))?;
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
        (TaskChoice::Classification, None) => Outcome::from_labels(&labels(&target)),
        (TaskChoice::Auto, None) => {
            let (is_classes, reason) = decide(&target);
            task_reason = Some(reason);
            if is_classes {
                Outcome::from_labels(&labels(&target))
            } else {
                Outcome::Regression(numbers_of(table, target)?)
            }
        }
    };
    let bad = Failure::of_data(&table.file);
    let made = || {
        let data = Data::new(read.values, read.names, outcome)?;
        let data = if let Some(offset) = offset { data.with_offset(offset)? } else { data };
        if let Some(weights) = weights { data.with_weights(weights) } else { Ok(data) }
    };
    let data = made().map_err(bad)?;
    Ok(Loaded { class_counts: counts(data.outcome()), data, task_reason, notes: read.notes })
}

/// A column that is no input: it is taken out of the table.
pub fn taken_out(read: &mut Table, file: &str, option: &str, name: &str) -> Result<Vec<f64>, Failure> {
    let Some(at) = read.names.iter().position(|other| other == name) else {
        let reason = match ColumnRef(name.to_owned()).resolve(&read.names) {
            Ok(_) => format!("\"{}\" is a number; give the name of the column", shown(name, LONGEST_NAME)),
            Err(error) => error.to_string(),
        };
        return Err(Failure::Usage(format!("{file}: {option}: {reason}")));
    };
    read.names.remove(at);
    Ok(read.values.drain(at * read.n_rows..(at + 1) * read.n_rows).collect())
}

fn survival(
    table: &TableArgs,
    target: Target,
    event: &[f64],
    strata: Option<Vec<f64>>,
) -> Result<Outcome, Failure> {
    if let Some(row) = event.iter().position(|v| *v != 0.0 && *v != 1.0) {
        return Err(Failure::Usage(format!(
            "{}: row {} of --event is {}; give 1 where the event was seen and 0 where it was not",
            table.file,
            row + 1,
            event[row]
        )));
    }
    let times = numbers_of(table, target)?;
    let events = event.iter().map(|v| *v == 1.0).collect();
    let strata = strata.unwrap_or_default().iter().map(f64::to_string).collect();
    Ok(Outcome::Survival { times, events, strata })
}

/// What an outcome without numbers is called.
fn kind(target: &Target) -> &'static str {
    let is_truth = |text: &String| text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false");
    if target.text.iter().all(is_truth) { "true or false" } else { "text" }
}

/// Whether the outcome is classes, and why. The rule stands in the help of `fit`.
fn decide(target: &Target) -> (bool, String) {
    let name = shown(&target.name, LONGEST_NAME);
    let Some(numbers) = &target.numbers else {
        return (true, format!("\"{name}\" is {}", kind(target)));
    };
    let mut rows: BTreeMap<u64, usize> = BTreeMap::new();
    numbers.iter().for_each(|v| *rows.entry((v + 0.0).to_bits()).or_default() += 1);
    let (n, distinct) = (numbers.len(), rows.len());
    if distinct == 2 && n >= 4 {
        return (true, format!("\"{name}\" has 2 distinct values"));
    }
    if numbers.iter().any(|v| v.fract() != 0.0) {
        return (false, format!("\"{name}\" has numbers that are not whole"));
    }
    let few = (2..=MOST_CLASSES).contains(&distinct) && n >= ROWS_PER_CLASS * distinct;
    let kind = if few { "few" } else { "many" };
    (few, format!("\"{name}\" has {distinct} distinct whole numbers in {n} rows: {kind}"))
}

/// The class of each row. Numbers that are equal are one class, however they are written.
fn labels(target: &Target) -> Vec<&str> {
    let Some(numbers) = &target.numbers else {
        return target.text.iter().map(String::as_str).collect();
    };
    let mut first: HashMap<u64, &str> = HashMap::new();
    let rows = target.text.iter().zip(numbers);
    rows.map(|(text, number)| *first.entry((number + 0.0).to_bits()).or_insert(text)).collect()
}

fn numbers_of(table: &TableArgs, target: Target) -> Result<Vec<f64>, Failure> {
    let kind = kind(&target);
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

fn counts(outcome: &Outcome) -> Vec<usize> {
    let mut counts = vec![0; outcome.classes().len()];
    if let Outcome::Classification { labels, .. } = outcome {
        labels.iter().for_each(|&label| counts[label] += 1);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(values: &[&str]) -> Target {
        let numbers = values.iter().map(|v| v.parse().ok()).collect();
        Target { name: "y".into(), text: values.iter().map(ToString::to_string).collect(), numbers }
    }

    #[test]
    fn text_and_few_whole_numbers_are_classes_and_all_else_is_a_quantity() {
        let repeat = |values: &[&str], times: usize| target(&values.repeat(times));
        assert!(decide(&target(&["a", "b", "c", "3"])).0);
        assert!(decide(&repeat(&["0", "1"], 2)).0);
        assert!(decide(&repeat(&["0.5", "-0.5"], 2)).0);
        assert!(decide(&repeat(&["1", "2", "3"], 5)).0);
        assert!(!decide(&repeat(&["1", "2", "3"], 4)).0);
        assert!(!decide(&repeat(&["1", "2", "2.5"], 50)).0);
        let eleven: Vec<String> = (0..11).map(|v| v.to_string()).collect();
        assert!(!decide(&repeat(&eleven.iter().map(String::as_str).collect::<Vec<_>>(), 50)).0);
        // too few rows to tell: two rows, two values
        assert!(!decide(&target(&["1", "2"])).0);
    }

    #[test]
    fn equal_numbers_are_one_class_however_written() {
        assert_eq!(labels(&target(&["1", "1.0", "2", "-0", "0"])), ["1", "1", "2", "-0", "-0"]);
        assert_eq!(labels(&target(&["1", "1.0", "x"])), ["1", "1.0", "x"]);
    }
}
