//! Tall tables go through the network block by block, and nothing is lost on the way.

use super::{gaussian, losses, standardised};
use crate::activation::Activation;
use crate::local::curvature::gauss_newton;
use crate::local::working_set::Setting;
use crate::network::{Inputs, Link, Network, Sweep, WHOLE, Workspace};
use crate::outcome::{Classes, Coupling, Loss, Numbers};
use crate::penalty::Penalty;
use crate::table::{AlwaysIn, Design, Samples};

/// Five blocks of which the last is not full.
const N: usize = WHOLE + 500;
const P: usize = 4;
const COLUMNS: [usize; 3] = [0, 2, 3];

fn assert_close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    let size = b.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() < 1e-12 * size, "{a} {b}");
    }
}

/// In threads of its own: gradient, dual norms by every input, and curvature; hidden layers are stored for at most `kept` samples.
fn by_blocks(
    setting: &Setting,
    network: &Network,
    theta: &[f64],
    threads: usize,
    kept: usize,
) -> [Vec<f64>; 4] {
    let x = setting.inputs(&COLUMNS);
    let problem = setting.on(&x, network);
    let coordinates: Vec<usize> = (0..theta.len()).collect();
    let work = || {
        let mut sweep = Sweep::keeping(network, N, kept);
        let gradient = problem.point(theta.to_vec(), &mut sweep).gradient;
        let out = sweep.out.clone();
        let sizes = setting.gradient_sizes(network, theta, &x, &mut sweep);
        let hessian = gauss_newton(&problem, theta, &coordinates, &mut sweep);
        [
            out,
            gradient,
            sizes,
            hessian.col_iter().flat_map(|c| c.iter().copied().collect::<Vec<_>>()).collect(),
        ]
    };
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn blocks_give_what_the_whole_table_gives_with_the_same_bits_on_any_number_of_threads() {
    let table = standardised(N, P, 1);
    let design = Design::dense(table.clone(), N);
    let x: Vec<f64> = COLUMNS.iter().flat_map(|j| table[j * N..(j + 1) * N].to_vec()).collect();
    let always = Some(AlwaysIn::new(gaussian(2 * N, 6), N));
    let beside = Numbers::with_spread(gaussian(N, 7), Samples { always, ..Samples::default() }, 1.0);
    let last: Box<dyn Loss> = Box::new(beside);
    for loss in losses(N).into_iter().chain([last]) {
        let always = loss.samples().always.iter().flat_map(|always| always.values().to_vec());
        let x: Vec<f64> = x.iter().copied().chain(always).collect();
        for hidden in [vec![], vec![3], vec![3, 2]] {
            let network = Network::new(COLUMNS.len(), &hidden, loss.n_outputs(), &Activation::default())
                .beside(loss.samples().n_always());
            let mut theta: Vec<f64> = gaussian(network.n_params(), 5).iter().map(|v| 0.6 * v).collect();
            network.normalise(&mut theta);
            let (penalty, lambda) = (Penalty::L1, 0.7);
            let setting =
                Setting { x: &design, loss: &*loss, penalty, lambda, tau: 1.0, without: &[], observer: &() };
            let blocks = by_blocks(&setting, &network, &theta, 2, N);
            assert_eq!(blocks, by_blocks(&setting, &network, &theta, 1, N));
            assert_eq!(blocks, by_blocks(&setting, &network, &theta, 2, 0));

            let mut ws = Workspace::new(&network, N);
            network.forward(&theta, &x, &mut ws);
            let value = loss.evaluate(&ws.out, &mut ws.d_out);
            let mut gradient = vec![0.0; theta.len()];
            network.backward(&theta, &x, &mut ws, &mut gradient);
            let by_input = |j: usize| {
                let along =
                    |delta: &[f64]| delta.iter().zip(&table[j * N..]).map(|(d, x)| d * x).sum::<f64>();
                ws.first_delta().chunks(N).map(|delta| along(delta).abs()).fold(0.0, f64::max)
            };
            let sizes: Vec<f64> = (0..P).map(by_input).collect();
            let out = ws.out.clone();
            let coordinates: Vec<usize> = (0..theta.len()).collect();
            let jacobians = network.jacobians(&theta, &x, &mut ws, &coordinates);
            let m = loss.n_outputs();
            let mut curvatures = vec![0.0; N * m * m];
            let curvature = loss.curvature(value, &out);
            curvature.of_rows(0..N, &mut curvatures);
            // sum over samples and outputs of J_s' h_st J_t
            let mut hessian = faer::Mat::<f64>::zeros(theta.len(), theta.len());
            for (s, t) in (0..m * m).map(|at| (at / m, at % m)) {
                let h = |i: usize| curvatures[i * m * m + s * m + t];
                let weighted = faer::Mat::from_fn(N, theta.len(), |i, j| h(i) * jacobians[t][(i, j)]);
                hessian += jacobians[s].transpose() * weighted;
            }
            // what couples the samples, one after the other
            if let Some(Coupling { v, marks, starts }) = &curvature.coupling {
                let mut sum = vec![0.0; theta.len()];
                for i in 0..N {
                    if starts.contains(&i) {
                        sum.fill(0.0);
                    }
                    sum.iter_mut().enumerate().for_each(|(j, s)| *s += v[i] * jacobians[0][(i, j)]);
                    let Some((_, c)) = marks.iter().find(|(k, _)| *k == i) else { continue };
                    for (j, k) in
                        (0..theta.len() * theta.len()).map(|at| (at / theta.len(), at % theta.len()))
                    {
                        hessian[(j, k)] -= c * sum[j] * sum[k];
                    }
                }
            }
            let hessian: Vec<f64> =
                hessian.col_iter().flat_map(|c| c.iter().copied().collect::<Vec<_>>()).collect();
            network.project_to_tangent(&theta, &mut gradient);

            let [by_blocks, gradient_by_blocks, sizes_by_blocks, hessian_by_blocks] = blocks;
            assert_close(&by_blocks, &out);
            assert_close(&gradient_by_blocks, &gradient);
            assert_close(&sizes_by_blocks, &sizes);
            assert_close(&hessian_by_blocks, &hessian);
        }
    }
}

/// Steps near a minimum change the loss by a few units in its last place. Equal samples are the worst case of a sum: added one
/// by one they are wrong by 1e-12 to 1e-11. Runs of up to 4,096, as here, can be wrong by `4096 * f64::EPSILON / 2 = 5e-13`.
#[test]
fn the_loss_of_a_million_equal_samples_is_a_million_times_that_of_one() {
    let n = 1_000_000;
    let of_classes = |link| {
        let labels = (0..n).map(|i| i % 2).collect();
        Box::new(Classes::new(labels, 2, Samples::default(), link)) as Box<dyn Loss>
    };
    let numbers = Numbers::new(vec![0.1; n]);
    let expected = [
        // a noise so small that the squares are nearly all of it
        (numbers.at_noise(1e-3), (0.1 * 0.1 * n as f64 + 1.0) / 2.0),
        (Box::new(numbers) as Box<dyn Loss>, (n as f64).sqrt() * 0.1),
        (of_classes(Link::Softmax), n as f64 * 2f64.ln()),
        (of_classes(Link::Logit), n as f64 * 2f64.ln()),
    ];
    for (loss, expected) in expected {
        let mut derivative = vec![0.0; n * loss.n_outputs()];
        let value = loss.evaluate(&vec![0.0; derivative.len()], &mut derivative);
        assert!((value - expected).abs() < 1e-13 * expected, "{value} {expected}");
    }
}

#[test]
fn a_block_has_the_rows_of_the_columns_that_are_meant() {
    let (n, columns) = (WHOLE + 1, [1, 2]);
    let x: Vec<f64> = (0..3 * n).map(|i| i as f64).collect();
    let mut room = Vec::new();
    let x = Design::dense(x, n);
    let always = AlwaysIn::new((0..n).map(|i| -(i as f64)).collect(), n);
    let inputs = Inputs::of(&x, &columns, Some(&always));
    let mut expected: Vec<f64> = [n + 5, n + 6, 2 * n + 5, 2 * n + 6].iter().map(|i| *i as f64).collect();
    expected.extend([-5.0, -6.0]);
    assert_eq!(inputs.rows(&(5..7), &mut room), expected);
}
