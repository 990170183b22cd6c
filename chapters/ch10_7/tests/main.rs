//! The program and the trainings of section 10.7.

mod language;
mod norm;
mod program;
mod reversal;
mod trained;
