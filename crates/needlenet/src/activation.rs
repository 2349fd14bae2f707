//! The smooth activation family (paper, equation `sigmafamily`).
//!
//! $$\sigma_{M,u_0,k}(u) = \frac{f(u)^k - f(0)^k}{k}, \qquad f(u) = \frac1M \log(1 + e^{M(u + u_0)})$$
//!
//! `sigma(0) = 0`, so that a network without first-layer weights is constant, and `sigma'(0) > 0`,
//! so that the zero-thresholding function has a closed form. With `u0 = 1` the members of one layer
//! may differ in `k`, because their slopes at zero agree.
//! Cost: one exponential per element. Tested in `src/tests/gradients.rs` and below.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::elementary::{pow, softplus, softplus_of_each};
use crate::error::{Error, Result};

/// Beyond this argument `exp(-z)` is below the rounding error of `1 + exp(-z)`.
const SATURATED: f64 = 40.0;

/// An activation: `sigma_{M, u0, k}`, where `k` may differ between the neurons of a layer.
///
/// ```
/// use needlenet::Activation;
/// let sigma = Activation::default();
/// assert_eq!(sigma.value(0.0, 1.0), 0.0);
/// assert!((sigma.slope_at_zero() - 1.0).abs() < 1e-8);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Activation {
    /// `M`: how sharp the bend is.
    pub sharpness: f64,
    /// `u0`: how far below zero the bend lies.
    pub shift: f64,
    /// `k` of the neurons of a layer: the layer is cut into as many equal parts as there are powers.
    pub powers: Vec<f64>,
}

impl Default for Activation {
    /// `sigma_{20,1,1}`, the paper's choice.
    fn default() -> Self {
        Activation { sharpness: 20.0, shift: 1.0, powers: vec![1.0] }
    }
}

impl Activation {
    /// Centred softplus, `log(1 + e^u) - log 2`: `(M, u0, k) = (1, 0, 1)`.
    pub fn softplus() -> Self {
        Activation { sharpness: 1.0, shift: 0.0, powers: vec![1.0] }
    }

    /// A smooth ReLU with its bend at zero: `(M, u0, k) = (20, 0, 1)`.
    pub fn smooth_relu() -> Self {
        Activation { sharpness: 20.0, shift: 0.0, powers: vec![1.0] }
    }

    /// Half the neurons linear and half quadratic beyond the bend, for interactions.
    pub fn interactions() -> Self {
        Activation { powers: vec![1.0, 2.0], ..Activation::default() }
    }

    /// Accepts `M > 0`, `u0 >= 0` and at least one power, each `k > 0`.
    pub fn check(&self) -> Result<()> {
        let bad = |name: &'static str, value: f64, accepted: &'static str| {
            Err(Error::Parameter { name, value: value.to_string(), accepted })
        };
        if !(self.sharpness > 0.0 && self.sharpness.is_finite()) {
            return bad("activation sharpness M", self.sharpness, "a finite number above 0");
        }
        if !(self.shift >= 0.0 && self.shift.is_finite()) {
            return bad("activation shift u0", self.shift, "a finite number of at least 0");
        }
        if self.powers.is_empty() {
            return bad("number of activation powers k", 0.0, "at least one power");
        }
        match self.powers.iter().find(|k| !(**k > 0.0 && **k <= 8.0)) {
            Some(&k) => bad("activation power k", k, "above 0 and at most 8"),
            None => Ok(()),
        }
    }

    /// The power `k` of one neuron of a layer of `width` neurons.
    pub fn power(&self, neuron: usize, width: usize) -> f64 {
        self.powers[neuron * self.powers.len() / width]
    }

    /// `sigma'(0) = f(0)^(k-1) f'(0)`, the largest over the powers in use.
    pub fn slope_at_zero(&self) -> f64 {
        self.powers.iter().map(|&k| self.slope(0.0, k)).fold(0.0, f64::max)
    }

    /// `sigma(u)` for the power `k`.
    pub fn value(&self, u: f64, k: f64) -> f64 {
        let mut value = [u];
        self.apply(k, &mut value, &mut [0.0]);
        value[0]
    }

    /// `sigma'(u)` for the power `k`.
    pub fn slope(&self, u: f64, k: f64) -> f64 {
        let mut slope = [0.0];
        self.apply(k, &mut [u], &mut slope);
        slope[0]
    }

