//! Heads folded into the batch, as PyTorch code often has it: then the
//! lengths must be repeated, and in the right order.
//!
//! Worked answer to exercise 3 of section 10.5.

use ch10_3::{DotProductAttention, Mask};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3, Tensor4};

const B: usize = 2;
const H: usize = 5;
/// Heads times examples.
const ROWS: usize = B * H;

fn main() {
    let dev = Dev::seed_from_u64(3);
    let queries: Tensor4<B, H, 4, 20> = dev.sample_normal();
    let keys: Tensor4<B, H, 6, 20> = dev.sample_normal();
    let values: Tensor4<B, H, 6, 20> = dev.sample_normal();
    let attention = DotProductAttention::default();
    let lens = [3, 2];
    let (q, k, v) = (queries.clone(), keys.clone(), values.clone());
    let whole = attention.forward_heads(q, k, v, &Mask::valid_lens(lens));

    let folded = |lens: [usize; ROWS]| {
        let queries: Tensor3<ROWS, 4, 20> = queries.clone().reshape();
        let keys: Tensor3<ROWS, 6, 20> = keys.clone().reshape();
        let values: Tensor3<ROWS, 6, 20> = values.clone().reshape();
        attention.forward(queries, keys, values, &Mask::valid_lens(lens)).output
    };
    // Row b·H + h belongs to example b.
    let repeated: [usize; ROWS] = std::array::from_fn(|row| lens[row / H]);
    let tiled: [usize; ROWS] = std::array::from_fn(|row| lens[row % B]);
    let right = folded(repeated).as_vec();
    let wrong = folded(tiled).as_vec();
    let expected = whole.output.as_vec();
    let apart = |got: &[f32]| {
        let pairs = got.iter().zip(&expected);
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    };
    println!("lengths of the rows                largest difference");
    println!("{repeated:?}    {:>12.4}", apart(&right));
    println!("{tiled:?}    {:>12.4}", apart(&wrong));
    assert!(apart(&right) < 1e-6);
    assert!(apart(&wrong) > 0.5);
}
