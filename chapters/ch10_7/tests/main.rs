//! Tests of section 10.7.

mod cache;
mod gradients;
mod language;
mod laws;
mod names;
mod norm;
mod parity;
mod program;
mod reversal;
#[path = "../examples/exercise_10_7_10.rs"]
#[allow(dead_code)]
mod smoothing;
mod stories;
mod trained;
