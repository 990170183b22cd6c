//! Section 10.5, multi-head attention: several scaled dot products side by
//! side.
//!
//! Nothing here prints, draws or touches files.

pub mod demo;
mod heads;
mod multi_head;

pub use heads::{merge_heads, split_heads};
pub use multi_head::{KeyValues, MultiHeadAttention};
