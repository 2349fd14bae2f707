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

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Gamma, StandardNormal};

use crate::network::Network;
use crate::product::{dot, larger, norm};

/// Outcomes worked on side by side.
const LANES: usize = 16;
/// Lyapunov's ratio below which sums over classes count as Gaussian.
const NORMAL: f64 = 0.01;

/// How the entries of a row of `X' Y_centred` become one number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Across {
    Sum,
    Largest,
    Norm,
}

/// The law of the outcome when no input matters, and the outcome in the same form.
#[derive(Debug, Clone)]
pub(crate) struct Null {
    pub law: NullLaw,
    /// The outcome, centred and scaled so that the statistic is linear in it: `n x columns`.
    pub observed: Vec<f64>,
    /// With the softmax the columns of `Y_centred` add up to zero: the last is not computed.
    pub implied_column: bool,
}

/// A null law.
#[derive(Debug, Clone)]
pub(crate) enum NullLaw {
    Gaussian,
    /// Cumulated class proportions.
    Multinomial(Vec<f64>),
}

impl NullLaw {
    pub fn multinomial(mut shares: Vec<f64>) -> Self {
        for t in 1..shares.len() {
            shares[t] += shares[t - 1];
        }
        NullLaw::Multinomial(shares)
    }

    /// Whether a centred null outcome of `n` samples is as good as Gaussian on any input whose mean absolute cube is
    /// at most `third`: always in regression, for classes by the ratio of Lyapunov. At a ratio of 0.01 the tails beyond three
    /// standard deviations differ by a twentieth (27 / 6 of it), as much as a level of 0.05 is uncertain by 5,000 draws.
    pub fn is_normal(&self, n: usize, third: f64) -> bool {
        match self {
            NullLaw::Gaussian => true,
            NullLaw::Multinomial(cumulated) => {
                let least = shares(cumulated).iter().map(|p| p * (1.0 - p)).fold(1.0, f64::min);
                third < NORMAL * (n as f64 * least).sqrt()
            }
        }
    }

    /// One null outcome of `n` samples in an orthonormal basis of `p` centred inputs, scaled so that the statistic is
    /// linear in it: `p x n_columns`.
    pub fn draw_basis(&self, rng: &mut ChaCha8Rng, n: usize, p: usize, z: &mut [f64]) {
        match self {
            NullLaw::Gaussian => {
                z.iter_mut().for_each(|v| *v = rng.sample(StandardNormal));
                let rest = Gamma::new((n - 1 - p) as f64 / 2.0, 2.0).map_or(0.0, |law| rng.sample(law));
                let length = (dot(z, z) + rest).sqrt();
                z.iter_mut().for_each(|v| *v /= length);
            }
            NullLaw::Multinomial(cumulated) => {
                // with g standard Gaussian, sqrt(p_t) (g_t - sqrt(p_t) sum_s sqrt(p_s) g_s) has covariance diag(p) - pp'
                let roots: Vec<f64> = shares(cumulated).iter().map(|p| p.sqrt()).collect();
                for i in 0..p {
                    let g: Vec<f64> = roots.iter().map(|_| rng.sample(StandardNormal)).collect();
                    let common = dot(&roots, &g);
                    let columns = z.iter_mut().skip(i).step_by(p);
                    columns.zip(roots.iter().zip(&g)).for_each(|(z, (r, g))| *z = r * (g - r * common));
                }
            }
        }
    }

    /// One null outcome, centred and scaled so that the statistic is linear in it: `n x n_columns`.
    pub fn draw(&self, rng: &mut ChaCha8Rng, n: usize, y: &mut [f64]) {
        match self {
            NullLaw::Gaussian => {
                y.iter_mut().for_each(|v| *v = rng.sample(StandardNormal));
                self.scale(y);
            }
            NullLaw::Multinomial(cumulated) => {
                let labels: Vec<usize> = (0..n).map(|_| draw_class(rng, cumulated)).collect();
                centred_one_hot(&labels, y.len() / n, y);
            }
        }
    }

