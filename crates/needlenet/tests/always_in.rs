//! Inputs that are always in: adjusted for, not searched.
#![allow(clippy::unwrap_used)]

mod made;

use made::gaussian;
use needlenet::{
    Data, Fitted, Group, GroupKind, Link, Model, NullChoice, Outcome, Prediction, Settings, SparseColumns,
    fit, threshold,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::Poisson;

/// What kind of outcome follows a score.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Numbers,
    TwoClasses,
    ThreeClasses,
    Counts,
    Survival,
    TiedSurvival,
}

use Kind::{Counts, Numbers, Survival, ThreeClasses, TiedSurvival, TwoClasses};

const KINDS: [Kind; 6] = [Numbers, TwoClasses, Counts, Survival, TiedSurvival, ThreeClasses];

/// An outcome that depends on a score and on chance alone.
fn outcome(kind: Kind, score: &[f64], seed: u64) -> Outcome {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut many = |draw: &mut dyn FnMut(&mut ChaCha8Rng, f64) -> f64| {
        score.iter().map(|s| draw(&mut rng, *s)).collect::<Vec<f64>>()
    };
    let exponential = |rng: &mut ChaCha8Rng| -rng.random::<f64>().ln();
    match kind {
        Numbers => {
            Outcome::Regression(score.iter().zip(gaussian(score.len(), seed)).map(|(s, e)| s + e).collect())
        }
        TwoClasses => {
            let labels = many(&mut |rng, s| f64::from(rng.random::<f64>() < 1.0 / (1.0 + (-s).exp())));
            Outcome::from_labels(&labels.iter().map(|l| format!("c{l}")).collect::<Vec<_>>())
        }
        ThreeClasses => {
            let labels = many(&mut |rng, s| {
                let odds = [1.0, s.exp(), (-0.5 * s).exp()];
                let mut left = rng.random::<f64>() * odds.iter().sum::<f64>();
                let label = odds.iter().position(|o| {
                    left -= o;
                    left < 0.0
                });
                label.unwrap_or(2) as f64
            });
            Outcome::from_labels(&labels.iter().map(|l| format!("c{l}")).collect::<Vec<_>>())
        }
        Counts => Outcome::Counts(many(&mut |rng, s| rng.sample(Poisson::new(s.exp()).unwrap()))),
        Survival | TiedSurvival => {
            let until = many(&mut |rng, s| exponential(rng) * (-s).exp());
            let seen = many(&mut |rng, _| 1.5 * exponential(rng));
            let time =
                |(a, b): (&f64, &f64)| if kind == Survival { a.min(*b) } else { (4.0 * a.min(*b)).ceil() };
            Outcome::Survival {
                times: until.iter().zip(&seen).map(time).collect(),
                events: until.iter().zip(&seen).map(|(a, b)| a <= b).collect(),
                strata: Vec::new(),
            }
        }
    }
}

/// Age, sex, and `p` genes of which each has a part `rho` in common with age.
fn table(n: usize, p: usize, rho: f64, seed: u64) -> (Vec<f64>, Vec<String>) {
    let mut x = gaussian(n * (p + 2), seed);
    let age: Vec<f64> = x[..n].to_vec();
    x[..n].iter_mut().for_each(|v| *v = 60.0 + 10.0 * *v);
    x[n..2 * n].iter_mut().for_each(|v| *v = f64::from(*v > 0.0));
    for column in x[2 * n..].chunks_mut(n) {
        let rest = (1.0 - rho * rho).sqrt();
        column.iter_mut().zip(&age).for_each(|(v, age)| *v = rho * age + rest * *v);
    }
    let names = ["age", "sex"].map(String::from).into_iter().chain((1..=p).map(|j| format!("gene{j}")));
    (x, names.collect())
}

/// What age and sex do.
fn of_age_and_sex(x: &[f64], n: usize, size: f64) -> Vec<f64> {
    (0..n).map(|i| size * ((x[i] - 60.0) / 10.0 + x[n + i] - 0.5)).collect()
}

fn settings() -> Settings {
    Settings { hidden: vec![8], draws: 1000, threads: 1, ..Settings::default() }
}

fn fitted(x: &[f64], names: &[String], outcome: Outcome, settings: &Settings) -> Model {
    let data = Data::new(x.to_vec(), names.to_vec(), outcome).unwrap().with_always(&["age", "sex"]).unwrap();
    fit(data, settings).unwrap()
}

