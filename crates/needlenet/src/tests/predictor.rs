//! The smooth network: its derivatives, and that a mean of networks is one network.

use faer::Mat;

use super::{gaussian, losses_at_noise, standardised};
use crate::network::{Coding, Smooth, SmoothRoom};
use crate::refit::mean_of;

const N: usize = 23;

#[test]
fn gradient_and_jacobian_of_the_smooth_network_are_those_of_finite_differences() {
    let x = Coding::Saturated.apply(&standardised(N, 3, 5), N);
    for loss in losses_at_noise(N) {
        let network = Smooth { inputs: 3, neurons: 4, outputs: loss.n_outputs() };
        let theta = gaussian(network.n_params(), 6);
        let mut room = SmoothRoom::new(network, N);
        network.forward(&theta, &x, &mut room);
        loss.evaluate(&room.out, &mut room.d_out);
        let mut gradient = vec![0.0; theta.len()];
        network.backward(&theta, &x, &mut room, &mut gradient);
        // every third sample from the second on: 1, 4, .., 22
        let mut jacobians = vec![Mat::zeros(8, theta.len()); network.outputs];
        for (t, jacobian) in jacobians.iter_mut().enumerate() {
            network.jacobian(&theta, &x, &mut room, t, (1, 3), jacobian);
        }
        let step = 1e-5;
        for at in 0..theta.len() {
            let mut moved = |by: f64| {
                let mut theta = theta.clone();
                theta[at] += by;
                network.forward(&theta, &x, &mut room);
                (loss.evaluate(&room.out, &mut room.d_out), room.out.clone())
            };
            let ((up, out_up), (down, out_down)) = (moved(step), moved(-step));
            let slope = (up - down) / (2.0 * step);
            assert!((slope - gradient[at]).abs() < 1e-6 * (1.0 + slope.abs()), "{loss:?} {at}");
            for (t, jacobian) in jacobians.iter().enumerate() {
                for i in 0..8 {
                    let of = t * N + 1 + 3 * i;
                    let slope = (out_up[of] - out_down[of]) / (2.0 * step);
                    assert!((slope - jacobian[(i, at)]).abs() < 1e-7, "{loss:?} {at} {i}");
                }
            }
        }
    }
}

#[test]
fn the_mean_of_networks_is_one_network() {
    let x = Coding::Saturated.apply(&standardised(N, 3, 7), N);
    let network = Smooth { inputs: 3, neurons: 4, outputs: 2 };
    let members: Vec<Vec<f64>> = (0..5).map(|k| gaussian(network.n_params(), 10 + k)).collect();
    let out = |network: Smooth, theta: &[f64]| {
        let mut room = SmoothRoom::new(network, N);
        network.forward(theta, &x, &mut room);
        room.out
    };
    let outputs: Vec<Vec<f64>> = members.iter().map(|theta| out(network, theta)).collect();
    let all: Vec<&[f64]> = members.iter().map(Vec::as_slice).collect();
    let together = out(Smooth { neurons: 20, ..network }, &mean_of(network, &all));
    for (i, o) in together.iter().enumerate() {
        let mean = outputs.iter().map(|out| out[i]).sum::<f64>() / 5.0;
        assert!((o - mean).abs() < 1e-13, "{o} {mean}");
    }
}
