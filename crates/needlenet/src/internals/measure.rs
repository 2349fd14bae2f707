//! The inner loops alone, so that `make bench` can time them.
//!
//! Shapes are those of the first layer: `n` samples, `p` inputs, `width` neurons.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use crate::activation::Activation;
use crate::local::active::Live;
use crate::local::descent::{Limits, descend};
use crate::local::working_set::Setting;
use crate::network::{Inputs, Network, Sweep};
use crate::outcome::{Loss, Numbers, Survival, Ties};
use crate::product::{gram, multiply, multiply_add_long, view, view_mut};
use crate::search::starts::{promising_inputs, random_start};
use crate::settings::Settings;
use crate::table::{Design, Samples, TieGroup};

fn gaussian(count: usize, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| rng.sample(StandardNormal)).collect()
}

/// The two products of an evaluation, which touch every input.
pub struct Products {
    shape: (usize, usize, usize),
    x: Vec<f64>,
    w: Vec<f64>,
    u: Vec<f64>,
    room: Vec<f64>,
    gradient: Vec<f64>,
}

impl Products {
    /// Gaussian matrices of the shape.
    pub fn new(n: usize, p: usize, width: usize) -> Self {
        Products {
            shape: (n, p, width),
            x: gaussian(n * p, 1),
            w: gaussian(width * p, 2),
            u: gaussian(n * width, 3),
            room: vec![0.0; n * width],
            gradient: vec![0.0; width * p],
        }
    }

    /// `U += X W'`
    pub fn forward(&mut self) {
        let (n, p, width) = self.shape;
        let w = view(&self.w, width, p);
        multiply_add_long(&mut self.u, view(&self.x, n, p), w, &mut self.room);
    }

    /// `G = U' X`
    pub fn gradient(&mut self) {
        let (n, p, width) = self.shape;
        let u = view(&self.u, n, width);
        multiply(view_mut(&mut self.gradient, width, p), u.transpose(), view(&self.x, n, p));
    }
}

/// A descent of a network on the few inputs in use, out of a table of Gaussian columns.
pub struct Iterations {
    x: Design,
    loss: Numbers,
    start: Live,
}

impl Iterations {
    /// A table of `n` samples and `p` inputs, a network of `width` neurons on the `active` most promising.
    pub fn new(n: usize, p: usize, width: usize, active: usize) -> Self {
        let x = gaussian(n * p, 1);
        let y = x[..n].iter().zip(gaussian(n, 2)).map(|(x, noise)| x + 0.5 * noise).collect();
        let (loss, x) = (Numbers::new(y), Design::dense(x, n));
        let network = Network::new(p, &[width], 1, &Activation::default());
        let start = random_start(&loss, &network, &promising_inputs(&x, &loss, active), 1);
        Iterations { x, loss, start }
    }

    /// Descends for at most this many quasi-Newton iterations: at this `lambda` too many weights stay in use for Newton steps. Returns the number of iterations and of forward passes.
    pub fn descend(&self, iterations: usize) -> (usize, usize) {
        let loss = self.loss.at_noise(0.5);
        let penalty = Settings::default().penalty;
        let setting = Setting {
            x: &self.x,
            loss: &*loss,
            penalty,
            lambda: 0.01,
            tau: 0.5,
            without: &[],
            observer: &(),
        };
        let x = setting.inputs(&self.start.columns);
        let problem = setting.on(&x, &self.start.network);
        let mut sweep = Sweep::new(&self.start.network, loss.n());
        let limits =
            Limits { tolerance: 0.0, max_iterations: iterations, max_newton: usize::MAX, least_gain: 0.0 };
        (descend(&problem, self.start.theta.clone(), limits, &mut sweep).iterations, sweep.passes)
    }

    /// One evaluation of the loss and its gradient.
    pub fn evaluation(&self) -> impl FnMut() + '_ {
        let network = &self.start.network;
        let n = self.loss.n();
        let x = Inputs::of(&self.x, &self.start.columns, None);
        let mut sweep = Sweep::new(network, n);
        let mut gradient = vec![0.0; network.n_params()];
        move || {
            sweep.forward(network, &self.start.theta, &x);
            self.loss.evaluate(&sweep.out, &mut sweep.d_out);
            gradient.fill(0.0);
            sweep.backward(network, &self.start.theta, &x, &mut gradient);
        }
    }
}

/// One evaluation of the loss of survival and its derivative, for `n` samples with three events at each time and half of them censored.
pub fn survival(n: usize) -> impl FnMut() {
    let times: Vec<f64> = (0..n).map(|i| (n - i / 6) as f64).collect();
    let events: Vec<bool> = (0..n).map(|i| i % 6 >= 3).collect();
    let groups = TieGroup::all(&times, &vec![0; n], &events);
    let loss = Survival::new(groups, events, Samples::default(), Ties::Efron);
    let (out, mut d_out) = (gaussian(n, 1), vec![0.0; n]);
    move || {
        std::hint::black_box(loss.evaluate(&out, &mut d_out));
    }
}

/// The curvature of `d` parameters on `n` samples: `J'J`.
pub fn curvature(n: usize, d: usize) -> impl FnMut() {
    let jacobian = gaussian(n * d, 1);
    move || {
        std::hint::black_box(gram(view(&jacobian, n, d), 1.0));
    }
}