#[test]
fn an_input_that_only_repeats_what_they_say_is_not_found() {
    let (n, p) = (200, 10);
    for kind in KINDS {
        let (mut x, names) = table(n, p, 0.3, 11);
        // gene1 is age in other units with a little noise, gene2 a mixture of age and sex
        for i in 0..n {
            let (age, sex) = (x[i], x[n + i]);
            x[2 * n + i] = 0.1 * age + 0.05 * x[2 * n + i];
            x[3 * n + i] = 0.2 * age - sex;
        }
        let outcome = outcome(kind, &of_age_and_sex(&x, n, 1.0), 5);
        let model = fitted(&x, &names, outcome.clone(), &settings());
        assert!(model.selected().is_empty(), "{kind:?}: {:?}", model.selected());
        assert!(model.converged(), "{kind:?}");
        assert_eq!(model.always.iter().map(|a| a.name.as_str()).collect::<Vec<_>>(), ["age", "sex"]);
        // without them, one of the three is found
        let without = Data::new(x.clone(), names.clone(), outcome).unwrap();
        assert!(!fit(without, &settings()).unwrap().selected().is_empty(), "{kind:?}");
    }
}

#[test]
fn a_needle_beyond_them_is_found_straight_or_bent() {
    let (n, p) = (400, 10);
    for kind in KINDS {
        for bent in [false, true] {
            let (x, names) = table(n, p, 0.4, 21);
            let mut score = of_age_and_sex(&x, n, 0.7);
            for (i, s) in score.iter_mut().enumerate() {
                let gene = x[2 * n + i];
                *s += if bent { 2.5 * (gene.abs() - 0.8) } else { 1.2 * gene };
            }
            let model = fitted(&x, &names, outcome(kind, &score, 6), &settings());
            assert_eq!(model.selected(), ["gene1"], "{kind:?}, bent {bent}");
            assert!(model.converged(), "{kind:?}, bent {bent}: {:?} {:?}", model.certificate, model.refit);
            assert!(!(bent && model.linear), "{kind:?}");
        }
    }
}

/// With a linear law of Gaussian noise the refit is least squares on the needle and the inputs that are always in: its coefficients are those of
/// the normal equations.
#[test]
fn coefficients_of_a_straight_law_are_those_of_least_squares() {
    let (n, p) = (300, 6);
    let (x, names) = table(n, p, 0.6, 31);
    let column = |j: usize| &x[j * n..(j + 1) * n];
    let y: Vec<f64> = (0..n).map(|i| 3.0 + 0.2 * column(0)[i] - column(1)[i] + 2.0 * column(2)[i]).collect();
    let y: Vec<f64> = y.iter().zip(gaussian(n, 32)).map(|(y, e)| y + e).collect();
    let linear = Settings { hidden: Vec::new(), ..settings() };
    let model = fitted(&x, &names, Outcome::Regression(y.clone()), &linear);
    assert_eq!(model.selected(), ["gene1"]);
    // Gauss-Seidel on the columns (1, age, sex, gene1), which converges to least squares
    let ones = vec![1.0; n];
    let columns = [&ones[..], column(0), column(1), column(2)];
    let centred: Vec<Vec<f64>> = columns
        .iter()
        .enumerate()
        .map(|(at, c)| {
            let mean = if at == 0 { 0.0 } else { c.iter().sum::<f64>() / n as f64 };
            c.iter().map(|v| v - mean).collect()
        })
        .collect();
    let (mut b, mut r) = ([0.0; 4], y);
    for _ in 0..2000 {
        for (b, c) in b.iter_mut().zip(&centred) {
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let step = dot(c, &r) / dot(c, c);
            *b += step;
            r.iter_mut().zip(c).for_each(|(r, c)| *r -= step * c);
        }
    }
    for (input, b) in model.always.iter().chain(&model.needles).zip(&b[1..]) {
        let own = input.mean_slope / input.scaling.scale;
        assert!((own - b).abs() < 1e-5 * b.abs(), "{}: {own} {b}", input.name);
    }
    let residual = (r.iter().map(|r| r * r).sum::<f64>() / (n as f64 - 4.0)).sqrt();
    assert!((model.noise.unwrap() / residual - 1.0).abs() < 1e-5, "{:?} {residual}", model.noise);
    // and so are its predictions
    let inputs: Vec<&[f64]> = model.inputs().map(|input| column(input.index)).collect();
    let Prediction::Numbers(predicted) = model.predict(n, &inputs, Fitted::Refit).unwrap() else { panic!() };
    let fitted: Vec<f64> = (0..n).map(|i| centred.iter().zip(&b).map(|(c, b)| b * c[i]).sum()).collect();
    assert!(predicted.iter().zip(&fitted).all(|(a, b)| (a - b).abs() < 1e-4));
}

