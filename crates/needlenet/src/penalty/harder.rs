//! `rho_nu(t) = t / (1 + t^(1-nu))`: grows like `t^nu`; for small `nu` it counts the weights rather
//! than their size.

use crate::elementary::pow;

pub(super) fn value_and_slope(t: f64, nu: f64) -> (f64, f64) {
    let power = pow(t, 1.0 - nu);
    let below = 1.0 + power;
    (t / below, (1.0 + nu * power) / (below * below))
}
