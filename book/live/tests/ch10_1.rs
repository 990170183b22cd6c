//! Section 10.1: the query on the desk.

use crate::common::{Asked, agree, near, numbers, start};
use live::ch10_1::Desk;

const PAGE: &str = "ch10_1";

/// The last query of Figure 10.1.1.
const TO_READ: &str = r#"{"query": [1.0, 2.0], "temperature": 0.2}"#;

#[test]
fn the_default_is_the_row_of_the_figure() {
    let answer = start::<Desk>(PAGE).ok(TO_READ);
    // chapters/ch10_1/output.txt, "Three queries", the row "to read".
    let weights = [0.0755, 0.0001, 0.0023, 0.0023, 0.9198];
    near(&numbers(&answer["weights"]), &weights, 5e-5);
    near(&numbers(&answer["output"]), &[0.1865, 0.9887, 0.0018, 0.1936], 5e-5);
    near(&numbers(&answer["scores"]), &[1.7, 0.4, 1.0, 1.0, 2.2], 1e-6);
}

#[test]
fn a_query_of_zeros_is_average_pooling() {
    let ask = r#"{"query": [0, 0], "temperature": 1}"#;
    let answer = start::<Desk>(PAGE).ok(ask);
    near(&numbers(&answer["weights"]), &[0.2; 5], 1e-6);
    near(&numbers(&answer["output"]), &[0.26, 0.52, 0.16, 0.24], 1e-6);
}

#[test]
fn the_module_answers_alike() {
    let questions = [TO_READ, r#"{"query": [1, 0.8], "temperature": 0.01}"#];
    let bad = [("", "not a question"), ("{}", "query")];
    agree::<Desk>(PAGE, &questions, &bad);
}
