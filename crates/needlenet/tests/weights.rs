//! A weight of 2 is the row twice, one of 0 no row; weights that are no counts say how important a sample is; an offset is a known
//! part of the outcome.
#![allow(clippy::unwrap_used)]

mod made;

use made::{gaussian, names};
use needlenet::{Data, Fitted, Link, Model, NullChoice, Outcome, Prediction, Settings, Ties, fit, threshold};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::Poisson;

const N: usize = 150;
const P: usize = 10;

/// Every outcome, of which the first two inputs are the needles, beside an offset.
fn outcomes(x: &[f64], offset: &[f64]) -> Vec<Outcome> {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let noise = gaussian(N, 6);
    let score: Vec<f64> = (0..N).map(|i| 1.5 * x[i] - x[N + i] + offset[i]).collect();
    let labels = |cuts: &[f64]| -> Vec<String> {
        (0..N).map(|i| format!("c{}", cuts.iter().filter(|c| score[i] + noise[i] > **c).count())).collect()
    };
    let counts = score.iter().map(|s| rng.sample(Poisson::new(s.exp()).unwrap())).collect();
    // whole times, so that many are tied
    let times = score.iter().map(|s| (-8.0 * rng.random::<f64>().ln() * (-s).exp()).ceil()).collect();
    vec![
        Outcome::Regression(score.iter().zip(&noise).map(|(s, e)| s + e).collect()),
        Outcome::from_labels(&labels(&[0.0])),
        Outcome::from_labels(&labels(&[-1.0, 1.0])),
        Outcome::Counts(counts),
        Outcome::Survival {
            times,
            events: (0..N).map(|i| i % 3 != 0).collect(),
            strata: (0..N).map(|i| format!("s{}", i % 2)).collect(),
        },
    ]
}

fn taken<T: Clone>(values: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().map(|i| values[*i].clone()).collect()
}

fn table_of(x: &[f64], rows: &[usize]) -> Vec<f64> {
    x.chunks(N).flat_map(|column| taken(column, rows)).collect()
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1e-3)
}

/// Weighted and repeated tables of every outcome.
fn pairs(offset: bool) -> Vec<(Data, Data)> {
    let x = gaussian(N * P, 3);
    let offsets: Vec<f64> =
        if offset { gaussian(N, 4).iter().map(|v| 0.5 * v).collect() } else { vec![0.0; N] };
    let weights: Vec<usize> = (0..N).map(|i| [1, 2, 0, 3, 1][i * i % 5]).collect();
    let repeated: Vec<usize> = (0..N).flat_map(|i| vec![i; weights[i]]).collect();
    let made = |outcome: Outcome| {
        let weighted = Data::new(x.clone(), names(P), outcome.clone()).unwrap();
        let rows = Data::new(table_of(&x, &repeated), names(P), outcome.of_rows(&repeated)).unwrap();
        let (weighted, rows) = if offset {
            let of_rows = taken(&offsets, &repeated);
            (weighted.with_offset(offsets.clone()).unwrap(), rows.with_offset(of_rows).unwrap())
        } else {
            (weighted, rows)
        };
        (weighted.with_weights(weights.iter().map(|w| *w as f64).collect()).unwrap(), rows)
    };
    let single = |outcome: &Outcome| outcome.classes().len() < 3;
    outcomes(&x, &offsets).into_iter().filter(|o| !offset || single(o)).map(made).collect()
}

#[test]
fn a_weight_of_two_is_the_row_twice_and_of_zero_no_row() {
    for offset in [false, true] {
        for (weighted, repeated) in pairs(offset) {
            for ties in [Ties::Efron, Ties::Breslow] {
                for link in [Link::Softmax, Link::Logit] {
                    let settings = Settings { ties, link, draws: 300, threads: 1, ..Settings::default() };
                    let lambda = threshold(repeated.clone(), &settings).unwrap().lambda_qut;
                    let settings = Settings { lambda: Some(lambda), ..settings };
                    let [a, b] = [&weighted, &repeated].map(|data| fit(data.clone(), &settings).unwrap());
                    let (mut own, mut other) = (a.selected(), b.selected());
                    own.sort_unstable();
                    other.sort_unstable();
                    let what = format!("{}, offset {offset}, {ties:?}, {link:?}", a.task.name());
                    assert_eq!(own, other, "{what}");
                    assert!(["x1", "x2"].iter().all(|name| own.contains(name)), "{what}: {own:?}");
                    assert!(a.converged() && b.converged(), "{what}");
                    for (a, b) in [(&a.certificate, &b.certificate), (&a.refit, &b.refit)] {
                        assert!(close(a.objective, b.objective, 1e-9), "{what}: {a:?} {b:?}");
                    }
                    assert!(close(a.threshold.lambda_zero, b.threshold.lambda_zero, 1e-7), "{what}");
                    assert!(close(a.needles[0].strength, b.needles[0].strength, 1e-5), "{what}");
                }
            }
        }
    }
}

