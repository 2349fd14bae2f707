//! Where there is nothing, nothing is found in a share of `1 - alpha` of the tables.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use needlenet::{Data, Outcome, fit};

use super::made::{gaussian, names};
use super::table::{Kind, Row, all, rows};

const N: usize = 80;
const P: usize = 30;

/// The smallest count that a binomial variable of `tables` trials with chance 0.05 exceeds with a chance below `chance`.
fn most(tables: usize, chance: f64) -> usize {
    let n = tables as f64;
    let mut probability = 0.95f64.powf(n);
    let mut below = probability;
    let mut count = 0;
    while 1.0 - below > chance {
        count += 1;
        probability *= (n - count as f64 + 1.0) / count as f64 * 0.05 / 0.95;
        below += probability;
    }
    count
}

/// An outcome that no input has to do with.
fn null_outcome(kind: Kind, n: usize, seed: u64) -> Outcome {
    kind.outcome(&vec![0.0; n], &gaussian(n, 500_000 + seed), seed)
}

fn finds_something(row: &Row, n: usize, p: usize, seed: u64) -> bool {
    let data = Data::new(gaussian(n * p, 900_000 + seed), names(p), null_outcome(row.kind, n, seed)).unwrap();
    // whether anything is found is known long before the last digit of the weights
    let settings = needlenet::Settings { max_iterations: 1000, ..row.settings() };
    !fit(data, &settings).unwrap().needles.is_empty()
}

/// Calls `check` for every item, on two threads.
fn side_by_side<T: Sync>(items: &[T], check: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(item);
                }
            });
        }
    });
}

#[test]
fn null_tables_of_every_row_are_empty_in_95_percent() {
    let rows = rows();
    let tables = if all() { 60 } else { 25 };
    // over all rows, the chance that one is exceeded by chance is below a hundredth
    let bound = most(tables, 0.01 / rows.len() as f64);
    let failures = Mutex::new(Vec::new());
    side_by_side(&rows, |row| {
        let found = (0..tables as u64).filter(|seed| finds_something(row, N, P, *seed)).count();
        if all() {
            println!("{row}: {found} of {tables}");
        }
        if found > bound {
            failures.lock().unwrap().push(format!("{row}: {found} of {tables}"));
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "more than {bound} of {tables}:\n{}", failures.join("\n"));
}

#[test]
fn very_small_tables_keep_the_level_or_are_refused() {
    let kinds = [Kind::Numbers, Kind::Classes(2, needlenet::Link::Softmax)];
    let sizes = if all() { vec![3, 4, 5, 6, 8, 12] } else { vec![3, 6, 12] };
    for (kind, n) in kinds.iter().flat_map(|kind| sizes.iter().map(move |n| (*kind, *n))) {
        let row = rows().into_iter().find(|row| row.kind == kind && row.hidden == [8]).unwrap();
        let settings = needlenet::Settings { penalty: "harder".parse().unwrap(), ..row.settings() };
        let tables = 60;
        let found = |seed: u64| {
            let outcome = null_outcome(kind, n, 7000 + seed);
            let data = Data::new(gaussian(n * 20, 300_000 + seed), names(20), outcome).unwrap();
            match fit(data, &settings) {
                Ok(model) => !model.needles.is_empty(),
                Err(needlenet::Error::BeyondReach { .. }) => false,
                Err(error) => panic!("{error}"),
            }
        };
        let count = (0..tables as u64).filter(|seed| found(*seed)).count();
        assert!(count <= most(tables, 1e-3), "{kind:?}, {n} samples: {count} of {tables}");
    }
}
