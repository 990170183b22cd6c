//! What section 10.5 has tested without training.

mod exercises;
mod heads;
mod layer;
mod parity;
