//! Work on several cores.

use kernels::in_parallel;

#[test]
fn results_are_in_the_order_of_the_work() {
    let squares = in_parallel((0..20).collect(), |n: u32| n * n);
    assert_eq!(squares, (0..20).map(|n| n * n).collect::<Vec<_>>());
    assert_eq!(in_parallel(vec![], |n: u32| n), [0; 0]);
}

#[test]
#[should_panic(expected = "piece 2")]
fn a_panic_of_a_worker_goes_on() {
    in_parallel((0..4).collect(), |n| assert!(n != 2, "piece {n}"));
}
