//! The inner loop of the solver asks for no memory.

use allocation_counter::measure;
use needlenet::measure::Iterations;

#[test]
fn an_evaluation_of_loss_and_gradient_allocates_nothing() {
    let table = Iterations::new(100, 1000, 20, 80);
    let mut evaluate = table.evaluation();
    // the matrix product makes its own buffer once
    evaluate();
    assert_eq!(measure(&mut evaluate).count_total, 0);
}

#[test]
fn an_iteration_allocates_nothing_but_every_tenth_takes_the_curvature() {
    let table = Iterations::new(100, 1000, 20, 80);
    let count = |iterations| measure(|| assert_eq!(table.descend(iterations).0, iterations)).count_total;
    // the matrix product makes its own buffer once
    count(1);
    assert_eq!(count(10), count(1));
    // factors, Jacobian and Hessian of eight curvatures
    assert!(count(160) - count(80) <= 8 * 20);
}
