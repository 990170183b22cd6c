//! Data and small models for the section's demonstrations: plain computation,
//! for the program, the tests and the exercises.

pub mod classifier;
pub mod one_layer;
pub mod sentences;
pub mod shapes;
