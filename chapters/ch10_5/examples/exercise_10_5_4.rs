//! Queries, keys and values of self-attention from one matrix, as
//! nn.MultiheadAttention keeps it: the same numbers from one product.
//!
//! Worked answer to exercise 4 of section 10.5.

use ch10_3::{Linear, Mask};
use ch10_5::{KeyValues, MultiHeadAttention};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};

const M: usize = 24;
/// The rows of three matrices, one above the other.
const THREE: usize = 3 * M;

type Layer = MultiHeadAttention<M, 4, 6>;
type Rows = Tensor3<2, 5, M>;

/// The three matrices of a layer as one, (THREE, M).
fn packed(layer: &Layer) -> Linear<M, THREE> {
    let parts = [&layer.w_q, &layer.w_k, &layer.w_v];
    let rows = parts.map(|part| part.weight.as_vec()).concat();
    let weight = Dev::default().tensor_from_vec(rows, Default::default());
    Linear { weight, bias: None }
}

fn main() {
    let dev = Dev::seed_from_u64(4);
    let layer = Layer::new(&dev, 0.0);
    let x: Rows = dev.sample_normal();
    let mask = Mask::causal();
    let apart = layer.forward(x.clone(), x.clone(), x.clone(), &mask);

    let all: Tensor3<2, 5, THREE> = packed(&layer).forward(x);
    let queries: Rows = all.clone().slice((.., .., ..M)).realize();
    let keys: Rows = all.clone().slice((.., .., M..2 * M)).realize();
    let values: Rows = all.slice((.., .., 2 * M..)).realize();
    let found = layer.attend_heads(queries, KeyValues { keys, values }, &mask);
    let together = layer.w_o.forward(found.output);

    let (a, b) = (apart.output.as_vec(), together.as_vec());
    let worst = a.iter().zip(&b).map(|(a, b)| (a - b).abs());
    let worst = worst.fold(0.0, f32::max);
    println!("three products, output of position 0: {:.4?}", &a[..4]);
    println!("one product,    output of position 0: {:.4?}", &b[..4]);
    println!("largest difference within 1e-6: {}", worst < 1e-6);
    assert!(worst < 1e-6);
}
