//! The program and the trainings of section 10.7.

mod induction;
mod language;
mod norm;
mod parts;
mod pieces;
#[path = "../examples/exercise_10_7_14.rs"]
#[allow(dead_code)]
mod positions;
mod program;
mod reversal;
mod today;
mod trained;
