// ANCHOR: fused_header
//! Section 10.7, the same in one pass: the parts of the model on which the
//! time goes, each as one operation with its gradient written by hand.
//!
//! Each agrees with the function of the same name that is composed of dfdx's
//! operations, in values and gradients; a test holds them to it.

mod heads;
mod layers;
mod rows;
mod words;

pub use heads::look;
pub use layers::{feed_forward, project};
pub use rows::{add, norm};
pub use words::{embed, losses};
// ANCHOR_END: fused_header
