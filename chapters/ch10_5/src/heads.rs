// ANCHOR: header
//! Section 10.5: from one wide row per position to a narrow row per position
//! and head, and back. Nothing is computed, numbers only change places.

use dfdx::prelude::*;
use kernels::{Dev, Tensor3, Tensor4};
// ANCHOR_END: header

// ANCHOR: split
/// Cuts each row of (B, S, M) into H pieces of width D and gives each head
/// the pieces that are its own: (B, H, S, D). Head h gets columns h·D to
/// (h + 1)·D - 1. Does not build unless H·D = M.
pub fn split_heads<
    const B: usize,
    const S: usize,
    const M: usize,
    const H: usize,
    const D: usize,
    T,
>(
    x: Tensor3<B, S, M, T>,
) -> Tensor4<B, H, S, D, T>
where
    T: Tape<f32, Dev>,
{
    const { assert!(H * D == M) };
    let pieces: Tensor4<B, S, H, D, T> = x.reshape();
    pieces.permute::<_, Axes4<0, 2, 1, 3>>()
}
// ANCHOR_END: split

// ANCHOR: merge
/// Undoes [`split_heads`]: lays the rows that the heads have for one position
/// side by side, (B, H, S, D) to (B, S, M). Does not build unless H·D = M.
pub fn merge_heads<
    const B: usize,
    const S: usize,
    const M: usize,
    const H: usize,
    const D: usize,
    T,
>(
    heads: Tensor4<B, H, S, D, T>,
) -> Tensor3<B, S, M, T>
where
    T: Tape<f32, Dev>,
{
    const { assert!(H * D == M) };
    let pieces: Tensor4<B, S, H, D, T> = heads.permute::<_, Axes4<0, 2, 1, 3>>();
    pieces.reshape()
}
// ANCHOR_END: merge
