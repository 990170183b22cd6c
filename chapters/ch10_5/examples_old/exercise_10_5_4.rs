//! Queries, keys and values of self-attention from one matrix, as
//! nn.MultiheadAttention keeps it: the same numbers from one product.
//!
//! Worked answer to exercise 4 of section 10.5.

use ch10_1::Dev;
use ch10_3::{ValidLens, project};
use ch10_5::{MultiHeadAttention, Pairs, split_heads};
use dfdx::prelude::*;

const M: usize = 24;
/// The rows of three matrices, one above the other.
const THREE: usize = 3 * M;

type Layer = MultiHeadAttention<M, M, M, 4, 6, M>;
type Wide = Tensor<Rank3<2, 5, M>, f32, Dev>;

/// The three matrices of a layer as one, (THREE, M).
fn packed(layer: &Layer) -> Tensor<Rank2<THREE, M>, f32, Dev> {
    let parts = [&layer.w_q, &layer.w_k, &layer.w_v];
    let rows = parts.map(|part| part.weight.as_vec()).concat();
    Dev::default().tensor_from_vec(rows, Default::default())
}

fn main() {
    let dev = Dev::seed_from_u64(4);
    let layer = Layer::new(&dev, 0.0);
    let x: Wide = dev.sample_normal();
    let lens = ValidLens::causal();
    let apart = layer.forward(x.clone(), x.clone(), x.clone(), &lens);

    let all: Tensor<Rank3<2, 5, THREE>, f32, Dev> = project(x, &packed(&layer));
    let queries: Wide = all.clone().slice((.., .., ..M)).realize();
    let keys: Wide = all.clone().slice((.., .., M..2 * M)).realize();
    let values: Wide = all.slice((.., .., 2 * M..)).realize();
    let pairs: Pairs<2, 4, 5, 6> =
        Pairs { keys: split_heads(keys), values: split_heads(values) };
    let found = layer.look(split_heads(queries), pairs, &lens);
    let together = layer.combine(found.output);

    let (a, b) = (apart.output.as_vec(), together.as_vec());
    let worst = a.iter().zip(&b).map(|(a, b)| (a - b).abs());
    let worst = worst.fold(0.0, f32::max);
    println!("three products, output of position 0: {:.4?}", &a[..4]);
    println!("one product,    output of position 0: {:.4?}", &b[..4]);
    println!("largest difference within 1e-6: {}", worst < 1e-6);
    assert!(worst < 1e-6);
}
