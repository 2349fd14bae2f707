//! `L_n = ||y - mu||_2`, the square-root loss, whose null statistic does not depend on the noise.

use crate::product::norm;

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
