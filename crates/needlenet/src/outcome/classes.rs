//! Classes: `L_n = -sum_i log p_{i, y_i}`, the cross-entropy (the paper omits the minus sign).

use std::borrow::Cow;
use std::sync::Arc;

use faer::linalg::solvers::Solve;
use faer::{Mat, MatMut, MatRef, Side};

use super::{Curvature, Loss, price_of_share};
use crate::elementary::{exp, ln};
use crate::network::{Link, WHOLE};
use crate::table::Samples;
use crate::threshold::{Across, Null, NullLaw};

/// Samples whose exponentials are computed together.
const BLOCK: usize = 256;
/// Newton steps for the best constant given an offset, and the largest step.
const STEPS: usize = 50;
const LONGEST: f64 = 1.0;

#[derive(Debug, Clone)]
pub(crate) struct Classes {
    labels: Arc<[usize]>,
    samples: Samples,
    /// The offset of the outputs, `n x n_outputs`.
    shift: Option<Arc<[f64]>>,
    /// The total weight of each class.
    counts: Vec<f64>,
    link: Link,
    /// With an offset: the information of the samples on the log odds of each pair of classes, `m x m`; on the diagonal, on
    /// the log odds of a class against the rest.
    information: Option<Arc<[f64]>>,
    /// The divisor of the loss.
    tau: f64,
}

impl Classes {
    /// The offset of the samples is one of the log odds of the second of two classes.
    pub fn new(labels: Vec<usize>, n_classes: usize, samples: Samples, link: Link) -> Self {
        let mut counts = vec![0.0; n_classes];
        labels.iter().enumerate().for_each(|(i, &l)| counts[l] += samples.weight(i));
        let classes = Classes {
            labels: labels.into(),
            samples: samples.clone(),
            shift: None,
            counts,
            link,
            information: None,
            tau: 1.0,
        };
        let Some(offset) = &samples.offset else { return classes };
        let n = classes.n();
        let mut shift = vec![0.0; n * classes.n_outputs()];
        // the only output of the logit link is the log odds of the first class
        let (column, sign) = if link == Link::Logit { (0, -1.0) } else { (1, 1.0) };
        shift[column * n..(column + 1) * n].iter_mut().zip(offset.iter()).for_each(|(v, o)| *v = sign * o);
        classes.beside(shift)
    }

    /// The same loss with this offset of the outputs.
    fn beside(self, shift: Vec<f64>) -> Self {
        let mut classes = Classes { shift: Some(shift.into()), ..self };
        let m = classes.n_classes();
        let p = classes.probabilities(&classes.null_outputs());
        let mut information = vec![f64::MIN_POSITIVE; m * m];
        for (i, p) in p.chunks(m).enumerate() {
            let weight = classes.samples.weight(i);
            for (at, sum) in information.iter_mut().enumerate() {
                let (a, b) = (p[at / m], p[at % m]);
                let of_one = if at / m == at % m { a * (1.0 - a) } else { a * b / (a + b) };
                *sum += weight * if of_one.is_finite() { of_one } else { 0.0 };
            }
        }
        classes.information = Some(information.into());
        classes
    }

