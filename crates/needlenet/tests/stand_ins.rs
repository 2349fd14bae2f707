//! Stand-ins of the needles in linear models of classes.

#![allow(clippy::unwrap_used, reason = "a step that fails fails the test")]

mod made;

use made::{gaussian, names};
use needlenet::{Data, Fitted, Model, Outcome, Penalty, Prediction, Settings, fit};

const P: usize = 30;
/// The first inputs of a family tell the same story, each with an error of its own.
const FAMILY: usize = 6;

/// `n` samples of `P` inputs, and the class of each by the sign of the story.
fn family(n: usize, seed: u64) -> (Vec<f64>, Vec<&'static str>) {
    let (mut x, story) = (gaussian(n * P, seed), gaussian(n, seed + 1000));
    for (at, v) in x[..n * FAMILY].iter_mut().enumerate() {
        *v += story[at % n];
    }
    (x, story.iter().map(|z| if *z > 0.0 { "up" } else { "down" }).collect())
}

fn linear(x: Vec<f64>, labels: &[&str]) -> Model {
    let settings = Settings { hidden: vec![], penalty: Penalty::L1, draws: 500, ..Settings::default() };
    fit(Data::new(x, names(P), Outcome::from_labels(labels)).unwrap(), &settings).unwrap()
}

fn accuracy(model: &Model, n: usize, x: &[f64], labels: &[&str]) -> f64 {
    let columns: Vec<&[f64]> = model.inputs().map(|input| &x[input.index * n..][..n]).collect();
    let Prediction::Classes { labels: predicted, .. } = model.predict(n, &columns, Fitted::Refit).unwrap()
    else {
        unreachable!("a model of classes")
    };
    let classes = model.task.classes();
    let right = predicted.iter().zip(labels).filter(|(at, label)| classes[**at] == **label).count();
    right as f64 / n as f64
}

#[test]
fn members_of_the_family_stand_in_for_the_needles() {
    let (x, labels) = family(60, 3);
    let model = linear(x, &labels);
    assert!(!model.needles.is_empty() && !model.stand_ins.is_empty());
    assert!(model.inputs().all(|input| input.index < FAMILY), "{:?}", model.stand_ins);
    assert!(
        model.needles.iter().all(|needle| model.stand_ins.iter().all(|other| other.index != needle.index))
    );
    assert!(model.stand_ins.windows(2).all(|pair| pair[0].strength >= pair[1].strength));
    model.check().unwrap();
    // the best rule hears all six: their mean has an error of variance 1/6
    let (fresh, truth) = family(4000, 4);
    let both = accuracy(&model, 4000, &fresh, &truth);
    let needles = model.needles.len() as f64;
    let best_of_needles = 1.0 - (1.0 / needles).sqrt().atan() / std::f64::consts::PI;
    assert!(both > best_of_needles, "{both} {best_of_needles}");
}

#[test]
fn the_penalised_weights_of_stand_ins_are_zero() {
    let (x, labels) = family(60, 3);
    let model = linear(x, &labels);
    let outputs = |value: f64| {
        let values: Vec<[f64; 1]> = model
            .inputs()
            .map(|input| [if input.index == model.stand_ins[0].index { value } else { 0.0 }])
            .collect();
        let columns: Vec<&[f64]> = values.iter().map(|v| &v[..]).collect();
        (
            model.predict(1, &columns, Fitted::Penalised).unwrap(),
            model.predict(1, &columns, Fitted::Refit).unwrap(),
        )
    };
    assert_eq!(outputs(0.0).0, outputs(5.0).0);
    assert_ne!(outputs(0.0).1, outputs(5.0).1);
}

#[test]
fn needles_without_a_family_have_no_stand_ins() {
    let draws = 40;
    let found = (0..draws).filter(|seed| {
        let x = gaussian(100 * P, 100 + seed);
        let noise = gaussian(100, 200 + seed);
        let label = |i: usize| if 3.0 * (x[i] - x[100 + i]) + noise[i] > 0.0 { "up" } else { "down" };
        let labels: Vec<&str> = (0..100).map(label).collect();
        !linear(x, &labels).stand_ins.is_empty()
    });
    // at most alpha = .05 of them: 6 or more of 40 has probability .014
    assert!(found.count() < 6);
}
