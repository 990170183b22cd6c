//! What the section's models learn: data, and small models for them. Plain
//! computation, for the program, the tests, the exercises and the page.

pub mod classifier;
pub mod one_layer;
pub mod sentences;
pub mod shapes;
