//! The tests of section 10.6.

mod coreference;
mod costs;
mod encoding;
mod parity;
mod pixels;
mod program;
mod self_attention;
mod sentences;
mod shapes;
