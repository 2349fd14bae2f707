//! Gradients and curvature against finite differences.

use super::{at_noise_too, gaussian, losses_at_noise, losses_of_known_curvature, standardised};
use crate::activation::Activation;
use crate::local::curvature::{Hessian, gauss_newton};
use crate::local::objective::Problem;
use crate::network::{Inputs, Link, Network, Sweep, Workspace};
use crate::outcome::{Classes, Loss};
use crate::penalty::Penalty;
use crate::product::norm;
use crate::table::Samples;

const N: usize = 30;
const P: usize = 5;

/// Loss plus the smooth part of the penalty, at any parameters.
fn smooth(problem: &Problem, theta: &[f64], sweep: &mut Sweep) -> f64 {
    let mut rest = 0.0;
    problem.for_each_group(|g| rest += theta[g].iter().map(|v| v * v).sum::<f64>().sqrt());
    problem.point(theta.to_vec(), sweep).objective - problem.lambda * rest
}

fn parameters(network: &Network, seed: u64) -> Vec<f64> {
    let mut theta: Vec<f64> = gaussian(network.n_params(), seed).iter().map(|v| 0.6 * v).collect();
    network.normalise(&mut theta);
    theta
}

#[test]
fn gradients_agree_with_central_differences_for_every_depth_loss_link_and_activation() {
    // the last two columns are always in
    let x = standardised(N, P + 2, 1);
    let members = [
        Activation::default(),
        Activation::softplus(),
        Activation::smooth_relu(),
        Activation::interactions(),
        Activation { sharpness: 3.0, shift: 0.5, powers: vec![1.5, 3.0] },
    ];
    for hidden in [vec![], vec![4], vec![4, 3], vec![4, 3, 2]] {
        for loss in losses_at_noise(N) {
            for (activation, n_always) in members.iter().flat_map(|member| [(member, 0), (member, 2)]) {
                let inputs = Inputs::all(&x[..N * (P + n_always)], N);
                let network = Network::new(P, &hidden, loss.n_outputs(), activation).beside(n_always);
                let theta = parameters(&network, 5);
                let mut sweep = Sweep::new(&network, N);
                let problem = Problem {
                    x: &inputs,
                    loss: &*loss,
                    network: &network,
                    penalty: Penalty::L1,
                    lambda: 0.7,
                    tau: 1.0,
                    scale: 0.7,
                    ridge: 0.0,
                    frozen: None,
                    observer: &(),
                };
                let exact = problem.point(theta.clone(), &mut sweep).gradient;
                let numeric = differences(&problem, &theta, &mut sweep);
                let size = exact.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
                for (i, (a, b)) in exact.iter().zip(&numeric).enumerate() {
                    assert!((a - b).abs() < 2e-6 * size, "{hidden:?} {loss:?} {activation:?} {i}: {a} {b}");
                }
            }
        }
    }
}

#[test]
fn concave_penalties_ridge_and_groups_enter_the_gradient_as_their_slopes() {
    let x = standardised(N, P, 1);
    let inputs = Inputs::all(&x, N);
    let loss = &*losses_at_noise(N)[1];
    let network = Network::new(P, &[4, 3], 1, &Activation::default());
    let theta = parameters(&network, 9);
    let mut sweep = Sweep::new(&network, N);
    let penalties =
        [Penalty::Group, Penalty::Harder { nu: 0.1 }, Penalty::Scad { a: 3.7 }, Penalty::Mcp { a: 3.0 }];
    for penalty in penalties {
        let problem = Problem {
            x: &inputs,
            loss,
            network: &network,
            penalty,
            lambda: 0.7,
            tau: 0.4,
            scale: 0.7,
            ridge: 0.3,
            frozen: None,
            observer: &(),
        };
        let exact = problem.point(theta.clone(), &mut sweep).gradient;
        for (a, b) in exact.iter().zip(&differences(&problem, &theta, &mut sweep)) {
            assert!((a - b).abs() < 2e-6, "{penalty:?}: {a} {b}");
        }
    }
}

