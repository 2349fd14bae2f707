//! `L_n = ||y - mu||_2`, the square-root loss, whose null statistic does not depend on the noise.

use crate::network::WHOLE;
use crate::product::dot;

pub(super) fn evaluate(y: &[f64], out: &[f64], d_out: &mut [f64]) -> f64 {
    for ((d, o), y) in d_out.iter_mut().zip(out).zip(y) {
        *d = o - y;
    }
    let length = sum_of_squares(d_out).sqrt();
    // the norm has no gradient at zero residual; zero is one of its subgradients
    if length > 0.0 {
        d_out.iter_mut().for_each(|d| *d /= length);
    }
    length
}

pub(super) fn evaluate_squares(y: &[f64], tau: f64, out: &[f64], d_out: &mut [f64]) -> f64 {
    let unit = tau * (y.len() as f64).sqrt();
    for ((d, o), y) in d_out.iter_mut().zip(out).zip(y) {
        *d = (o - y) / unit;
    }
    unit * (sum_of_squares(d_out) + 1.0) / 2.0
}

/// A tall table by halves, with the small error of a sum of sums.
fn sum_of_squares(r: &[f64]) -> f64 {
    if r.len() <= WHOLE {
        return dot(r, r);
    }
    let (first, second) = r.split_at(r.len() / 2);
    sum_of_squares(first) + sum_of_squares(second)
}
