//! `L_n = -sum_i log p_{i, y_i}`: the paper's cross-entropy, with the minus sign it needs.

use faer::{Mat, MatMut, MatRef};

use super::gram;
use crate::network::{Link, WHOLE};

pub(super) fn evaluate(
    labels: &[usize],
    n_classes: usize,
    link: Link,
    out: &[f64],
    d_out: &mut [f64],
) -> f64 {
    let (n, outputs) = (labels.len(), link.n_outputs(n_classes));
    let reference = (link == Link::Logit).then_some(0.0);
    let out = MatRef::from_column_major_slice(out, n, outputs);
    evaluate_rows(labels, reference, out, MatMut::from_column_major_slice_mut(d_out, n, outputs))
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

/// `c` with `G(c)` the class proportions; with the softmax the one that sums to zero.
pub(super) fn null_intercept(labels: &[usize], n_classes: usize, link: Link) -> Vec<f64> {
    let mut counts = vec![0.0; n_classes];
    labels.iter().for_each(|&l| counts[l] += 1.0);
    let logs: Vec<f64> = counts.iter().map(|c: &f64| c.ln()).collect();
    let reference = match link {
        Link::Logit => logs[n_classes - 1],
        _ => logs.iter().sum::<f64>() / n_classes as f64,
    };
    logs[..link.n_outputs(n_classes)].iter().map(|l| l - reference).collect()
}

/// `sum_t J_t' diag(p_t) J_t - Q'Q` with `Q = sum_t diag(p_t) J_t`.
pub(super) fn gauss_newton(n_classes: usize, link: Link, out: &[f64], jacobians: &[Mat<f64>]) -> Mat<f64> {
    let (n, d) = (jacobians[0].nrows(), jacobians[0].ncols());
    let mut probabilities = vec![0.0; n * n_classes];
    let mut outputs = vec![0.0; jacobians.len()];
    for (i, p) in probabilities.chunks_mut(n_classes).enumerate() {
        outputs.iter_mut().enumerate().for_each(|(t, o)| *o = out[t * n + i]);
        link.probabilities(&outputs, p);
    }
    let mut hessian = Mat::zeros(d, d);
    let mut mean = Mat::<f64>::zeros(n, d);
    for (t, jacobian) in jacobians.iter().enumerate() {
        let p = |i: usize| probabilities[i * n_classes + t];
        let weighted = Mat::from_fn(n, d, |i, j| p(i).sqrt() * jacobian[(i, j)]);
        hessian += gram(weighted.as_ref(), 1.0);
        mean += Mat::from_fn(n, d, |i, j| p(i) * jacobian[(i, j)]);
    }
    hessian - gram(mean.as_ref(), 1.0)
}
