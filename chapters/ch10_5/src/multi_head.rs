// ANCHOR: multi_head
//! The layer itself: section 10.5. What it is trained on is none of its
//! business.

use crate::heads::{merge_heads, split_heads};
use crate::projection::Projection;
use ch10_1::Dev;
use ch10_3::{Attended, DotProductAttention, ValidLens};
use dfdx::prelude::*;

/// H scaled dot products side by side, each on projections of its own to the
/// width D, and a projection of what they find together, of width M = H·D:
/// Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2.
#[derive(Clone, Debug)]
pub struct MultiHeadAttention<
    const DQ: usize,
    const DK: usize,
    const DV: usize,
    const H: usize,
    const D: usize,
    const M: usize,
    const BIAS: bool = false,
> {
    /// Projects queries for all heads at once; head h owns rows h·D and on.
    pub w_q: Projection<DQ, M, BIAS>,
    /// Projects keys likewise.
    pub w_k: Projection<DK, M, BIAS>,
    /// Projects values likewise.
    pub w_v: Projection<DV, M, BIAS>,
    /// Projects what the heads found; head h owns columns h·D and on.
    pub w_o: Projection<M, M, BIAS>,
    /// What each head does with its queries, keys and values.
    pub attention: DotProductAttention,
}

support::layer! {
    MultiHeadAttention<DQ, DK, DV, H, D, M, BIAS: bool> {
        w_q: layer, w_k: layer, w_v: layer, w_o: layer,
    }
}
// ANCHOR_END: multi_head

// ANCHOR: multi_head_new
impl<
    const DQ: usize,
    const DK: usize,
    const DV: usize,
    const H: usize,
    const D: usize,
    const M: usize,
    const BIAS: bool,
> MultiHeadAttention<DQ, DK, DV, H, D, M, BIAS>
{
    /// A layer whose weights are drawn from `dev`'s random numbers. `dropout`
    /// is the share of attention weights set to 0 in training, 0 to 1.
    ///
    /// Does not build unless H·D = M.
    pub fn new(dev: &Dev, dropout: f32) -> Self {
        const { assert!(H * D == M, "H * D must be M") };
        Self {
            w_q: Projection::new(dev),
            w_k: Projection::new(dev),
            w_v: Projection::new(dev),
            w_o: Projection::new(dev),
            attention: DotProductAttention { dropout },
        }
    }
}
// ANCHOR_END: multi_head_new

// ANCHOR: pairs
/// Keys and values after their projections, cut into heads: what a decoder
/// keeps so that it projects each pair only once.
#[derive(Clone, Debug)]
pub struct Pairs<
    const B: usize,
    const H: usize,
    const K: usize,
    const D: usize,
    T = NoneTape,
> {
    /// The keys of each head: (B, H, K, D).
    pub keys: Tensor<Rank4<B, H, K, D>, f32, Dev, T>,
    /// The values of each head: (B, H, K, D).
    pub values: Tensor<Rank4<B, H, K, D>, f32, Dev, T>,
}
// ANCHOR_END: pairs

// ANCHOR: pieces
impl<
    const DQ: usize,
    const DK: usize,
    const DV: usize,
    const H: usize,
    const D: usize,
    const M: usize,
    const BIAS: bool,
> MultiHeadAttention<DQ, DK, DV, H, D, M, BIAS>
{
    /// Queries (B, Q, DQ) as each head sees them: (B, H, Q, D).
    pub fn queries<const B: usize, const Q: usize, T: Tape<f32, Dev>>(
        &self,
        queries: Tensor<Rank3<B, Q, DQ>, f32, Dev, T>,
    ) -> Tensor<Rank4<B, H, Q, D>, f32, Dev, T> {
        let wide: Tensor<Rank3<B, Q, M>, f32, Dev, T> = self.w_q.forward(queries);
        split_heads(wide)
    }

    /// Keys (B, K, DK) and values (B, K, DV) as each head sees them.
    pub fn pairs<const B: usize, const K: usize, T: Tape<f32, Dev>>(
        &self,
        keys: Tensor<Rank3<B, K, DK>, f32, Dev, T>,
        values: Tensor<Rank3<B, K, DV>, f32, Dev, T>,
    ) -> Pairs<B, H, K, D, T> {
        let keys: Tensor<Rank3<B, K, M>, f32, Dev, T> = self.w_k.forward(keys);
        let values: Tensor<Rank3<B, K, M>, f32, Dev, T> = self.w_v.forward(values);
        Pairs { keys: split_heads(keys), values: split_heads(values) }
    }

    /// What each head finds for each query, before the heads are merged.
    ///
    /// # Panics
    /// As [`attend`](ch10_3::attend).
    pub fn look<const B: usize, const Q: usize, const K: usize, T: Tape<f32, Dev>>(
        &self,
        queries: Tensor<Rank4<B, H, Q, D>, f32, Dev, T>,
        pairs: Pairs<B, H, K, D, T>,
        lens: &ValidLens<B, Q>,
    ) -> Attended<Rank4<B, H, Q, D>, Rank4<B, H, Q, K>, T> {
        let Pairs { keys, values } = pairs;
        self.attention.forward_heads(queries, keys, values, lens)
    }

    /// Merges what the heads found, (B, H, Q, D), and projects it: (B, Q, M).
    pub fn combine<const B: usize, const Q: usize, T: Tape<f32, Dev>>(
        &self,
        found: Tensor<Rank4<B, H, Q, D>, f32, Dev, T>,
    ) -> Tensor<Rank3<B, Q, M>, f32, Dev, T> {
        let wide: Tensor<Rank3<B, Q, M>, f32, Dev, T> = merge_heads(found);
        self.w_o.forward(wide)
    }
}
// ANCHOR_END: pieces

// ANCHOR: forward
impl<
    const DQ: usize,
    const DK: usize,
    const DV: usize,
    const H: usize,
    const D: usize,
    const M: usize,
    const BIAS: bool,
> MultiHeadAttention<DQ, DK, DV, H, D, M, BIAS>
{
    /// Queries (B, Q, DQ), keys (B, K, DK), values (B, K, DV) to output
    /// (B, Q, M) and weights (B, H, Q, K). The heads of an example share its
    /// lengths. Queries, keys and values may be one tensor.
    ///
    /// # Panics
    /// As [`attend`](ch10_3::attend).
    pub fn forward<
        const B: usize,
        const Q: usize,
        const K: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        queries: Tensor<Rank3<B, Q, DQ>, f32, Dev, T>,
        keys: Tensor<Rank3<B, K, DK>, f32, Dev, T>,
        values: Tensor<Rank3<B, K, DV>, f32, Dev, T>,
        lens: &ValidLens<B, Q>,
    ) -> Attended<Rank3<B, Q, M>, Rank4<B, H, Q, K>, T> {
        let queries: Tensor<Rank4<B, H, Q, D>, f32, Dev, T> = self.queries(queries);
        let pairs: Pairs<B, H, K, D, T> = self.pairs(keys, values);
        let Attended { output: found, weights } = self.look(queries, pairs, lens);
        Attended { output: self.combine(found), weights }
    }
}
// ANCHOR_END: forward
