// ANCHOR: header
//! Section 10.6, self-attention and positional encoding: sequences that
//! attend to themselves, and positions added to their rows.
//!
//! Nothing here prints, writes files or draws random numbers of its own. The
//! attention of several heads is `MultiHeadAttention` of `ch10_5`.

mod encoding;
pub mod it;
pub mod matching;
pub mod pixels;
mod rivals;
mod self_attention;
pub mod sentences;
pub mod shapes;

pub use encoding::{PositionalEncoding, frequency, turned};
pub use rivals::{Recurrence, WINDOW, convolve};
pub use self_attention::{SelfAttention, self_attend};
// ANCHOR_END: header
