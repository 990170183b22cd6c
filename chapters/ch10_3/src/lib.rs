// ANCHOR: lib
//! Section 10.3, attention scoring functions: masked softmax, and attention
//! by a scaled dot-product, an additive and a bilinear score.
//!
//! Nothing here prints, draws or touches files.

mod adam;
mod additive;
mod attention;
mod bilinear;
mod dot_product;
mod linear;
mod mask;

pub use adam::Adam;
pub use additive::AdditiveAttention;
pub use attention::{AttentionOutput, attend, dropout};
pub use bilinear::BilinearAttention;
pub use dot_product::DotProductAttention;
pub use linear::{Linear, uniform, xavier_bound, xavier_uniform};
pub use mask::{Mask, masked_softmax, masked_softmax_heads};
// ANCHOR_END: lib
