//! The program and the trainings of section 10.7.

mod induction;
mod language;
mod norm;
mod parts;
mod pieces;
mod program;
mod reversal;
mod today;
mod trained;
