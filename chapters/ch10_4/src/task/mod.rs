//! What the models of two exercises learn. Plain computation, for the answers.

pub mod letters;
