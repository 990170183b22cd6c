//! The game of pairs, which needs two heads: plain computation, for the
//! program, the tests and the exercises.

pub mod cards;
