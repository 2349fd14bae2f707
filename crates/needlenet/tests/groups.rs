//! Inputs of several columns: the level, no input favoured, effects level by level.
#![allow(clippy::unwrap_used, clippy::panic)]

use needlenet::{Data, Error, Group, GroupKind, Outcome, Settings, fit, threshold};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

const N: usize = 120;
/// Plain inputs, and the levels of the categories.
const PLAIN: usize = 20;
const LEVELS: [usize; 4] = [3, 5, 10, 20];

/// Gaussian inputs and categories; the code of each sample in each category.
fn table(rng: &mut ChaCha8Rng) -> (Vec<f64>, Vec<String>, Vec<Group>, Vec<Vec<usize>>) {
    let mut x: Vec<f64> = (0..N * PLAIN).map(|_| rng.sample(StandardNormal)).collect();
    let mut names: Vec<String> = (0..PLAIN).map(|j| format!("x{j}")).collect();
    let (mut groups, mut codes) = (Vec::new(), Vec::new());
    for (c, &count) in LEVELS.iter().enumerate() {
        let code: Vec<usize> = (0..N).map(|_| rng.random_range(0..count)).collect();
        let levels: Vec<String> = (0..count).map(|l| format!("l{l}")).collect();
        let first = names.len();
        for (l, level) in levels.iter().enumerate() {
            x.extend(code.iter().map(|c| f64::from(u8::from(*c == l))));
            names.push(format!("c{c}={level}"));
        }
        let columns = (first..first + count).collect();
        groups.push(Group { name: format!("c{c}"), kind: GroupKind::Category { levels }, columns });
        codes.push(code);
    }
    (x, names, groups, codes)
}

fn data(rng: &mut ChaCha8Rng, y: impl Fn(&[f64], &[Vec<usize>], &mut ChaCha8Rng) -> Vec<f64>) -> Data {
    let (x, names, groups, codes) = table(rng);
    let y = y(&x, &codes, rng);
    Data::new(x, names, Outcome::Regression(y)).unwrap().with_groups(groups).unwrap()
}

fn noise(rng: &mut ChaCha8Rng) -> Vec<f64> {
    (0..N).map(|_| rng.sample(StandardNormal)).collect()
}

#[test]
fn a_category_is_one_input_and_its_effects_are_told_level_by_level() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let by_level = |c: usize| [0.0, 2.0, -2.0, 0.0, 0.0][c];
    let data = data(&mut rng, |x, codes, rng| {
        let noise = noise(rng);
        (0..N).map(|i| by_level(codes[1][i]) + 1.5 * x[i] + 0.5 * noise[i]).collect()
    });
    let model = fit(data, &Settings::default()).unwrap();
    let mut selected = model.selected();
    selected.sort_unstable();
    assert_eq!(selected, ["c1", "x0"]);
    assert_eq!(model.n_haystack(), PLAIN + LEVELS.len());
    let [found] = &model.groups[..] else { panic!("{:?}", model.groups) };
    assert_eq!((found.name.as_str(), found.columns.len()), ("c1", 5));
    let effects: Vec<f64> = found.effects.iter().map(|effect| effect[0]).collect();
    for level in 0..5 {
        let expected = by_level(level) - by_level(0);
        let seen = effects[level] - effects[0];
        assert!((seen - expected).abs() < 0.5, "{level}: {seen} {expected}");
    }
}

#[test]
fn null_tables_with_categories_stay_empty_and_favour_no_input() {
    let settings = Settings { draws: 1000, ..Settings::default() };
    let tables = 40;
    let mut found = Vec::new();
    for seed in 0..tables {
        let mut rng = ChaCha8Rng::seed_from_u64(1000 + seed);
        let data = data(&mut rng, |_, _, rng| noise(rng));
        let model = fit(data, &settings).unwrap();
        assert!(model.converged());
        found.extend(model.selected().first().map(|name| name.to_string()));
    }
    // more than 7 of 40 have a chance of .0007 at the level .05
    assert!(found.len() <= 7, "{found:?}");
}

