//! Every way to multiply gives what two plain loops give.

use super::gaussian;
use crate::activation::Activation;
use crate::network::{Network, Workspace};
use crate::product::{for_each_nonzero, largest_magnitude, multiply_add_long, view};

/// `out += a b'` by definition.
fn by_definition(out: &mut [f64], a: &[f64], b: &[f64], n: usize, width: usize) {
    for (a, b) in a.chunks(n).zip(b.chunks(width)) {
        for (out, b) in out.chunks_mut(n).zip(b) {
            out.iter_mut().zip(a).for_each(|(out, a)| *out += a * b);
        }
    }
}

fn assert_near(found: &[f64], expected: &[f64], case: &str) {
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-11 * (1.0 + expected.abs()), "{case}: {found} {expected}");
    }
}

#[test]
fn long_products_are_those_of_the_definition_in_every_shape() {
    // narrow, short, turned around, turned around in parts; rows that are no multiple of any block
    for (n, p, width) in [(7, 300, 3), (300, 10, 20), (13, 700, 20), (301, 700, 20), (260, 192 * 2, 17)] {
        let (a, b, mut out) = (gaussian(n * p, 1), gaussian(width * p, 2), gaussian(n * width, 3));
        let mut expected = out.clone();
        by_definition(&mut expected, &a, &b, n, width);
        let mut room = vec![f64::NAN; n * width];
        multiply_add_long(&mut out, view(&a, n, p), view(&b, width, p), &mut room);
        assert_near(&out, &expected, &format!("{n} x {p} x {width}"));
    }
}

#[test]
fn a_network_with_few_weights_in_use_computes_the_same_function() {
    let (n, p, width) = (21, 40, 6);
    let x = gaussian(n * p, 4);
    let activation = Activation::default();
    let network = Network::new(p, &[width], 1, &activation);
    for in_use in [0, 1, 5, p * width / 8, p * width / 8 + 1] {
        let mut theta = gaussian(network.n_params(), 5);
        // 7 has no factor in common with the number of weights: these are different ones
        let weights: Vec<f64> = (0..p * width).map(|i| theta[i]).collect();
        theta[..p * width].fill(0.0);
        (0..in_use).map(|i| 7 * i % (p * width)).for_each(|i| theta[i] = weights[i]);
        let layers = &network.layers;
        let mut u: Vec<f64> = layers[0].biases.clone().flat_map(|i| vec![theta[i]; n]).collect();
        by_definition(&mut u, &x, &theta[layers[0].weights.clone()], n, width);
        let mut slope = vec![0.0; n * width];
        activation.apply(1.0, &mut u, &mut slope);
        let mut expected = vec![theta[layers[1].biases.start]; n];
        by_definition(&mut expected, &u, &theta[layers[1].weights.clone()], n, 1);
        let mut ws = Workspace::new(&network, n);
        network.forward(&theta, &x, &mut ws);
        assert_near(&ws.out, &expected, &format!("{in_use} weights in use"));
    }
}

#[test]
fn scans_miss_nothing_at_the_end_of_a_block() {
    for count in [0, 1, 7, 8, 9, 16, 19] {
        for at in 0..count {
            let mut values = vec![0.0; count];
            values[at] = -2.0;
            let mut seen = Vec::new();
            for_each_nonzero(&values, |i| seen.push(i));
            assert_eq!(seen, [at]);
            assert_eq!(largest_magnitude(&values), 2.0);
        }
        assert_eq!(largest_magnitude(&vec![0.0; count]), 0.0);
    }
}