/// The 1 - alpha quantiles of two sets of 20,000 draws differ by chance by about a hundredth.
#[test]
fn null_draws_of_a_weighted_table_have_the_law_of_the_repeated_table() {
    for offset in [false, true] {
        for (weighted, repeated) in pairs(offset) {
            let settings = Settings { draws: 20_000, ..Settings::default() };
            let [a, b] = [&weighted, &repeated].map(|data| threshold(data.clone(), &settings).unwrap());
            let error = a.standard_error.hypot(b.standard_error);
            let difference = (a.lambda_qut - b.lambda_qut).abs();
            assert!(difference < 4.0 * error, "{:?}: {a:?}", weighted.outcome().classes());
            assert!(error < 0.01 * a.lambda_qut);
        }
    }
}

/// Weights that are no counts, of every outcome.
fn with_importances(unit: f64) -> Vec<Data> {
    let x = gaussian(N * P, 3);
    let weights: Vec<f64> = (0..N).map(|i| unit * [1.0, 2.5, 0.0, 7.25, 0.125][i * i % 5]).collect();
    let data = |outcome| Data::new(x.clone(), names(P), outcome).unwrap();
    outcomes(&x, &vec![0.0; N]).into_iter().map(|o| data(o).with_weights(weights.clone()).unwrap()).collect()
}

#[test]
fn the_unit_of_importances_does_not_matter() {
    let settings = Settings { draws: 500, threads: 1, ..Settings::default() };
    for (small, large) in with_importances(0.0625).into_iter().zip(with_importances(32.0)) {
        let asked = Settings { null: NullChoice::Permutation, ..settings.clone() };
        // times 32 they are whole numbers, which are counts unless permutations are asked for
        let (a, b) = (fit(small, &settings).unwrap(), fit(large, &asked).unwrap());
        assert_eq!(a.settings.null, NullChoice::Permutation);
        assert_eq!(a.selected(), b.selected(), "{}", a.task.name());
        assert!(a.selected().contains(&"x1"), "{}", a.task.name());
        assert!(
            close(a.lambda, b.lambda, 1e-9) && close(a.certificate.objective, b.certificate.objective, 1e-6)
        );
    }
}

#[test]
fn equal_importances_are_no_weights() {
    let x = gaussian(N * P, 3);
    let settings = Settings { null: NullChoice::Permutation, draws: 500, ..Settings::default() };
    for outcome in outcomes(&x, &vec![0.0; N]) {
        let plain = Data::new(x.clone(), names(P), outcome).unwrap();
        let weighted = plain.clone().with_weights(vec![0.3; N]).unwrap();
        let [a, b] =
            [(plain, &settings), (weighted, &Settings { null: NullChoice::Law, ..settings.clone() })]
                .map(|(data, settings)| fit(data, settings).unwrap());
        assert_eq!(
            (a.lambda, a.certificate.objective),
            (b.lambda, b.certificate.objective),
            "{}",
            a.task.name()
        );
    }
}

/// Of 400 tables where nothing matters 20 are expected above the threshold; 5 to 38 have a chance of all but 1 in 10,000. As counts the
/// same weights are above it nearly always.
#[test]
fn importances_of_any_meaning_keep_the_level() {
    const TABLES: u64 = 400;
    let (n, p) = (50, 8);
    let settings = Settings { draws: 400, threads: 1, ..Settings::default() };
    let mut above = [0; 5];
    for table in 0..TABLES {
        let mut rng = ChaCha8Rng::seed_from_u64(100 + table);
        let x = gaussian(n * p, 1000 + table);
        let mut free: Vec<f64> = (0..n).map(|_| 10.0 * rng.random::<f64>()).collect();
        let noise = gaussian(n, 5000 + table);
        // of a tenth of the samples, and with weights that make up for it
        let rare: Vec<&str> = (0..n).map(|i| if i < 5 { "rare" } else { "common" }).collect();
        let balanced = (0..n).map(|i| if i < 5 { 5.0 } else { 5.0 / 9.0 }).collect();
        let counts = (0..n).map(|_| rng.sample(Poisson::new(2.0).unwrap())).collect();
        let times = (0..n).map(|_| -rng.random::<f64>().ln()).collect();
        let events = (0..n).map(|_| rng.random::<f64>() < 0.5).collect();
        let precise = free.iter().zip(&noise).map(|(w, e)| e / w.sqrt()).collect();
        let tables = [
            (Outcome::Regression(noise), free.clone()),
            (Outcome::Regression(precise), free.clone()),
            (Outcome::from_labels(&rare), balanced),
            (Outcome::Counts(counts), free.clone()),
            (Outcome::Survival { times, events, strata: Vec::new() }, std::mem::take(&mut free)),
        ];
        for (above, (outcome, weights)) in above.iter_mut().zip(tables) {
            let data = Data::new(x.clone(), names(p), outcome).unwrap().with_weights(weights).unwrap();
            let threshold = threshold(data, &settings).unwrap();
            *above += usize::from(threshold.lambda_zero > threshold.lambda_qut);
        }
    }
    assert!(above.iter().all(|above| (5..=38).contains(above)), "{above:?}");
}

