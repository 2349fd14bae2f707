//! Matrix products on column-major slices. One thread each, so that the order of summation, and
//! with it every bit, does not depend on the number of threads; work is shared out above this.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use pulp::{Arch, NullaryFnOnce};

pub(crate) fn view(values: &[f64], rows: usize, cols: usize) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(values, rows, cols)
}

pub(crate) fn view_mut(values: &mut [f64], rows: usize, cols: usize) -> MatMut<'_, f64> {
    MatMut::from_column_major_slice_mut(values, rows, cols)
}

/// `out = a b`
pub(crate) fn multiply(out: MatMut<'_, f64>, a: MatRef<'_, f64>, b: MatRef<'_, f64>) {
    matmul(out, Accum::Replace, a, b, 1.0, Par::Seq);
    clear_upper_registers();
}

/// `out += a b`
pub(crate) fn multiply_add(out: MatMut<'_, f64>, a: MatRef<'_, f64>, b: MatRef<'_, f64>) {
    matmul(out, Accum::Add, a, b, 1.0, Par::Seq);
    clear_upper_registers();
}

/// Summands from which on, and columns of the result from which on, [`multiply_add_long`] turns the result around.
const LONG: usize = 256;
const BROAD: usize = 16;

/// `out += a b'` for `a` and `b` of very many columns. Where the result is broad enough `b a'` is computed, which is faster,
/// and turned around; `room` has as many places as `out`.
pub(crate) fn multiply_add_long(
    mut out: MatMut<'_, f64>,
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    room: &mut [f64],
) {
    if a.ncols() < LONG || b.nrows() < BROAD {
        return multiply_add(out, a, b.transpose());
    }
    let mut turned = view_mut(room, b.nrows(), a.nrows());
    multiply(turned.as_mut(), b, a.transpose());
    out += turned.transpose();
}

/// The product leaves the upper halves of the vector registers in use, which makes every older
/// vector instruction after it wait: an exponential took 220 ns instead of 9 ns.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn clear_upper_registers() {
    #[target_feature(enable = "avx")]
    fn clear() {
        std::arch::x86_64::_mm256_zeroupper();
    }
    if std::arch::is_x86_feature_detected!("avx") {
        // SAFETY: the processor has AVX, the only thing `clear` asks for
        unsafe { clear() }
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn clear_upper_registers() {}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    Arch::new().dispatch(Dot { a, b })
}

/// `g' (to - from)`
pub(crate) fn dot_change(g: &[f64], from: &[f64], to: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    for ((g, from), to) in g.chunks(8).zip(from.chunks(8)).zip(to.chunks(8)) {
        let changes = from.iter().zip(to).map(|(from, to)| to - from);
        sums.iter_mut().zip(g).zip(changes).for_each(|((sum, g), change)| *sum += g * change);
    }
    sums.iter().sum()
}

#[inline]
pub(crate) fn norm(a: &[f64]) -> f64 {
    match a {
        // most groups are single weights
        [a] => a.abs(),
        _ => dot(a, a).sqrt(),
    }
}

/// Unlike `f64::max` it need not care for NaN, and so becomes one vector instruction.
#[inline(always)]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// `y += a x`
pub(crate) fn add_multiple(y: &mut [f64], a: f64, x: &[f64]) {
    Arch::new().dispatch(AddMultiple { y, a, x });
}

struct Dot<'a> {
    a: &'a [f64],
    b: &'a [f64],
}

impl NullaryFnOnce for Dot<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        // eight partial sums, so that the compiler may use vector instructions
        let mut sums = [0.0; 8];
        let (a_blocks, b_blocks) = (self.a.chunks_exact(8), self.b.chunks_exact(8));
        let tail: f64 = a_blocks.remainder().iter().zip(b_blocks.remainder()).map(|(a, b)| a * b).sum();
        for (a, b) in a_blocks.zip(b_blocks) {
            for i in 0..8 {
                sums[i] += a[i] * b[i];
            }
        }
        sums.iter().sum::<f64>() + tail
    }
}

struct AddMultiple<'a> {
    y: &'a mut [f64],
    a: f64,
    x: &'a [f64],
}

impl NullaryFnOnce for AddMultiple<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.y.iter_mut().zip(self.x).for_each(|(y, x)| *y += self.a * x);
    }
}