    /// Multiplies by `sigma''(u)` for the power `k`, which follows from `sigma(u)` and `sigma'(u)`.
    pub(crate) fn times_bend(&self, k: f64, value: &[f64], slope: &[f64], to: &mut [f64]) {
        let m = self.sharpness;
        if k == 1.0 {
            return to.iter_mut().zip(slope).for_each(|(to, s)| *to *= m * s * (1.0 - s));
        }
        let at_zero = pow(softplus(m * self.shift).0 / m, k);
        for ((to, value), slope) in to.iter_mut().zip(value).zip(slope) {
            let power = k * value + at_zero;
            if power < 1e-12 * at_zero {
                // far to the left: nothing is left of `f^k` but rounding, and of the bend `k M^2 f^k`
                *to = 0.0;
                continue;
            }
            let f = pow(power, 1.0 / k);
            let sigmoid = slope * f / power;
            *to *= power / (f * f) * sigmoid * ((k - 1.0) * sigmoid + f * m * (1.0 - sigmoid));
        }
    }

    /// Replaces each `u` by `sigma(u)` and writes `sigma'(u)`, for one neuron over all samples.
    pub fn apply(&self, k: f64, u: &mut [f64], slope: &mut [f64]) {
        pulp::Arch::new().dispatch(Elementwise { sigma: self, k, u, slope });
    }
}

/// The activations that have a name.
fn named() -> [(&'static str, Activation); 4] {
    [
        ("default", Activation::default()),
        ("softplus", Activation::softplus()),
        ("smooth-relu", Activation::smooth_relu()),
        ("interactions", Activation::interactions()),
    ]
}

/// Its name, or its constants `M,u0,k`, several powers as `k:k`.
impl fmt::Display for Activation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = named().iter().find(|(_, activation)| activation == self) {
            return f.write_str(name);
        }
        let powers: Vec<String> = self.powers.iter().map(f64::to_string).collect();
        write!(f, "{},{},{}", self.sharpness, self.shift, powers.join(":"))
    }
}

/// Reads what [`Display`](fmt::Display) writes.
///
/// ```
/// use needlenet::Activation;
/// assert_eq!("20,1,1:2".parse(), Ok(Activation::interactions()));
/// assert_eq!(Activation::softplus().to_string(), "softplus");
/// ```
impl FromStr for Activation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if let Some((_, activation)) = named().into_iter().find(|(name, _)| *name == text) {
            return Ok(activation);
        }
        let numbers = |text: &str, by: char| -> Option<Vec<f64>> {
            text.split(by).map(|part| part.trim().parse().ok()).collect()
        };
        let parsed = text.rsplit_once(',').and_then(|(front, powers)| {
            let [sharpness, shift] = numbers(front, ',')?.try_into().ok()?;
            Some(Activation { sharpness, shift, powers: numbers(powers, ':')? })
        });
        let activation = parsed.ok_or_else(|| Error::Parameter {
            name: "activation",
            value: format!("\"{text}\""),
            accepted: "default, softplus, smooth-relu, interactions, or M,u0,k such as 20,1,1 or 20,1,1:2",
        })?;
        activation.check()?;
        Ok(activation)
    }
}

/// The loop over samples, compiled for each instruction set and chosen when the program runs.
struct Elementwise<'a> {
    sigma: &'a Activation,
    k: f64,
    u: &'a mut [f64],
    slope: &'a mut [f64],
}

