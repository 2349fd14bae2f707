//! MCP with slope 1 at zero: `rho(t) = t - t^2 / (2 a)`, flat from `a` on.

pub(super) fn value_and_slope(t: f64, a: f64) -> (f64, f64) {
    if t < a { (t - t * t / (2.0 * a), 1.0 - t / a) } else { (a / 2.0, 0.0) }
}