/// Central differences, then what lies along the unit rows is removed.
fn differences(problem: &Problem, theta: &[f64], sweep: &mut Sweep) -> Vec<f64> {
    let h = 1e-6;
    let mut numeric: Vec<f64> = (0..theta.len())
        .map(|i| {
            let mut moved = theta.to_vec();
            moved[i] = theta[i] + h;
            let up = smooth(problem, &moved, sweep);
            moved[i] = theta[i] - h;
            (up - smooth(problem, &moved, sweep)) / (2.0 * h)
        })
        .collect();
    problem.network.project_to_tangent(theta, &mut numeric);
    numeric
}

#[test]
fn gauss_newton_is_the_hessian_of_a_linear_model() {
    let x = standardised(N, P + 2, 1);
    let inputs = Inputs::all(&x, N);
    for loss in at_noise_too(losses_of_known_curvature(N)) {
        let network = Network::new(P, &[], loss.n_outputs(), &Activation::default()).beside(2);
        let theta = parameters(&network, 3);
        let mut sweep = Sweep::new(&network, N);
        let coordinates: Vec<usize> = (0..theta.len()).collect();
        let problem = without_penalty(&inputs, &*loss, &network);
        let hessian = gauss_newton(&problem, &theta, &coordinates, &mut sweep);
        let h = 1e-5;
        for i in 0..theta.len() {
            let mut moved = theta.clone();
            moved[i] += h;
            let up = problem.point(moved.clone(), &mut sweep).gradient;
            moved[i] -= 2.0 * h;
            let down = problem.point(moved, &mut sweep).gradient;
            for j in 0..theta.len() {
                let numeric = (up[j] - down[j]) / (2.0 * h);
                assert!((numeric - hessian[(i, j)]).abs() < 1e-5 * (1.0 + numeric.abs()), "{loss:?} {i} {j}");
            }
        }
    }
}

#[test]
fn the_jacobian_of_a_network_agrees_with_differences_of_its_outputs() {
    let x = standardised(N, P + 2, 1);
    let network = Network::new(P, &[4, 3], 2, &Activation::interactions()).beside(2);
    let theta = parameters(&network, 8);
    let mut ws = Workspace::new(&network, N);
    let coordinates: Vec<usize> = (0..theta.len()).collect();
    network.forward(&theta, &x, &mut ws);
    let jacobians = network.jacobians(&theta, &x, &mut ws, &coordinates);
    let h = 1e-6;
    for direction in 0..20 {
        let mut d = gaussian(theta.len(), 100 + direction);
        network.project_to_tangent(&theta, &mut d);
        let mut out = |sign: f64| {
            let moved: Vec<f64> = theta.iter().zip(&d).map(|(t, d)| t + sign * h * d).collect();
            network.forward(&moved, &x, &mut ws);
            ws.out.clone()
        };
        let (up, down) = (out(1.0), out(-1.0));
        for (t, jacobian) in jacobians.iter().enumerate() {
            for i in 0..N {
                let numeric = (up[t * N + i] - down[t * N + i]) / (2.0 * h);
                let exact: f64 = (0..theta.len()).map(|j| jacobian[(i, j)] * d[j]).sum();
                assert!((numeric - exact).abs() < 1e-5 * (1.0 + exact.abs()));
            }
        }
    }
}

