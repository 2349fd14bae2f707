//! The zero-thresholding function (paper, Theorem 3): the smallest penalty with an empty local minimum.
//!
//! $$\lambda_0(y, X) = \pi_l\, \sigma'(0)^{l-1} \max_j \sum_t |(X^T Y_\bullet)_{jt}|,
//! \qquad \pi_l = \sqrt{p_3 \cdots p_l}$$
//!
//! divided by the norm of the centred outcome in regression. It is the supremum of the gradient's
//! dual norm at `W_1 = 0` over all upper layers of unit rows. Three facts complete the theorem:
//!
//! - *Group penalty.* The dual norm is the largest l2 norm of a column's gradient,
//!   `|| sum_t a_t v_t ||_2` with unit rows `v_t`; it is largest for rows that are aligned (up to the
//!   sign of `a_t`), and then equals the same sum.
//! - *Logit link.* Only the `m - 1` outputs that have rows enter the sum.
//! - *No hidden layer.* Each output has its own weight, so the dual norm is the largest entry (q = 1)
//!   or the largest row norm (q = 2) of `X' Y_centred`: no sum over outputs.
//!
//! Tested in `src/tests/zero_threshold.rs`.

use serde::{Deserialize, Serialize};

use super::null::Null;
use crate::network::Network;
use crate::product::larger;

/// Number of outcomes processed side by side.
const LANES: usize = 16;

/// How the entries of a row of `X' Y_centred` become one number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) enum Across {
    Sum,
    Largest,
    Norm,
}

/// How `lambda_0` follows from `X' Y_centred`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct NullStatistic {
    factor: f64,
    across: Across,
    implied_column: bool,
}

impl NullStatistic {
    pub fn new(null: &Null, n: usize, network: &Network, grouped: bool) -> Self {
        let (across, implied_column) = (Across::of(network, grouped), null.implied_column);
        if null.columns(n) > 1 {
            return NullStatistic { factor: network.gain(), across, implied_column };
        }
        // for one column, and for two columns of which one is the negative of the other, every
        // statistic is a multiple of the same number
        let multiple = match across {
            Across::Sum if implied_column => 2.0,
            Across::Norm if implied_column => 2.0f64.sqrt(),
            _ => 1.0,
        };
        NullStatistic { factor: multiple * network.gain(), across: Across::Largest, implied_column: false }
    }

    /// Whether both statistics use the same function of each row.
    pub fn is_multiple_of(&self, other: &NullStatistic) -> bool {
        self.across == other.across
    }

    /// Updates the running maximum over the rows of `X' Y` of each outcome with some further rows. A row of
    /// `product` has the first of `columns` columns of all outcomes, then the second, and so on.
    pub fn raise(&self, largest: &mut [f64], columns: usize, product: &[f64]) {
        pulp::Arch::new().dispatch(Raise { statistic: self, largest, columns, product });
    }

    /// `lambda_0` from the largest row.
    pub fn value(&self, largest: f64) -> f64 {
        self.factor * if self.across == Across::Norm { largest.sqrt() } else { largest }
    }
}

/// [`NullStatistic::raise`] with the widest vector instructions of the processor.
struct Raise<'a> {
    statistic: &'a NullStatistic,
    largest: &'a mut [f64],
    columns: usize,
    product: &'a [f64],
}

impl pulp::NullaryFnOnce for Raise<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Raise { statistic, largest, columns, product } = self;
        let count = largest.len();
        for (at, largest) in largest.chunks_mut(LANES).enumerate() {
            // local arrays, so that they stay in registers
            let mut highest = [0.0; LANES];
            for row in product.chunks_exact(columns * count) {
                let (mut total, mut across) = ([0.0; LANES], [0.0; LANES]);
                for column in row.chunks_exact(count) {
                    let column = &column[at * LANES..];
                    let entries = column.first_chunk().copied().unwrap_or_else(|| padded(column));
                    statistic.across.take(&mut across, &entries);
                    if statistic.implied_column {
                        (0..LANES).for_each(|i| total[i] += entries[i]);
                    }
                }
                if statistic.implied_column {
                    statistic.across.take(&mut across, &total);
                }
                (0..LANES).for_each(|i| highest[i] = larger(highest[i], across[i]));
            }
            largest.iter_mut().zip(highest).for_each(|(largest, v)| *largest = larger(*largest, v));
        }
    }
}

impl Across {
    pub fn of(network: &Network, grouped: bool) -> Self {
        match (network.is_linear(), grouped) {
            (false, _) => Across::Sum,
            (true, false) => Across::Largest,
            (true, true) => Across::Norm,
        }
    }

    /// Adds one entry to each of several rows; for a norm the sum is that of squares.
    #[inline(always)]
    fn take(self, rows: &mut [f64; LANES], entries: &[f64; LANES]) {
        let rows = rows.iter_mut().zip(entries);
        match self {
            Across::Sum => rows.for_each(|(row, v)| *row += v.abs()),
            Across::Largest => rows.for_each(|(row, v)| *row = larger(*row, v.abs())),
            Across::Norm => rows.for_each(|(row, v)| *row += v * v),
        }
    }
}

fn padded(values: &[f64]) -> [f64; LANES] {
    let mut all = [0.0; LANES];
    all[..values.len()].copy_from_slice(values);
    all
}
