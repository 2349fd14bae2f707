//! The law of the outcome if no input matters, and random draws from it.
//!
//! A draw is a centred vector `y` that includes the weights of the samples, so that the null statistic is linear in it.
//! `observed` is the outcome of the data in this form.
//!
//! *Weights.* A sample of weight 2 is the row twice, and each of the two rows has noise of its own. So `y_i` is the sum of `w_i`
//! independent draws. A weight of 2.5 adds a third draw, scaled to half of the variance.
//! *Permutation.* Residuals of the empty model are dealt out to the rows anew: exact for any noise, if all samples have the same
//! one. Of weights that are counts each copy is dealt out. Other weights are dealt out with the residuals, so that
//! they may have any meaning, also one that depends on the outcome (`table/weights.rs`).
//! *Inputs that are always in.* Their null fit is taken out of every draw (`projection.rs`) in the place of the best constant.

use std::sync::Arc;

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Gamma, Poisson, StandardNormal};
use serde::{Deserialize, Serialize};

use super::at_risk::AtRisk;
use super::projection::Projection;
use crate::product::{dot, norm};
use crate::table::Samples;

/// Lyapunov's ratio below which sums over samples count as Gaussian.
const NORMAL: f64 = 0.01;
/// Beyond this many copies of a row, their sum is drawn as Gaussian.
const MOST_COPIES: f64 = 64.0;

/// How outcomes without needles are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NullChoice {
    /// By the law of the outcome: Gaussian noise, classes of the observed proportions, Poisson counts; survival by permutation.
    /// Weights are counts of rows; weights that are no whole numbers cannot be, and lead to `Permutation`.
    #[default]
    Law,
    /// By permuting the outcome against the inputs, whatever the noise is. A weight goes with its outcome and says how important
    /// the sample is.
    Permutation,
}

/// The law of the outcome if no input matters, and the outcome in the same form.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Null {
    pub law: NullLaw,
    /// The outcome minus its mean under the null, at weight 1: `n x columns`.
    residuals: Vec<f64>,
    #[serde(with = "crate::shards::shared::optional")]
    weights: Option<Arc<[f64]>>,
    /// Whether the weights are no counts.
    important: bool,
    /// With the softmax the columns of `Y_centred` add up to zero: the last is not computed.
    pub implied_column: bool,
    /// The null fit, if it is more than a constant.
    projection: Option<Projection>,
}

/// A null law.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum NullLaw {
    Gaussian,
    /// Cumulative class proportions.
    Multinomial(Vec<f64>),
    /// The probability of each class for each sample.
    Chances {
        chances: Vec<f64>,
        classes: usize,
    },
    /// The mean count of each sample.
    Poisson(Vec<f64>),
    /// Permuted residuals, within runs that begin at `starts`.
    Permutation {
        starts: Vec<usize>,
    },
    /// The sample that has each event, drawn from those at risk.
    AtRisk(Box<AtRisk>),
}

impl Null {
    pub fn new(law: NullLaw, residuals: Vec<f64>, samples: &Samples) -> Self {
        Null {
            law,
            residuals,
            weights: samples.weights.clone(),
            important: samples.important,
            implied_column: false,
            projection: None,
        }
    }

    pub fn with_implied_column(self, implied_column: bool) -> Self {
        Null { implied_column, ..self }
    }

    /// The same outcome, permuted.
    pub fn permuted(self) -> Self {
        match self.law {
            NullLaw::Permutation { .. } => self,
            NullLaw::AtRisk(at_risk) => {
                Null { law: NullLaw::Permutation { starts: at_risk.starts() }, ..self }
            }
            _ => Null { law: NullLaw::Permutation { starts: vec![0] }, ..self },
        }
    }

    /// The same law if the null model has inputs that are always in.
    pub fn beside(self, projection: Projection) -> Self {
        Null { projection: Some(projection), ..self }
    }