/// Of null outcomes that exceed the threshold, the input that exceeds it is each with the same chance.
#[test]
fn the_first_input_to_enter_at_the_threshold_is_uniform_over_the_inputs() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (x, names, groups, _) = table(&mut rng);
    let (mut of_categories, mut of_plain) = (0.0, 0.0);
    let settings = Settings { draws: 4000, ..Settings::default() };
    let whole = |y: Vec<f64>| {
        Data::new(x.clone(), names.clone(), Outcome::Regression(y))
            .unwrap()
            .with_groups(groups.clone())
            .unwrap()
    };
    let level = threshold(whole(noise(&mut rng)), &settings).unwrap().lambda_qut;
    // weights as documented, at 24 inputs
    let (p, n) = (names.len(), N as f64);
    let mut standard = x.clone();
    for column in standard.chunks_mut(N) {
        let mean = column.iter().sum::<f64>() / n;
        column.iter_mut().for_each(|v| *v -= mean);
        let scale = (column.iter().map(|v| v * v).sum::<f64>() / n).sqrt();
        column.iter_mut().for_each(|v| *v /= scale);
    }
    // z(a / m) / z(a) with a = 1 - .95^(1/24), from printed tables of the Gaussian
    let weight = |j: usize| {
        let of = |z: f64| z / 3.070_8;
        match groups.iter().find(|g| g.columns.contains(&j)).map(|g| g.columns.len()) {
            None => 1.0,
            Some(3) => of(3.385_1),
            Some(5) => of(3.522_8),
            Some(10) => of(3.702_5),
            _ => of(3.874_7),
        }
    };
    for _ in 0..20_000 {
        let y = noise(&mut rng);
        let mean = y.iter().sum::<f64>() / n;
        let norm = y.iter().map(|v| (v - mean).powi(2)).sum::<f64>().sqrt();
        let statistic = |j: usize| {
            let along: f64 = standard[j * N..(j + 1) * N].iter().zip(&y).map(|(x, y)| x * y).sum();
            along.abs() / norm / weight(j)
        };
        let (best, largest) =
            (0..p).map(|j| (j, statistic(j))).fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
        if largest > level {
            if best < PLAIN { of_plain += 1.0 } else { of_categories += 1.0 }
        }
    }
    let above: f64 = of_plain + of_categories;
    // the level itself: .05 of 20,000, and the threshold's own error by 4,000 draws
    assert!(
        (above / 20_000.0 - 0.05).abs() < 4.0 * (0.05f64 * 0.95 * (1.0 / 20_000.0 + 1.0 / 4000.0)).sqrt()
    );
    let share = LEVELS.len() as f64 / (PLAIN + LEVELS.len()) as f64;
    let error = (share * (1.0 - share) / above).sqrt();
    assert!((of_categories / above - share).abs() < 4.0 * error, "{of_categories} of {above}, share {share}");
}

#[test]
fn groups_that_do_not_fit_are_refused_with_the_reason() {
    let names = vec!["a".to_string(), "b".into(), "c".into()];
    let data = || {
        Data::new(
            (0..12).map(|i| f64::from(i * i % 7)).collect(),
            names.clone(),
            Outcome::Regression(vec![1.0, 3.0, 2.0, 5.0]),
        )
        .unwrap()
    };
    let group = |name: &str, columns: &[usize]| Group {
        name: name.into(),
        kind: GroupKind::Given,
        columns: columns.to_vec(),
    };
    data().with_groups(vec![group("g", &[0, 1])]).unwrap();
    for (groups, said) in [
        (vec![group("g", &[])], "no column"),
        (vec![group("g", &[3])], "does not exist"),
        (vec![group("g", &[0]), group("h", &[0])], "already"),
        (vec![group("g", &[0]), group("g", &[1])], "same name"),
        (vec![group("c", &[0])], "same name"),
    ] {
        let error = data().with_groups(groups).unwrap_err();
        assert!(matches!(&error, Error::Group { .. }) && error.to_string().contains(said), "{error}");
    }
    let levels = vec!["x".into()];
    let category = Group { name: "g".into(), kind: GroupKind::Category { levels }, columns: vec![0, 1] };
    assert!(data().with_groups(vec![category]).is_err());
}

