//! What section 10.3 has tested without training.

mod dropout;
mod laws;
mod numbers;
mod parity;
