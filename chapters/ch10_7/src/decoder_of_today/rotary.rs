// ANCHOR: header
//! Rotary positions: queries and keys are rotated by angles that grow with their
//! position.

use ch10_6::frequency;
use dfdx::prelude::*;
use kernels::{Dev, Tensor2, Tensor4};
// ANCHOR_END: header

// ANCHOR: rotary
/// Rotates the columns 2j and 2j + 1 of each head's row by the angle of its position
/// times ω_j; the first row has the position `from`. Su et al. 2021, "RoFormer",
/// equation 34. Does not build unless D is even.
pub fn rotary<const B: usize, const S: usize, const N: usize, const D: usize, T>(
    x: Tensor4<B, S, N, D, T>,
    from: usize,
) -> Tensor4<B, S, N, D, T>
where
    T: Tape<f32, Dev>,
{
    const { assert!(D.is_multiple_of(2)) };
    let pairs = (B * S * N * D / 2, Const::<2>);
    let (cos, sin) = turns::<B, S, N, D>(from);
    let dev = x.device().clone();
    let [cos, sin] = [cos, sin].map(|cells| dev.tensor_from_vec(cells, pairs));
    // (a, b) becomes (-b, a).
    let quarter: Tensor2<2, 2> = dev.tensor([[0.0, 1.0], [-1.0, 0.0]]);
    let x = x.reshape_like(&pairs);
    let quarter_turn = x.retaped::<T>().matmul(quarter);
    (x * cos + quarter_turn * sin).reshape_like(&Default::default())
}
// ANCHOR_END: rotary

// ANCHOR: turns
/// Returns for each number of (B, S, N, D) the cosine and the sine of its angle.
fn turns<const B: usize, const S: usize, const N: usize, const D: usize>(
    from: usize,
) -> (Vec<f32>, Vec<f32>) {
    let angle = |s: usize, d: usize| (from + s) as f64 * frequency(d / 2, D);
    let each = |f: fn(f64) -> f64| {
        let mut cells = Vec::with_capacity(B * S * N * D);
        for s in 0..S {
            let row: Vec<f32> = (0..D).map(|d| f(angle(s, d)) as f32).collect();
            cells.extend(row.repeat(N));
        }
        cells.repeat(B)
    };
    (each(f64::cos), each(f64::sin))
}
// ANCHOR_END: turns
