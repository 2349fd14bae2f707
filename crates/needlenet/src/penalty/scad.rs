//! SCAD with slope 1 at zero: linear to 1, then quadratic, flat from `a` on.
//!
//! `rho'(t) = 1` for `t <= 1`, `(a - t) / (a - 1)` between, 0 from `a` on.

pub(super) fn value_and_slope(t: f64, a: f64) -> (f64, f64) {
    if t <= 1.0 {
        (t, 1.0)
    } else if t < a {
        let slope = (a - t) / (a - 1.0);
        (1.0 + (t - 1.0) * (1.0 + slope) / 2.0, slope)
    } else {
        ((a + 1.0) / 2.0, 0.0)
    }
}
