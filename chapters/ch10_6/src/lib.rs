//! Section 10.6, self-attention and positional encoding: sequences that
//! attend to themselves, and rows that say where they stand.
//!
//! Nothing here prints, draws or touches files.

pub mod coreference;
pub mod costs;
mod encoding;
pub mod pixels;
mod self_attention;
pub mod task;

pub use encoding::{PositionalEncoding, frequency, rotate};
pub use self_attention::{SelfAttention, self_attention};