    /// The outputs plus their offset.
    fn shifted_outputs<'a>(&self, out: &'a [f64]) -> Cow<'a, [f64]> {
        let Some(shift) = &self.shift else { return Cow::Borrowed(out) };
        Cow::Owned(out.iter().zip(shift.iter()).map(|(o, s)| o + s).collect())
    }

    /// The probabilities of each class at the outputs `out`, sample after sample.
    fn probabilities(&self, out: &[f64]) -> Vec<f64> {
        let (n, m) = (self.labels.len(), self.n_classes());
        let out = self.shifted_outputs(out);
        let mut of_one = vec![0.0; self.n_outputs()];
        let mut p = vec![0.0; n * m];
        for (i, p) in p.chunks_mut(m).enumerate() {
            of_one.iter_mut().enumerate().for_each(|(t, o)| *o = out[t * n + i]);
            self.link.probabilities(&of_one, p);
        }
        p
    }

    /// The best constant given the offset, by Newton's method: the residuals of each output sum to zero.
    fn constant_beside_shift(&self) -> Vec<f64> {
        let (n, outputs, m) = (self.n(), self.n_outputs(), self.n_classes());
        let mut c = vec![0.0; outputs];
        for _ in 0..STEPS {
            let out: Vec<f64> = c.iter().flat_map(|c| vec![*c; n]).collect();
            let p = self.probabilities(&out);
            let mut slope = Mat::from_fn(outputs, 1, |t, _| self.counts[t]);
            let mut curvature = Mat::<f64>::zeros(outputs, outputs);
            for (i, p) in p.chunks(m).enumerate() {
                let weight = self.samples.weight(i);
                for t in 0..outputs {
                    slope[(t, 0)] -= weight * p[t];
                    curvature[(t, t)] += weight * p[t];
                    (0..outputs).for_each(|s| curvature[(s, t)] -= weight * p[s] * p[t]);
                }
            }
            // a common shift of all outputs does not change a softmax
            (0..outputs)
                .for_each(|t| curvature[(t, t)] += 1e-9 * (curvature[(t, t)] + 1e-9 * self.counts[t]));
            let Ok(factor) = curvature.llt(Side::Lower) else { break };
            let step = factor.solve(&slope);
            let length = (0..outputs).map(|t| step[(t, 0)].abs()).fold(0.0, f64::max);
            let shortened = (LONGEST / length).min(1.0);
            c.iter_mut().enumerate().for_each(|(t, c)| *c += shortened * step[(t, 0)]);
            if length < 1e-14 * c.iter().fold(1.0, |a: f64, c| a.max(c.abs())) {
                break;
            }
        }
        c
    }

    fn n_classes(&self) -> usize {
        self.counts.len()
    }

    /// The smallest information on a log odds of two classes, `1 / (1/n_a + 1/n_b)`, scaled so that an input with null
    /// statistic 1 has a gradient of 1 in this log odds.
    fn least_information(&self, across: Across) -> f64 {
        let pair = |a: f64, b: f64| 1.0 / (1.0 / a + 1.0 / b);
        let (n, m) = (self.size(), self.n_classes());
        if let Some(known) = &self.information {
            let least = |pairs: &mut dyn Iterator<Item = f64>| pairs.fold(f64::INFINITY, f64::min);
            let pairs = |of: usize| {
                (0..of * of).filter(move |at| at / of < at % of).map(move |at| known[at / of * m + at % of])
            };
            return match (across, self.link) {
                (Across::Largest | Across::Norm, _) => least(&mut (0..m).map(|t| known[t * m + t])),
                (Across::Sum, Link::Softmax | Link::Identity) => 4.0 * least(&mut pairs(m)),
                (Across::Sum, Link::Logit) => {
                    let with_last = least(&mut (0..m - 1).map(|t| known[t * m + m - 1]));
                    with_last.min(4.0 * least(&mut pairs(m - 1)))
                }
            };
        }
        let mut sorted = self.counts.clone();
        sorted.sort_by(f64::total_cmp);
        match (across, self.link) {
            // one entry for each class: the rarest against the rest
            (Across::Largest | Across::Norm, _) => pair(sorted[0], n - sorted[0]),
            // both of the two classes enter the sum: each contributes half of the statistic
            (Across::Sum, Link::Softmax | Link::Identity) => 4.0 * pair(sorted[0], sorted[1]),
            // the last class does not enter the sum
            (Across::Sum, Link::Logit) => {
                let (last, others) = (self.counts[m - 1], &self.counts[..m - 1]);
                let with_last = others.iter().map(|count| pair(*count, last)).fold(f64::INFINITY, f64::min);
                let mut others = others.to_vec();
                others.sort_by(f64::total_cmp);
                others.get(1).map_or(with_last, |second| with_last.min(4.0 * pair(others[0], *second)))
            }
        }
    }
}

impl Loss for Classes {
    fn n(&self) -> usize {
        self.labels.len()
    }

    fn samples(&self) -> &Samples {
        &self.samples
    }

    fn n_outputs(&self) -> usize {
        self.link.n_outputs(self.n_classes())
    }

    fn n_contrasts(&self) -> usize {
        self.n_classes() - 1
    }

    fn evaluate(&self, out: &[f64], d_out: &mut [f64]) -> f64 {
        let (n, outputs) = (self.labels.len(), self.n_outputs());
        let reference = (self.link == Link::Logit).then_some(0.0);
        let out = self.shifted_outputs(out);
        let out = MatRef::from_column_major_slice(&out, n, outputs);
        let of_rows = MatMut::from_column_major_slice_mut(&mut *d_out, n, outputs);
        let weights = self.samples.weights.as_deref();
        let value = evaluate_rows(&self.labels, weights, reference, out, of_rows);
        if self.tau != 1.0 {
            d_out.iter_mut().for_each(|d| *d /= self.tau);
        }
        value / self.tau
    }

