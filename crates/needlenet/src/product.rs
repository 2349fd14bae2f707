//! Matrix products on column-major slices. One thread each, so that the order of summation, and
//! with it every bit, does not depend on the number of threads; work is shared out above this.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

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
    // eight partial sums, so that the compiler may use vector instructions
    let mut sums = [0.0; 8];
    let (a_blocks, b_blocks) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = a_blocks.remainder().iter().zip(b_blocks.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a_blocks.zip(b_blocks) {
        for i in 0..8 {
            sums[i] += a[i] * b[i];
        }
    }
    sums.iter().sum::<f64>() + tail
}

pub(crate) fn norm(a: &[f64]) -> f64 {
    match a {
        // most groups are single weights
        [a] => a.abs(),
        _ => dot(a, a).sqrt(),
    }
}
