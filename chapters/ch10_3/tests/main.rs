//! The tests of section 10.3.

mod dropout;
mod gradients;
mod laws;
mod lookup;
mod numbers;
mod parity;
mod plain;
