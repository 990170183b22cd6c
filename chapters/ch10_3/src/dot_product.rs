// ANCHOR: header
//! Section 10.3, scaled dot-product attention, for one head and for several.
//! It has no parameters.

use crate::attention::{AttentionOutput, attend, dropout};
use crate::mask::{Mask, masked_softmax_heads};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3, Tensor4};
// ANCHOR_END: header

// ANCHOR: dot_product
/// Attention by the score qᵀk / √D: Vaswani et al. 2017, equation 1.
#[derive(Clone, Debug, Default)]
pub struct DotProductAttention {
    /// Probability of dropout on the weights, from 0 to below 1.
    pub dropout: f32,
}

impl DotProductAttention {
    /// Attends with queries (B, Q, D) to keys (B, K, D) and values (B, K, DV).
    pub fn forward<
        const B: usize,
        const Q: usize,
        const K: usize,
        const D: usize,
        const DV: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        queries: Tensor3<B, Q, D, T>,
        keys: Tensor3<B, K, D, T>,
        values: Tensor3<B, K, DV, T>,
        mask: &Mask<B, Q, K>,
    ) -> AttentionOutput<Rank3<B, Q, DV>, Rank3<B, Q, K>, T> {
        let keys: Tensor3<B, D, K, T> = keys.permute();
        let scores = (queries / (D as f32).sqrt()).matmul(keys);
        attend(scores, values, mask, self.dropout)
    }
}
// ANCHOR_END: dot_product

// ANCHOR: heads
impl DotProductAttention {
    /// Computes [`forward`](Self::forward) for H heads at once, which share the
    /// mask of their example: queries (B, H, Q, D), keys (B, H, K, D), values
    /// (B, H, K, DV).
    pub fn forward_heads<
        const B: usize,
        const H: usize,
        const Q: usize,
        const K: usize,
        const D: usize,
        const DV: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        queries: Tensor4<B, H, Q, D, T>,
        keys: Tensor4<B, H, K, D, T>,
        values: Tensor4<B, H, K, DV, T>,
        mask: &Mask<B, Q, K>,
    ) -> AttentionOutput<Rank4<B, H, Q, DV>, Rank4<B, H, Q, K>, T> {
        let keys: Tensor4<B, H, D, K, T> = keys.permute();
        let scores = (queries / (D as f32).sqrt()).matmul(keys);
        let (weights, tape) = masked_softmax_heads(scores, mask).split_tape();
        let used = dropout(weights.clone().put_tape(tape), self.dropout);
        AttentionOutput { output: used.matmul(values), weights }
    }
}
// ANCHOR_END: heads
