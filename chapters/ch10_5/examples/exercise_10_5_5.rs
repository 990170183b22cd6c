//! Queries, keys and values of three widths, none of them the model's.
//!
//! Worked answer to exercise 5 of section 10.5.

use ch10_3::{AttentionOutput, DotProductAttention, Linear, Mask};
use ch10_5::{merge_heads, split_heads};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};

/// Queries of width DQ, keys of width DK, values of width DV; H heads of width
/// D, and M = H·D.
pub struct MixedAttention<
    const DQ: usize,
    const DK: usize,
    const DV: usize,
    const M: usize,
    const H: usize,
    const D: usize,
> {
    /// Projects queries.
    pub w_q: Linear<DQ, M>,
    /// Projects keys.
    pub w_k: Linear<DK, M>,
    /// Projects values.
    pub w_v: Linear<DV, M>,
    /// Projects what the heads found.
    pub w_o: Linear<M, M>,
}

impl<
    const DQ: usize,
    const DK: usize,
    const DV: usize,
    const M: usize,
    const H: usize,
    const D: usize,
> MixedAttention<DQ, DK, DV, M, H, D>
{
    /// Queries (B, Q, DQ), keys (B, K, DK), values (B, K, DV).
    pub fn forward<
        const B: usize,
        const Q: usize,
        const K: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        queries: Tensor3<B, Q, DQ, T>,
        keys: Tensor3<B, K, DK, T>,
        values: Tensor3<B, K, DV, T>,
        mask: &Mask<B, Q, K>,
    ) -> AttentionOutput<Rank3<B, Q, M>, Rank4<B, H, Q, K>, T> {
        let heads = DotProductAttention::default().forward_heads(
            split_heads::<B, Q, M, H, D, T>(self.w_q.forward(queries)),
            split_heads::<B, K, M, H, D, T>(self.w_k.forward(keys)),
            split_heads::<B, K, M, H, D, T>(self.w_v.forward(values)),
            mask,
        );
        let output = self.w_o.forward(merge_heads(heads.output));
        AttentionOutput { output, weights: heads.weights }
    }
}

fn main() {
    let dev = Dev::seed_from_u64(5);
    let layer: MixedAttention<5, 7, 9, 12, 3, 4> = MixedAttention {
        w_q: Linear::new(&dev),
        w_k: Linear::new(&dev),
        w_v: Linear::new(&dev),
        w_o: Linear::new(&dev),
    };
    let (queries, keys): (Tensor3<2, 4, 5>, Tensor3<2, 6, 7>) =
        (dev.sample_normal(), dev.sample_normal());
    let values: Tensor3<2, 6, 9> = dev.sample_normal();
    let got = layer.forward(queries, keys, values, &Mask::valid_lens([3, 2]));
    println!("output  {:?}", got.output.shape().concrete());
    println!("weights {:?}", got.weights.shape().concrete());
    for row in got.weights.as_vec().chunks(6) {
        assert!((row[..3].iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
}