/// A unit or an origin of an input that is always in changes nothing but its coefficient.
#[test]
fn units_and_order_of_inputs_that_are_always_in_do_not_matter() {
    let (n, p) = (150, 8);
    for kind in [Numbers, TwoClasses, Counts, Survival] {
        let (x, names) = table(n, p, 0.5, 41);
        let mut score = of_age_and_sex(&x, n, 0.5);
        score.iter_mut().zip(&x[2 * n..]).for_each(|(s, gene)| *s += 1.5 * gene);
        let outcome = outcome(kind, &score, 8);
        let model = fitted(&x, &names, outcome.clone(), &settings());
        let mut moved = x.clone();
        moved[..n].iter_mut().for_each(|v| *v = 12.0 * *v - 3.0);
        moved[n..2 * n].iter_mut().for_each(|v| *v = 2.0 - *v);
        // sex first
        moved[..2 * n].rotate_left(n);
        let mut renamed = names.clone();
        renamed.swap(0, 1);
        let other = fitted(&moved, &renamed, outcome, &settings());
        assert_eq!(model.selected(), other.selected(), "{kind:?}");
        assert_eq!(model.threshold, other.threshold, "{kind:?}");
        let relative = model.refit.objective / other.refit.objective - 1.0;
        assert!(relative.abs() < 1e-9, "{kind:?}: {relative}");
        let of = |model: &Model, name: &str| {
            let input = model.always.iter().find(|a| a.name == name).unwrap();
            input.mean_slope / input.scaling.scale
        };
        assert!((of(&model, "age") / of(&other, "age") / 12.0 - 1.0).abs() < 1e-6, "{kind:?}");
        assert!((of(&model, "sex") / of(&other, "sex") + 1.0).abs() < 1e-6, "{kind:?}");
    }
}

#[test]
fn a_weight_of_two_is_the_row_twice() {
    let (n, p) = (150, 8);
    let (x, names) = table(n, p, 0.5, 51);
    let mut score = of_age_and_sex(&x, n, 0.5);
    score.iter_mut().zip(&x[2 * n..]).for_each(|(s, gene)| *s += 1.5 * gene);
    let weights: Vec<usize> = (0..n).map(|i| [1, 2, 0, 3, 1][i * i % 5]).collect();
    let rows: Vec<usize> = (0..n).flat_map(|i| vec![i; weights[i]]).collect();
    let repeated: Vec<f64> = x.chunks(n).flat_map(|c| rows.iter().map(|&i| c[i])).collect();
    for kind in KINDS {
        let outcome = outcome(kind, &score, 9);
        let always = |data: Data| data.with_always(&["age", "sex"]).unwrap();
        let weighted = always(Data::new(x.clone(), names.clone(), outcome.clone()).unwrap());
        let weighted = weighted.with_weights(weights.iter().map(|w| *w as f64).collect()).unwrap();
        let repeated = always(Data::new(repeated.clone(), names.clone(), outcome.of_rows(&rows)).unwrap());
        // with the null by permutation weights are importances (`tests/weights.rs`)
        let many = |seed| Settings { draws: 10_000, seed, null: NullChoice::Law, ..settings() };
        let (a, b) =
            (threshold(weighted.clone(), &many(1)).unwrap(), threshold(repeated.clone(), &many(2)).unwrap());
        let error = a.standard_error.hypot(b.standard_error);
        assert!(
            (a.lambda_qut - b.lambda_qut).abs() < 4.0 * error,
            "{kind:?}: {} {}",
            a.lambda_qut,
            b.lambda_qut
        );
        assert!((a.lambda_zero / b.lambda_zero - 1.0).abs() < 1e-6, "{kind:?}");
        let lambda = threshold(repeated.clone(), &settings()).unwrap().lambda_qut;
        // the curvature that guides the search is that of one order of tied events, which a row with a weight does not have: there the
        // linear model, which has one minimum, is compared
        let hidden = if kind == TiedSurvival { Vec::new() } else { vec![8] };
        let settings = Settings { lambda: Some(lambda), hidden, ..settings() };
        let [a, b] = [weighted, repeated].map(|data| fit(data, &settings).unwrap());
        assert_eq!(a.selected(), b.selected(), "{kind:?}");
        assert!(a.selected().contains(&"gene1"), "{kind:?}");
        for (a, b) in [(&a.certificate, &b.certificate), (&a.refit, &b.refit)] {
            assert!((a.objective / b.objective - 1.0).abs() < 1e-8, "{kind:?}: {a:?} {b:?}");
        }
        for (a, b) in a.always.iter().zip(&b.always) {
            assert!((a.mean_slope - b.mean_slope).abs() < 1e-4 * a.mean_slope.abs(), "{kind:?}");
        }
    }
}

