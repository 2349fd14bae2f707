//! Classes: `L_n = -sum_i log p_{i, y_i}`, the paper's cross-entropy, with the minus sign it needs.

use std::borrow::Cow;
use std::sync::Arc;

use faer::{MatMut, MatRef};

use super::{Curvature, Loss, price_of_share};
use crate::network::{Link, WHOLE};
use crate::table::Samples;
use crate::threshold::{Across, Null, NullLaw};

/// Newton steps to the best constant beside an offset.
const STEPS: usize = 50;

#[derive(Debug, Clone)]
pub(crate) struct Classes {
    labels: Arc<[usize]>,
    samples: Samples,
    /// The weight of each class.
    counts: Vec<f64>,
    link: Link,
    /// The loss is divided by it.
    tau: f64,
}

impl Classes {
    /// An offset is that of the log odds of the second of two classes.
    pub fn new(labels: Vec<usize>, n_classes: usize, samples: Samples, link: Link) -> Self {
        let mut counts = vec![0.0; n_classes];
        labels.iter().enumerate().for_each(|(i, &l)| counts[l] += samples.weight(i));
        Classes { labels: labels.into(), samples, counts, link, tau: 1.0 }
    }

    /// The outputs with the offset of the samples.
    fn shifted<'a>(&self, out: &'a [f64]) -> Cow<'a, [f64]> {
        let Some(offset) = &self.samples.offset else { return Cow::Borrowed(out) };
        let mut shifted = out.to_vec();
        // the only output of the logit link is the log odds of the first class
        let (column, sign) = if self.link == Link::Logit { (0, -1.0) } else { (1, 1.0) };
        let n = self.labels.len();
        shifted[column * n..(column + 1) * n].iter_mut().zip(offset.iter()).for_each(|(v, o)| *v += sign * o);
        Cow::Owned(shifted)
    }

    /// The probabilities of each class at the outputs `out`, sample after sample.
    fn probabilities(&self, out: &[f64]) -> Vec<f64> {
        let (n, m) = (self.labels.len(), self.n_classes());
        let out = self.shifted(out);
        let mut of_one = vec![0.0; self.n_outputs()];
        let mut p = vec![0.0; n * m];
        for (i, p) in p.chunks_mut(m).enumerate() {
            of_one.iter_mut().enumerate().for_each(|(t, o)| *o = out[t * n + i]);
            self.link.probabilities(&of_one, p);
        }
        p
    }

    /// The log odds of the second class beside the offset: the weighted mean of the residuals is zero.
    fn null_log_odds(&self) -> f64 {
        let (n, total) = (self.labels.len(), self.size());
        let mut c =
            (self.counts[1] / self.counts[0]).ln() - self.samples.sum(n, |i| self.samples.offset(i)) / total;
        for _ in 0..STEPS {
            let p = |i: usize| 1.0 / (1.0 + (-c - self.samples.offset(i)).exp());
            let excess = self.counts[1] - self.samples.sum(n, p);
            let slope = self.samples.sum(n, |i| p(i) * (1.0 - p(i)));
            let step = (excess / slope.max(f64::MIN_POSITIVE)).clamp(-1.0, 1.0);
            c += step;
            if step.abs() < 1e-14 * c.abs().max(1.0) {
                break;
            }
        }
        c
    }

    fn n_classes(&self) -> usize {
        self.counts.len()
    }

    /// The least information that the sample has on a log odds which two classes share, `1 / (1/n_a + 1/n_b)`, where an
    /// input whose null statistic is 1 has a gradient of 1 by it.
    fn least_information(&self, across: Across) -> f64 {
        let pair = |a: f64, b: f64| 1.0 / (1.0 / a + 1.0 / b);
        let n = self.size();
        let mut sorted = self.counts.clone();
        sorted.sort_by(f64::total_cmp);
        match (across, self.link) {
            // one entry for each class: the rarest against the rest
            (Across::Largest | Across::Norm, _) => pair(sorted[0], n - sorted[0]),
            // both of two classes enter the sum: each has half of the statistic
            (Across::Sum, Link::Softmax | Link::Identity) => 4.0 * pair(sorted[0], sorted[1]),
            // the last class does not enter the sum
            (Across::Sum, Link::Logit) => {
                let (last, others) =
                    (self.counts[self.n_classes() - 1], &self.counts[..self.n_classes() - 1]);
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
        let out = self.shifted(out);
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
        let out = self.shifted(out);
        Curvature::new(move |rows, hessians| {
            let (mut p, mut of_one) = (vec![0.0; self.n_classes()], vec![0.0; outputs]);
            for (i, hessian) in rows.zip(hessians.chunks_mut(outputs * outputs)) {
                of_one.iter_mut().enumerate().for_each(|(t, o)| *o = out[t * n + i]);
                self.link.probabilities(&of_one, &mut p);
                let unit = self.samples.weight(i) / self.tau;
                for (at, h) in hessian.iter_mut().enumerate() {
                    let (s, t) = (at / outputs, at % outputs);
                    *h = (if s == t { p[s] } else { 0.0 } - p[s] * p[t]) * unit;
                }
            }
        })
    }

    /// `c` with `G(c)` the class proportions; with the softmax the one that sums to zero.
    fn null_intercept(&self) -> Vec<f64> {
        if self.samples.offset.is_some() {
            let c = self.null_log_odds();
            return if self.link == Link::Logit { vec![-c] } else { vec![-c / 2.0, c / 2.0] };
        }
        let logs: Vec<f64> = self.counts.iter().map(|c| c.ln()).collect();
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
        let law = if self.samples.offset.is_some() {
            NullLaw::Chances(p.chunks(m).map(|p| p[0]).collect())
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
        let of = |(p, label): (&[f64], &usize)| -p[*label].max(f64::MIN_POSITIVE).ln();
        p.chunks(self.n_classes()).zip(self.labels.iter()).map(of).collect()
    }

    /// Separable classes would send the weights to infinity.
    fn ridge(&self) -> f64 {
        1.0
    }

    fn strata(&self) -> (Vec<usize>, usize) {
        (self.labels.to_vec(), self.n_classes())
    }

    fn of_rows(&self, rows: &[usize]) -> Box<dyn Loss> {
        let labels = rows.iter().map(|&i| self.labels[i]).collect();
        let samples = self.samples.of_rows(rows);
        Box::new(Classes { tau: self.tau, ..Classes::new(labels, self.n_classes(), samples, self.link) })
    }
}

/// A tall table by halves: side by side, and with the small error of a sum of sums.
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
    let outputs = out.ncols();
    let mut loss = 0.0;
    for (i, &label) in labels.iter().enumerate() {
        let weight = weights.map_or(1.0, |w| w[i]);
        let output = |t: usize| out[(i, t)];
        let top = (0..outputs).map(output).chain(reference).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = (0..outputs).map(output).chain(reference).map(|u| (u - top).exp()).sum();
        let own = if label < outputs { output(label) } else { 0.0 };
        loss += weight * (top + sum.ln() - own);
        for t in 0..outputs {
            let indicator = if t == label { 1.0 } else { 0.0 };
            d_out[(i, t)] = weight * ((output(t) - top).exp() / sum - indicator);
        }
    }
    loss
}
