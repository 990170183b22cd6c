//! The program and the trainings of section 10.4.

mod program;
mod trained;
