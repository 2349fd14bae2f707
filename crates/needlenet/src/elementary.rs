//! Elementary functions of `f64`, evaluated for many samples at a time.
//!
//! $$e^x, \qquad \log x, \qquad \log(1 + e^z), \qquad \tanh(u) = \frac{1 - e^{-2|u|}}{1 + e^{-2|u|}} \operatorname{sign} u$$
//!
//! They have no branches, so the compiler uses vector instructions, and every instruction set gives the same bits. Those of the
//! system's library are several times slower, and their last digits differ between systems and processors; `clippy.toml` forbids them.
//! A function of a single number, outside the loops over samples, comes from the crate `libm`. Tested below.

/// `log 2`, in two parts: the product of the first with a small integer is exact.
const LOG2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LOG2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// The largest argument of an exponential; the result is near the largest number.
const LARGEST: f64 = 700.0;
/// Samples that pass through a function together, one step of it after the other. A step of one sample waits for the step before, and
/// a processor looks about a hundred instructions ahead, which is less than one function: step by step, many samples do not wait for
/// each other, and an activation takes 0.55 of the time (`docs/performance.md`).
const TOGETHER: usize = 128;

/// `x^k` for `x >= 0` and `k > 0`.
#[inline(always)]
pub(crate) fn pow(x: f64, k: f64) -> f64 {
    if x < f64::MIN_POSITIVE { 0.0 } else { exp(k * ln(x)) }
}

/// Replaces each `u` of a column by `tanh(u + bias)`.
pub(crate) fn tanh_of_sum(column: &mut [f64], bias: f64) {
    pulp::Arch::new().dispatch(Tanh { column, bias });
}

/// The loop over samples, compiled for each instruction set and chosen when the program runs.
struct Tanh<'a> {
    column: &'a mut [f64],
    bias: f64,
}

impl pulp::NullaryFnOnce for Tanh<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Tanh { column, bias } = self;
        let (mut rest, mut scale) = ([0.0; TOGETHER], [0.0; TOGETHER]);
        for column in column.chunks_mut(TOGETHER) {
            for ((u, rest), scale) in column.iter_mut().zip(&mut rest).zip(&mut scale) {
                *u += bias;
                (*rest, *scale) = reduced(-2.0 * u.abs());
            }
            for (rest, scale) in rest[..column.len()].iter_mut().zip(&scale) {
                *rest = exp_of_rest(*rest) * scale;
            }
            column.iter_mut().zip(&rest).for_each(|(u, e)| *u = tanh_of_exp(*u, *e));
        }
    }
}

/// The error is below 2e-16, also near zero.
#[inline(always)]
pub(crate) fn tanh(u: f64) -> f64 {
    tanh_of_exp(u, exp(-2.0 * u.abs()))
}

/// The same, given `e^(-2 |u|)`.
#[inline(always)]
fn tanh_of_exp(u: f64, e: f64) -> f64 {
    ((1.0 - e) / (1.0 + e)).copysign(u)
}

/// `log(1 + e^z)` and its derivative, without overflow and without branches.
#[inline(always)]
pub(crate) fn softplus(z: f64) -> (f64, f64) {
    let (s, slope) = softplus_of_exp(z, exp(-z.abs()));
    (positive(z) + twice_artanh(s), slope)
}

/// With `e = e^-|z|`: the `s` of `log(1 + e) = 2 artanh(s)`, and the derivative of `log(1 + e^z)`.
#[inline(always)]
fn softplus_of_exp(z: f64, e: f64) -> (f64, f64) {
    // one division for both 1/(1+e) and s = e/(2+e)
    let inverse = 1.0 / ((1.0 + e) * (2.0 + e));
    let sigmoid = (2.0 + e) * inverse;
    (e * (1.0 + e) * inverse, if z >= 0.0 { sigmoid } else { e * sigmoid })
}

#[inline(always)]
fn positive(z: f64) -> f64 {
    if z > 0.0 { z } else { 0.0 }
}

/// Replaces each `z` by `log(1 + e^z)` and writes the derivative, with the bits of [`softplus`].
#[inline(always)]
pub(crate) fn softplus_of_each(z: &mut [f64], slope: &mut [f64]) {
    let (mut rest, mut scale) = ([0.0; TOGETHER], [0.0; TOGETHER]);
    for (z, slope) in z.chunks_mut(TOGETHER).zip(slope.chunks_mut(TOGETHER)) {
        for ((z, rest), scale) in z.iter().zip(&mut rest).zip(&mut scale) {
            (*rest, *scale) = reduced(-z.abs());
        }
        for (rest, scale) in rest[..z.len()].iter_mut().zip(&scale) {
            *rest = exp_of_rest(*rest) * scale;
        }
        for ((z, rest), slope) in z.iter().zip(&mut rest).zip(slope) {
            (*rest, *slope) = softplus_of_exp(*z, *rest);
        }
        z.iter_mut().zip(&rest).for_each(|(z, s)| *z = positive(*z) + twice_artanh(*s));
    }
}

/// `log x` for a positive `x` that is not subnormal, by `x = 2^k m` with `m` between `sqrt(1/2)` and `sqrt 2`. The relative error is
/// below 5e-16: near `sqrt(1/2)`, where it is largest, half of the first term cancels.
#[inline(always)]
pub(crate) fn ln(x: f64) -> f64 {
    const ROOT_HALF: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    const MANTISSA: u64 = (1 << 52) - 1;
    // as the last bits of a large number, a small integer is exact and needs no conversion
    const LARGE: f64 = 4_503_599_627_370_496.0;
    let above = x.to_bits().wrapping_sub(ROOT_HALF);
    let exponent = above.wrapping_add(1023 << 52) >> 52;
    let k = f64::from_bits(exponent | LARGE.to_bits()) - LARGE - 1023.0;
    let m = f64::from_bits((above & MANTISSA).wrapping_add(ROOT_HALF));
    let log = k * LOG2_HIGH + (twice_artanh((m - 1.0) / (m + 1.0)) + k * LOG2_LOW);
    if x < f64::INFINITY { log } else { x }
}

