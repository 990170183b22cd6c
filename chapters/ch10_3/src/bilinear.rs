// ANCHOR: header
//! Section 10.3, bilinear attention: a score by matrix products alone, for
//! queries and keys of any two widths.

use crate::attention::{AttentionOutput, attend};
use crate::linear::Linear;
use crate::mask::Mask;
use ch10_2::parameters;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};
// ANCHOR_END: header

// ANCHOR: bilinear
/// Attention by the score qᵀ W k: "general" in Luong, Pham and Manning 2015.
#[derive(Clone, Debug)]
pub struct BilinearAttention<const DQ: usize, const DK: usize> {
    /// Turns a key into a vector that is compared with queries.
    pub w: Linear<DK, DQ>,
    /// Probability of dropout on the weights, from 0 to below 1.
    pub dropout: f32,
}

parameters! { BilinearAttention<DQ, DK> { w } }
// ANCHOR_END: bilinear

impl<const DQ: usize, const DK: usize> BilinearAttention<DQ, DK> {
    // ANCHOR: bilinear_new
    /// Returns a layer with the weights of [`Linear::new`].
    pub fn new(dev: &Dev, dropout: f32) -> Self {
        Self { w: Linear::new(dev), dropout }
    }
    // ANCHOR_END: bilinear_new

    // ANCHOR: bilinear_forward
    /// Attends with queries (B, Q, DQ) to keys (B, K, DK) and values (B, K, DV).
    pub fn forward<const B: usize, const Q: usize, const K: usize, const DV: usize, T>(
        &self,
        queries: Tensor3<B, Q, DQ, T>,
        keys: Tensor3<B, K, DK, T>,
        values: Tensor3<B, K, DV, T>,
        mask: &Mask<B, Q, K>,
    ) -> AttentionOutput<Rank3<B, Q, DV>, Rank3<B, Q, K>, T>
    where
        T: Tape<f32, Dev>,
    {
        let keys: Tensor3<B, DQ, K, T> = self.w.forward(keys).permute();
        attend(queries.matmul(keys), values, mask, self.dropout)
    }
    // ANCHOR_END: bilinear_forward
}
