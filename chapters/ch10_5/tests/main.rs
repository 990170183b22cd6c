//! The tests of section 10.5.

mod common;
mod exercises;
mod game;
mod heads;
mod layer;
mod parity;