    pub fn is_permuted(&self) -> bool {
        matches!(self.law, NullLaw::Permutation { .. })
    }

    /// The outcome minus its mean under the null, at weight 1.
    pub fn residuals(self) -> Vec<f64> {
        self.residuals
    }

    pub fn columns(&self, n: usize) -> usize {
        self.residuals.len() / n
    }

    /// The outcome of the data.
    pub fn observed(&self, n: usize) -> Vec<f64> {
        let Some(weights) = &self.weights else { return self.residuals.clone() };
        self.residuals.iter().enumerate().map(|(at, r)| r * weights[at % n]).collect()
    }

    /// Whether [`NullLaw::draw_rows`] can draw it.
    pub fn is_drawn_by_rows(&self) -> bool {
        let plain = self.weights.is_none() && self.projection.is_none();
        plain && matches!(self.law, NullLaw::Gaussian | NullLaw::Multinomial(_))
    }

    /// Whether a null outcome of `n` samples is close enough to Gaussian on any input whose mean absolute cube is at most
    /// `third`: always for numbers, for other outcomes if Lyapunov's ratio is small. At a ratio of 0.01 the tails beyond
    /// three standard deviations differ by 5% (27 / 6 of the ratio), which is the Monte Carlo error of a level of 0.05
    /// with 5,000 draws.
    pub fn is_normal(&self, n: usize, third: f64) -> bool {
        let beside = self.projection.is_some() && !matches!(self.law, NullLaw::Gaussian);
        if self.weights.is_some() || beside {
            return false;
        }
        let root_n = (n as f64).sqrt();
        match &self.law {
            NullLaw::Gaussian => true,
            NullLaw::Multinomial(cumulated) => {
                let least = shares(cumulated).iter().map(|p| p * (1.0 - p)).fold(1.0, f64::min);
                third < NORMAL * (n as f64 * least).sqrt()
            }
            // an upper bound relative to the standard deviation, by the fourth moment
            NullLaw::Poisson(means) if means.iter().all(|m| *m == means[0]) => {
                third * (3.0 + 1.0 / means[0]).sqrt() < NORMAL * root_n
            }
            NullLaw::Permutation { starts } if starts.len() == 1 && self.residuals.len() == n => {
                let moment = |k: i32| self.residuals.iter().map(|r| r.abs().powi(k)).sum::<f64>() / n as f64;
                third * moment(3) < NORMAL * root_n * moment(2) * moment(2).sqrt()
            }
            _ => false,
        }
    }

    /// The degrees of freedom of the null fit.
    pub fn taken_out(&self) -> usize {
        self.projection.as_ref().map_or(1, Projection::rank)
    }