/// `e^x` by `2^k e^r` with `|r| <= log(2)/2` and the Taylor polynomial of degree 13, whose remainder is below 1e-17. Below -700
/// the result is `e^-700`, which is negligible; beyond 700 it is `e^700`.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    let (rest, scale) = reduced(x);
    exp_of_rest(rest) * scale
}

/// The `r` of `e^x = 2^k e^r`, and `2^k`.
#[inline(always)]
fn reduced(x: f64) -> (f64, f64) {
    // adding it rounds to an integer, which is then in the last bits
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let x = if x < -LARGEST { -LARGEST } else { x };
    let x = if x > LARGEST { LARGEST } else { x };
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let k = shifted - ROUND;
    let exponent = shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(1023) << 52;
    ((x - k * LOG2_HIGH) - k * LOG2_LOW, f64::from_bits(exponent))
}

/// `e^r` for `|r| <= log(2)/2`.
#[inline(always)]
fn exp_of_rest(r: f64) -> f64 {
    1.0 + (r + r * r * polynomial(&INVERSE_FACTORIALS, r))
}

/// `2 artanh(s)` for `|s| <= 1/3`; the series stops at `s^31`, where the next term is below 2e-17
/// of the first.
#[inline(always)]
fn twice_artanh(s: f64) -> f64 {
    2.0 * s * polynomial(&INVERSE_ODD, s * s)
}

/// `1/2!, 1/3!, ..., 1/13!`
const INVERSE_FACTORIALS: [[f64; 4]; 3] = {
    let mut c = [[0.0; 4]; 3];
    let (mut i, mut factorial) = (0, 1.0);
    while i < 12 {
        factorial *= (i + 2) as f64;
        c[i / 4][i % 4] = 1.0 / factorial;
        i += 1;
    }
    c
};

/// `1, 1/3, ..., 1/31`
const INVERSE_ODD: [[f64; 4]; 4] = {
    let mut c = [[0.0; 4]; 4];
    let mut k = 0;
    while k < 16 {
        c[k / 4][k % 4] = 1.0 / (2 * k + 1) as f64;
        k += 1;
    }
    c
};

/// A polynomial, lowest coefficient first. Unlike in Horner's rule, four terms are independent of each
/// other: an activation takes a third less time (docs/performance.md).
#[inline(always)]
fn polynomial<const N: usize>(coefficients: &[[f64; 4]; N], x: f64) -> f64 {
    let (x2, x4) = (x * x, (x * x) * (x * x));
    let four = |c: &[f64; 4]| (c[0] + c[1] * x) + (c[2] + c[3] * x) * x2;
    coefficients.iter().rev().fold(0.0, |value, c| value * x4 + four(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn softplus_and_sigmoid_agree_with_the_standard_library() {
        for i in -200_000..200_000 {
            let z = f64::from(i) * 4e-4;
            let (value, slope) = softplus(z);
            let exact = z.max(0.0) + (-z.abs()).exp().ln_1p();
            assert!((value - exact).abs() <= 2e-15 * exact, "softplus({z})");
            let exact = if z >= 0.0 { 1.0 / (1.0 + (-z).exp()) } else { z.exp() / (1.0 + z.exp()) };
            assert!((slope - exact).abs() <= 2e-15 * exact, "sigmoid({z})");
        }
    }

    #[test]
    fn exponential_and_logarithm_agree_with_the_standard_library() {
        for i in -700_000..700_000 {
            let x = f64::from(i) * 1e-3;
            assert!((exp(x) - x.exp()).abs() <= 3e-16 * x.exp(), "exp({x})");
        }
        for exponent in [-300, -20, -1, 0, 1, 2, 40, 300] {
            for i in 1000..100_000 {
                let x = f64::from(i) * 1e-3 * 2f64.powi(exponent);
                assert!((ln(x) - x.ln()).abs() <= 5e-16 * x.ln().abs(), "ln({x})");
            }
        }
        assert_eq!([exp(0.0), ln(1.0), exp(1e9), exp(-1e9)], [1.0, 0.0, exp(LARGEST), exp(-LARGEST)]);
        assert!(exp(f64::NAN).is_nan() && ln(f64::NAN).is_nan());
        assert_eq!(ln(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn tanh_agrees_with_the_standard_library() {
        for i in -100_000..100_000 {
            let u = f64::from(i) * 3e-4;
            assert!((tanh(u) - u.tanh()).abs() <= 2.5e-16, "tanh({u})");
        }
        assert_eq!([tanh(1e300), tanh(-1e300), tanh(0.0)], [1.0, -1.0, 0.0]);
        assert!(tanh(f64::NAN).is_nan());
    }

    #[test]
    fn every_instruction_set_gives_the_same_tanh() {
        use pulp::NullaryFnOnce;
        let mut chosen: Vec<f64> = (-5000..5000).map(|i| f64::from(i) * 1e-3).collect();
        let mut portable = chosen.clone();
        tanh_of_sum(&mut chosen, 0.25);
        // without dispatch: the code that a machine without AVX2 runs
        Tanh { column: &mut portable, bias: 0.25 }.call();
        assert_eq!(chosen, portable);
    }
}
