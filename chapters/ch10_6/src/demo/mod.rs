//! What the demo prints and draws.

pub mod coreference;
mod coreference_models;
pub mod order;
pub mod pixels;
pub mod positions;
