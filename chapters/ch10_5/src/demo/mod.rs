//! The game of pairs: plain computation, for the
//! program, the tests and the exercises.

pub mod cards;
