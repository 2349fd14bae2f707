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
fn allocations_of_a_descent_do_not_grow_with_its_iterations() {
    let table = Iterations::new(100, 1000, 20, 80);
    let count = |iterations| {
        let mut made = 0;
        let count = measure(|| made = table.descend(iterations)).count_total;
        println!("{iterations} {made} {count}");
        count
    };
    count(1);
    count(40);
    count(80);
    count(160);
}
