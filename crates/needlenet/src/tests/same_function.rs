//! Points that are written in another way and must stay the same function.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{gaussian, standardised};
use crate::activation::Activation;
use crate::local::active::Live;
use crate::local::descent::Limits;
use crate::local::working_set::Setting;
use crate::network::{Link, Network, Workspace};
use crate::outcome::{Classes, Loss, Numbers, Survival, Ties};
use crate::penalty::Penalty;
use crate::refit::{left_out_losses, refit};
use crate::search::starts::random_start;
use crate::table::{Design, Samples, TieGroup};

const N: usize = 50;
const P: usize = 6;

fn outputs(live: &Live, x: &[f64]) -> Vec<f64> {
    let x: Vec<f64> = live.columns.iter().flat_map(|j| x[j * N..(j + 1) * N].to_vec()).collect();
    let mut ws = Workspace::new(&live.network, N);
    live.network.forward(&live.theta, &x, &mut ws);
    ws.out
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn a_compact_point_is_the_same_function_though_dead_neurons_had_weights_above() {
    let x = standardised(N, P, 1);
    let loss = Numbers::new(gaussian(N, 2));
    for hidden in [vec![8], vec![8, 4]] {
        let network = Network::new(P, &hidden, 1, &Activation::default());
        let mut live = random_start(&loss, &network, &(0..P).collect::<Vec<_>>(), 3);
        for (at, w) in live.theta[network.layers[0].weights.clone()].iter_mut().enumerate() {
            let (input, neuron) = (at / 8, at % 8);
            if input == 2 || neuron % 2 == 1 {
                *w = 0.0;
            }
        }
        let compact = live.compact();
        assert_eq!(compact.columns, [0, 1, 3, 4, 5]);
        assert_eq!(
            compact.network.width(),
            5,
            "four neurons in use, and one that keeps the length of the rows"
        );
        assert!(compact.network.has_unit_rows(&compact.theta));
        assert_eq!(compact.parameters_in_use(), 4.0 * 5.0 + 4.0);
        assert!(largest_difference(&outputs(&live, &x), &outputs(&compact, &x)) < 1e-12);
    }
}

#[test]
fn left_out_losses_agree_with_refits_without_each_sample() {
    let x = standardised(N, 2, 6);
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for n_classes in [2, 3] {
        let odds = |i: usize| 1.0 / (1.0 + (-2.0 * x[i]).exp());
        let labels: Vec<usize> =
            (0..N).map(|i| if rng.random::<f64>() < odds(i) { 0 } else { 1 + i % (n_classes - 1) }).collect();
        let cross_entropy =
            |labels: Vec<usize>| Classes::new(labels, n_classes, Samples::default(), Link::Softmax);
        let network = Network::new(2, &[], n_classes, &Activation::default());
        let live = Live { columns: vec![0, 1], theta: vec![0.0; network.n_params()], network };
        let limits =
            Limits { tolerance: 1e-9, max_iterations: 1000, max_newton: usize::MAX, least_gain: 0.0 };
        let fitted = |x: &[f64], loss: &dyn Loss| {
            let x = Design::dense(x.to_vec(), loss.n());
            let setting = Setting {
                x: &x,
                loss,
                penalty: Penalty::L1,
                lambda: 1.0,
                tau: 1.0,
                without: &[],
                observer: &(),
            };
            refit(&setting, &live, limits).point.theta
        };
        let loss = cross_entropy(labels.clone());
        let design = Design::dense(x.clone(), N);
        let setting = Setting {
            x: &design,
            loss: &loss,
            penalty: Penalty::L1,
            lambda: 1.0,
            tau: 1.0,
            without: &[],
            observer: &(),
        };
        let approximate = left_out_losses(&setting, &live, &fitted(&x, &loss)).unwrap();
        for left in 0..N {
            let rest: Vec<f64> =
                x.chunks(N).flat_map(|c| c[..left].iter().chain(&c[left + 1..]).copied()).collect();
            let mut without = labels.clone();
            without.remove(left);
            let theta = fitted(&rest, &cross_entropy(without));
            let out: Vec<f64> = (0..n_classes)
                .map(|t| theta[t] * x[left] + theta[n_classes + t] * x[N + left] + theta[2 * n_classes + t])
                .collect();
            let mut p = vec![0.0; n_classes];
            Link::Softmax.probabilities(&out, &mut p);
            let exact = -p[labels[left]].ln();
            // one Newton step from the whole refit: second order in 1 / n
            assert!(
                (approximate[left] - exact).abs() < 0.02 * (1.0 + exact),
                "{} {exact}",
                approximate[left]
            );
        }
    }
}

/// The expected value is that of the cross-validated partial likelihood: the change of what sample `i` adds to it, when `i` is
/// left out of the refit.
#[test]
fn left_out_losses_of_survival_agree_with_refits_without_each_sample() {
    const N: usize = 200;
    let x = standardised(N, 2, 8);
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    // a steep law: the samples at greatest risk have many expected events
    let mut rows: Vec<(f64, bool, usize)> = (0..N)
        .map(|i| (-(1.0 - rng.random::<f64>()).ln() * (-2.0 * x[i]).exp(), rng.random::<f64>() < 0.7, i))
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let x: Vec<f64> = x.chunks(N).flat_map(|c| rows.iter().map(|r| c[r.2]).collect::<Vec<_>>()).collect();
    let survival = |rows: &[(f64, bool, usize)]| {
        let (times, events): (Vec<f64>, Vec<bool>) = rows.iter().map(|r| (r.0, r.1)).unzip();
        let groups = TieGroup::all(&times, &vec![0; rows.len()], &events);
        Survival::new(groups, events, Samples::default(), Ties::Breslow)
    };
    let network = Network::new(2, &[], 1, &Activation::default());
    let live = Live { columns: vec![0, 1], theta: vec![0.0; network.n_params()], network };
    let limits = Limits { tolerance: 1e-9, max_iterations: 1000, max_newton: usize::MAX, least_gain: 0.0 };
    let solved = |x: Vec<f64>, loss: &dyn Loss, left_out: bool| {
        let x = Design::dense(x, loss.n());
        let (penalty, lambda, tau) = (Penalty::L1, 1.0, 1.0);
        let setting = Setting { x: &x, loss, penalty, lambda, tau, without: &[], observer: &() };
        let theta = refit(&setting, &live, limits).point.theta;
        let losses = left_out.then(|| left_out_losses(&setting, &live, &theta).unwrap());
        (theta, losses.unwrap_or_default())
    };
    let whole = survival(&rows);
    let (theta, approximate) = solved(x.clone(), &whole, true);
    let out = |theta: &[f64], x: &[f64]| -> Vec<f64> {
        let n = x.len() / 2;
        (0..n).map(|i| theta[0] * x[i] + theta[1] * x[n + i]).collect()
    };
    let value = |loss: &Survival, out: &[f64]| loss.evaluate(out, &mut vec![0.0; out.len()]);
    let exact: f64 = (0..N)
        .map(|left| {
            let mut fewer = rows.clone();
            fewer.remove(left);
            let rest: Vec<f64> =
                x.chunks(N).flat_map(|c| c[..left].iter().chain(&c[left + 1..]).copied()).collect();
            let part = survival(&fewer);
            let (without, _) = solved(rest.clone(), &part, false);
            let adds = |theta: &[f64]| value(&whole, &out(theta, &x)) - value(&part, &out(theta, &rest));
            adds(&without) - adds(&theta)
        })
        .sum();
    let here: f64 = whole.of_each(&out(&theta, &x)).iter().sum();
    let found = approximate.iter().sum::<f64>() - here;
    // the step is of first order in 1 / n
    assert!((found / exact - 1.0).abs() < 0.1, "{found} {exact}");
}
