// ANCHOR: bilinear
//! Bilinear attention: section 10.3.

use crate::additive::{fan_in, project};
use crate::masked::ValidLens;
use crate::pooling::{Attended, attend};
use ch10_1::Dev;
use dfdx::prelude::*;

/// Attention by the score qᵀ W k, for queries and keys of any two widths:
/// Luong, Pham and Manning 2015, "Effective Approaches to Attention-based
/// Neural Machine Translation", the score they call general.
#[derive(Clone, Debug)]
pub struct BilinearAttention<const DQ: usize, const DK: usize> {
    /// Turns a key into a direction to compare queries with: (DQ, DK).
    pub w: Tensor<Rank2<DQ, DK>, f32, Dev>,
    /// Share of the weights set to 0 in training, 0 to 1.
    pub dropout: f32,
}

support::layer! { BilinearAttention<DQ, DK> { w: fan_in } }
// ANCHOR_END: bilinear

// ANCHOR: bilinear_forward
impl<const DQ: usize, const DK: usize> BilinearAttention<DQ, DK> {
    /// A layer whose weights are drawn from `dev`'s random numbers by
    /// [`fan_in`].
    pub fn new(dev: &Dev, dropout: f32) -> Self {
        let mut layer = Self { w: dev.zeros(), dropout };
        layer.reset_params();
        layer
    }

    /// Queries (B, Q, DQ), keys (B, K, DK), values (B, K, DV).
    ///
    /// # Panics
    /// As [`attend`].
    pub fn forward<
        const B: usize,
        const Q: usize,
        const K: usize,
        const DV: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        queries: Tensor<Rank3<B, Q, DQ>, f32, Dev, T>,
        keys: Tensor<Rank3<B, K, DK>, f32, Dev, T>,
        values: Tensor<Rank3<B, K, DV>, f32, Dev, T>,
        lens: &ValidLens<B, Q>,
    ) -> Attended<Rank3<B, Q, DV>, Rank3<B, Q, K>, T> {
        let keys: Tensor<Rank3<B, K, DQ>, f32, Dev, T> = project(keys, &self.w);
        let keys: Tensor<Rank3<B, DQ, K>, f32, Dev, T> = keys.permute();
        attend(queries.matmul(keys), values, lens, self.dropout)
    }
}
// ANCHOR_END: bilinear_forward
