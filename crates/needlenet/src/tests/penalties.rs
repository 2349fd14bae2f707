//! What every penalty promises.

use crate::penalty::Penalty;

const ALL: [Penalty; 6] = [
    Penalty::L1,
    Penalty::Group,
    Penalty::Harder { nu: 0.1 },
    Penalty::Harder { nu: 0.7 },
    Penalty::Scad { a: 3.7 },
    Penalty::Mcp { a: 3.0 },
];

#[test]
fn every_penalty_is_zero_with_slope_one_at_zero() {
    for penalty in ALL {
        assert_eq!(penalty.value_and_slope(0.0), (0.0, 1.0));
        // nu = 0.7 approaches its slope like t^0.3
        let (_, near) = penalty.value_and_slope(1e-12);
        assert!((near - 1.0).abs() < 1e-3, "{penalty:?}");
    }
}

#[test]
fn the_slope_is_the_derivative_by_central_differences() {
    for penalty in ALL {
        for t in [0.01, 0.3, 0.99, 1.01, 2.0, 2.99, 3.01, 3.69, 3.71, 20.0] {
            let h = 1e-6;
            let numeric = (penalty.value_and_slope(t + h).0 - penalty.value_and_slope(t - h).0) / (2.0 * h);
            assert!((numeric - penalty.value_and_slope(t).1).abs() < 1e-6, "{penalty:?} at {t}");
        }
    }
}

#[test]
fn every_penalty_rises_and_its_slope_does_not() {
    for penalty in ALL {
        let grid: Vec<(f64, f64)> = (0..1000).map(|i| penalty.value_and_slope(f64::from(i) * 0.01)).collect();
        for pair in grid.windows(2) {
            assert!(pair[1].0 >= pair[0].0 && pair[1].1 <= pair[0].1 + 1e-15, "{penalty:?}");
        }
    }
}

#[test]
fn scad_and_mcp_leave_large_weights_alone_but_for_a_hundredth_of_the_lasso() {
    // flat at (a + 1) / 2 and a / 2
    for (penalty, flat) in [(Penalty::Scad { a: 3.7 }, 2.35), (Penalty::Mcp { a: 3.0 }, 1.5)] {
        let (value, slope) = penalty.value_and_slope(5.0);
        assert!((value - (0.99 * flat + 0.01 * 5.0)).abs() < 1e-12 && (slope - 0.01).abs() < 1e-12);
    }
}

#[test]
fn without_concavity_every_penalty_is_a_multiple_of_the_lasso() {
    for penalty in [Penalty::Scad { a: 3.7 }, Penalty::Mcp { a: 3.0 }] {
        let (value, slope) = penalty.with_concavity(1e-9).value_and_slope(2.0);
        assert!((value - 2.0).abs() < 1e-6 && (slope - 1.0).abs() < 1e-6);
    }
    let (value, slope) = Penalty::Harder { nu: 0.1 }.with_concavity(1e-9).value_and_slope(2.0);
    assert!((value - 1.0).abs() < 1e-6 && (slope - 0.5).abs() < 1e-6);
}

#[test]
fn constants_outside_their_range_are_refused() {
    for bad in [0.0, 1.0, f64::NAN] {
        assert!(Penalty::Harder { nu: bad }.check().is_err());
        assert!(Penalty::Scad { a: bad }.check().is_err());
    }
    assert!(Penalty::Mcp { a: 0.0 }.check().is_err());
    assert!("ridge".parse::<Penalty>().is_err());
}
