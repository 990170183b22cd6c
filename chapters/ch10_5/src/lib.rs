// ANCHOR: header
//! Section 10.5, multi-head attention: several scaled dot products side by
//! side, each on a projection of its own; and a small game to train them on.
//!
//! Nothing here prints, writes files or draws random numbers of its own. The
//! scaled dot product itself is `DotProductAttention` of `ch10_3`.

mod cards;
mod heads;
mod multi_head;
mod projection;

pub use cards::{CARDS, Deal, FACE, NUMBERS, PICTURES, Player, Said, WIDTH, train};
pub use heads::{merge_heads, split_heads};
pub use multi_head::{MultiHeadAttention, Pairs};
pub use projection::Projection;
// ANCHOR_END: header
