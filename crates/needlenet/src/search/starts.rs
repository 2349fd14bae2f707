//! Starts of the solver: random neurons, or the known descent direction out of the empty model.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use crate::local::active::Live;
use crate::local::working_set::Setting;
use crate::network::{Network, Sweep};
use crate::outcome::Loss;
use crate::product::{dot, view};
use crate::table::Design;

/// The `most` inputs whose values or squared values correlate most with the outcome; ascending.
pub(crate) fn promising_inputs(x: &Design, loss: &dyn Loss, most: usize) -> Vec<usize> {
    if x.p() <= most {
        return (0..x.p()).collect();
    }
    let residuals = null_residuals(loss);
    most_promising(&x.map(|column| promise(column, &residuals)), most)
}

/// The derivative of the loss by the outputs at the empty model.
pub(crate) fn null_residuals(loss: &dyn Loss) -> Vec<f64> {
    let constant = loss.null_outputs();
    let mut residuals = vec![0.0; constant.len()];
    loss.evaluate(&constant, &mut residuals);
    residuals
}

/// The correlation of a column, or of its square, with residuals.
pub(crate) fn promise(x: &[f64], residuals: &[f64]) -> f64 {
    let along = |r: &[f64]| dot(x, r).abs();
    // a standardised column has squares of mean 1 and, if Gaussian, standard deviation sqrt(2)
    let bent = |r: &[f64]| x.iter().zip(r).map(|(x, r)| (x * x - 1.0) * r).sum::<f64>().abs() / 2.0f64.sqrt();
    let total = |f: &dyn Fn(&[f64]) -> f64| residuals.chunks(x.len()).map(f).sum::<f64>();
    total(&along).max(total(&bent))
}

/// The indices of the `most` largest scores, ascending.
pub(crate) fn most_promising(scores: &[f64], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    order.truncate(most);
    order.sort_unstable();
    order
}

/// Weights that give pre-activations of the size of the outcome; upper rows with entries of equal size and
/// alternating sign.
pub(crate) fn random_start(loss: &dyn Loss, network: &Network, columns: &[usize], seed: u64) -> Live {
    let network = &network.restricted(columns.len(), &(0..network.width()).collect::<Vec<_>>());
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // the null draws use the streams from zero upwards
    rng.set_stream(u64::MAX);
    let p = network.n_inputs();
    let mut theta = vec![0.0; network.n_params()];
    if !network.is_linear() {
        let size = loss.spread() / (p as f64).sqrt();
        for w in &mut theta[network.layers[0].weights.clone()] {
            *w = size * rng.sample::<f64, _>(StandardNormal);
        }
        for layer in network.unit_layers() {
            for w in &mut theta[layer.weights.clone()] {
                *w = if rng.random::<bool>() { 1.0 } else { -1.0 };
            }
        }
        network.normalise(&mut theta);
    }
    theta[network.last().biases.clone()].copy_from_slice(&loss.null_intercept());
    Live { columns: columns.to_vec(), network: network.clone(), theta }
}

/// The same function with new neurons in place of the dead ones, on the live inputs.
///
/// The new neurons are small and bend in the middle of the data. Upper rows have unit norm, so the
/// live neurons give up part of it to the new ones, and get larger first-layer weights in return:
/// beyond its bend a neuron is linear.
pub(crate) fn reheated(live: &Live, network: &Network, seed: u64) -> Live {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(u64::MAX);
    let (old, full) = (live.network.width(), network.width());
    if network.is_linear() || old >= full || live.columns.is_empty() {
        return live.clone();
    }
    let p = live.columns.len();
    let fresh = full - old;
    let share = (0.5 * fresh as f64 / full as f64).sqrt();
    let kept = (1.0 - share * share).sqrt();
    let size = 0.1 / (p as f64).sqrt();
    let u0 = network.activation.shift;
    let wide = network.restricted(p, &(0..full).collect::<Vec<_>>());
    let mut theta = Vec::with_capacity(wide.n_params());
    for at in 0..p {
        theta.extend(live.column(at).iter().map(|w| w / kept));
        theta.extend((0..fresh).map(|_| size * rng.sample::<f64, _>(StandardNormal)));
    }
    let first = &live.network.layers[0];
    theta.extend(live.theta[first.biases.clone()].iter().map(|b| (b + u0) / kept - u0));
    theta.extend((0..fresh).map(|_| -u0));
    for (k, layer) in live.network.layers.iter().enumerate().skip(1) {
        let weights = &live.theta[layer.weights.clone()];
        if k == 1 {
            theta.extend(weights.iter().map(|w| w * kept));
            let each = share / (fresh as f64).sqrt();
            theta.extend((0..fresh * layer.outputs).map(|_| if rng.random::<bool>() { each } else { -each }));
        } else {
            theta.extend_from_slice(weights);
        }
        theta.extend_from_slice(&live.theta[layer.biases.clone()]);
    }
    theta.extend_from_slice(&live.theta[live.network.always()]);
    wide.normalise(&mut theta);
    Live { columns: live.columns.clone(), network: wide, theta }
}

/// The empty model with the upper weights that attain `lambda_0` (proof of Theorem 3).
///
/// One neuron sees one input, the one that attains `lambda_0`, with weight zero. Each row above it
/// has equal entries. In the last layer, row `t` has the sign of the derivative of the loss by
/// output `t` along that input, so that the contributions of all outputs add up.
pub(crate) fn steepest_way_out(setting: &Setting, network: &Network) -> Option<Live> {
    let n = setting.loss.n();
    let empty = setting.empty(network);
    let mut sweep = Sweep::new(&empty.network, n);
    sweep.forward(&empty.network, &empty.theta, &setting.inputs(&[]));
    setting.loss.evaluate(&sweep.out, &mut sweep.d_out);
    let outputs = sweep.d_out.len() / n;
    let mut along = vec![0.0; outputs * network.n_inputs()];
    setting.x.multiply(&mut along, view(&sweep.d_out, n, outputs).transpose(), 0..network.n_inputs());
    let along = |j: usize| &along[j * outputs..(j + 1) * outputs];
    let total = |j: &usize| along(*j).iter().map(|v| v.abs()).sum::<f64>();
    let best = (0..network.n_inputs()).max_by(|a, b| total(a).total_cmp(&total(b)).then(b.cmp(a)))?;
    let signs: Vec<f64> = along(best).iter().map(|v| v.signum()).collect();

    let mut out = empty.with_columns(&[best]);
    let last = out.network.last().clone();
    for (at, w) in out.theta[last.weights].iter_mut().enumerate() {
        *w *= signs[at % last.outputs];
    }
    Some(out)
}

/// A point whose objective is below that of the empty model, if `lambda_0 > lambda`.
pub(crate) fn way_out_of_zero(setting: &Setting, network: &Network) -> Option<Live> {
    let mut out = steepest_way_out(setting, network)?;
    let columns = out.columns.clone();
    let x = setting.inputs(&columns);
    let mut sweep = Sweep::new(&out.network, setting.loss.n());
    let mut objective =
        |out: &Live| setting.on(&x, &out.network).point(out.theta.clone(), &mut sweep).objective;
    let empty = objective(&out);
    let unit = setting.loss.spread();
    let mut step = 0.5 * unit;
    while step > 1e-12 * unit {
        out.theta[0] = -step;
        if objective(&out) < empty {
            return Some(out);
        }
        step *= 0.5;
    }
    None
}
