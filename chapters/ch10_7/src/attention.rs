// ANCHOR: attention_header
//! Section 10.7: the attention of section 10.5, taken apart so that what was
//! seen once need not be projected again.

use crate::ops;
use ch10_1::Dev;
use ch10_3::{Attended, DotProductAttention, ValidLens};
use ch10_5::{MultiHeadAttention, Projection, merge_heads, split_heads};
use dfdx::prelude::*;
// ANCHOR_END: attention_header

// ANCHOR: attention
/// Attention in a model of width M: of H heads, each of width D.
pub type Attention<const M: usize, const H: usize, const D: usize> =
    MultiHeadAttention<M, M, M, H, D, M>;

/// What an attention looks at: positions after their projections, with the
/// heads side by side in each row.
#[derive(Clone, Debug)]
pub struct Seen<const B: usize, const K: usize, const M: usize, T = NoneTape> {
    /// As keys: (B, K, M).
    pub keys: Tensor<Rank3<B, K, M>, f32, Dev, T>,
    /// As values: (B, K, M).
    pub values: Tensor<Rank3<B, K, M>, f32, Dev, T>,
}
// ANCHOR_END: attention

// ANCHOR: see
/// The positions of `x` as the keys and values of `attention`.
pub fn see<
    const B: usize,
    const K: usize,
    const M: usize,
    const H: usize,
    const D: usize,
    T: Tape<f32, Dev>,
>(
    attention: &Attention<M, H, D>,
    x: Tensor<Rank3<B, K, M>, f32, Dev, T>,
) -> Seen<B, K, M, T> {
    let values = ops::project(x.retaped::<T>(), &attention.w_v);
    Seen { keys: ops::project(x, &attention.w_k), values }
}

/// What `attention` finds for the positions of `x` in what it has `seen`, and
/// the weights of each head.
pub fn attend<
    const B: usize,
    const Q: usize,
    const K: usize,
    const M: usize,
    const H: usize,
    const D: usize,
    T: Tape<f32, Dev>,
>(
    attention: &Attention<M, H, D>,
    x: Tensor<Rank3<B, Q, M>, f32, Dev, T>,
    seen: Seen<B, K, M, T>,
    lens: &ValidLens<B, Q>,
) -> Attended<Rank3<B, Q, M>, Rank4<B, H, Q, K>, T> {
    let queries: Tensor<Rank3<B, Q, M>, f32, Dev, T> = ops::project(x, &attention.w_q);
    let found: Attended<Rank3<B, Q, M>, Rank4<B, H, Q, K>, T> =
        ops::look::<B, Q, K, M, H, D, T>(&attention.attention, queries, seen, lens);
    let output = ops::project(found.output, &attention.w_o);
    Attended { output, weights: found.weights }
}
// ANCHOR_END: see

// ANCHOR: look
/// The linear layer of section 10.5.
pub fn project<
    const B: usize,
    const S: usize,
    const I: usize,
    const O: usize,
    const BIAS: bool,
    T: Tape<f32, Dev>,
>(
    x: Tensor<Rank3<B, S, I>, f32, Dev, T>,
    layer: &Projection<I, O, BIAS>,
) -> Tensor<Rank3<B, S, O>, f32, Dev, T> {
    layer.forward(x)
}

/// The scaled dot products of all heads, which lie side by side in the rows
/// of queries, keys, values and of the output.
pub fn look<
    const B: usize,
    const Q: usize,
    const K: usize,
    const M: usize,
    const H: usize,
    const D: usize,
    T: Tape<f32, Dev>,
>(
    attention: &DotProductAttention,
    queries: Tensor<Rank3<B, Q, M>, f32, Dev, T>,
    seen: Seen<B, K, M, T>,
    lens: &ValidLens<B, Q>,
) -> Attended<Rank3<B, Q, M>, Rank4<B, H, Q, K>, T> {
    let queries: Tensor<Rank4<B, H, Q, D>, f32, Dev, T> = split_heads(queries);
    let keys: Tensor<Rank4<B, H, K, D>, f32, Dev, T> = split_heads(seen.keys);
    let values: Tensor<Rank4<B, H, K, D>, f32, Dev, T> = split_heads(seen.values);
    let found = attention.forward_heads(queries, keys, values, lens);
    Attended { output: merge_heads(found.output), weights: found.weights }
}
// ANCHOR_END: look
