// ANCHOR: self_attention
//! A sequence that is its own queries, keys and values: section 10.6. The
//! layer is `MultiHeadAttention` of `ch10_5`, unchanged.

use ch10_1::Dev;
use ch10_3::{Attended, ValidLens};
use ch10_5::MultiHeadAttention;
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
