//! The grid of standardised values: multiples of `2^-26`.
//!
//! Values near 1 keep 8 digits, and rounding errors of the standardisation vanish. Values on the grid can be
//! summed as integers, so that sums do not depend on the order of summation.

/// One over the width of the grid.
pub(super) const GRID: f64 = (1u64 << 26) as f64;

const NO_FRACTION: f64 = 1.5 * (1u64 << 52) as f64;

/// Values below this are fewer than 2^31 widths of the grid: their squares fit into 64 bits.
pub(super) const NARROW: f64 = (1u64 << 31) as f64 / GRID;

/// The nearest point of the grid, as a multiple of its width. Below 2^51, adding 1.5 * 2^52 rounds to an
/// integer as `round_ties_even` does, but without the function call that old processors need.
#[inline(always)]
pub(super) fn round_to_grid(value: f64) -> f64 {
    (value * GRID + NO_FRACTION) - NO_FRACTION
}

/// A value that is on the grid, as a multiple of its width.
pub(super) fn on_grid(value: f64) -> i64 {
    (value * GRID) as i64
}

/// The same for a value below 2^51 widths, without the conversion that few processors do for several values at once: with
/// `NO_FRACTION` added, the last bits are those of the integer.
#[inline(always)]
pub(super) fn small_on_grid(value: f64) -> i64 {
    (value * GRID + NO_FRACTION).to_bits().wrapping_sub(NO_FRACTION.to_bits()).cast_signed()
}

/// Whether all values are below [`NARROW`].
#[inline(always)]
pub(super) fn are_narrow(values: &[f64]) -> bool {
    values.iter().fold(true, |all, v| all & (v.abs() < NARROW))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_to_the_grid_is_that_of_the_standard_library() {
        let fractions = [0.0, 0.25, 0.5, 0.75, 0.4999999999, 0.5000000001];
        for whole in [0.0, 1.0, 2.0, 3.0, 1e6 + 1.0, 67_108_863.0, 34_359_738_367.0] {
            for value in fractions.iter().flat_map(|f| [(whole + f) / GRID, -(whole + f) / GRID]) {
                let rounded = round_to_grid(value);
                assert_eq!(rounded, (value * GRID).round_ties_even(), "{value}");
                assert_eq!(small_on_grid(rounded / GRID), on_grid(rounded / GRID), "{value}");
            }
        }
    }
}