/// The smallest count that a binomial variable of `tables` trials with chance 0.05 exceeds with a chance below `chance`.
fn most(tables: u64, chance: f64) -> u64 {
    let n = tables as f64;
    let (mut probability, mut below, mut count) = (0.95f64.powf(n), 0.95f64.powf(n), 0);
    while 1.0 - below > chance {
        count += 1;
        probability *= (n - count as f64 + 1.0) / count as f64 * 0.05 / 0.95;
        below += probability;
    }
    count
}

/// A table with nothing beyond age and sex, whose genes have a part `rho` in common with age: whether something is found, and whether
/// `lambda_0` exceeds the threshold.
fn null_table(kind: Kind, rho: f64, settings: &Settings, seed: u64) -> (bool, bool) {
    let (n, p) = (100, 20);
    let (x, names) = table(n, p, rho, 70_000_000 + seed);
    let outcome = outcome(kind, &of_age_and_sex(&x, n, 0.8), 80_000_000 + seed);
    let model = fitted(&x, &names, outcome, settings);
    (!model.needles.is_empty(), model.threshold.lambda_zero > model.threshold.lambda_qut)
}

/// `docs/results/always/` has more tables of more rows.
#[test]
fn nothing_is_found_in_95_percent_of_tables_with_nothing_beyond_age_and_sex() {
    let tables = 25;
    for kind in KINDS {
        let found = |seed: &u64| null_table(kind, 0.8, &settings(), *seed).0;
        let count = (0..tables).filter(found).count() as u64;
        assert!(count <= most(tables, 1e-3), "{kind:?}: {count} of {tables}");
    }
}

/// The study of `docs/results/always/`: one row of the output for each table.
#[test]
#[ignore = "a study of minutes; run it by name"]
#[allow(clippy::print_stdout)]
fn study_of_the_level() {
    let tables: u64 = std::env::var("TABLES").ok().and_then(|v| v.parse().ok()).unwrap_or(200);
    let mut rows: Vec<(Kind, f64, NullChoice)> = Vec::new();
    rows.extend(KINDS.map(|kind| (kind, 0.8, NullChoice::Law)));
    rows.extend([Numbers, Survival].map(|kind| (kind, 0.8, NullChoice::Permutation)));
    rows.extend(KINDS.map(|kind| (kind, 0.0, NullChoice::Law)));
    let first = std::env::var("FIRST_ROW").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    rows.drain(..first);
    let bound = most(tables, 0.01 / rows.len() as f64);
    println!("outcome,in_common,null,table,found,above_threshold");
    let mut failures = Vec::new();
    for (kind, rho, null) in rows {
        let settings = Settings { null, ..settings() };
        let mut count = 0;
        for seed in 1000..1000 + tables {
            let (found, above) = null_table(kind, rho, &settings, seed);
            count += u64::from(found);
            println!("{kind:?},{rho},{null:?},{seed},{},{}", u8::from(found), u8::from(above));
        }
        if count > bound {
            failures.push(format!("{kind:?}, {rho}, {null:?}: {count}"));
        }
    }
    assert!(failures.is_empty(), "more than {bound} of {tables}: {failures:?}");
}

/// A category that is always in is compared with its first level; a category that is searched is found beyond age.
#[test]
fn categories_can_be_always_in_or_searched_beyond() {
    let (n, p) = (300, 5);
    let (mut x, mut names) = table(n, p, 0.3, 101);
    let level = |i: usize| i * i % 7 % 3;
    for t in 0..3 {
        x.extend((0..n).map(|i| f64::from(level(i) == t)));
        names.push(format!("stage={t}"));
    }
    let levels = ["0", "1", "2"].map(String::from).to_vec();
    let columns = (p + 2..p + 5).collect();
    let stage = Group { name: "stage".into(), kind: GroupKind::Category { levels }, columns };
    let noise = gaussian(n, 102);
    let y: Vec<f64> =
        (0..n).map(|i| 0.1 * x[i] + [0.0, 1.0, 3.0][level(i)] + 1.5 * x[2 * n + i] + noise[i]).collect();
    let data = Data::new(x, names, Outcome::Regression(y)).unwrap().with_groups(vec![stage]).unwrap();
    let within = fit(data.clone().with_always(&["age", "stage"]).unwrap(), &settings()).unwrap();
    assert_eq!(within.selected(), ["gene1"]);
    let of = |name: &str| within.always.iter().find(|a| a.name == name).unwrap();
    assert_eq!(within.always.len(), 3);
    // a standard error of a difference between levels is 1 / sqrt(50), and four of them
    for (name, expected) in [("stage=1", 1.0), ("stage=2", 3.0)] {
        let coefficient = of(name).mean_slope / of(name).scaling.scale;
        assert!((coefficient - expected).abs() < 0.57, "{name}: {coefficient}");
    }
    let beyond = fit(data.clone().with_always(&["age"]).unwrap(), &settings()).unwrap();
    let mut found = beyond.selected();
    found.sort_unstable();
    assert_eq!(found, ["gene1", "stage"]);
    assert!(beyond.groups.iter().any(|group| group.name == "stage"));
    assert!(data.with_always(&["stage=1"]).unwrap_err().to_string().contains("\"stage\""));
}

