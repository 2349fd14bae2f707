//! Losses and gradients of survival and counts are those of an independent library, to 1e-10.
//!
//! The values are by statsmodels: `tests/compare/reference.py` writes the file. They are compared at the same outputs, so that
//! no rounding of inputs is between the two.

use serde::Deserialize;

use crate::outcome::{Counts, Loss, Survival, Ties};
use crate::table::{Samples, TieGroup};

#[derive(Deserialize)]
struct Case {
    #[serde(flatten)]
    outcome: Outcome,
    output: Vec<f64>,
    offset: Vec<f64>,
    loss: f64,
    gradient: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Outcome {
    Survival { ties: Ties, times: Vec<f64>, events: Vec<bool>, strata: Vec<usize> },
    Counts { counts: Vec<f64> },
}

/// The loss of a case, and its rows in the order that the loss wants.
fn loss_of(case: &Case) -> (Box<dyn Loss>, Vec<usize>) {
    let mut order: Vec<usize> = (0..case.output.len()).collect();
    let samples = |order: &[usize]| {
        let offset = order.iter().map(|&i| case.offset[i]).collect();
        Samples { offset: Some(offset), ..Samples::default() }
    };
    match &case.outcome {
        Outcome::Counts { counts } => (Box::new(Counts::new(counts.clone(), samples(&order))), order),
        Outcome::Survival { ties, times, events, strata } => {
            order.sort_by(|&a, &b| {
                let by_time = strata[a].cmp(&strata[b]).then(times[b].total_cmp(&times[a]));
                by_time.then(events[a].cmp(&events[b]))
            });
            let sorted: Vec<bool> = order.iter().map(|&i| events[i]).collect();
            let times: Vec<f64> = order.iter().map(|&i| times[i]).collect();
            let strata: Vec<usize> = order.iter().map(|&i| strata[i]).collect();
            let groups = TieGroup::all(&times, &strata, &sorted);
            (Box::new(Survival::new(groups, sorted, samples(&order), *ties)), order)
        }
    }
}

#[test]
fn losses_and_gradients_are_those_of_an_independent_library() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stored/reference.json");
    let cases: Vec<Case> = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(cases.len(), 10);
    for (at, case) in cases.iter().enumerate() {
        let (loss, order) = loss_of(case);
        let out: Vec<f64> = order.iter().map(|&i| case.output[i]).collect();
        let mut gradient = vec![0.0; out.len()];
        let value = loss.evaluate(&out, &mut gradient);
        assert!((value - case.loss).abs() < 1e-10 * case.loss, "case {at}: {value} {}", case.loss);
        for (own, &i) in gradient.iter().zip(&order) {
            assert!((own - case.gradient[i]).abs() < 1e-10, "case {at}: {own} {}", case.gradient[i]);
        }
    }
}
