//! What section 10.7 has tested without training.

mod cache;
mod induction;
mod language;
mod laws;
mod names;
mod parity;
mod parts;
#[path = "../../../ch10_7/examples/exercise_10_7_10.rs"]
#[allow(dead_code)]
mod smoothing;
mod stories;
mod today;
