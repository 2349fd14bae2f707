//! The certificate is on all inputs, not on the working set alone.

use super::{gaussian, standardised};
use crate::activation::Activation;
use crate::local::descent::Limits;
use crate::local::working_set::Setting;
use crate::network::{Inputs, Network, Sweep};
use crate::outcome::Numbers;
use crate::penalty::Penalty;
use crate::search::starts::random_start;
use crate::table::{AlwaysIn, Design, Samples};
use crate::{Data, Outcome, Settings, fit};

const N: usize = 50;
const P: usize = 700;
const LIMITS: Limits =
    Limits { tolerance: 1e-7, max_iterations: 20_000, max_newton: usize::MAX, least_gain: 0.0 };

fn outcome(x: &[f64], always: Option<AlwaysIn>) -> Numbers {
    let noise = gaussian(N, 5);
    let y = (0..N).map(|i| 2.0 * x[3 * N + i] - 1.5 * x[500 * N + i] + 0.5 * noise[i]).collect();
    Numbers::with_spread(y, Samples { always, ..Samples::default() }, 1.0)
}

/// Solves through the working set, then checks the optimality conditions of the whole problem on a
/// dense copy of the solution.
fn check(hidden: &[usize], penalty: Penalty, lambda: f64) {
    check_beside(hidden, penalty, lambda, 0);
}

fn check_beside(hidden: &[usize], penalty: Penalty, lambda: f64, n_always: usize) {
    let mut x = standardised(N, P, 3);
    let always = standardised(N, n_always, 9);
    let loss = outcome(&x, (n_always > 0).then(|| AlwaysIn::new(always.clone(), N)));
    let design = Design::dense(x.clone(), N);
    x.extend(always);
    let network = Network::new(P, hidden, 1, &Activation::default()).beside(n_always);
    let setting = Setting { x: &design, loss: &loss, penalty, lambda, tau: 0.5, without: &[], observer: &() };
    let start = if hidden.is_empty() {
        setting.empty(&network)
    } else {
        random_start(&loss, &network, &[3, 4, 5], 1)
    };
    let solution = setting.solve(&start, LIMITS, usize::MAX);
    assert!(
        solution.stop.is_converged(),
        "{hidden:?} {penalty:?} {:?} {} after {} iterations, {} inputs",
        solution.stop,
        solution.kkt_violation,
        solution.iterations,
        solution.live.support().len()
    );

    let whole = solution.live.with_columns(&(0..P).collect::<Vec<_>>());
    let mut sweep = Sweep::new(&whole.network, N);
    let inputs = Inputs::all(&x, N);
    let problem = setting.on(&inputs, &whole.network);
    let point = problem.point(whole.theta.clone(), &mut sweep);
    let violation = problem.pseudo_gradient(&point, &mut vec![0.0; whole.theta.len()]);
    assert!(violation <= 1.01e-7, "{violation}");
    assert!((point.objective - solution.objective).abs() < 1e-9 * point.objective);
    assert!(whole.network.has_unit_rows(&whole.theta));
    assert!(solution.live.support().len() < 60);
}

#[test]
fn a_linear_model_is_stationary_on_all_inputs() {
    for penalty in [Penalty::L1, Penalty::Group, Penalty::Harder { nu: 0.1 }, Penalty::Mcp { a: 3.0 }] {
        check(&[], penalty, 3.0);
    }
}

#[test]
fn a_network_is_stationary_on_all_inputs() {
    for penalty in [Penalty::L1, Penalty::Group, Penalty::Harder { nu: 0.1 }, Penalty::Scad { a: 3.7 }] {
        check(&[6], penalty, 2.5);
        check(&[6, 3], penalty, 4.0);
    }
}

#[test]
fn inputs_that_are_always_in_are_part_of_the_certificate() {
    for penalty in [Penalty::L1, Penalty::Harder { nu: 0.1 }] {
        check_beside(&[], penalty, 3.0, 2);
        check_beside(&[6], penalty, 2.5, 2);
        check_beside(&[6, 3], penalty, 4.0, 1);
    }
}

#[test]
fn the_objective_never_rises_along_the_descent() {
    let x = Design::dense(standardised(N, 20, 3), N);
    let loss = Numbers::new(gaussian(N, 5));
    let network = Network::new(20, &[8], 1, &Activation::default());
    let setting = Setting {
        x: &x,
        loss: &loss,
        penalty: Penalty::L1,
        lambda: 0.3,
        tau: 1.0,
        without: &[],
        observer: &(),
    };
    let start = random_start(&loss, &network, &(0..20).collect::<Vec<_>>(), 4);
    let mut last = f64::INFINITY;
    for max_iterations in 1..60 {
        let objective = setting
            .solve(
                &start,
                Limits { tolerance: 1e-9, max_iterations, max_newton: usize::MAX, least_gain: 0.0 },
                1,
            )
            .objective;
        assert!(objective <= last * (1.0 + 1e-12));
        last = objective;
    }
}

/// Many neurons that do not bend represent the same linear function, so the objective is flat along them.
#[test]
fn a_network_with_the_group_penalty_converges_on_a_linear_law() {
    let x = gaussian(N * 100, 7);
    let noise = gaussian(N, 8);
    let y = (0..N).map(|i| 3.0 * x[i] - 3.0 * x[5 * N + i] + noise[i]).collect();
    let names = (0..100).map(|j| format!("x{j}")).collect();
    let settings = Settings { penalty: Penalty::Group, hidden: vec![20], draws: 200, ..Settings::default() };
    let model = fit(Data::new(x, names, Outcome::Regression(y)).unwrap(), &settings).unwrap();
    assert!(model.certificate.stop.is_converged(), "{:?}", model.certificate);
    assert!(model.certificate.iterations < 1000, "{:?}", model.certificate);
    assert!(["x0", "x5"].iter().all(|needle| model.selected().contains(needle)));
}