    /// The components of a column in an orthonormal basis of the null fit, if all samples have the same variance.
    pub fn along_null_fit(&self) -> impl Fn(&[f64]) -> Vec<f64> + Sync + Send + '_ {
        |x| match &self.projection {
            None => vec![x.iter().sum::<f64>() / (x.len() as f64).sqrt()],
            Some(projection) => projection.along_basis(x),
        }
    }

    /// One null outcome of `n` samples in an orthonormal basis of `p` centred inputs: `p x n_columns`.
    pub fn draw_basis(&self, rng: &mut ChaCha8Rng, n: usize, p: usize, z: &mut [f64]) {
        let gaussian = |rng: &mut ChaCha8Rng, z: &mut [f64], size: f64| {
            z.iter_mut().for_each(|v| *v = size * rng.sample::<f64, _>(StandardNormal));
        };
        match &self.law {
            NullLaw::Gaussian => {
                gaussian(rng, z, 1.0);
                let rest = Gamma::new((n - self.taken_out() - p) as f64 / 2.0, 2.0)
                    .map_or(0.0, |law| rng.sample(law));
                let length = (dot(z, z) + rest).sqrt();
                z.iter_mut().for_each(|v| *v /= length);
            }
            NullLaw::Multinomial(cumulated) => {
                let roots: Vec<f64> = shares(cumulated).iter().map(|p| p.sqrt()).collect();
                for i in 0..p {
                    draw_normal_classes(rng, &roots, 1.0, z.iter_mut().skip(i).step_by(p));
                }
            }
            NullLaw::Poisson(means) => gaussian(rng, z, means[0].sqrt()),
            NullLaw::Permutation { .. } | NullLaw::Chances { .. } | NullLaw::AtRisk(_) => {
                gaussian(rng, z, norm(&self.residuals) / ((n - 1) as f64).sqrt());
            }
        }
    }

    /// One null outcome: `n x n_columns`.
    pub fn draw(&self, rng: &mut ChaCha8Rng, n: usize, y: &mut [f64]) {
        match (&self.law, &self.weights) {
            (NullLaw::Gaussian, weights) => {
                draw_gaussian(rng, weights.as_deref(), self.projection.as_ref(), y);
            }
            (NullLaw::Multinomial(cumulated), None) if self.projection.is_none() => {
                let labels: Vec<usize> = (0..n).map(|_| draw_class(rng, cumulated)).collect();
                centred_one_hot(&labels, y.len() / n, y);
            }
            (NullLaw::Permutation { starts }, _) => {
                self.draw_permuted(rng, n, starts, y);
                self.projection.iter().for_each(|projection| projection.apply(y));
            }
            (NullLaw::AtRisk(at_risk), _) => {
                at_risk.draw(rng, y);
                self.projection.iter().for_each(|projection| projection.apply(y));
            }
            _ => {
                for i in 0..n {
                    self.add_copies(rng, n, i, y);
                }
                self.centre(n, y);
            }
        }
    }

    fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[i])
    }

    /// Sets row `i` to the sum of its copies.
    fn add_copies(&self, rng: &mut ChaCha8Rng, n: usize, i: usize, y: &mut [f64]) {
        y.iter_mut().skip(i).step_by(n).for_each(|v| *v = 0.0);
        let mut left = self.weight(i);
        if left > MOST_COPIES {
            let row = y.iter_mut().skip(i).step_by(n);
            if let NullLaw::Multinomial(cumulated) = &self.law {
                let roots: Vec<f64> = shares(cumulated).iter().map(|p| p.sqrt()).collect();
                return draw_normal_classes(rng, &roots, left.sqrt(), row);
            }
            if let NullLaw::Chances { chances, classes } = &self.law {
                let chances = &chances[i * classes..(i + 1) * classes];
                let roots: Vec<f64> = chances.iter().map(|p| p.sqrt()).collect();
                return draw_normal_classes(rng, &roots, left.sqrt(), row);
            }
            let size = (left * self.variance(i)).sqrt();
            return row.for_each(|v| *v = size * rng.sample::<f64, _>(StandardNormal));
        }
        while left > 0.0 {
            let part = left.min(1.0);
            let size = if part < 1.0 { part.sqrt() } else { 1.0 };
            let row = y.iter_mut().skip(i).step_by(n);
            match &self.law {
                NullLaw::Multinomial(cumulated) => {
                    let label = draw_class(rng, cumulated);
                    let mut before = 0.0;
                    for (t, (v, up_to)) in row.zip(cumulated).enumerate() {
                        let drawn = if t == label { 1.0 } else { 0.0 };
                        *v += size * (drawn - (up_to - before));
                        before = *up_to;
                    }
                }
                NullLaw::Chances { chances, classes } => {
                    let chances = &chances[i * classes..(i + 1) * classes];
                    let mut left = rng.random::<f64>();
                    let label = chances.iter().position(|p| {
                        left -= p;
                        left < 0.0
                    });
                    for (t, (v, p)) in row.zip(chances).enumerate() {
                        let drawn = if label == Some(t) { 1.0 } else { 0.0 };
                        *v += size * (drawn - p);
                    }
                }
                NullLaw::Poisson(means) => {
                    let drawn = Poisson::new(means[i]).map_or(0.0, |law| rng.sample(law));
                    row.for_each(|v| *v += size * (drawn - means[i]));
                }
                NullLaw::Gaussian | NullLaw::Permutation { .. } | NullLaw::AtRisk(_) => {}
            }
            left -= part;
        }
    }

    /// The variance of one copy of row `i` after centring; of the first column if there are several.
    fn variance(&self, i: usize) -> f64 {
        match &self.law {
            NullLaw::Chances { chances, classes } => chances[i * classes] * (1.0 - chances[i * classes]),
            NullLaw::Poisson(means) => means[i],
            NullLaw::Multinomial(cumulated) => cumulated[0] * (1.0 - cumulated[0]),
            NullLaw::Gaussian | NullLaw::Permutation { .. } | NullLaw::AtRisk(_) => 1.0,
        }
    }

    /// Subtracts the best constant.
    fn centre(&self, n: usize, y: &mut [f64]) {
        if let Some(projection) = &self.projection {
            return projection.apply(y);
        }
        let total: f64 = (0..n).map(|i| self.weight(i) * self.variance(i)).sum();
        for column in y.chunks_mut(n) {
            let mean = column.iter().sum::<f64>() / total;
            column.iter_mut().enumerate().for_each(|(i, v)| *v -= mean * self.weight(i) * self.variance(i));
        }
    }

    fn draw_permuted(&self, rng: &mut ChaCha8Rng, n: usize, starts: &[usize], y: &mut [f64]) {
        let runs = starts.iter().zip(starts[1..].iter().chain([&n])).map(|(from, to)| *from..*to);
        let mut dealt: Vec<usize> = Vec::with_capacity(n);
        let Some(weights) = self.weights.as_ref().filter(|_| !self.important) else {
            for run in runs {
                let from = dealt.len();
                dealt.extend(run);
                dealt[from..].shuffle(rng);
            }
            for (y, r) in y.chunks_mut(n).zip(self.residuals.chunks(n)) {
                y.iter_mut().zip(&dealt).for_each(|(y, i)| *y = self.weight(*i) * r[*i]);
            }
            return;
        };
        for run in runs {
            // as many copies as the weight, rounded up; all are scaled so that the variance is that of
            // the weight
            let copies = |i: usize| weights[i].min(MOST_COPIES).ceil() as usize;
            dealt.clear();
            run.clone().for_each(|i| dealt.extend(std::iter::repeat_n(i, copies(i))));
            dealt.shuffle(rng);
            let mut next = dealt.iter();
            for i in run.clone() {
                let (whole, count) = (weights[i], copies(i) as f64);
                let size = (whole / count).sqrt();
                let of_row: Vec<usize> = next.by_ref().take(copies(i)).copied().collect();
                for (y, r) in y.chunks_mut(n).zip(self.residuals.chunks(n)) {
                    y[i] = of_row.iter().map(|from| size * r[*from]).sum();
                }
            }
            let total: f64 = run.clone().map(|i| weights[i]).sum();
            for y in y.chunks_mut(n) {
                let mean = y[run.clone()].iter().sum::<f64>() / total;
                run.clone().for_each(|i| y[i] -= mean * weights[i]);
            }
        }
    }
}

