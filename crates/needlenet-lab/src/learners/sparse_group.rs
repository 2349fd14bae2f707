//! The sparse group LASSO on the first layer, the penalty of spinn.
//!
//! $$\lambda \sum_j \left( a \lVert w_j\rVert_2 + (1-a) \lVert w_j\rVert_1 \right),$$
//!
//! `w_j` the weights of input `j` into all neurons. Its proximal operator is soft thresholding at
//! `(1-a) lambda` followed by group soft thresholding at `a lambda`: the l1 part only turns a vector within
//! its orthant, so the two can be done one after the other. Tested below by numerical minimisation.

/// The penalty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SparseGroup {
    /// Its weight.
    pub lambda: f64,
    /// The weight of the group norm: 0 is the LASSO, 1 the group LASSO.
    pub a: f64,
}

impl SparseGroup {
    /// Its value; `weights` holds `width` weights for each input.
    pub fn value(&self, weights: &[f64], width: usize) -> f64 {
        let one = |w: &[f64]| {
            let norm = w.iter().map(|v| v * v).sum::<f64>().sqrt();
            self.a * norm + (1.0 - self.a) * w.iter().map(|v| v.abs()).sum::<f64>()
        };
        self.lambda * weights.chunks(width).map(one).sum::<f64>()
    }

    /// Replaces `weights` by the minimiser over `w` of `||w - weights||^2 / 2 + step * value(w)`.
    pub fn prox(&self, weights: &mut [f64], width: usize, step: f64) {
        let (single, whole) = (step * self.lambda * (1.0 - self.a), step * self.lambda * self.a);
        for w in weights.chunks_mut(width) {
            w.iter_mut().for_each(|v| *v = v.signum() * (v.abs() - single).max(0.0));
            let norm = w.iter().map(|v| v * v).sum::<f64>().sqrt();
            let shrink = if norm > whole { 1.0 - whole / norm } else { 0.0 };
            w.iter_mut().for_each(|v| *v *= shrink);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The objective of the proximal operator.
    fn objective(penalty: SparseGroup, w: &[f64], at: &[f64], step: f64) -> f64 {
        let distance: f64 = w.iter().zip(at).map(|(a, b)| (a - b).powi(2)).sum();
        distance / 2.0 + step * penalty.value(w, w.len())
    }

    /// Pattern search from several starts: slow, but independent of soft thresholding.
    fn minimise(penalty: SparseGroup, at: &[f64], step: f64) -> Vec<f64> {
        let mut best = vec![0.0; at.len()];
        for start in [vec![0.0; at.len()], at.to_vec(), at.iter().map(|v| v / 2.0).collect()] {
            let (mut w, mut h) = (start, 1.0);
            while h > 1e-9 {
                let mut moved = false;
                for j in 0..w.len() {
                    for sign in [-1.0, 1.0] {
                        let mut next = w.clone();
                        next[j] += sign * h;
                        if objective(penalty, &next, at, step) < objective(penalty, &w, at, step) {
                            w = next;
                            moved = true;
                        }
                    }
                }
                if !moved {
                    h /= 2.0;
                }
            }
            if objective(penalty, &w, at, step) < objective(penalty, &best, at, step) {
                best = w;
            }
        }
        best
    }

    #[test]
    fn prox_agrees_with_a_numerical_minimisation() {
        let points = [[1.0, -2.0, 0.3], [0.2, 0.1, -0.05], [3.0, 0.0, -0.4], [-0.6, 0.6, 0.6]];
        for at in points {
            for a in [0.0, 0.1, 0.5, 1.0] {
                for (lambda, step) in [(0.3, 1.0), (1.0, 0.25), (0.9, 0.8)] {
                    let penalty = SparseGroup { lambda, a };
                    let mut w = at.to_vec();
                    penalty.prox(&mut w, 3, step);
                    let numeric = minimise(penalty, &at, step);
                    assert!(
                        objective(penalty, &w, &at, step) <= objective(penalty, &numeric, &at, step) + 1e-12
                    );
                    for (exact, found) in w.iter().zip(&numeric) {
                        assert!((exact - found).abs() < 1e-4, "{at:?} {penalty:?}: {w:?} {numeric:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_group_goes_to_zero_as_a_whole() {
        let mut weights = vec![0.3, -0.2, 5.0, 0.1];
        SparseGroup { lambda: 1.0, a: 1.0 }.prox(&mut weights, 2, 0.5);
        assert_eq!(weights[..2], [0.0, 0.0]);
        assert!(weights[2] > 4.0 && weights[3] > 0.0);
    }
}
