// ANCHOR: header
//! Section 10.5, multi-head attention.

use crate::heads::{merge_heads, split_heads};
use ch10_2::parameters;
use ch10_3::{AttentionOutput, DotProductAttention, Linear, Mask};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};
// ANCHOR_END: header

// ANCHOR: multi_head
/// H scaled dot products side by side, each on projections of its own to the
/// width D, and a projection of what they find together: Vaswani et al. 2017,
/// "Attention Is All You Need", section 3.2.2. M is H·D.
#[derive(Clone, Debug)]
pub struct MultiHeadAttention<const M: usize, const H: usize, const D: usize> {
    /// Projects queries for all heads at once: rows h·D and on are head h's.
    pub w_q: Linear<M, M>,
    /// Projects keys likewise.
    pub w_k: Linear<M, M>,
    /// Projects values likewise.
    pub w_v: Linear<M, M>,
    /// Projects what the heads found: columns h·D and on are head h's.
    pub w_o: Linear<M, M>,
    /// Probability of dropout on the weights, from 0 to below 1.
    pub dropout: f32,
}

parameters! { MultiHeadAttention<M, H, D> { w_q, w_k, w_v, w_o } }
// ANCHOR_END: multi_head

// ANCHOR: key_values
/// Keys and values after their projections, heads side by side in the rows.
/// They are projected once for any number of queries.
#[derive(Clone, Debug)]
pub struct KeyValues<const B: usize, const K: usize, const M: usize, T = NoneTape> {
    /// (B, K, M).
    pub keys: Tensor3<B, K, M, T>,
    /// (B, K, M).
    pub values: Tensor3<B, K, M, T>,
}
// ANCHOR_END: key_values

impl<const M: usize, const H: usize, const D: usize> MultiHeadAttention<M, H, D> {
    // ANCHOR: new
    /// Four linear layers without bias. Does not build unless H·D = M.
    pub fn new(dev: &Dev, dropout: f32) -> Self {
        const { assert!(H * D == M) };
        let linear = || Linear::new(dev);
        Self { w_q: linear(), w_k: linear(), w_v: linear(), w_o: linear(), dropout }
    }
    // ANCHOR_END: new

    // ANCHOR: forward
    /// Queries (B, Q, M), keys and values (B, K, M) to output (B, Q, M) and
    /// weights (B, H, Q, K). The heads of an example share its mask. Queries,
    /// keys and values may be one tensor.
    pub fn forward<
        const B: usize,
        const Q: usize,
        const K: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        queries: Tensor3<B, Q, M, T>,
        keys: Tensor3<B, K, M, T>,
        values: Tensor3<B, K, M, T>,
        mask: &Mask<B, Q, K>,
    ) -> AttentionOutput<Rank3<B, Q, M>, Rank4<B, H, Q, K>, T> {
        self.attend(queries, self.project_kv(keys, values), mask)
    }
    // ANCHOR_END: forward

    // ANCHOR: project_kv
    /// Projects keys and values, (B, K, M) each.
    pub fn project_kv<const B: usize, const K: usize, T: Tape<f32, Dev>>(
        &self,
        keys: Tensor3<B, K, M, T>,
        values: Tensor3<B, K, M, T>,
    ) -> KeyValues<B, K, M, T> {
        KeyValues { keys: self.w_k.forward(keys), values: self.w_v.forward(values) }
    }
    // ANCHOR_END: project_kv

    // ANCHOR: attend
    /// [`forward`](Self::forward) with keys and values that are projected.
    pub fn attend<const B: usize, const Q: usize, const K: usize, T: Tape<f32, Dev>>(
        &self,
        queries: Tensor3<B, Q, M, T>,
        kv: KeyValues<B, K, M, T>,
        mask: &Mask<B, Q, K>,
    ) -> AttentionOutput<Rank3<B, Q, M>, Rank4<B, H, Q, K>, T> {
        let heads = self.attend_heads(self.w_q.forward(queries), kv, mask);
        AttentionOutput { output: self.w_o.forward(heads.output), ..heads }
    }
    // ANCHOR_END: attend

    // ANCHOR: attend_heads
    /// What the heads find, side by side in the rows, before `w_o`: queries are
    /// projected already.
    pub fn attend_heads<
        const B: usize,
        const Q: usize,
        const K: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        queries: Tensor3<B, Q, M, T>,
        kv: KeyValues<B, K, M, T>,
        mask: &Mask<B, Q, K>,
    ) -> AttentionOutput<Rank3<B, Q, M>, Rank4<B, H, Q, K>, T> {
        let KeyValues { keys, values } = kv;
        let allowed = || mask.to_allowed();
        let (output, weights) = kernels::attention::<B, Q, K, M, H, D, T>(
            queries,
            keys,
            values,
            allowed,
            self.dropout,
            |queries, keys, values| {
                let heads = DotProductAttention { dropout: self.dropout }
                    .forward_heads(
                        split_heads::<B, Q, M, H, D, T>(queries),
                        split_heads::<B, K, M, H, D, T>(keys),
                        split_heads::<B, K, M, H, D, T>(values),
                        mask,
                    );
                (merge_heads(heads.output), heads.weights)
            },
        );
        AttentionOutput { output, weights }
    }
    // ANCHOR_END: attend_heads
}
