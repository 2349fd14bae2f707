//! A table in shards has the fit of the same table in memory, however its columns are cut.

use std::ops::Range;

use super::gaussian;
use crate::error::Error;
use crate::fit::{fit_planned, fit_sharded_planned};
use crate::search::plan::Plan;
use crate::shards::{Answer, Columns, Here, Sharded, Shards, Task};
use crate::table::{Data, Outcome};
use crate::{Model, Observer, Penalty, Settings, fit_sharded};

const N: usize = 150;
const P: usize = 60;

/// Columns in memory that pretend to be elsewhere.
struct Part {
    n: usize,
    columns: Range<usize>,
    values: Vec<f64>,
}

impl Columns for Part {
    fn name(&self) -> String {
        format!("columns {} to {}", self.columns.start, self.columns.end)
    }

    fn n_samples(&self) -> usize {
        self.n
    }

    fn n_columns(&self) -> usize {
        self.columns.len()
    }

    fn read(&self, columns: Range<usize>, values: &mut [f64]) -> Result<(), String> {
        values.copy_from_slice(&self.values[columns.start * self.n..columns.end * self.n]);
        Ok(())
    }
}

/// Shards whose messages go through bytes, as they do on the way to another machine.
struct Sent(Here);

impl Shards for Sent {
    fn shards(&self) -> Vec<(String, usize)> {
        self.0.shards()
    }

    fn ask(&self, tasks: Vec<(usize, Task)>, observer: &dyn Observer) -> crate::Result<Vec<Answer>> {
        let arrived = |(at, task): (usize, Task)| (at, Task::from_bytes(&task.to_bytes().unwrap()).unwrap());
        let answers = self.0.ask(tasks.into_iter().map(arrived).collect(), observer)?;
        Ok(answers.iter().map(|answer| Answer::from_bytes(&answer.to_bytes().unwrap()).unwrap()).collect())
    }
}

fn parts(x: &[f64], n: usize, count: usize) -> Vec<Box<dyn Columns>> {
    let p = x.len() / n;
    let part = |k: usize| {
        let columns = k * p / count..(k + 1) * p / count;
        let values = x[columns.start * n..columns.end * n].to_vec();
        Box::new(Part { n, columns, values }) as Box<dyn Columns>
    };
    (0..count).map(part).collect()
}

fn names() -> Vec<String> {
    (0..P).map(|j| format!("x{j}")).collect()
}

/// One bent law and one straight one among others; a column that does not vary, and one that is a multiple of another.
fn table() -> Vec<f64> {
    let mut x = gaussian(N * P, 11);
    x[5 * N..6 * N].fill(3.0);
    for i in 0..N {
        x[8 * N + i] = 1000.0 - 7.0 * x[9 * N + i];
    }
    x
}

fn outcomes(x: &[f64]) -> Vec<(&'static str, Outcome)> {
    let noise = gaussian(N, 12);
    let signal = |i: usize| 3.0 * (x[20 * N + i] - x[31 * N + i]).abs() + 1.5 * x[2 * N + i];
    let y: Vec<f64> = (0..N).map(|i| signal(i) + 0.3 * noise[i]).collect();
    let labels: Vec<&str> =
        (0..N).map(|i| if 3.0 * x[20 * N + i] + noise[i] > 0.0 { "b" } else { "a" }).collect();
    let times = (0..N).map(|i| (-1.5 * x[2 * N + i] + 0.3 * noise[i]).exp()).collect();
    let events = (0..N).map(|i| i % 4 != 0).collect();
    let counts = (0..N).map(|i| (1.2 * x[31 * N + i] + 0.5).exp().round()).collect();
    vec![
        ("numbers", Outcome::Regression(y)),
        ("classes", Outcome::from_labels(&labels)),
        ("survival", Outcome::Survival { times, events, strata: Vec::new() }),
        ("counts", Outcome::Counts(counts)),
    ]
}

fn settings() -> Settings {
    Settings { draws: 400, hidden: vec![10], ..Settings::default() }
}

