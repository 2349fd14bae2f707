//! `L_n = -sum_i log p_{i, y_i}`: the paper's cross-entropy, with the minus sign it needs.

use crate::network::Link;

pub(super) fn evaluate(
    labels: &[usize],
    n_classes: usize,
    link: Link,
    out: &[f64],
    d_out: &mut [f64],
) -> f64 {
    let n = labels.len();
    let reference = (link == Link::Logit).then_some(0.0);
    let outputs = link.n_outputs(n_classes);
    let mut loss = 0.0;
    for (i, &label) in labels.iter().enumerate() {
        let output = |t: usize| out[t * n + i];
        let top = (0..outputs).map(output).chain(reference).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = (0..outputs).map(output).chain(reference).map(|u| (u - top).exp()).sum();
        let own = if label < outputs { output(label) } else { 0.0 };
        loss += top + sum.ln() - own;
        for t in 0..outputs {
            let indicator = if t == label { 1.0 } else { 0.0 };
            d_out[t * n + i] = (out[t * n + i] - top).exp() / sum - indicator;
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
