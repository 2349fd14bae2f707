//! Classes: `L_n = -sum_i log p_{i, y_i}`, the paper's cross-entropy, with the minus sign it needs.

use std::sync::Arc;

use faer::{MatMut, MatRef};

use super::{Loss, price_of_share};
use crate::network::{Link, WHOLE};
use crate::threshold::{Across, Null, NullLaw, centred_one_hot};

#[derive(Debug, Clone)]
pub(crate) struct Classes {
    labels: Arc<[usize]>,
    counts: Vec<f64>,
    link: Link,
    /// The loss is divided by it.
    tau: f64,
}

impl Classes {
    pub fn new(labels: Vec<usize>, n_classes: usize, link: Link) -> Self {
        let mut counts = vec![0.0; n_classes];
        labels.iter().for_each(|&l| counts[l] += 1.0);
        Classes { labels: labels.into(), counts, link, tau: 1.0 }
    }

    fn n_classes(&self) -> usize {
        self.counts.len()
    }

    /// The least information that the sample has on a log odds which two classes share, `1 / (1/n_a + 1/n_b)`, where an
    /// input whose null statistic is 1 has a gradient of 1 by it.
    fn least_information(&self, across: Across) -> f64 {
        let pair = |a: f64, b: f64| 1.0 / (1.0 / a + 1.0 / b);
        let n = self.labels.len() as f64;
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

    fn n_outputs(&self) -> usize {
        self.link.n_outputs(self.n_classes())
    }

    fn n_contrasts(&self) -> usize {
        self.n_classes() - 1
    }

    fn evaluate(&self, out: &[f64], d_out: &mut [f64]) -> f64 {
        let (n, outputs) = (self.labels.len(), self.n_outputs());
        let reference = (self.link == Link::Logit).then_some(0.0);
        let out = MatRef::from_column_major_slice(out, n, outputs);
        let of_rows = MatMut::from_column_major_slice_mut(&mut *d_out, n, outputs);
        let value = evaluate_rows(&self.labels, reference, out, of_rows);
        if self.tau != 1.0 {
            d_out.iter_mut().for_each(|d| *d /= self.tau);
        }
        value / self.tau
    }

    /// `diag(p) - p p'`
    fn curvature(&self, _value: f64, out: &[f64], hessians: &mut [f64]) {
        let outputs = self.n_outputs();
        let n = out.len() / outputs;
        let (mut p, mut of_one) = (vec![0.0; self.n_classes()], vec![0.0; outputs]);
        for (i, hessian) in hessians.chunks_mut(outputs * outputs).enumerate() {
            of_one.iter_mut().enumerate().for_each(|(t, o)| *o = out[t * n + i]);
            self.link.probabilities(&of_one, &mut p);
            for (at, h) in hessian.iter_mut().enumerate() {
                let (s, t) = (at / outputs, at % outputs);
                *h = (if s == t { p[s] } else { 0.0 } - p[s] * p[t]) / self.tau;
            }
        }
    }

    /// `c` with `G(c)` the class proportions; with the softmax the one that sums to zero.
    fn null_intercept(&self) -> Vec<f64> {
        let logs: Vec<f64> = self.counts.iter().map(|c| c.ln()).collect();
        let reference = match self.link {
            Link::Logit => logs[logs.len() - 1],
            _ => logs.iter().sum::<f64>() / logs.len() as f64,
        };
        logs[..self.n_outputs()].iter().map(|l| l - reference).collect()
    }

    fn null(&self) -> Null {
        let implied_column = self.link == Link::Softmax;
        let columns = self.n_outputs() - usize::from(implied_column);
        let mut observed = vec![0.0; self.n() * columns];
        centred_one_hot(&self.labels, columns, &mut observed);
        let n = self.n() as f64;
        let shares = self.counts.iter().map(|count| count / n).collect();
        Null { law: NullLaw::multinomial(shares), observed, implied_column }
    }

    fn price(&self, lambda: f64, across: Across) -> f64 {
        let n = self.labels.len();
        price_of_share(n, lambda * lambda / (n as f64 * self.least_information(across)))
    }

    fn growth(&self) -> f64 {
        0.5
    }

    fn unit(&self) -> f64 {
        (self.labels.len() as f64 / self.least_information(Across::Sum)).sqrt()
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

    fn at_noise(&self, tau: f64) -> Box<dyn Loss> {
        Box::new(Classes { tau, ..self.clone() })
    }

    fn released(&self, value: f64) -> f64 {
        value * self.tau
    }

    fn deviance(&self, value: f64) -> f64 {
        2.0 * value
    }

    fn gain_without_one(&self, out: &[f64]) -> f64 {
        let null = self.of_each(&self.null_outputs());
        let fitted = self.of_each(out);
        let gains = || null.iter().zip(&fitted).map(|(null, fitted)| null - fitted);
        2.0 * (gains().sum::<f64>() - gains().fold(0.0, f64::max))
    }

    fn of_each(&self, out: &[f64]) -> Vec<f64> {
        let (n, outputs) = (self.labels.len(), self.n_outputs());
        let mut p = vec![0.0; self.n_classes()];
        let mut of_one = vec![0.0; outputs];
        let loss = |(i, label): (usize, &usize)| {
            of_one.iter_mut().enumerate().for_each(|(t, o)| *o = out[t * n + i]);
            self.link.probabilities(&of_one, &mut p);
            -p[*label].max(f64::MIN_POSITIVE).ln()
        };
        self.labels.iter().enumerate().map(loss).collect()
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
        Box::new(Classes { tau: self.tau, ..Classes::new(labels, self.n_classes(), self.link) })
    }
}

/// A tall table by halves: side by side, and with the small error of a sum of sums.
fn evaluate_rows(labels: &[usize], reference: Option<f64>, out: MatRef<f64>, mut d_out: MatMut<f64>) -> f64 {
    if labels.len() > WHOLE {
        let half = labels.len() / 2;
        let (first, second) = labels.split_at(half);
        let (out_first, out_second) = out.split_at_row(half);
        let (d_first, d_second) = d_out.split_at_row_mut(half);
        let (a, b) = rayon::join(
            || evaluate_rows(first, reference, out_first, d_first),
            || evaluate_rows(second, reference, out_second, d_second),
        );
        return a + b;
    }
    let outputs = out.ncols();
    let mut loss = 0.0;
    for (i, &label) in labels.iter().enumerate() {
        let output = |t: usize| out[(i, t)];
        let top = (0..outputs).map(output).chain(reference).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = (0..outputs).map(output).chain(reference).map(|u| (u - top).exp()).sum();
        let own = if label < outputs { output(label) } else { 0.0 };
        loss += top + sum.ln() - own;
        for t in 0..outputs {
            let indicator = if t == label { 1.0 } else { 0.0 };
            d_out[(i, t)] = (output(t) - top).exp() / sum - indicator;
        }
    }
    loss
}
