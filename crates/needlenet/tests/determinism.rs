//! The same seed gives the same bits on any number of threads, and every seed the same threshold.
#![allow(clippy::unwrap_used)]

mod made;

use needlenet::{Data, Settings, fit};

#[test]
fn one_and_two_threads_give_the_same_model_bit_for_bit() {
    let (x, y) = made::nonlinear(100, 40, 1);
    let (cx, outcome) = made::classes(90, 1500, 3, 2);
    let tables = [made::regression(x, y), Data::new(cx, made::names(1500), outcome).unwrap()];
    for data in tables {
        let with = |threads| {
            let settings = Settings { threads, hidden: vec![10], draws: 500, ..Settings::default() };
            let mut model = fit(data.clone(), &settings).unwrap();
            model.settings.threads = 0;
            model
        };
        assert_eq!(with(1), with(2));
    }
}

#[test]
fn lambda_qut_and_its_null_draws_are_the_same_for_every_seed() {
    let (x, y) = made::linear(50, 5, 1);
    let with = |seed| {
        let settings = Settings { seed, hidden: vec![4], draws: 200, ..Settings::default() };
        fit(made::regression(x.clone(), y.clone()), &settings).unwrap().threshold
    };
    assert_eq!(with(1), with(2));
}