#[test]
fn an_offset_is_known_and_not_searched_for() {
    let x = gaussian(N * P, 3);
    // the offset is the first needle's part: only the second is left to be found
    let offset: Vec<f64> = (0..N).map(|i| 1.5 * x[i]).collect();
    let zero = vec![0.0; N];
    for outcome in outcomes(&x, &zero).into_iter().filter(|o| o.classes().len() < 3) {
        let data = Data::new(x.clone(), names(P), outcome.clone()).unwrap();
        let data = data.with_offset(offset.clone()).unwrap();
        let settings = Settings { draws: 1000, ..Settings::default() };
        let model = fit(data, &settings).unwrap();
        let (selected, task) = (model.selected(), model.task.name());
        assert!(selected.contains(&"x2"), "{task}: {selected:?}");
        // the log odds of these classes are not those of the offset
        assert!(!selected.contains(&"x1") || task == "classification", "{task}: {selected:?}");
        assert!(model.offset);
        let columns: Vec<&[f64]> = model.inputs().map(|n| &x[n.index * N..(n.index + 1) * N]).collect();
        assert!(model.predict(N, &columns, Fitted::Refit).unwrap_err().to_string().contains("offset"));
        let at = |offset: &[f64]| numbers(&model, &columns, offset);
        let (with, without) = (at(&offset), at(&zero));
        let moved = with.iter().zip(&without).filter(|(a, b)| a != b).count();
        assert!(moved > N - 10, "{moved}");
    }
}

fn numbers(model: &Model, columns: &[&[f64]], offset: &[f64]) -> Vec<f64> {
    match model.predict_with_offset(N, columns, Some(offset), Fitted::Refit).unwrap() {
        Prediction::Numbers(values) => values,
        Prediction::Classes { probabilities, .. } => probabilities.iter().step_by(2).copied().collect(),
    }
}

#[test]
fn bad_weights_and_offsets_are_refused_with_a_reason() {
    let data = || Data::new(gaussian(20, 1), names(2), Outcome::Regression(gaussian(10, 2))).unwrap();
    let weights = |bad: f64| data().with_weights([vec![1.0; 9], vec![bad]].concat()).unwrap_err().to_string();
    for bad in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
        assert!(weights(bad).starts_with("row 10: the weight"), "{}", weights(bad));
    }
    assert!(data().with_weights(vec![0.0; 10]).unwrap_err().to_string().contains("at least 2"));
    assert!(data().with_weights(vec![1.0; 9]).unwrap_err().to_string().contains("9 were given, but 10"));
    let offset = data().with_offset([vec![1.0; 9], vec![f64::NAN]].concat()).unwrap_err();
    assert!(offset.to_string().starts_with("row 10: the offset"), "{offset}");
    let three = Outcome::from_labels(&["a", "b", "c", "a", "b", "c", "a", "b", "c", "a"]);
    let data = Data::new(gaussian(20, 1), names(2), three).unwrap();
    assert!(data.with_offset(vec![0.0; 10]).unwrap_err().to_string().contains("two classes"));
}

/// A survey's weights are thousands of people: the sum over tied events may not take that many terms.
#[test]
fn large_weights_of_survival_cost_no_more_than_small_ones() {
    let x = gaussian(N * P, 3);
    let Some(outcome) = outcomes(&x, &vec![0.0; N]).pop() else { panic!("no outcome") };
    let data = Data::new(x, names(P), outcome).unwrap().with_weights(vec![1e6; N]).unwrap();
    let settings = Settings { lambda: Some(4e7), draws: 100, ..Settings::default() };
    let start = std::time::Instant::now();
    let model = fit(data, &settings).unwrap();
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    assert!(model.certificate.objective.is_finite());
}

#[test]
fn survival_with_three_events_in_many_samples_is_answered_with_finite_numbers() {
    let x = gaussian(N * P, 3);
    let times: Vec<f64> = (0..N).map(|i| 1.0 + (i * 37 % N) as f64).collect();
    let mut order: Vec<usize> = (0..N).collect();
    order.sort_by(|a, b| x[*b].total_cmp(&x[*a]));
    let events = (0..N).map(|i| order[..3].contains(&i)).collect();
    let outcome = Outcome::Survival { times, events, strata: Vec::new() };
    let data = Data::new(x, names(P), outcome).unwrap();
    let model = fit(data, &Settings { lambda: Some(3.0), draws: 100, ..Settings::default() }).unwrap();
    assert!(model.held_out.is_none());
    assert!(model.certificate.stop.is_converged() && model.certificate.objective.is_finite());
}