#[test]
fn ordered_levels_are_one_column_kept_in_the_model_with_their_effects_and_the_most_frequent() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let (mut x, mut names, _, _) = table(&mut rng);
    x.truncate(N * PLAIN);
    names.truncate(PLAIN);
    // half of the samples are of the middle level
    let grade: Vec<f64> = (0..N).map(|i| [0.0, 1.0, 2.0, 1.0][i % 4]).collect();
    let noise = noise(&mut rng);
    let y = (0..N).map(|i| 1.5 * grade[i] + 0.3 * noise[i]).collect();
    x.extend(&grade);
    names.push("grade".into());
    let levels: Vec<String> = ["low", "mid", "high"].map(String::from).to_vec();
    let group = Group {
        name: "grade".into(),
        kind: GroupKind::Ordered { levels: levels.clone() },
        columns: vec![PLAIN],
    };
    let plain = fit(Data::new(x.clone(), names.clone(), Outcome::Regression(y)).unwrap(), &linear()).unwrap();
    let y = (0..N).map(|i| 1.5 * grade[i] + 0.3 * noise[i]).collect();
    let data = Data::new(x, names, Outcome::Regression(y)).unwrap().with_groups(vec![group.clone()]).unwrap();
    let model = fit(data, &linear()).unwrap();
    assert_eq!(model.certificate.objective, plain.certificate.objective, "a score is a number");
    assert_eq!(model.selected(), ["grade"]);
    let [found] = &model.groups[..] else { panic!("{:?}", model.groups) };
    assert_eq!((found.kind.levels(), found.mode), (&levels[..], Some(1)));
    let effects: Vec<f64> = found.effects.iter().map(|effect| effect[0]).collect();
    assert!((effects[2] - effects[0] - 3.0).abs() < 0.2, "{effects:?}");
    let two = Group { columns: vec![0, 1], ..group };
    let (x, names, _, _) = table(&mut rng);
    let data = Data::new(x, names, Outcome::Regression(noise)).unwrap();
    assert!(matches!(data.with_groups(vec![two]), Err(Error::Group { .. })));
}

fn linear() -> Settings {
    Settings { hidden: Vec::new(), draws: 500, ..Settings::default() }
}

#[test]
fn the_most_frequent_level_of_a_category_is_kept_also_where_it_is_always_in() {
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    let (plain, always) = (fit_category(&mut rng, false), fit_category(&mut rng, true));
    for model in [plain, always] {
        assert_eq!(model.groups[0].mode, Some(0), "{:?}", model.groups);
    }
}

/// A category of three levels, of which the first is the most frequent.
fn fit_category(rng: &mut ChaCha8Rng, always: bool) -> needlenet::Model {
    let code: Vec<usize> = (0..N).map(|i| [0, 1, 0, 2, 0][i % 5]).collect();
    let noise = noise(rng);
    let mut x: Vec<f64> = (0..N).map(|_| rng.sample(StandardNormal)).collect();
    let y = (0..N).map(|i| 3.0 * code[i] as f64 + 2.0 * x[i] + 0.3 * noise[i]).collect();
    (0..3).for_each(|l| x.extend(code.iter().map(|c| f64::from(u8::from(*c == l)))));
    let names = ["z", "c=a", "c=b", "c=c"].map(String::from).to_vec();
    let levels = ["a", "b", "c"].map(String::from).to_vec();
    let group = Group { name: "c".into(), kind: GroupKind::Category { levels }, columns: vec![1, 2, 3] };
    let data = Data::new(x, names, Outcome::Regression(y)).unwrap().with_groups(vec![group]).unwrap();
    let data = if always { data.with_always(&["c"]).unwrap() } else { data };
    fit(data, &linear()).unwrap()
}