impl pulp::NullaryFnOnce for Elementwise<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Elementwise { sigma, k, u, slope } = self;
        let (m, u0) = (sigma.sharpness, sigma.shift);
        let per_m = 1.0 / m;
        let at_zero = softplus(m * u0).0 * per_m;
        if k == 1.0 {
            u.iter_mut().for_each(|u| *u = m * (*u + u0));
            softplus_of_each(u, slope);
            u.iter_mut().for_each(|u| *u = *u * per_m - at_zero);
        } else if k == 2.0 {
            u.iter_mut().for_each(|u| *u = m * (*u + u0));
            softplus_of_each(u, slope);
            for (u, slope) in u.iter_mut().zip(slope) {
                let f = *u * per_m;
                *u = 0.5 * (f - at_zero) * (f + at_zero);
                *slope *= f;
            }
        } else {
            for (u, slope) in u.iter_mut().zip(slope) {
                let z = m * (*u + u0);
                let (f, sigmoid) = softplus(z);
                let f = f * per_m;
                let power = pow(f, k);
                // f'/f tends to M on the far left, where both underflow
                let ratio = if z < -SATURATED { m } else { sigmoid / f };
                *u = (power - pow(at_zero, k)) / k;
                *slope = power * ratio;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_is_zero_at_zero_and_rises_there() {
        for sigma in [Activation::default(), Activation::softplus(), Activation::smooth_relu()] {
            for k in [0.5, 1.0, 1.5, 2.0, 3.0] {
                assert_eq!(sigma.value(0.0, k), 0.0);
                assert!(sigma.slope(0.0, k) > 0.0);
            }
        }
    }

    #[test]
    fn slope_is_the_derivative_by_central_differences() {
        for sigma in [Activation::default(), Activation::softplus(), Activation::smooth_relu()] {
            for k in [0.5, 1.0, 1.7, 2.0, 3.0] {
                for u in [-6.0, -1.3, -1.0, -0.9, -0.2, 0.0, 0.4, 5.0] {
                    let h = 1e-6;
                    let numeric = (sigma.value(u + h, k) - sigma.value(u - h, k)) / (2.0 * h);
                    let exact = sigma.slope(u, k);
                    assert!((numeric - exact).abs() < 1e-7 * (1.0 + exact.abs()), "{sigma:?} {k} {u}");
                }
            }
        }
    }

    #[test]
    fn slopes_at_zero_agree_between_powers_when_the_shift_is_one() {
        let sigma = Activation::default();
        for k in [1.0, 2.0, 3.0] {
            assert!((sigma.slope(0.0, k) - 1.0).abs() < 1e-8);
        }
    }

    #[test]
    fn the_relative_error_is_below_1e_13_and_near_zero_the_error_is_below_1e_15() {
        for sigma in [Activation::default(), Activation::softplus(), Activation::smooth_relu()] {
            let (m, u0) = (sigma.sharpness, sigma.shift);
            let softplus = |z: f64| z.max(0.0) + (-z.abs()).exp().ln_1p();
            for i in -40_000..40_000 {
                let u = f64::from(i) * 2e-4;
                let z = m * (u + u0);
                // by the standard library; near zero the difference loses digits, here and there
                let value = (softplus(z) - softplus(m * u0)) / m;
                let slope = if z >= 0.0 { 1.0 / (1.0 + (-z).exp()) } else { z.exp() / (1.0 + z.exp()) };
                let error = (sigma.value(u, 1.0) - value).abs();
                assert!(error < 1e-13 * value.abs() || error < 1e-15, "{sigma} {u}: {error}");
                assert!((sigma.slope(u, 1.0) - slope).abs() < 1e-13 * slope, "{sigma} {u}");
            }
        }
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        use pulp::NullaryFnOnce;
        let sigma = Activation::default();
        let u: Vec<f64> = (-5000..5000).map(|i| f64::from(i) * 1e-3).collect();
        for k in [1.0, 2.0, 1.5] {
            let (mut chosen, mut portable) = (u.clone(), u.clone());
            let (mut slope, mut portable_slope) = (vec![0.0; u.len()], vec![0.0; u.len()]);
            sigma.apply(k, &mut chosen, &mut slope);
            // without dispatch: the code that a machine without AVX2 runs
            Elementwise { sigma: &sigma, k, u: &mut portable, slope: &mut portable_slope }.call();
            assert_eq!((chosen, slope), (portable, portable_slope));
        }
    }

    #[test]
    fn far_arguments_stay_finite() {
        let sigma = Activation::default();
        for k in [0.5, 1.0, 2.0, 2.5] {
            for u in [-1e6, -50.0, 50.0, 1e6] {
                assert!(sigma.value(u, k).is_finite() && sigma.slope(u, k).is_finite());
            }
        }
        assert!((sigma.value(1e6, 1.0) - 1e6).abs() < 1e-9);
    }

    #[test]
    fn a_mixed_layer_is_cut_into_equal_parts() {
        let sigma = Activation::interactions();
        let powers: Vec<f64> = (0..4).map(|i| sigma.power(i, 4)).collect();
        assert_eq!(powers, [1.0, 1.0, 2.0, 2.0]);
    }

    #[test]
    fn activations_read_back_as_they_are_shown() {
        for (_, activation) in named() {
            assert_eq!(activation.to_string().parse(), Ok(activation));
        }
        let by_hand = Activation { sharpness: 5.0, shift: 0.25, powers: vec![1.0, 3.0] };
        assert_eq!(by_hand.to_string().parse(), Ok(by_hand));
    }
}
