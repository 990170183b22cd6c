// ANCHOR: header
//! Section 10.3, from scores to the weighted sum of values, whatever made the
//! scores.

use crate::mask::{Mask, masked_softmax};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};
// ANCHOR_END: header

// ANCHOR: output
/// What attention returns.
pub struct AttentionOutput<Output: Shape, Weights: Shape, T = NoneTape> {
    /// For each query, the weighted sum of the values.
    pub output: Tensor<Output, f32, Dev, T>,
    /// The weights before dropout, without a tape. The weights of a query sum to
    /// 1, or to 0 if the query may attend to nothing.
    pub weights: Tensor<Weights, f32, Dev>,
}
// ANCHOR_END: output

// ANCHOR: attend
/// Pools values (B, K, DV) by scores (B, Q, K): masked softmax, dropout with
/// probability `p` in training, weighted sum.
pub fn attend<const B: usize, const Q: usize, const K: usize, const DV: usize, T>(
    scores: Tensor3<B, Q, K, T>,
    values: Tensor3<B, K, DV, T>,
    mask: &Mask<B, Q, K>,
    p: f32,
) -> AttentionOutput<Rank3<B, Q, DV>, Rank3<B, Q, K>, T>
where
    T: Tape<f32, Dev>,
{
    let (weights, tape) = masked_softmax(scores, mask).split_tape();
    let used = dropout(weights.clone().put_tape(tape), p);
    AttentionOutput { output: used.matmul(values), weights }
}
// ANCHOR_END: attend

// ANCHOR: dropout
/// Sets each number to 0 with probability `p`, at least 0 and below 1, or else
/// divides it by 1 - p. Without a tape, it returns `x` as it is.
pub fn dropout<S: ConstShape, T: Tape<f32, Dev>>(
    x: Tensor<S, f32, Dev, T>,
    p: f32,
) -> Tensor<S, f32, Dev, T> {
    kernels::dropout(x, p, |x, factors| x * factors)
}
// ANCHOR_END: dropout
