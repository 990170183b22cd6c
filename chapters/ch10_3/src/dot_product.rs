// ANCHOR: dot_product
//! Scaled dot-product attention, for one head and for several: section 10.3.
//! It has nothing to learn.

use crate::masked::{ValidLens, softmax_where};
use crate::pooling::{Attended, attend, drop_out};
use ch10_1::Dev;
use dfdx::prelude::*;

/// Attention by the score qᵀk / √D, for queries and keys of one width D:
/// Vaswani et al. 2017, "Attention Is All You Need", equation 1.
#[derive(Clone, Debug, Default)]
pub struct DotProductAttention {
    /// Share of the weights set to 0 in training, 0 to 1.
    pub dropout: f32,
}
// ANCHOR_END: dot_product

// ANCHOR: dot_product_forward
impl DotProductAttention {
    /// Queries (B, Q, D), keys (B, K, D), values (B, K, DV).
    ///
    /// # Panics
    /// As [`attend`].
    pub fn forward<
        const B: usize,
        const Q: usize,
        const K: usize,
        const D: usize,
        const DV: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        queries: Tensor<Rank3<B, Q, D>, f32, Dev, T>,
        keys: Tensor<Rank3<B, K, D>, f32, Dev, T>,
        values: Tensor<Rank3<B, K, DV>, f32, Dev, T>,
        lens: &ValidLens<B, Q>,
    ) -> Attended<Rank3<B, Q, DV>, Rank3<B, Q, K>, T> {
        let keys: Tensor<Rank3<B, D, K>, f32, Dev, T> = keys.permute();
        // Scaling the queries makes a new tensor: they may be the keys, too.
        let scores: Tensor<Rank3<B, Q, K>, f32, Dev, T> =
            (queries / (D as f32).sqrt()).matmul(keys);
        attend(scores, values, lens, self.dropout)
    }
}
// ANCHOR_END: dot_product_forward

// ANCHOR: dot_product_heads
impl DotProductAttention {
    /// [`forward`](Self::forward) for H heads at once, which share the lengths
    /// of their example: queries (B, H, Q, D), keys (B, H, K, D), values
    /// (B, H, K, DV).
    ///
    /// # Panics
    /// As [`attend`].
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
        queries: Tensor<Rank4<B, H, Q, D>, f32, Dev, T>,
        keys: Tensor<Rank4<B, H, K, D>, f32, Dev, T>,
        values: Tensor<Rank4<B, H, K, DV>, f32, Dev, T>,
        lens: &ValidLens<B, Q>,
    ) -> Attended<Rank4<B, H, Q, DV>, Rank4<B, H, Q, K>, T> {
        let keys: Tensor<Rank4<B, H, D, K>, f32, Dev, T> = keys.permute();
        let scores: Tensor<Rank4<B, H, Q, K>, f32, Dev, T> =
            (queries / (D as f32).sqrt()).matmul(keys);
        let (weights, tape) = softmax_where(scores, lens).split_tape();
        let used = drop_out(weights.clone().put_tape(tape), self.dropout);
        Attended { output: used.matmul(values), weights }
    }
}
// ANCHOR_END: dot_product_heads
