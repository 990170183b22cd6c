//! What the demo prints and draws.

pub mod game;
pub mod seeds;
