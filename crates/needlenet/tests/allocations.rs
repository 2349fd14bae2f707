//! The inner loop of the solver asks for no memory.

use allocation_counter::measure;
use needlenet::internals::measure::{Iterations, survival};

#[test]
fn an_evaluation_of_loss_and_gradient_allocates_nothing() {
    let table = Iterations::new(100, 1000, 20, 80);
    let mut evaluate = table.evaluation();
    // the matrix product makes its own buffer once
    evaluate();
    assert_eq!(measure(&mut evaluate).count_total, 0);
}

#[test]
fn an_evaluation_of_survival_allocates_nothing() {
    let mut evaluate = survival(600);
    // each thread makes its room once
    evaluate();
    assert_eq!(measure(&mut evaluate).count_total, 0);
}

#[test]
fn a_quasi_newton_iteration_allocates_nothing() {
    let table = Iterations::new(100, 1000, 20, 80);
    let count = |iterations| measure(|| assert_eq!(table.descend(iterations).0, iterations)).count_total;
    // the matrix product makes its own buffer once
    count(1);
    let counts: Vec<u64> = (10..=60).map(count).collect();
    assert!(counts.windows(2).all(|pair| pair[0] == pair[1]), "{counts:?}");
}
