//! What section 10.6 has tested without training.

mod coreference;
mod costs;
mod encoding;
mod parity;
mod pixels;
mod self_attention;
mod sentences;
mod shapes;