/// Few enough that most inputs of these tables are left to the certificate.
fn plan(most_searched: usize) -> Plan {
    Plan { most_searched, ..Plan::default() }
}

fn assert_same(memory: &Model, shards: &Model, what: &str) {
    assert_eq!(memory.selected(), shards.selected(), "{what}");
    assert_eq!(memory.lambda.to_bits(), shards.lambda.to_bits(), "{what}");
    assert_eq!(memory.threshold.lambda_qut.to_bits(), shards.threshold.lambda_qut.to_bits(), "{what}");
    assert_eq!(memory.threshold.lambda_zero.to_bits(), shards.threshold.lambda_zero.to_bits(), "{what}");
    let (a, b) = (memory.certificate.objective, shards.certificate.objective);
    assert!((a - b).abs() <= 1e-9 * a.abs(), "{what}: {a} {b}");
    assert!(shards.certificate.kkt_violation <= memory.settings.tolerance, "{what}");
    assert_eq!(memory.constant_inputs, shards.constant_inputs, "{what}");
}

#[test]
fn shards_have_the_fit_of_the_table_in_memory() {
    let x = table();
    for (what, outcome) in outcomes(&x) {
        let data = Data::new(x.clone(), names(), outcome.clone()).unwrap();
        let memory = fit_planned(data, &settings(), &plan(16), &()).unwrap();
        assert!(!memory.selected().is_empty(), "{what}");
        for count in [1, 2, 7] {
            // small enough that every block has one column
            let here = Here::new(parts(&x, N, count), 1);
            let table = Sharded::new(Sent(here), names(), outcome.clone()).unwrap();
            let shards = fit_sharded_planned(table, &settings(), &plan(16), &()).unwrap();
            assert_same(&memory, &shards, &format!("{what}, {count} shards"));
            assert!(shards.passes.is_some_and(|passes| (3..=8).contains(&passes)), "{:?}", shards.passes);
        }
    }
}

#[test]
fn shards_with_weights_offset_and_inputs_always_in_have_the_fit_of_the_table_in_memory() {
    let x = table();
    let weights: Vec<f64> = (0..N).map(|i| [1.0, 2.0, 0.0, 0.5][i % 4]).collect();
    let offset: Vec<f64> = gaussian(N, 21).iter().map(|v| 0.2 * v).collect();
    for (what, outcome) in outcomes(&x) {
        let data = Data::new(x.clone(), names(), outcome.clone()).unwrap();
        let data = data.with_always(&["x9", "x40"]).unwrap().with_offset(offset.clone()).unwrap();
        let data = data.with_weights(weights.clone()).unwrap();
        let memory = fit_planned(data, &settings(), &plan(16), &()).unwrap();
        let table = Sharded::new(Here::new(parts(&x, N, 3), 1 << 20), names(), outcome).unwrap();
        let table = table.with_always(&["x9", "x40"]).unwrap().with_offset(offset.clone()).unwrap();
        let table = table.with_weights(weights.clone()).unwrap();
        let shards = fit_sharded_planned(table, &settings(), &plan(16), &()).unwrap();
        assert_same(&memory, &shards, what);
        assert_eq!(memory.always.len(), shards.always.len());
        for (a, b) in memory.always.iter().zip(&shards.always) {
            assert_eq!((&a.name, a.mean_slope), (&b.name, b.mean_slope));
        }
    }
}