    /// The next `rows` rows of one null outcome as drawn, `rows x n_columns`: see [`NullLaw::moments`].
    pub fn draw_rows(&self, rng: &mut ChaCha8Rng, rows: usize, y: &mut [f64]) {
        match self {
            NullLaw::Gaussian => y.iter_mut().for_each(|v| *v = rng.sample(StandardNormal)),
            NullLaw::Multinomial(cumulated) => {
                y.fill(0.0);
                for i in 0..rows {
                    if let Some(v) = y.get_mut(draw_class(rng, cumulated) * rows + i) {
                        *v = 1.0;
                    }
                }
            }
        }
    }

    /// What centring subtracts from a column of `n` values as drawn, and what scaling then multiplies it by, from
    /// the sums of its values and of their squares.
    pub fn moments(&self, n: usize, sum: f64, squares: f64) -> (f64, f64) {
        let mean = sum / n as f64;
        match self {
            NullLaw::Gaussian => (mean, 1.0 / (squares - mean * sum).sqrt()),
            NullLaw::Multinomial(_) => (mean, 1.0),
        }
    }

    /// Centres and scales a column of numbers.
    pub fn scale(&self, y: &mut [f64]) {
        let mean = y.iter().sum::<f64>() / y.len() as f64;
        y.iter_mut().for_each(|v| *v -= mean);
        let length = norm(y);
        if length > 0.0 {
            y.iter_mut().for_each(|v| *v /= length);
        }
    }
}

/// How `lambda_0` follows from `X' Y_centred`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NullStatistic {
    factor: f64,
    across: Across,
    implied_column: bool,
}

impl NullStatistic {
    pub fn new(null: &Null, n: usize, network: &Network, grouped: bool) -> Self {
        let (across, implied_column) = (Across::of(network, grouped), null.implied_column);
        if null.observed.len() > n {
            return NullStatistic { factor: network.gain(), across, implied_column };
        }
        // of one column, and of one whose implied fellow is its negative, every statistic is a multiple
        let multiple = match across {
            Across::Sum if implied_column => 2.0,
            Across::Norm if implied_column => 2.0f64.sqrt(),
            _ => 1.0,
        };
        NullStatistic { factor: multiple * network.gain(), across: Across::Largest, implied_column: false }
    }

    /// Whether the other needs the same of each row.
    pub fn is_multiple_of(&self, other: &NullStatistic) -> bool {
        self.across == other.across
    }

    /// Raises what is so far the largest row of `X' Y`, of each of several outcomes, to that of some further rows; a
    /// row of `product` is the first of `columns` columns of all outcomes, then the second.
    pub fn raise(&self, largest: &mut [f64], columns: usize, product: &[f64]) {
        pulp::Arch::new().dispatch(Raise { statistic: self, largest, columns, product });
    }

    /// `lambda_0` from the largest row.
    pub fn value(&self, largest: f64) -> f64 {
        self.factor * if self.across == Across::Norm { largest.sqrt() } else { largest }
    }
}

/// [`NullStatistic::raise`], with the widest vectors that the processor has.
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
            // in arrays of their own, so that they stay in registers
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

    /// Adds one entry to each of several rows; of a norm it keeps the square.
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

/// Class proportions from cumulated ones.
fn shares(cumulated: &[f64]) -> Vec<f64> {
    let before = [0.0].iter().chain(cumulated);
    cumulated.iter().zip(before).map(|(to, from)| to - from).collect()
}

/// One class, by the cumulated proportions.
fn draw_class(rng: &mut ChaCha8Rng, cumulated: &[f64]) -> usize {
    let u: f64 = rng.random();
    cumulated.iter().position(|c| u < *c).unwrap_or(cumulated.len() - 1)
}

/// The first `columns` columns of the one-hot matrix, each centred.
pub(crate) fn centred_one_hot(labels: &[usize], columns: usize, y: &mut [f64]) {
    let n = labels.len();
    for (t, column) in y.chunks_mut(n).take(columns).enumerate() {
        let share = labels.iter().filter(|l| **l == t).count() as f64 / n as f64;
        for (v, &label) in column.iter_mut().zip(labels) {
            *v = if label == t { 1.0 - share } else { -share };
        }
    }
}
