//! The switch between kernels and definitions.

use kernels::{in_parallel, uses_definitions, with_definitions};
use std::panic::catch_unwind;

#[test]
fn definitions_run_inside_and_only_there() {
    assert!(!uses_definitions());
    let inside = with_definitions(|| {
        let nested = with_definitions(uses_definitions);
        (nested, uses_definitions())
    });
    assert_eq!(inside, (true, true));
    assert!(!uses_definitions());
}

#[test]
fn a_panic_turns_the_switch_back() {
    let result = catch_unwind(|| with_definitions(|| panic!("on purpose")));
    assert!(result.is_err());
    assert!(!uses_definitions());
}

#[test]
fn the_switch_reaches_the_workers_and_no_other_thread() {
    let all = |_: usize| uses_definitions();
    let work: Vec<usize> = (0..8).collect();
    assert_eq!(in_parallel(work.clone(), all), [false; 8]);
    let inside = with_definitions(|| {
        let other = std::thread::spawn(uses_definitions).join().expect("no panic");
        assert!(!other);
        in_parallel(work, all)
    });
    assert_eq!(inside, [true; 8]);
}

#[test]
fn results_are_in_the_order_of_the_work() {
    let squares = in_parallel((0..20).collect(), |n: u32| n * n);
    assert_eq!(squares, (0..20).map(|n| n * n).collect::<Vec<_>>());
    assert_eq!(in_parallel(vec![], |n: u32| n), []);
}

#[test]
#[should_panic(expected = "piece 2")]
fn a_panic_of_a_worker_goes_on() {
    in_parallel((0..4).collect(), |n| assert!(n != 2, "piece {n}"));
}
