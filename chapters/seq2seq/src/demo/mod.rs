//! What the demo prints and draws.

pub mod parts;
pub mod pieces;
pub mod training;