/// A sparse table gives what the dense one gives.
#[test]
fn sparse_tables_can_have_them_too() {
    let (n, p) = (200, 6);
    let (mut x, names) = table(n, p, 0.0, 111);
    x[2 * n..].iter_mut().filter(|v| v.abs() < 1.0).for_each(|v| *v = 0.0);
    let mut score = of_age_and_sex(&x, n, 0.5);
    score.iter_mut().zip(&x[2 * n..]).for_each(|(s, gene)| *s += 1.5 * gene);
    let mut sparse = SparseColumns { starts: vec![0], ..SparseColumns::default() };
    for column in x.chunks(n) {
        for (i, v) in column.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            sparse.rows.push(i as u32);
            sparse.values.push(*v);
        }
        sparse.starts.push(sparse.rows.len());
    }
    for kind in [Numbers, TwoClasses] {
        let outcome = outcome(kind, &score, 112);
        let dense = fitted(&x, &names, outcome.clone(), &settings());
        let data = Data::sparse(sparse.clone(), names.clone(), outcome).unwrap();
        let other = fit(data.with_always(&["age", "sex"]).unwrap(), &settings()).unwrap();
        assert_eq!(dense.selected(), other.selected(), "{kind:?}");
        assert!((dense.certificate.objective / other.certificate.objective - 1.0).abs() < 1e-9, "{kind:?}");
    }
}

#[test]
fn inputs_that_cannot_be_always_in_are_refused_with_a_reason() {
    let (n, p) = (30, 3);
    let (mut x, names) = table(n, p, 0.0, 61);
    let y = || Outcome::Regression(gaussian(n, 62));
    let data = |x: &[f64], y: Outcome| Data::new(x.to_vec(), names.clone(), y).unwrap();
    let text = |result: needlenet::Result<Data>| match result {
        Ok(data) => fit(data, &settings()).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    };
    assert!(text(data(&x, y()).with_always(&["ages"])).contains("no input \"ages\""));
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    assert!(text(data(&x, y()).with_always(&all)).contains("every input"));
    let explained = Outcome::Regression(of_age_and_sex(&x, n, 2.0));
    assert!(text(data(&x, explained).with_always(&["age", "sex"])).contains("perfectly"));
    let separated = Outcome::from_labels(&x[n..2 * n].iter().map(f64::to_string).collect::<Vec<_>>());
    assert!(text(data(&x, separated).with_always(&["age", "sex"])).contains("perfectly"));
    for i in 0..n {
        x[2 * n + i] = 3.0 * x[i] - x[n + i];
        x[3 * n + i] = 7.0;
    }
    let implied = text(data(&x, y()).with_always(&["gene1", "sex", "age"]));
    assert!(implied.contains("\"gene1\"") && implied.contains("say the same"), "{implied}");
    let constant = text(data(&x, y()).with_always(&["gene2"]));
    assert!(constant.contains("\"gene2\"") && constant.contains("same in every row"), "{constant}");
}

/// No event among the men: their risk falls without end, and they tell nothing; the fit goes on without them.
#[test]
fn an_input_that_settles_some_of_the_samples_is_no_obstacle() {
    let (n, p) = (200, 8);
    let (x, names) = table(n, p, 0.2, 91);
    let score: Vec<f64> = (0..n).map(|i| if x[n + i] > 0.0 { -40.0 } else { 2.0 * x[2 * n + i] }).collect();
    for kind in [TwoClasses, Counts, Survival] {
        for link in [Link::Softmax, Link::Logit] {
            let settings = Settings { link, ..settings() };
            let model = fitted(&x, &names, outcome(kind, &score, 92), &settings);
            assert_eq!(model.selected(), ["gene1"], "{kind:?}");
            assert!(model.certificate.stop.is_converged(), "{kind:?}: {:?}", model.certificate);
            assert!(model.always.iter().all(|a| a.mean_slope.is_finite()));
        }
    }
}
