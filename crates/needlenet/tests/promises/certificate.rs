//! A fit says how it ended, with a proof: on easy tables of every row it converges, and the violation is within the
//! tolerance, of the refit too.

use needlenet::{Data, fit};

use super::made::{gaussian, names};
use super::table::{Kind, Row, rows};

pub const N: usize = 120;
pub const P: usize = 8;

/// `2 x1 - x2` and a little noise, as numbers, cut into classes, or as a log rate.
pub fn easy(kind: Kind, noise: f64) -> Data {
    let x = gaussian(N * P, 41);
    let errors: Vec<f64> = gaussian(N, 42).iter().map(|e| noise * e).collect();
    let score: Vec<f64> = (0..N).map(|i| 2.0 * x[i] - x[N + i]).collect();
    Data::new(x, names(P), kind.outcome(&score, &errors, 43)).unwrap()
}

fn check(row: &Row, noise: f64) {
    let settings = row.settings();
    // docs/solver.md, "What is open": such a network may reach the limit on iterations, and then says so
    let may_stop_early = row.penalty.is_grouped() && !row.hidden.is_empty();
    let model = fit(easy(row.kind, noise), &settings).unwrap();
    for (what, end) in [("fit", &model.certificate), ("refit", &model.refit)] {
        let (converged, proved) = (end.stop.is_converged(), end.kkt_violation <= settings.tolerance);
        assert_eq!(converged, proved, "{row}, noise {noise}: {what} {:?}", end);
        assert!(converged || may_stop_early, "{row}, noise {noise}: {what} {:?}", end);
    }
    assert!(!model.needles.is_empty(), "{row}, noise {noise}");
}

#[test]
fn easy_tables_of_every_row_converge_with_a_certificate() {
    rows().iter().for_each(|row| check(row, 0.5));
}

#[test]
fn linear_perfect_fits_are_certified() {
    for row in rows().iter().filter(|row| row.kind == Kind::Numbers && row.hidden.is_empty()) {
        check(row, 0.0);
    }
}
