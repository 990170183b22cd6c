//! The program and the trainings of section 10.6.

mod coreference;
mod program;
mod shapes;
