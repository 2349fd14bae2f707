//! `L_n = ||y - mu||_2`, the square-root loss, whose null statistic does not depend on the noise.

use crate::product::{dot, norm};

pub(super) fn evaluate(y: &[f64], out: &[f64], d_out: &mut [f64]) -> f64 {
    for ((d, o), y) in d_out.iter_mut().zip(out).zip(y) {
        *d = o - y;
    }
    let length = norm(d_out);
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
    unit * (dot(d_out, d_out) + 1.0) / 2.0
}
