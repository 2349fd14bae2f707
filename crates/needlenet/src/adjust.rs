//! Inputs that are always in: the null model `c + Z gamma`, and the scale of the other inputs given
//! it.
//!
//! The null fit is the unpenalised fit of the outcome on `(1, Z)`. Its part `Z gamma` becomes a known part of the outputs. So
//! the empty model, its residuals, lambda_0, the null law and the price are those of the hypothesis that only `Z` matters, for
//! every outcome. The weights of `Z` in the network are changes relative to the null fit, and are fitted again together with the
//! needles. The residual of a numerical outcome is scaled to standard deviation 1 again.
//!
//! The unit of an input is its standard deviation given `Z` (`threshold/projection.rs`). Otherwise an input that is correlated
//! with `Z` would have a smaller null statistic than others for the same gain, and the price of a degree of freedom, which is
//! computed from that statistic, would be too low. Cost: O(n p (q + 1)). Tested in `tests/always_in.rs`.

use crate::error::{Error, Result};
use crate::local::descent::{Limits, descend};
use crate::local::objective::Problem;
use crate::network::{Inputs, Link, Network, Sweep};
use crate::outcome::{Loss, loss_of};
use crate::penalty::Penalty;
use crate::settings::Settings;
use crate::table::{AlwaysIn, Canonical, Target};
use crate::threshold::{Metric, NullChoice, Projection};

/// The smallest unit of an input, as a part of its standard deviation: the unit of a copy of `Z` would be rounding error. An
/// input at this bound has a smaller null statistic than others, so the level holds.
const LEAST_BEYOND: f64 = 0.2;
/// If the null fit leaves less than this part of the standard deviation or deviance of the outcome, nothing
/// is left to explain.
const NOTHING: f64 = 1e-6;
/// Precision of the null fit, in units of the null statistic.
const OF_NULL: Limits =
    Limits { tolerance: 1e-9, max_iterations: 1000, max_newton: usize::MAX, least_gain: 0.0 };

/// The outcome given the inputs that are always in.
pub(crate) struct Adjusted {
    /// The loss with the null fit as offset.
    pub loss: Box<dyn Loss>,
    /// The weights of the null fit, `n_outputs x q`.
    pub null_fit: Vec<f64>,
    /// The projection onto the null fit, if there are inputs that are always in.
    pub beyond: Option<Projection>,
}

/// The unit of a column, in its standard deviations.
pub(crate) fn unit_beyond(projection: &Projection, column: &[f64]) -> f64 {
    projection.spread_beyond(column).max(LEAST_BEYOND)
}

/// Removes the null fit from the outcome of `table`, and sets the units of its inputs.
pub(crate) fn adjusted(table: &mut Canonical, link: Link, settings: &Settings) -> Result<Adjusted> {
    let loss = loss_of(&table.target, &table.samples, link, settings);
    let Some(always) = table.samples.always.clone() else {
        return Ok(Adjusted { loss, null_fit: Vec::new(), beyond: None });
    };
    let mut gamma = null_fit(&*loss, &always, settings);
    let explained = always.outputs(&gamma);
    let (loss, left) = match take_out(table, &explained, settings.scale_outcome) {
        Some((left, factor)) => {
            gamma.iter_mut().for_each(|g| *g *= factor);
            (loss_of(&table.target, &table.samples, link, settings), left)
        }
        None => {
            let shifted = loss.shifted(&explained).ok_or_else(|| Error::Conflict {
                what: "this outcome has no model of inputs that are always in".into(),
                remedy: "leave them among the inputs, or out of the table",
            })?;
            let left = shifted.null_loss() / shifted.size();
            (shifted, left)
        }
    };
    if left.is_nan() || left <= NOTHING {
        return Err(Error::Conflict {
            what: "the inputs that are always in explain the outcome perfectly: nothing is left to be found"
                .into(),
            remedy: "leave out the one that repeats the outcome",
        });
    }
    let null = loss.null();
    let important = table.samples.important;
    let permuted = settings.null == NullChoice::Permutation || important || null.is_permuted();
    let metric = Metric::of(&*loss, null.columns(table.n), permuted).of_one_column();
    let projection = Projection::new(always.values(), metric);
    table.take_units(|x| unit_beyond(&projection, x));
    Ok(Adjusted { loss, null_fit: gamma, beyond: Some(projection) })
}

/// The weights of `Z` in the fit of the outcome on `(1, Z)`.
fn null_fit(loss: &dyn Loss, always: &AlwaysIn, settings: &Settings) -> Vec<f64> {
    let n = loss.n();
    let network = Network::new(0, &[], loss.n_outputs(), &settings.activation).beside(always.len());
    // at fixed noise the loss is smooth and has the same minimum
    let held = loss.at_noise(1.0);
    let problem = Problem {
        x: &Inputs::all(always.values(), n),
        loss: &*held,
        network: &network,
        penalty: Penalty::L1,
        lambda: 0.0,
        tau: 1.0,
        scale: loss.size().sqrt(),
        ridge: 0.0,
        frozen: None,
        observer: &(),
    };
    let mut theta = vec![0.0; network.n_params()];
    theta[network.last().biases.clone()].copy_from_slice(&loss.null_intercept());
    let end = descend(&problem, theta, OF_NULL, &mut Sweep::new(&network, n));
    end.point.theta[network.always()].to_vec()
}

/// Subtracts the outputs `explained` from a numerical outcome and rescales the rest to the standard deviation that the outcome
/// had, unless it keeps its unit. Returns the remaining part of the standard deviation and the scale of the outputs; none for
/// other outcomes.
fn take_out(table: &mut Canonical, explained: &[f64], scale_outcome: bool) -> Option<(f64, f64)> {
    let Target::Numbers { y, scaling, spread } = &mut table.target else { return None };
    y.iter_mut().zip(explained).for_each(|(y, e)| *y -= e);
    let squares = table.samples.sum(y.len(), |i| y[i] * y[i]);
    let left = (squares / table.samples.total(y.len())).sqrt();
    let part = left / *spread;
    if !scale_outcome {
        *spread = left;
        return Some((part, 1.0));
    }
    y.iter_mut().for_each(|y| *y /= left);
    scaling.scale *= left;
    Some((part, 1.0 / left))
}
