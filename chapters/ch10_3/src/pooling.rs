// ANCHOR: attended
//! From scores to the weighted sum of values, whatever made the scores:
//! section 10.3.

use crate::masked::{ValidLens, masked_softmax};
use ch10_1::Dev;
use dfdx::prelude::*;

/// What attention gives back.
pub struct Attended<Output: Shape, Weights: Shape, T = NoneTape> {
    /// For each query, the weighted sum of the values.
    pub output: Tensor<Output, f32, Dev, T>,
    /// The weights before dropout, off the tape: for each query they sum to
    /// 1, or to 0 where its length is 0.
    pub weights: Tensor<Weights, f32, Dev>,
}
// ANCHOR_END: attended

// ANCHOR: attend
/// Pools values (B, K, DV) by scores (B, Q, K): masked softmax, dropout with
/// probability `dropout` in training, weighted sum.
///
/// # Panics
/// `dropout` is more than 1 and a tape records.
pub fn attend<
    const B: usize,
    const Q: usize,
    const K: usize,
    const DV: usize,
    T: Tape<f32, Dev>,
>(
    scores: Tensor<Rank3<B, Q, K>, f32, Dev, T>,
    values: Tensor<Rank3<B, K, DV>, f32, Dev, T>,
    lens: &ValidLens<B, Q>,
    dropout: f32,
) -> Attended<Rank3<B, Q, DV>, Rank3<B, Q, K>, T> {
    let (weights, tape) = masked_softmax(scores, lens).split_tape();
    let used = drop_out(weights.clone().put_tape(tape), dropout);
    Attended { output: used.matmul(values), weights }
}
// ANCHOR_END: attend

// ANCHOR: drop_out
/// Dropout with probability `p` in training, that is where a tape records;
/// nothing elsewhere.
///
/// # Panics
/// `p` is more than 1 and a tape records.
pub fn drop_out<Weights: Shape, T: Tape<f32, Dev>>(
    weights: Tensor<Weights, f32, Dev, T>,
    p: f32,
) -> Tensor<Weights, f32, Dev, T> {
    if T::OWNS_TAPE && p > 0.0 { weights.dropout(p) } else { weights }
}
// ANCHOR_END: drop_out
