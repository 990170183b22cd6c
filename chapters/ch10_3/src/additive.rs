// ANCHOR: header
//! Section 10.3, additive attention: a score with parameters, for queries and
//! keys of any two widths.

use crate::attention::{AttentionOutput, attend};
use crate::linear::{Linear, xavier_uniform};
use crate::mask::Mask;
use ch10_2::parameters;
use dfdx::prelude::*;
use kernels::{Dev, Tensor1, Tensor3, Tensor4};
// ANCHOR_END: header

// ANCHOR: additive
/// Attention by the score w_vᵀ tanh(W_q q + W_k k), without biases: Bahdanau,
/// Cho and Bengio 2014, appendix A.1.2.
#[derive(Clone, Debug)]
pub struct AdditiveAttention<const DQ: usize, const DK: usize, const HIDDEN: usize> {
    /// Projects queries to the hidden width.
    pub w_q: Linear<DQ, HIDDEN>,
    /// Projects keys to the hidden width.
    pub w_k: Linear<DK, HIDDEN>,
    /// Turns the hidden units into one score.
    pub w_v: Tensor1<HIDDEN>,
    /// Probability of dropout on the weights, from 0 to below 1.
    pub dropout: f32,
}

parameters! { AdditiveAttention<DQ, DK, HIDDEN> { w_q, w_k, w_v } }
// ANCHOR_END: additive

impl<const DQ: usize, const DK: usize, const HIDDEN: usize>
    AdditiveAttention<DQ, DK, HIDDEN>
{
    // ANCHOR: additive_new
    /// Returns a layer whose weights are drawn by [`xavier_uniform`].
    pub fn new(dev: &Dev, dropout: f32) -> Self {
        let (w_q, w_k) = (Linear::new(dev), Linear::new(dev));
        Self { w_q, w_k, w_v: xavier_uniform(dev, HIDDEN, 1), dropout }
    }
    // ANCHOR_END: additive_new

    // ANCHOR: additive_forward
    /// Attends with queries (B, Q, DQ) to keys (B, K, DK) and values (B, K, DV).
    pub fn forward<const B: usize, const Q: usize, const K: usize, const DV: usize, T>(
        &self,
        queries: Tensor3<B, Q, DQ, T>,
        keys: Tensor3<B, K, DK, T>,
        values: Tensor3<B, K, DV, T>,
        mask: &Mask<B, Q, K>,
    ) -> AttentionOutput<Rank3<B, Q, DV>, Rank3<B, Q, K>, T>
    where
        T: Tape<f32, Dev>,
    {
        let (queries, keys) = (self.w_q.forward(queries), self.w_k.forward(keys));
        self.forward_projected(queries, keys, values, mask)
    }
    // ANCHOR_END: additive_forward

    // ANCHOR: additive_projected
    /// Attends with queries (B, Q, HIDDEN) to keys (B, K, HIDDEN) that are
    /// projected already, which keys need only once for many queries.
    ///
    /// # Panics
    /// If queries and keys are the same tensor, in the definition's backward pass.
    pub fn forward_projected<
        const B: usize,
        const Q: usize,
        const K: usize,
        const DV: usize,
        T,
    >(
        &self,
        queries: Tensor3<B, Q, HIDDEN, T>,
        keys: Tensor3<B, K, HIDDEN, T>,
        values: Tensor3<B, K, DV, T>,
        mask: &Mask<B, Q, K>,
    ) -> AttentionOutput<Rank3<B, Q, DV>, Rank3<B, Q, K>, T>
    where
        T: Tape<f32, Dev>,
    {
        let definition = |queries: Tensor3<B, Q, HIDDEN, T>,
                          keys: Tensor3<B, K, HIDDEN, T>,
                          values| {
            let queries: Tensor4<B, Q, K, HIDDEN, T> =
                queries.broadcast::<_, Axis<2>>();
            let keys: Tensor4<B, Q, K, HIDDEN, T> = keys.broadcast::<_, Axis<1>>();
            let hidden = (queries + keys).tanh();
            let w_v: Tensor4<B, Q, HIDDEN, 1, T> =
                self.w_v.retaped::<T>().broadcast::<_, Axes3<0, 1, 3>>();
            let scores: Tensor4<B, Q, K, 1, T> = hidden.matmul(w_v);
            let pooled = attend(scores.reshape(), values, mask, self.dropout);
            (pooled.output, pooled.weights)
        };
        let (output, weights) = kernels::additive_attention(
            queries,
            keys,
            values,
            &self.w_v,
            || mask.to_allowed(),
            self.dropout,
            definition,
        );
        AttentionOutput { output, weights }
    }
    // ANCHOR_END: additive_projected
}
