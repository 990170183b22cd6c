//! The parts of the worked answers that are tested.

#![allow(dead_code)]

#[path = "../../../ch10_5/examples/exercise_10_5_5.rs"]
pub mod widths;
