// ANCHOR: header
//! Attention in which several heads of queries share one head of keys and values.

use super::rotary::rotary;
use ch10_2::parameters;
use ch10_3::{DotProductAttention, Linear, Mask, xavier_uniform};
use ch10_5::{merge_heads, split_heads};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3, Tensor4};
// ANCHOR_END: header

// ANCHOR: grouped
/// Self-attention with H heads of queries and KV of keys and values: Ainslie et al.
/// 2023, "GQA". With KV = H it is multi-head attention, with KV = 1 multi-query
/// attention.
#[derive(Clone, Debug)]
pub struct GroupedQueryAttention<
    const M: usize,
    const H: usize,
    const KV: usize,
    const D: usize,
> {
    /// Projects queries: rows h·D and on are head h's.
    pub w_q: Linear<M, M>,
    /// Projects keys: D rows for each of their heads.
    pub w_k: Tensor3<KV, D, M>,
    /// Projects values: D rows for each of their heads.
    pub w_v: Tensor3<KV, D, M>,
    /// Projects what the heads found.
    pub w_o: Linear<M, M>,
    /// Probability of dropout on the weights, from 0 to below 1.
    pub dropout: f32,
    /// Whether queries and keys are rotated by their positions.
    pub rotary: bool,
}

parameters! { GroupedQueryAttention<M, H, KV, D> { w_q, w_k, w_v, w_o } }
// ANCHOR_END: grouped

impl<const M: usize, const H: usize, const KV: usize, const D: usize>
    GroupedQueryAttention<M, H, KV, D>
{
    // ANCHOR: grouped_new
    /// Returns a layer with random weights. Does not build unless H·D = M and KV
    /// divides H.
    pub fn new(dev: &Dev, dropout: f32, rotary: bool) -> Self {
        const { assert!(H * D == M && H.is_multiple_of(KV)) };
        let narrow = || xavier_uniform(dev, M, KV * D);
        let w_q = Linear::new(dev);
        let (w_k, w_v) = (narrow(), narrow());
        Self { w_q, w_k, w_v, w_o: Linear::new(dev), dropout, rotary }
    }
    // ANCHOR_END: grouped_new

    // ANCHOR: project
    /// Returns the queries of H heads and the keys and values of KV heads, for S
    /// positions of which the first is `from`.
    pub fn project<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M, T>,
        from: usize,
    ) -> Projected<B, S, H, KV, D, T> {
        let narrow = |weight: &Tensor3<KV, D, M>| {
            let rows = x.retaped::<T>().reshape_like(&(B * S, Const::<M>));
            let weight = weight.retaped::<T>().reshape_like(&(KV * D, Const::<M>));
            rows.matmul(weight.permute()).reshape_like(&Default::default())
        };
        let (keys, values) = (narrow(&self.w_k), narrow(&self.w_v));
        let queries = self.w_q.forward(x).reshape();
        if self.rotary {
            (rotary(queries, from), rotary(keys, from), values)
        } else {
            (queries, keys, values)
        }
    }
    // ANCHOR_END: project

    // ANCHOR: grouped_forward
    /// Maps (B, S, M) to the same shape.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M, T>,
        mask: &Mask<B, S, S>,
    ) -> Tensor3<B, S, M, T> {
        let (queries, keys, values) = self.project(x, 0);
        let (found, _) = kernels::attention::<B, S, S, M, H, D, T>(
            queries.reshape(),
            repeat_heads::<B, S, M, H, KV, D, T>(keys),
            repeat_heads::<B, S, M, H, KV, D, T>(values),
            || mask.to_allowed(),
            self.dropout,
            |queries, keys, values| {
                let heads = DotProductAttention { dropout: self.dropout }
                    .forward_heads(
                        split_heads::<B, S, M, H, D, T>(queries),
                        split_heads::<B, S, M, H, D, T>(keys),
                        split_heads::<B, S, M, H, D, T>(values),
                        mask,
                    );
                (merge_heads(heads.output), heads.weights)
            },
        );
        self.w_o.forward(found)
    }
    // ANCHOR_END: grouped_forward
}

// ANCHOR: projected
/// Rows by position and head: queries (B, S, H, D), keys and values (B, S, KV, D).
type Projected<
    const B: usize,
    const S: usize,
    const H: usize,
    const KV: usize,
    const D: usize,
    T,
> = (Tensor4<B, S, H, D, T>, Tensor4<B, S, KV, D, T>, Tensor4<B, S, KV, D, T>);
// ANCHOR_END: projected

// ANCHOR: repeat_heads
/// Gives each head of keys or values to the H/KV heads of queries that share it:
/// (B, S, KV, D) to (B, S, M), H heads side by side.
fn repeat_heads<
    const B: usize,
    const S: usize,
    const M: usize,
    const H: usize,
    const KV: usize,
    const D: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor4<B, S, KV, D, T>,
) -> Tensor3<B, S, M, T> {
    let shared = (Const::<B>, Const::<S>, Const::<KV>, H / KV, Const::<D>);
    x.broadcast_like::<_, Axis<3>>(&shared).reshape_like(&Default::default())
}
// ANCHOR_END: repeat_heads
