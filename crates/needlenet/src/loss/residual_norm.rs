//! `L_n = ||y - mu||_2`, the square-root loss, whose null statistic does not depend on the noise.

use faer::Mat;

use super::gram;
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

/// `(J'J - (J'u)(J'u)') / ||r||` with `u = r / ||r||`: the norm is flat along the residual.
pub(super) fn gauss_newton(y: &[f64], out: &[f64], jacobian: &Mat<f64>) -> Mat<f64> {
    let mut direction = vec![0.0; y.len()];
    let length = evaluate(y, out, &mut direction).max(f64::MIN_POSITIVE);
    let mut hessian = gram(jacobian.as_ref(), 1.0 / length);
    let along: Vec<f64> =
        jacobian.col_iter().map(|column| column.iter().zip(&direction).map(|(j, u)| j * u).sum()).collect();
    for (i, a) in along.iter().enumerate() {
        for (j, b) in along.iter().enumerate() {
            hessian[(i, j)] -= a * b / length;
        }
    }
    hessian
}
