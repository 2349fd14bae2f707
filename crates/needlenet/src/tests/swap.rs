//! Exchange of near copies, and what is dropped.

use super::{gaussian, standardised};
use crate::activation::Activation;
use crate::local::active::Live;
use crate::local::descent::Limits;
use crate::network::Network;
use crate::outcome::Numbers;
use crate::search::Search;
use crate::search::plan::Plan;
use crate::settings::Settings;
use crate::table::{Design, Samples};
use crate::threshold::Across;

const N: usize = 60;
const P: usize = 8;

/// Input 5 is a near copy of input 2 with the other sign; the outcome is input 2 and a little noise.
fn near_copies() -> (Design, Vec<f64>) {
    let mut x = standardised(N, P, 1);
    let (noise, other) = (gaussian(N, 2), gaussian(N, 3));
    let mut copy: Vec<f64> = (0..N).map(|i| -x[2 * N + i] + 0.2 * other[i]).collect();
    let mean = copy.iter().sum::<f64>() / N as f64;
    copy.iter_mut().for_each(|v| *v -= mean);
    let scale = (copy.iter().map(|v| v * v).sum::<f64>() / N as f64).sqrt();
    for i in 0..N {
        x[5 * N + i] = copy[i] / scale;
    }
    let y = (0..N).map(|i| x[2 * N + i] + 0.1 * noise[i]).collect();
    (Design::dense(x, N), y)
}

fn search<'a>(x: &'a Design, loss: &'a Numbers, network: &'a Network, plan: &'a Plan) -> Search<'a> {
    Search {
        x,
        loss,
        network,
        penalty: Settings::default().penalty,
        lambda: 2.5,
        lambda_zero: 7.0,
        of_linear: (2.5, 7.0),
        statistic: 2.5,
        across: Across::Largest,
        plan,
        limits: Limits { tolerance: 1e-6, max_iterations: 1000, max_newton: usize::MAX, least_gain: 0.0 },
        seed: 1,
        without: &[],
        observer: &(),
    }
}

#[test]
fn an_input_that_is_not_worth_its_price_is_dropped_and_one_that_is_stays() {
    let (x, y) = near_copies();
    let loss = Numbers::new(y);
    let network = Network::new(P, &[], 1, &Activation::default());
    let plan = Plan::default();
    let search = search(&x, &loss, &network, &plan);
    let theta = vec![0.9, 0.05, 0.0];
    let both = Live { columns: vec![2, 6], network: network.restricted(2, &[0]), theta };
    let kept = search.prune(search.measured(both));
    assert_eq!(kept.live.columns, [2]);
}

#[test]
fn the_input_that_explains_more_takes_the_place_of_its_near_copy() {
    let (x, y) = near_copies();
    let loss = Numbers::new(y);
    let network = Network::new(P, &[], 1, &Activation::default());
    let plan = Plan::default();
    let search = search(&x, &loss, &network, &plan);
    let copy = Live { columns: vec![5], network: network.restricted(1, &[0]), theta: vec![-1.0, 0.0] };
    let copy = search.measured(copy);
    let score = copy.score;
    let best = search.swap(copy);
    assert_eq!(best.live.columns, [2]);
    assert!(best.live.theta[0] > 0.9, "with the sign turned");
    assert!(best.score < score);
}

#[test]
fn a_column_of_an_input_of_several_is_neither_exchanged_nor_taken_in() {
    for grouped in [2, 5] {
        let (mut x, y) = near_copies();
        let mut weights = vec![1.0; P];
        weights[grouped] = 1.2;
        let mut scalings = x.scalings(&Samples::default());
        x.standardise(&mut scalings, Some(weights));
        let loss = Numbers::new(y);
        let network = Network::new(P, &[], 1, &Activation::default());
        let plan = Plan::default();
        let search = search(&x, &loss, &network, &plan);
        let copy = Live { columns: vec![5], network: network.restricted(1, &[0]), theta: vec![-1.0, 0.0] };
        assert_eq!(search.swap(search.measured(copy)).live.columns, [5], "{grouped}");
    }
}

#[test]
fn a_near_copy_is_exchangeable_if_the_noise_hides_which_of_them_acts() {
    let (x, y) = near_copies();
    let network = Network::new(P, &[], 1, &Activation::default());
    let plan = Plan::default();
    let live = Live { columns: vec![2], network: network.restricted(1, &[0]), theta: vec![1.0, 0.0] };
    let noise = gaussian(N, 9);
    for (size, expected) in [(0.0, vec![]), (2.0, vec![5])] {
        let loss = Numbers::new(y.iter().zip(&noise).map(|(y, e)| y + size * e).collect());
        let found = search(&x, &loss, &network, &plan).exchangeable(&live);
        assert_eq!(found.iter().map(|e| e.new).collect::<Vec<_>>(), expected, "{found:?}");
        for e in found {
            assert!(e.old == 2 && e.correlation < -0.9 && e.cost <= 0.5, "{e:?}");
        }
    }
}

#[test]
fn an_exchange_for_an_exact_copy_is_the_same_point() {
    let network = Network::new(3, &[4, 2], 1, &Activation::default());
    let mut theta = gaussian(network.n_params(), 4);
    network.normalise(&mut theta);
    let live = Live { columns: vec![1, 4, 6], network, theta };
    let there = live.exchanged(4, 0, -1.0);
    assert_eq!(there.columns, [0, 1, 6]);
    let (moved, kept) = (there.column(0), live.column(1));
    assert!(moved.iter().zip(kept).all(|(a, b)| *a == -*b));
    let back = there.exchanged(0, 4, -1.0);
    assert_eq!(back.columns, live.columns);
    assert!(back.theta.iter().zip(&live.theta).all(|(a, b)| (a - b).abs() < 1e-15));
}
