//! The weights are one matrix for each head, not their mean. Section 10.5.

use ch10_3::Mask;
use ch10_5::MultiHeadAttention;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};

type Layer = MultiHeadAttention<100, 5, 20>;

fn main() {
    let dev = Dev::default();
    let queries: Tensor3<2, 4, 100> = dev.ones();
    let pairs: Tensor3<2, 6, 100> = dev.ones();
    let layer = Layer::new(&dev, 0.0);
    let got = layer.forward(queries, pairs.clone(), pairs, &Mask::none());
    let weights: Tensor<Rank3<2, 4, 6>, f32, Dev> = got.weights;
    println!("{:?}", weights.shape().concrete());
}
// Right, line 16: let weights: Tensor<Rank4<2, 5, 4, 6>, f32, Dev> = got.weights;