impl NullLaw {
    pub fn multinomial(mut shares: Vec<f64>) -> Self {
        for t in 1..shares.len() {
            shares[t] += shares[t - 1];
        }
        NullLaw::Multinomial(shares)
    }

    /// The next `rows` rows of one null outcome as drawn, `rows x n_columns`: see [`NullLaw::moments`].
    pub fn draw_rows(&self, rng: &mut ChaCha8Rng, rows: usize, y: &mut [f64]) {
        if let NullLaw::Multinomial(cumulated) = self {
            y.fill(0.0);
            for i in 0..rows {
                if let Some(v) = y.get_mut(draw_class(rng, cumulated) * rows + i) {
                    *v = 1.0;
                }
            }
        } else {
            y.iter_mut().for_each(|v| *v = rng.sample(StandardNormal));
        }
    }

    /// The mean to subtract from a column of `n` values as drawn, and the factor to multiply it by, from the sums
    /// of its values and of their squares.
    pub fn moments(&self, n: usize, sum: f64, squares: f64) -> (f64, f64) {
        let mean = sum / n as f64;
        let scale = if let NullLaw::Gaussian = self { 1.0 / (squares - mean * sum).sqrt() } else { 1.0 };
        (mean, scale)
    }
}

/// Gaussian noise divided by its norm; with weights, by the norm of all copies of the rows.
fn draw_gaussian(
    rng: &mut ChaCha8Rng,
    weights: Option<&[f64]>,
    projection: Option<&Projection>,
    y: &mut [f64],
) {
    y.iter_mut().for_each(|v| *v = rng.sample(StandardNormal));
    let Some(weights) = weights else {
        match projection {
            Some(projection) => projection.apply(y),
            None => {
                let mean = y.iter().sum::<f64>() / y.len() as f64;
                y.iter_mut().for_each(|v| *v -= mean);
            }
        }
        let length = norm(y);
        y.iter_mut().for_each(|v| *v /= length);
        return;
    };
    let total: f64 = weights.iter().sum();
    // the variation between the copies of a row, each of which has its own noise
    let rest = Gamma::new((total - y.len() as f64) / 2.0, 2.0).map_or(0.0, |law| rng.sample(law));
    y.iter_mut().zip(weights).for_each(|(v, w)| *v *= w.sqrt());
    match projection {
        Some(projection) => projection.apply(y),
        None => {
            let mean = y.iter().sum::<f64>() / total;
            y.iter_mut().zip(weights).for_each(|(v, w)| *v -= mean * w);
        }
    }
    let between: f64 = y.iter().zip(weights).map(|(v, w)| v * v / w).sum();
    let length = (between + rest).sqrt();
    y.iter_mut().for_each(|v| *v /= length);
}

