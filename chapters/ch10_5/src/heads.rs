// ANCHOR: heads_header
//! From one wide row per position to a narrow row per position and head, and
//! back. Nothing is computed, numbers only change places: section 10.5.

use ch10_1::Dev;
use dfdx::prelude::*;
// ANCHOR_END: heads_header

// ANCHOR: split_heads
/// Cuts each row of (B, S, M) into H pieces of width D and gives each head
/// the pieces that are its own: (B, H, S, D). Head h gets columns h·D to
/// (h + 1)·D - 1. Does not build unless H·D = M.
pub fn split_heads<
    const B: usize,
    const S: usize,
    const M: usize,
    const H: usize,
    const D: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor<Rank3<B, S, M>, f32, Dev, T>,
) -> Tensor<Rank4<B, H, S, D>, f32, Dev, T> {
    const { assert!(H * D == M, "H * D must be M") };
    let cut: Tensor<Rank4<B, S, H, D>, f32, Dev, T> = x.reshape();
    let heads: Tensor<Rank4<B, H, S, D>, f32, Dev, T> =
        cut.permute::<_, Axes4<0, 2, 1, 3>>();
    heads
}
// ANCHOR_END: split_heads

// ANCHOR: merge_heads
/// Undoes [`split_heads`]: lays the rows that the heads have for one position
/// side by side, (B, H, S, D) to (B, S, M). Does not build unless H·D = M.
pub fn merge_heads<
    const B: usize,
    const S: usize,
    const M: usize,
    const H: usize,
    const D: usize,
    T: Tape<f32, Dev>,
>(
    heads: Tensor<Rank4<B, H, S, D>, f32, Dev, T>,
) -> Tensor<Rank3<B, S, M>, f32, Dev, T> {
    const { assert!(H * D == M, "H * D must be M") };
    let cut: Tensor<Rank4<B, S, H, D>, f32, Dev, T> =
        heads.permute::<_, Axes4<0, 2, 1, 3>>();
    let x: Tensor<Rank3<B, S, M>, f32, Dev, T> = cut.reshape();
    x
}
// ANCHOR_END: merge_heads
