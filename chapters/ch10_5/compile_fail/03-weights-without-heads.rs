//! The weights are one matrix for each head, not their mean. Section 10.5.

use ch10_1::Dev;
use ch10_3::ValidLens;
use ch10_5::MultiHeadAttention;
use dfdx::prelude::*;

type Layer = MultiHeadAttention<100, 100, 100, 5, 20, 100>;

fn main() {
    let dev = Dev::default();
    let queries: Tensor<Rank3<2, 4, 100>, f32, Dev> = dev.ones();
    let pairs: Tensor<Rank3<2, 6, 100>, f32, Dev> = dev.ones();
    let layer = Layer::new(&dev, 0.0);
    let got = layer.forward(queries, pairs.clone(), pairs, &ValidLens::All);
    let weights: Tensor<Rank3<2, 4, 6>, f32, Dev> = got.weights;
    println!("{:?}", weights.shape().concrete());
}
