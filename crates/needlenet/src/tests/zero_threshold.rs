//! `lambda_0` in closed form against the supremum it stands for (Theorem 3).

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::{losses, standardised};
use crate::activation::Activation;
use crate::local::working_set::Setting;
use crate::network::{Inputs, Network, Sweep};
use crate::outcome::Loss;
use crate::penalty::Penalty;
use crate::search::starts::steepest_way_out;
use crate::settings::Settings;
use crate::table::Design;
use crate::threshold::Threshold;

const N: usize = 40;
const P: usize = 12;

fn few_draws(penalty: Penalty) -> Settings {
    Settings { penalty, draws: 100, ..Settings::default() }
}

/// The dual norm of the gradient at `W_1 = 0` for some upper layers.
fn dual_norm(setting: &Setting, network: &Network, theta: &[f64]) -> f64 {
    let columns: Vec<usize> = (0..P).collect();
    let x = Inputs::of(setting.x, &columns, None);
    let mut sweep = Sweep::new(network, N);
    setting.gradient_sizes(network, theta, &x, &mut sweep).into_iter().fold(0.0, f64::max)
}

/// The empty model with random unit rows above.
fn empty_with_random_rows(loss: &dyn Loss, network: &Network, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut theta = vec![0.0; network.n_params()];
    for layer in network.unit_layers() {
        theta[layer.weights.clone()].iter_mut().for_each(|w| *w = rng.sample(StandardNormal));
    }
    network.normalise(&mut theta);
    theta[network.last().biases.clone()].copy_from_slice(&loss.null_intercept());
    theta
}

fn for_every_case(check: impl Fn(&Setting, &Network, f64)) {
    let x = Design::dense(standardised(N, P, 21), N);
    for loss in losses(N) {
        for hidden in [vec![], vec![5], vec![5, 4], vec![5, 4, 3]] {
            for penalty in [Penalty::L1, Penalty::Group] {
                for activation in [Activation::default(), Activation::softplus()] {
                    let network = Network::new(P, &hidden, loss.n_outputs(), &activation);
                    let setting = Setting {
                        x: &x,
                        loss: &*loss,
                        penalty,
                        lambda: 1.0,
                        tau: 1.0,
                        without: &[],
                        observer: &(),
                    };
                    let [t] = Threshold::simulate(&x, &*loss, [&network], &few_draws(penalty), &());
                    check(&setting, &network, t.lambda_zero);
                }
            }
        }
    }
}

#[test]
fn the_upper_weights_of_the_proof_reach_lambda_zero() {
    for_every_case(|setting, network, lambda_zero| {
        let reached = if network.is_linear() {
            let theta = empty_with_random_rows(setting.loss, network, &mut ChaCha8Rng::seed_from_u64(1));
            dual_norm(setting, network, &theta)
        } else {
            let live = steepest_way_out(setting, network).unwrap();
            let mut theta = vec![0.0; live.network.width() * P];
            theta.extend_from_slice(&live.theta[live.network.width()..]);
            dual_norm(setting, &network.restricted(P, &[0]), &theta)
        };
        assert!((reached / lambda_zero - 1.0).abs() < 1e-9, "{network:?}: {reached} {lambda_zero}");
    });
}

#[test]
fn random_upper_weights_never_exceed_lambda_zero() {
    for_every_case(|setting, network, lambda_zero| {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for _ in 0..50 {
            let theta = empty_with_random_rows(setting.loss, network, &mut rng);
            assert!(dual_norm(setting, network, &theta) <= lambda_zero * (1.0 + 1e-9));
        }
    });
}

#[test]
fn upper_weights_that_climb_come_near_lambda_zero_and_never_exceed_it() {
    for_every_case(|setting, network, lambda_zero| {
        if network.is_linear() {
            return;
        }
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut best = empty_with_random_rows(setting.loss, network, &mut rng);
        let mut height = dual_norm(setting, network, &best);
        let mut size = 1.0;
        for _ in 0..1500 {
            let mut moved = best.clone();
            for layer in network.unit_layers() {
                for w in &mut moved[layer.weights.clone()] {
                    *w += size
                        * rng.sample::<f64, _>(StandardNormal)
                        * f64::from(u8::from(rng.random::<f64>() < 0.3));
                }
            }
            network.normalise(&mut moved);
            let new = dual_norm(setting, network, &moved);
            assert!(new <= lambda_zero * (1.0 + 1e-9));
            if new > height {
                (height, best) = (new, moved);
                size = (1.5 * size).min(1.0);
            } else {
                size = (0.97 * size).max(1e-3);
            }
        }
        // a plain random climb: the supremum is no loose bound
        assert!(height > 0.8 * lambda_zero, "{network:?} {:?}: {height} {lambda_zero}", setting.loss);
    });
}

#[test]
fn centring_of_the_inputs_does_not_matter() {
    let x = standardised(N, P, 4);
    let shifted: Vec<f64> = x.iter().map(|v| v + 3.0).collect();
    for loss in losses(N) {
        let network = Network::new(P, &[5], loss.n_outputs(), &Activation::default());
        let zero = |x: &[f64]| {
            let x = Design::dense(x.to_vec(), N);
            let [t] = Threshold::simulate(&x, &*loss, [&network], &few_draws(Penalty::L1), &());
            t.lambda_zero
        };
        assert!((zero(&x) / zero(&shifted) - 1.0).abs() < 1e-9);
    }
}
