// ANCHOR: fused_header
//! Interlude, the same in one pass: the parts of the model on which the time
//! goes, each as one operation with its gradient written by hand.
//!
//! Each agrees with the function of the same name that is composed of dfdx's
//! operations, in values and gradients; a test holds them to it.

mod recurrent;
mod words;

pub use recurrent::{drop_out, gates, steps, to_gates};
pub use words::{embed, losses};
// ANCHOR_END: fused_header
