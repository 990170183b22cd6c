// ANCHOR: header
//! Section 10.1, attention cues: a soft look-up, and heat maps of weights.
//!
//! Nothing here prints, writes files or draws random numbers.

mod heatmap;

pub use dfdx::prelude::AutoDevice as Dev;
pub use heatmap::{Labels, show_heatmaps};
// ANCHOR_END: header
