// ANCHOR: header
//! Section 10.3, attention scoring functions: masked softmax, and attention
//! by a scaled dot-product, an additive and a bilinear score.
//!
//! Nothing here prints, writes files or draws random numbers of its own. The
//! heat maps are drawn by `show_heatmaps` of `ch10_1`.

mod additive;
mod bilinear;
mod dot_product;
#[cfg(not(feature = "cuda"))]
pub mod fused;
pub mod loops;
mod masked;
#[cfg(not(feature = "cuda"))]
mod one_pass;
mod pooling;

pub use additive::{AdditiveAttention, fan_in, project};
pub use bilinear::BilinearAttention;
pub use dot_product::DotProductAttention;
pub use masked::{ValidLens, masked_softmax};
pub use pooling::{Attended, attend, drop_out};
// ANCHOR_END: header
