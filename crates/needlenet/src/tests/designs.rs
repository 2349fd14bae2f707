//! A sparse table is the same table as its dense copy.

use super::gaussian;
use crate::product::view;
use crate::table::{Canonical, Data, Design, Outcome, SparseColumns};
use crate::{Settings, fit};

const N: usize = 120;
const P: usize = 25;

/// Counts of which about a fifth are not zero, in either form.
fn tables() -> (Vec<f64>, SparseColumns) {
    let dense: Vec<f64> = gaussian(N * P, 3).iter().map(|v| (4.0 * (v - 0.8)).max(0.0).ceil()).collect();
    let mut sparse = SparseColumns { starts: vec![0], ..SparseColumns::default() };
    for column in dense.chunks(N) {
        // rows in no order
        for i in (0..N).rev().filter(|i| column[*i] != 0.0) {
            sparse.rows.push(i as u32);
            sparse.values.push(column[i]);
        }
        sparse.starts.push(sparse.rows.len());
    }
    (dense, sparse)
}

fn outcomes(x: &[f64]) -> [Outcome; 2] {
    let noise = gaussian(N, 5);
    let y: Vec<f64> =
        (0..N).map(|i| 2.0 * x[3 * N + i] + (x[7 * N + i] - 1.0).abs() + 0.3 * noise[i]).collect();
    let labels: Vec<&str> = y.iter().map(|v| if *v > 2.0 { "high" } else { "low" }).collect();
    [Outcome::Regression(y.clone()), Outcome::from_labels(&labels)]
}

/// The same table twice: dense, and sparse.
fn twice(outcome: &Outcome) -> [Data; 2] {
    let (dense, sparse) = tables();
    let names: Vec<String> = (0..P).map(|j| format!("x{j}")).collect();
    [
        Data::new(dense, names.clone(), outcome.clone()).unwrap(),
        Data::sparse(sparse, names, outcome.clone()).unwrap(),
    ]
}

#[test]
fn a_sparse_table_has_the_canonical_form_of_its_dense_copy_to_the_bit() {
    let weights: Vec<f64> = (0..N).map(|i| [0.0, 1.0, 2.0][i % 3]).collect();
    for outcome in outcomes(&tables().0) {
        let weighted = twice(&outcome).map(|data| data.with_weights(weights.clone()).unwrap());
        for [dense, sparse] in [twice(&outcome), weighted] {
            let [dense, sparse] =
                [dense, sparse].map(|data| Canonical::new(data, &Settings::default()).unwrap());
            assert_eq!(
                (&dense.inputs, &dense.rows, &dense.signs),
                (&sparse.inputs, &sparse.rows, &sparse.signs)
            );
            assert_eq!(dense.scalings, sparse.scalings);
            for j in 0..dense.p() {
                assert_eq!(dense.x.column(j), sparse.x.column(j), "column {j}");
            }
        }
    }
}

#[test]
fn products_of_a_sparse_table_are_those_of_its_dense_copy() {
    let [outcome, _] = outcomes(&tables().0);
    let designs = twice(&outcome).map(|data| Canonical::new(data, &Settings::default()).unwrap().x);
    let left = gaussian(3 * N, 9);
    let close = |[a, b]: [Vec<f64>; 2]| {
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-11), "{a:?} {b:?}");
    };
    let product = |x: &Design| {
        let mut out = vec![f64::NAN; 3 * 4];
        x.multiply(&mut out, view(&left, 3, N), 5..9);
        out
    };
    close(designs.each_ref().map(product));
    let turned = |x: &Design| {
        let mut out = vec![f64::NAN; 3 * 4];
        x.multiply(&mut out, view(&left, N, 3).transpose(), 5..9);
        out
    };
    close(designs.each_ref().map(turned));
    let of_rows = |x: &Design| {
        let mut out = vec![1.0; 3 * x.p()];
        x.multiply_add_rows(&mut out, view(&left[..3 * 40], 3, 40), 30..70);
        out
    };
    close(designs.each_ref().map(of_rows));
    let part = |x: &Design| x.of_rows(&[3, 4, 50, 119]).gathered(&[2, 0]);
    close(designs.each_ref().map(part));
}

