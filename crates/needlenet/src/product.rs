//! Matrix products on column-major slices. Each runs on one thread, so that the order of summation,
//! and with it every bit of the result, does not depend on the number of threads; callers
//! distribute the work.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use pulp::{Arch, NullaryFnOnce, Simd, WithSimd};

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

/// `scale J'J`
pub(crate) fn gram(jacobian: MatRef<'_, f64>, scale: f64) -> Mat<f64> {
    let mut gram = Mat::zeros(jacobian.ncols(), jacobian.ncols());
    multiply(gram.as_mut(), jacobian.transpose(), jacobian);
    gram *= scale;
    gram
}

/// The lower triangle of `out = scale J'J`, or of `out += scale J'J`.
pub(crate) fn lower_gram(out: &mut Mat<f64>, add: Accum, jacobian: MatRef<'_, f64>, scale: f64) {
    let whole = BlockStructure::Rectangular;
    let lower = BlockStructure::TriangularLower;
    triangular::matmul(
        out.as_mut(),
        lower,
        add,
        jacobian.transpose(),
        whole,
        jacobian,
        whole,
        scale,
        Par::Seq,
    );
    clear_upper_registers();
}

/// The number of summands and of result columns from which [`multiply_add_long`] computes the transpose of the
/// result.
const LONG: usize = 256;
const BROAD: usize = 16;
/// For this many rows or more, it processes this many summands at a time, so that a strip of each factor stays in
/// the nearest cache.
const TALL: usize = 256;
const PART: usize = 192;

/// `out += a b'` for `a` and `b` with very many columns. If the result is wide enough, `b a'` is computed, which is faster,
/// and transposed; `room` is as long as `out`.
pub(crate) fn multiply_add_long(out: &mut [f64], a: MatRef<'_, f64>, b: MatRef<'_, f64>, room: &mut [f64]) {
    let (n, width) = (a.nrows(), b.nrows());
    if a.ncols() < LONG || width < BROAD {
        return multiply_add(view_mut(out, n, width), a, b.transpose());
    }
    let part = if n < TALL { a.ncols() } else { PART };
    for first in (0..a.ncols()).step_by(part) {
        let count = part.min(a.ncols() - first);
        let start = if first == 0 { Accum::Replace } else { Accum::Add };
        let (a, b) = (a.subcols(first, count), b.subcols(first, count));
        matmul(view_mut(room, width, n), start, b, a.transpose(), 1.0, Par::Seq);
    }
    clear_upper_registers();
    add_turned(out, room, n);
}

/// `out += turned'` for `out` of `n` rows, in strips that stay in the nearest cache.
fn add_turned(out: &mut [f64], turned: &[f64], n: usize) {
    let width = out.len() / n;
    for first in (0..n).step_by(8) {
        let last = n.min(first + 8);
        for (j, column) in out.chunks_mut(n).enumerate() {
            let entries = turned[first * width + j..].iter().step_by(width);
            column[first..last].iter_mut().zip(entries).for_each(|(out, v)| *out += v);
        }
    }
}

/// Clears the upper halves of the vector registers, which the product leaves in use: without this,
/// older vector instructions are slow, and an exponential took 220 ns instead of 9 ns.
#[cfg(target_arch = "x86_64")]
fn clear_upper_registers() {
    if let Some(avx) = pulp::core_arch::x86::Avx::try_new() {
        avx._mm256_zeroupper();
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn clear_upper_registers() {}

#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    match (a, b) {
        // most groups are single weights
        ([a], [b]) => a * b,
        _ => Arch::new().dispatch(Dot { a, b }),
    }
}

#[inline]
pub(crate) fn norm(a: &[f64]) -> f64 {
    match a {
        [a] => a.abs(),
        _ => dot(a, a).sqrt(),
    }
}

/// Unlike `f64::max` it does not handle NaN, and so compiles to one vector instruction.
#[inline(always)]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// Calls `visit` with the index of every non-zero value; zeros cost almost nothing.
#[inline]
pub(crate) fn for_each_nonzero(values: &[f64], mut visit: impl FnMut(usize)) {
    for (block, values) in values.chunks(8).enumerate() {
        if values.iter().fold(false, |any, v| any | (*v != 0.0)) {
            (0..values.len()).filter(|i| values[*i] != 0.0).for_each(|i| visit(8 * block + i));
        }
    }
}

/// The largest absolute value.
pub(crate) fn largest_magnitude(values: &[f64]) -> f64 {
    // eight independent maxima, so that they do not wait for each other
    let mut largest = [0.0; 8];
    for values in values.chunks(8) {
        largest.iter_mut().zip(values).for_each(|(largest, v)| *largest = larger(*largest, v.abs()));
    }
    largest.into_iter().fold(0.0, larger)
}

/// Columns that are summed side by side.
const SIDE_BY_SIDE: usize = 8;

/// The sum of each column of `n` values. A sum adds one value after the other; several columns are summed at a time, because an addition
/// waits for the one before.
pub(crate) fn sum_columns(sums: &mut [f64], columns: &[f64], n: usize) {
    let (blocks, rest) = sums.as_chunks_mut::<SIDE_BY_SIDE>();
    let (first, last) = columns.split_at(blocks.len() * SIDE_BY_SIDE * n);
    for (sums, columns) in blocks.iter_mut().zip(first.chunks(SIDE_BY_SIDE * n)) {
        let columns: [&[f64]; SIDE_BY_SIDE] = std::array::from_fn(|j| &columns[j * n..(j + 1) * n]);
        *sums = [-0.0; SIDE_BY_SIDE];
        for i in 0..n {
            sums.iter_mut().zip(&columns).for_each(|(sum, column)| *sum += column[i]);
        }
    }
    rest.iter_mut().zip(last.chunks(n)).for_each(|(sum, column)| *sum = column.iter().sum());
}

/// `y += a x`
pub(crate) fn add_multiple(y: &mut [f64], a: f64, x: &[f64]) {
    Arch::new().dispatch(AddMultiple { y, a, x });
}

/// `y += a x` with the rounding of the matrix product: fused multiply-add if the processor has it.
pub(crate) fn add_multiple_fused(y: &mut [f64], a: f64, x: &[f64]) {
    Arch::new().dispatch(AddMultipleFused { y, a, x });
}

/// `y_i += a_i b_i`
pub(crate) fn add_products(y: &mut [f64], a: &[f64], b: &[f64]) {
    Arch::new().dispatch(AddProducts { y, a, b });
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

struct AddProducts<'a> {
    y: &'a mut [f64],
    a: &'a [f64],
    b: &'a [f64],
}

impl NullaryFnOnce for AddProducts<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.y.iter_mut().zip(self.a).zip(self.b).for_each(|((y, a), b)| *y += a * b);
    }
}

struct AddMultipleFused<'a> {
    y: &'a mut [f64],
    a: f64,
    x: &'a [f64],
}

impl WithSimd for AddMultipleFused<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let AddMultipleFused { y, a, x } = self;
        let ((y, y_rest), (x, x_rest)) = (S::as_mut_simd_f64s(y), S::as_simd_f64s(x));
        let factor = simd.splat_f64s(a);
        y.iter_mut().zip(x).for_each(|(y, x)| *y = simd.mul_add_e_f64s(factor, *x, *y));
        let last =
            simd.mul_add_e_f64s(factor, simd.partial_load_f64s(x_rest), simd.partial_load_f64s(y_rest));
        simd.partial_store_f64s(y_rest, last);
    }
}
