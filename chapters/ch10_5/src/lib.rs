//! Section 10.5, multi-head attention: several scaled dot products side by
//! side.
//!
//! Nothing here prints, draws or touches files.

mod heads;
mod multi_head;
pub mod task;

pub use heads::{merge_heads, split_heads};
pub use multi_head::{KeyValues, MultiHeadAttention};