    /// `diag(p) - p p'`
    fn curvature<'a>(&'a self, _value: f64, out: &'a [f64]) -> Curvature<'a> {
        let (n, outputs) = (self.labels.len(), self.n_outputs());
        let reference = (self.link == Link::Logit).then_some(0.0);
        let out = self.shifted_outputs(out);
        Curvature::new(move |rows, hessians| {
            let labels = &self.labels[rows.clone()];
            let out = MatRef::from_column_major_slice(&out, n, outputs).subrows(rows.start, rows.len());
            // the derivatives are the probabilities, less one for the label
            let mut p = Mat::zeros(rows.len(), outputs);
            evaluate_rows(labels, None, reference, out, p.as_mut());
            labels.iter().enumerate().filter(|(_, t)| **t < outputs).for_each(|(i, t)| p[(i, *t)] += 1.0);
            for (at, hessian) in hessians.chunks_mut(outputs * outputs).enumerate() {
                let unit = self.samples.weight(rows.start + at) / self.tau;
                for (s, row) in hessian.chunks_mut(outputs).enumerate() {
                    let of_row = -p[(at, s)] * unit;
                    row.iter_mut().enumerate().for_each(|(t, h)| *h = of_row * p[(at, t)]);
                    row[s] -= of_row;
                }
            }
        })
    }

    /// `c` with `G(c)` the class proportions; with the softmax the one that sums to zero.
    fn null_intercept(&self) -> Vec<f64> {
        if self.shift.is_some() {
            let mut c = self.constant_beside_shift();
            if self.link != Link::Logit {
                let mean = c.iter().sum::<f64>() / c.len() as f64;
                c.iter_mut().for_each(|c| *c -= mean);
            }
            return c;
        }
        let logs: Vec<f64> = self.counts.iter().map(|c| ln(*c)).collect();
        let reference = match self.link {
            Link::Logit => logs[logs.len() - 1],
            _ => logs.iter().sum::<f64>() / logs.len() as f64,
        };
        logs[..self.n_outputs()].iter().map(|l| l - reference).collect()
    }

    fn null(&self) -> Null {
        let implied = self.link == Link::Softmax;
        let (n, m) = (self.n(), self.n_classes());
        let columns = self.n_outputs() - usize::from(implied);
        let p = self.probabilities(&self.null_outputs());
        let residual = |t: usize, i: usize| if self.labels[i] == t { 1.0 } else { 0.0 } - p[i * m + t];
        let residuals = (0..columns).flat_map(|t| (0..n).map(move |i| residual(t, i))).collect();
        let law = if self.shift.is_some() {
            NullLaw::Chances { chances: p, classes: m }
        } else {
            NullLaw::multinomial(self.counts.iter().map(|count| count / self.size()).collect())
        };
        Null::new(law, residuals, &self.samples).with_implied_column(implied)
    }

    fn price(&self, lambda: f64, across: Across) -> f64 {
        let n = self.size();
        price_of_share(n, lambda * lambda / (n * self.least_information(across)))
    }

    fn growth(&self) -> f64 {
        0.5
    }

    fn unit(&self) -> f64 {
        (self.size() / self.least_information(Across::Sum)).sqrt()
    }

    fn cut_off(&self, lambda: f64) -> f64 {
        lambda / self.least_information(Across::Sum)
    }

    fn noise(&self, _value: f64, _left: f64) -> f64 {
        1.0
    }

    fn knows_noise(&self) -> bool {
        true
    }

    fn can_be_separated(&self) -> bool {
        true
    }

    fn at_noise(&self, tau: f64) -> Box<dyn Loss> {
        Box::new(Classes { tau, ..self.clone() })
    }

    fn released(&self, value: f64) -> f64 {
        value * self.tau
    }

    fn deviance(&self, value: f64) -> f64 {
        2.0 * value
    }

    fn of_each(&self, out: &[f64]) -> Vec<f64> {
        let p = self.probabilities(out);
        let of = |(p, label): (&[f64], &usize)| -ln(p[*label].max(f64::MIN_POSITIVE));
        p.chunks(self.n_classes()).zip(self.labels.iter()).map(of).collect()
    }

    /// With separable classes the weights would go to infinity.
    fn ridge(&self) -> f64 {
        1.0
    }

    fn strata(&self) -> (Vec<usize>, usize) {
        (self.labels.to_vec(), self.n_classes())
    }

    fn shifted(&self, by: &[f64]) -> Option<Box<dyn Loss>> {
        let shift = self.shifted_outputs(by).into_owned();
        Some(Box::new(self.clone().beside(shift)))
    }