/// Gaussian variables with the covariance of one class, times `size`: with `g` standard Gaussian,
/// `sqrt(p_t) (g_t - sqrt(p_t) sum_s sqrt(p_s) g_s)` has the covariance `diag(p) - pp'`.
fn draw_normal_classes<'a>(
    rng: &mut ChaCha8Rng,
    roots: &[f64],
    size: f64,
    columns: impl Iterator<Item = &'a mut f64>,
) {
    let g: Vec<f64> = roots.iter().map(|_| rng.sample(StandardNormal)).collect();
    let common = dot(roots, &g);
    columns.zip(roots.iter().zip(&g)).for_each(|(z, (r, g))| *z = size * r * (g - r * common));
}

/// Class proportions from cumulative ones.
fn shares(cumulated: &[f64]) -> Vec<f64> {
    let before = [0.0].iter().chain(cumulated);
    cumulated.iter().zip(before).map(|(to, from)| to - from).collect()
}

/// Draws one class, from cumulative proportions.
fn draw_class(rng: &mut ChaCha8Rng, cumulated: &[f64]) -> usize {
    let u: f64 = rng.random();
    cumulated.iter().position(|c| u < *c).unwrap_or(cumulated.len() - 1)
}

/// The first `columns` columns of the one-hot matrix, each centred.
fn centred_one_hot(labels: &[usize], columns: usize, y: &mut [f64]) {
    let n = labels.len();
    for (t, column) in y.chunks_mut(n).take(columns).enumerate() {
        let share = labels.iter().filter(|l| **l == t).count() as f64 / n as f64;
        for (v, &label) in column.iter_mut().zip(labels) {
            *v = if label == t { 1.0 - share } else { -share };
        }
    }
}
