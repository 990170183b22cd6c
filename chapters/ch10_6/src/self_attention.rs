// ANCHOR: self_attention
//! A sequence that is its own queries, keys and values: section 10.6. The
//! layer of several heads is `MultiHeadAttention` of `ch10_5`, unchanged.

use ch10_1::Dev;
use ch10_3::{Attended, DotProductAttention, ValidLens};
use ch10_5::{MultiHeadAttention, Projection};
use dfdx::prelude::*;
// ANCHOR_END: self_attention

// ANCHOR: self_attend
/// Lets each row of the sequences `x`, (B, S, I), attend to all rows of its
/// sequence: output (B, S, M) and weights (B, H, S, S).
///
/// # Panics
/// As [`attend`](ch10_3::attend).
pub fn self_attend<
    const B: usize,
    const S: usize,
    const I: usize,
    const H: usize,
    const D: usize,
    const M: usize,
    const BIAS: bool,
    T: Tape<f32, Dev>,
>(
    layer: &MultiHeadAttention<I, I, I, H, D, M, BIAS>,
    x: Tensor<Rank3<B, S, I>, f32, Dev, T>,
    lens: &ValidLens<B, S>,
) -> Attended<Rank3<B, S, M>, Rank4<B, H, S, S>, T> {
    let (keys, values) = (x.retaped::<T>(), x.retaped::<T>());
    layer.forward(x, keys, values, lens)
}
// ANCHOR_END: self_attend

// ANCHOR: one_head
/// One head that attends within a sequence: rows of width I become queries,
/// keys and values of width D. Nothing is projected after the pooling.
#[derive(Clone, Debug)]
pub struct SelfAttention<const I: usize, const D: usize> {
    /// Projects the rows to queries.
    pub w_q: Projection<I, D, false>,
    /// Projects the rows to keys.
    pub w_k: Projection<I, D, false>,
    /// Projects the rows to values.
    pub w_v: Projection<I, D, false>,
}

support::layer! {
    SelfAttention<I, D> { w_q: layer, w_k: layer, w_v: layer }
}
// ANCHOR_END: one_head

// ANCHOR: one_head_forward
impl<const I: usize, const D: usize> SelfAttention<I, D> {
    /// A layer whose weights are drawn from `dev`'s random numbers.
    pub fn new(dev: &Dev) -> Self {
        let projection = || Projection::new(dev);
        let (w_q, w_k, w_v) = (projection(), projection(), projection());
        Self { w_q, w_k, w_v }
    }

    /// Sequences `x`, (B, S, I), to output (B, S, D) and weights (B, S, S).
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor<Rank3<B, S, I>, f32, Dev, T>,
        lens: &ValidLens<B, S>,
    ) -> Attended<Rank3<B, S, D>, Rank3<B, S, S>, T> {
        let (for_keys, for_values) = (x.retaped::<T>(), x.retaped::<T>());
        let queries: Tensor<Rank3<B, S, D>, f32, Dev, T> = self.w_q.forward(x);
        let keys: Tensor<Rank3<B, S, D>, f32, Dev, T> = self.w_k.forward(for_keys);
        let values: Tensor<Rank3<B, S, D>, f32, Dev, T> = self.w_v.forward(for_values);
        DotProductAttention::default().forward(queries, keys, values, lens)
    }
}
// ANCHOR_END: one_head_forward