/// Rows take 2 bytes up to 65,536 samples, and 4 beyond.
#[test]
fn products_and_parts_with_many_rows_and_samples_are_those_of_the_dense_table() {
    for n in [5000, 1 << 16, 70_000] {
        let (p, height) = (3, 37);
        let dense: Vec<f64> = gaussian(n * p, 3).iter().map(|v| (4.0 * (v - 0.8)).max(0.0).ceil()).collect();
        let mut cells = SparseColumns { starts: vec![0], ..SparseColumns::default() };
        for column in dense.chunks(n) {
            cells.rows.extend((0..n as u32).filter(|i| column[*i as usize] != 0.0));
            cells.values.extend(column.iter().filter(|v| **v != 0.0));
            cells.starts.push(cells.rows.len());
        }
        let mut designs = [Design::dense(dense, n), Design::sparse(cells, n, p).unwrap()];
        let left = gaussian(height * n, 9);
        let whole = designs.each_ref().map(|x| {
            let mut out = vec![f64::NAN; height * 2];
            x.multiply(&mut out, view(&left, height, n), 1..3);
            out
        });
        let from = n - 3100;
        let of_rows = designs.each_ref().map(|x| {
            let mut out = vec![1.0; height * p];
            x.multiply_add_rows(&mut out, view(&left[..height * 2500], height, 2500), from..from + 2500);
            out
        });
        for [dense, sparse] in [whole, of_rows] {
            assert!(
                dense.iter().zip(&sparse).all(|(a, b)| (a - b).abs() < 1e-9),
                "{n}: {dense:?} {sparse:?}"
            );
        }
        let kept: Vec<usize> = (0..n).filter(|i| i % 7 < 5).collect();
        let [dense, sparse] = designs.each_ref().map(|x| x.of_rows(&kept).gathered(&[2, 0]));
        assert_eq!(dense, sparse, "{n}");
        let backwards: Vec<usize> = (0..n).rev().collect();
        designs.iter_mut().for_each(|x| x.reorder_rows(&backwards));
        let [dense, sparse] = designs.each_ref().map(|x| x.gathered(&[1, 2]));
        assert_eq!(dense, sparse, "{n}");
    }
}

#[test]
fn a_table_given_row_after_row_is_the_same_table() {
    // [1 0 2; 0 0 3], and the cells of the first row in another order
    let (columns, values) = ([2u32, 0, 2], [2.0, 1.0, 3.0]);
    let of =
        |starts: &[usize], p: usize| SparseColumns::from_rows(starts, |at| columns[at], |at| values[at], p);
    let table = of(&[0, 2, 3], 3).unwrap();
    assert_eq!((&table.starts[..], &table.rows[..]), (&[0, 1, 1, 3][..], &[0, 0, 1][..]));
    assert_eq!(table.values, [1.0, 2.0, 3.0]);
    for (starts, p) in [(&[0, 2, 3][..], 2), (&[0, 3, 2], 3), (&[1, 2, 3], 3)] {
        of(starts, p).unwrap_err();
    }
}

#[test]
fn a_sparse_table_has_the_needles_and_the_objective_of_its_dense_copy() {
    for outcome in outcomes(&tables().0) {
        let [dense, sparse] = twice(&outcome).map(|data| fit(data, &Settings::default()).unwrap());
        assert!(!dense.needles.is_empty());
        assert_eq!(dense.selected(), sparse.selected());
        assert!((dense.threshold.lambda_qut / sparse.threshold.lambda_qut - 1.0).abs() < 1e-12);
        let (a, b) = (dense.certificate.objective, sparse.certificate.objective);
        assert!((a - b).abs() < 1e-9 * a, "{a} {b}");
    }
}

#[test]
fn a_sparse_table_with_impossible_cells_is_refused() {
    let of = |starts: &[usize], rows: &[u32]| {
        let table =
            SparseColumns { starts: starts.to_vec(), rows: rows.to_vec(), values: vec![1.0; rows.len()] };
        let names = vec!["a".into(), "b".into()];
        Data::sparse(table, names, Outcome::Regression(vec![1.0, 2.0, 4.0])).map(|_| ())
    };
    of(&[0, 1, 2], &[0, 2]).unwrap();
    for (starts, rows) in [
        (&[0, 1][..], &[0u32][..]),
        (&[0, 2, 1], &[0, 1]),
        (&[0, 1, 3], &[0, 1]),
        (&[0, 1, 2], &[0, 3]),
        (&[0, 2, 3], &[1, 1, 0]),
    ] {
        of(starts, rows).unwrap_err();
    }
}
