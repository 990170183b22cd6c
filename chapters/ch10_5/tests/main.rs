//! The tests of section 10.5.

mod exercises;
mod game;
mod heads;
mod layer;
mod parity;
mod program;