#[test]
fn gauss_newton_of_several_outputs_is_that_of_their_derivatives() {
    // more samples than are worked on together
    let n = 600;
    let x = standardised(n, P + 2, 1);
    let inputs = Inputs::all(&x, n);
    for link in [Link::Softmax, Link::Logit] {
        let labels: Vec<usize> = (0..n).map(|i| (i * i + i / 3) % 4).collect();
        let loss = Classes::new(labels, 4, Samples::default(), link);
        let m = loss.n_outputs();
        for hidden in [&[][..], &[4], &[4, 3]] {
            let network = Network::new(P, hidden, m, &Activation::default()).beside(2);
            let theta = parameters(&network, 8);
            let coordinates: Vec<usize> = (0..theta.len()).filter(|i| i % 3 != 1).collect();
            let d = coordinates.len();
            let problem = without_penalty(&inputs, &loss, &network);
            let found = gauss_newton(&problem, &theta, &coordinates, &mut Sweep::new(&network, n));
            let mut ws = Workspace::new(&network, n);
            network.forward(&theta, &x, &mut ws);
            let mut hessians = vec![0.0; n * m * m];
            loss.curvature(0.0, &ws.out.clone()).of_rows(0..n, &mut hessians);
            let jacobians = network.jacobians(&theta, &x, &mut ws, &coordinates);
            let term = |p: usize, q: usize, i: usize, at: usize| {
                jacobians[at / m][(i, p)] * hessians[i * m * m + at] * jacobians[at % m][(i, q)]
            };
            for (p, q) in (0..d).flat_map(|p| (0..d).map(move |q| (p, q))) {
                let sum: f64 = (0..n).map(|i| (0..m * m).map(|at| term(p, q, i, at)).sum::<f64>()).sum();
                let error = (found[(p, q)] - sum).abs();
                assert!(error < 1e-10 * n as f64, "{link:?} {hidden:?} {p} {q}: {} {sum}", found[(p, q)]);
            }
        }
    }
}

#[test]
fn the_hessian_of_a_network_agrees_with_differences_of_its_gradient() {
    let x = standardised(N, P + 2, 1);
    let inputs = Inputs::all(&x, N);
    let activations = [Activation::default(), Activation::softplus(), Activation::interactions()];
    for loss in at_noise_too(losses_of_known_curvature(N)) {
        for (activation, hidden) in activations.iter().flat_map(|a| [(a, &[4][..]), (a, &[4, 3][..])]) {
            let network = Network::new(P, hidden, loss.n_outputs(), activation).beside(2);
            let theta = parameters(&network, 3);
            let mut sweep = Sweep::new(&network, N);
            let coordinates: Vec<usize> = (0..theta.len()).collect();
            let problem = without_penalty(&inputs, &*loss, &network);
            let point = problem.point(theta.clone(), &mut sweep);
            let whole = Hessian::at(&problem, point.loss, &theta, &coordinates, true, &mut sweep);
            let hessian = whole.gauss_newton + whole.of_network;
            let h = 1e-6;
            for direction in 0..5 {
                let mut d = gaussian(theta.len(), 100 + direction);
                network.project_to_tangent(&theta, &mut d);
                let mut gradient = |sign: f64| {
                    let mut moved: Vec<f64> = theta.iter().zip(&d).map(|(t, d)| t + sign * h * d).collect();
                    network.normalise(&mut moved);
                    problem.point(moved, &mut sweep).gradient
                };
                let (up, down) = (gradient(1.0), gradient(-1.0));
                let mut numeric: Vec<f64> = up.iter().zip(down).map(|(a, b)| (a - b) / (2.0 * h)).collect();
                network.project_to_tangent(&theta, &mut numeric);
                let size = norm(&numeric);
                for (i, numeric) in numeric.into_iter().enumerate() {
                    let exact: f64 = (0..theta.len()).map(|j| hessian[(i, j)] * d[j]).sum();
                    assert!(
                        (numeric - exact).abs() < 1e-5 * size,
                        "{activation} {hidden:?} {i}: {numeric} {exact} {size}"
                    );
                }
            }
        }
    }
}

fn without_penalty<'a>(x: &'a Inputs, loss: &'a dyn Loss, network: &'a Network) -> Problem<'a> {
    Problem {
        x,
        loss,
        network,
        penalty: Penalty::L1,
        lambda: 0.0,
        tau: 1.0,
        scale: 1.0,
        ridge: 0.0,
        frozen: None,
        observer: &(),
    }
}
