//! What the demo prints and draws.

pub mod parts;
pub mod training;