    fn of_rows(&self, rows: &[usize]) -> Box<dyn Loss> {
        let labels = rows.iter().map(|&i| self.labels[i]).collect();
        let samples = Samples { offset: None, ..self.samples.of_rows(rows) };
        let part = Classes::new(labels, self.n_classes(), samples, self.link);
        let part = Classes { tau: self.tau, samples: self.samples.of_rows(rows), ..part };
        let Some(shift) = &self.shift else { return Box::new(part) };
        let of_output = |shift: &[f64]| rows.iter().map(|&i| shift[i]).collect::<Vec<f64>>();
        Box::new(part.beside(shift.chunks(self.n()).flat_map(of_output).collect()))
    }
}

/// Pairwise summation: parallel in tall tables, with a small rounding error.
fn evaluate_rows(
    labels: &[usize],
    weights: Option<&[f64]>,
    reference: Option<f64>,
    out: MatRef<f64>,
    mut d_out: MatMut<f64>,
) -> f64 {
    if labels.len() > WHOLE {
        let half = labels.len() / 2;
        let (first, second) = labels.split_at(half);
        let (w_first, w_second) = weights.map(|w| w.split_at(half)).unzip();
        let (out_first, out_second) = out.split_at_row(half);
        let (d_first, d_second) = d_out.split_at_row_mut(half);
        let (a, b) = rayon::join(
            || evaluate_rows(first, w_first, reference, out_first, d_first),
            || evaluate_rows(second, w_second, reference, out_second, d_second),
        );
        return a + b;
    }
    let mut loss = 0.0;
    for first in (0..labels.len()).step_by(BLOCK) {
        let rows = first..labels.len().min(first + BLOCK);
        let block = Block {
            labels: &labels[rows.clone()],
            weights: weights.map(|w| &w[rows.clone()]),
            reference,
            out: out.subrows(first, rows.len()),
            d_out: d_out.as_mut().subrows_mut(first, rows.len()),
        };
        loss += pulp::Arch::new().dispatch(block);
    }
    loss
}

/// Column `t`; empty if its values are not next to each other.
fn column(of: MatRef<'_, f64>, t: usize) -> &[f64] {
    of.col(t).try_as_col_major().map_or(&[], |column| column.as_slice())
}

/// The same, to be written.
fn column_mut(of: MatMut<'_, f64>, t: usize) -> &mut [f64] {
    of.col_mut(t).try_as_col_major_mut().map_or(&mut [], |column| column.as_slice_mut())
}

/// Some samples, at most `BLOCK`. Column by column, so that the exponentials of several samples are computed at a time.
struct Block<'a> {
    labels: &'a [usize],
    weights: Option<&'a [f64]>,
    reference: Option<f64>,
    out: MatRef<'a, f64>,
    d_out: MatMut<'a, f64>,
}

impl pulp::NullaryFnOnce for Block<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let Block { labels, weights, reference, out, mut d_out } = self;
        let n = labels.len();
        let (mut top, mut sum) = ([reference.unwrap_or(f64::NEG_INFINITY); BLOCK], [0.0; BLOCK]);
        for t in 0..out.ncols() {
            top.iter_mut().zip(column(out, t)).for_each(|(top, u)| *top = if *u > *top { *u } else { *top });
        }
        if let Some(reference) = reference {
            sum.iter_mut().zip(&top).for_each(|(sum, top)| *sum = exp(reference - top));
        }
        for t in 0..out.ncols() {
            let rows = column_mut(d_out.as_mut(), t).iter_mut().zip(column(out, t)).zip(&top).zip(&mut sum);
            for (((d, u), top), sum) in rows {
                *d = exp(u - top);
                *sum += *d;
            }
        }
        for t in 0..out.ncols() {
            let rows = column_mut(d_out.as_mut(), t).iter_mut().zip(&sum).zip(labels);
            for ((d, sum), label) in rows {
                *d = *d / sum - if *label == t { 1.0 } else { 0.0 };
            }
            if let Some(weights) = weights {
                column_mut(d_out.as_mut(), t).iter_mut().zip(weights).for_each(|(d, w)| *d *= w);
            }
        }
        sum[..n].iter_mut().for_each(|sum| *sum = ln(*sum));
        let own = |i: usize, label: usize| if label < out.ncols() { out[(i, label)] } else { 0.0 };
        let of =
            |(i, label): (usize, &usize)| weights.map_or(1.0, |w| w[i]) * (top[i] + sum[i] - own(i, *label));
        labels.iter().enumerate().map(of).sum()
    }
}
