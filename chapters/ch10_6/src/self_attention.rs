// ANCHOR: header
//! Section 10.6, self-attention: a sequence that is its own queries, keys and
//! values.

use ch10_2::parameters;
use ch10_3::{AttentionOutput, DotProductAttention, Linear, Mask};
use ch10_5::MultiHeadAttention;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};
// ANCHOR_END: header

// ANCHOR: self_attention
/// Lets each row of the sequences `x`, (B, S, M), attend to all rows of its
/// sequence: output (B, S, M) and weights (B, H, S, S).
pub fn self_attention<
    const B: usize,
    const S: usize,
    const M: usize,
    const H: usize,
    const D: usize,
    T: Tape<f32, Dev>,
>(
    layer: &MultiHeadAttention<M, H, D>,
    x: Tensor3<B, S, M, T>,
    mask: &Mask<B, S, S>,
) -> AttentionOutput<Rank3<B, S, M>, Rank4<B, H, S, S>, T> {
    let (keys, values) = (x.retaped::<T>(), x.retaped::<T>());
    layer.forward(x, keys, values, mask)
}
// ANCHOR_END: self_attention

// ANCHOR: one_head
/// One head that attends within a sequence: rows of width I become queries,
/// keys and values of width D. Nothing is projected after the pooling.
#[derive(Clone, Debug)]
pub struct SelfAttention<const I: usize, const D: usize> {
    /// Projects the rows to queries.
    pub w_q: Linear<I, D>,
    /// Projects the rows to keys.
    pub w_k: Linear<I, D>,
    /// Projects the rows to values.
    pub w_v: Linear<I, D>,
}

parameters! { SelfAttention<I, D> { w_q, w_k, w_v } }
// ANCHOR_END: one_head

impl<const I: usize, const D: usize> SelfAttention<I, D> {
    // ANCHOR: one_head_new
    /// Three linear layers without bias.
    pub fn new(dev: &Dev) -> Self {
        Self { w_q: Linear::new(dev), w_k: Linear::new(dev), w_v: Linear::new(dev) }
    }
    // ANCHOR_END: one_head_new

    // ANCHOR: one_head_forward
    /// Sequences `x`, (B, S, I), to output (B, S, D) and weights (B, S, S).
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, I, T>,
        mask: &Mask<B, S, S>,
    ) -> AttentionOutput<Rank3<B, S, D>, Rank3<B, S, S>, T> {
        let keys = self.w_k.forward(x.retaped::<T>());
        let values = self.w_v.forward(x.retaped::<T>());
        let queries = self.w_q.forward(x);
        DotProductAttention::default().forward(queries, keys, values, mask)
    }
    // ANCHOR_END: one_head_forward
}