/// Two inputs without a trace of their own: with few inputs searched they are not among them, and must join.
#[test]
fn inputs_that_are_not_searched_join_where_the_certificate_asks_for_them() {
    let x = table();
    let noise = gaussian(N, 12);
    let law = |i: usize| (0..12).map(|k| 2.0 * x[(20 + k) * N + i]).sum::<f64>() + 0.1 * noise[i];
    let outcome = Outcome::Regression((0..N).map(law).collect());
    let settings = Settings { penalty: Penalty::L1, hidden: Vec::new(), ..settings() };
    let data = Data::new(x.clone(), names(), outcome.clone()).unwrap();
    let all = fit_planned(data.clone(), &settings, &plan(1000), &()).unwrap();
    let few = fit_planned(data, &settings, &plan(4), &()).unwrap();
    assert!(all.selected().len() > 4);
    // a convex problem has one solution
    let mut names_of = [all.selected(), few.selected()];
    names_of.iter_mut().for_each(|names| names.sort_unstable());
    assert_eq!(names_of[0], names_of[1]);
    let (a, b) = (all.certificate.objective, few.certificate.objective);
    assert!((a - b).abs() < 1e-7 * a, "{a} {b}");
    let table = Sharded::new(Here::new(parts(&x, N, 4), 1 << 20), names(), outcome).unwrap();
    let shards = fit_sharded_planned(table, &settings, &plan(4), &()).unwrap();
    assert_same(&few, &shards, "joined");
    assert!(shards.passes.is_some_and(|passes| passes > 3), "{:?}", shards.passes);
}

#[test]
fn a_cell_that_is_no_number_is_told_with_its_shard() {
    let x = table();
    let (_, outcome) = outcomes(&x).remove(0);
    for (bad, word) in [(f64::NAN, "finite"), (1e200, "larger in size than 1e150")] {
        let mut x = x.clone();
        x[33 * N + 7] = bad;
        let here = Here::new(parts(&x, N, 3), 1 << 20);
        let table = Sharded::new(Sent(here), names(), outcome.clone()).unwrap();
        let error = fit_sharded_planned(table, &settings(), &plan(16), &()).unwrap_err();
        let Error::Shard { shard, reason } = &error else { panic!("{error}") };
        assert_eq!(shard, "columns 20 to 40");
        assert!(reason.contains("row 8, column \"x33\"") && reason.contains(word), "{reason}");
    }
}

#[test]
fn the_name_of_a_shard_is_told_to_its_end() {
    let shard = format!("{}/00007.npy", "folder".repeat(40));
    let error = Error::Shard { shard: shard.clone(), reason: "it is torn".into() };
    assert_eq!(error.to_string(), format!("shard \"{shard}\": it is torn"));
}

#[test]
fn a_name_in_two_shards_is_refused() {
    let x = table();
    let mut names = names();
    names[50] = "x3".into();
    let (_, outcome) = outcomes(&x).remove(0);
    let error = Sharded::new(Here::new(parts(&x, N, 3), 1 << 20), names, outcome).unwrap_err();
    assert!(error.to_string().contains("\"columns 40 to 60\""), "{error}");
    assert!(error.to_string().contains("\"x3\" is in \"columns 0 to 20\" too"), "{error}");
}

#[test]
fn a_shard_that_cannot_be_read_is_told() {
    struct Broken;
    impl Columns for Broken {
        fn name(&self) -> String {
            "third.npy".into()
        }
        fn n_samples(&self) -> usize {
            N
        }
        fn n_columns(&self) -> usize {
            1
        }
        fn read(&self, _: Range<usize>, _: &mut [f64]) -> Result<(), String> {
            Err("the disk is gone".into())
        }
    }
    let x = table();
    let (_, outcome) = outcomes(&x).remove(0);
    let mut shards = parts(&x[..(P - 1) * N], N, 2);
    shards.push(Box::new(Broken));
    let table = Sharded::new(Here::new(shards, 1 << 20), names(), outcome).unwrap();
    let error = fit_sharded(table, &settings(), &()).unwrap_err();
    assert_eq!(error.to_string(), "shard \"third.npy\": the disk is gone");
}

#[test]
fn a_message_of_another_version_is_refused() {
    let mut bytes = Answer::from_bytes(b"").unwrap_err().to_string();
    assert!(bytes.contains("use the same version of needlenet on every machine"), "{bytes}");
    bytes.insert(0, '\u{5}');
    assert!(Task::from_bytes(bytes.as_bytes()).is_err());
}
