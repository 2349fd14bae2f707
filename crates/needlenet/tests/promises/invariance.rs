//! What must not matter: units, order and signs of the columns, order of the rows, the tenth digit, the number of
//! threads.

use needlenet::{Data, Model, Outcome, Settings, fit};

use super::certificate::{N, P, easy};
use super::made::names;
use super::table::rows;

fn columns(data: &Data) -> Vec<Vec<f64>> {
    (0..P).map(|j| data.column(j).to_vec()).collect()
}

fn refit(columns: &[Vec<f64>], names: Vec<String>, outcome: &Outcome, settings: &Settings) -> Model {
    fit(Data::new(columns.concat(), names, outcome.clone()).unwrap(), settings).unwrap()
}

fn selected(model: &Model) -> Vec<&str> {
    let mut names = model.selected();
    names.sort_unstable();
    names
}

#[test]
fn units_order_signs_and_the_tenth_digit_do_not_change_the_needles_of_any_row() {
    for row in rows() {
        let data = easy(row.kind, 0.5);
        let (settings, x, outcome) = (row.settings(), columns(&data), data.outcome().clone());
        let model = refit(&x, names(P), &outcome, &settings);
        let units: Vec<Vec<f64>> = (1u8..)
            .zip(&x)
            .map(|(j, column)| column.iter().map(|v| f64::from(j) * 100.0 - 37.5 * v).collect())
            .collect();
        let rounded: Vec<Vec<f64>> =
            x.iter().map(|column| column.iter().map(|v| (v * 1e10).round() / 1e10).collect()).collect();
        for (what, changed) in [("units and signs", units), ("the tenth digit", rounded)] {
            let other = refit(&changed, names(P), &outcome, &settings);
            assert_eq!(selected(&model), selected(&other), "{row}: {what}");
        }
        let turned: Vec<Vec<f64>> =
            x.iter().rev().map(|column| column.iter().rev().copied().collect()).collect();
        let turned_names = names(P).into_iter().rev().collect();
        let turned_outcome = match &outcome {
            Outcome::Regression(y) => Outcome::Regression(y.iter().rev().copied().collect()),
            Outcome::Classification { labels, classes } => Outcome::Classification {
                labels: labels.iter().rev().copied().collect(),
                classes: classes.clone(),
            },
            Outcome::Counts(counts) => Outcome::Counts(counts.iter().rev().copied().collect()),
            Outcome::Survival { times, events, strata } => Outcome::Survival {
                times: times.iter().rev().copied().collect(),
                events: events.iter().rev().copied().collect(),
                strata: strata.clone(),
            },
        };
        assert_eq!(turned[0].len(), N);
        let other = refit(&turned, turned_names, &turned_outcome, &settings);
        assert_eq!(selected(&model), selected(&other), "{row}: order");
    }
}

#[test]
fn every_row_has_the_same_bits_on_one_and_two_threads() {
    for row in rows() {
        let on = |threads| fit(easy(row.kind, 0.5), &Settings { threads, ..row.settings() }).unwrap();
        let (one, two) = (on(1), on(2));
        assert_eq!(
            (&one.weights, &one.certificate, &one.needles),
            (&two.weights, &two.certificate, &two.needles),
            "{row}"
        );
    }
}
