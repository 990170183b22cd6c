//! The program and the trainings of section 10.5.

mod game;
mod program;
