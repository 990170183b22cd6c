//! Twenty heads of width 5 fill 100 as well as five of 20 do; but the weights
//! tell them apart. Section 10.5.

use ch10_1::Dev;
use ch10_3::ValidLens;
use ch10_5::MultiHeadAttention;
use dfdx::prelude::*;

type Layer = MultiHeadAttention<100, 100, 100, 20, 5, 100>;

fn main() {
    let dev = Dev::default();
    let queries: Tensor<Rank3<2, 4, 100>, f32, Dev> = dev.ones();
    let pairs: Tensor<Rank3<2, 6, 100>, f32, Dev> = dev.ones();
    let layer = Layer::new(&dev, 0.0);
    let got = layer.forward(queries, pairs.clone(), pairs, &ValidLens::All);
    let weights: Tensor<Rank4<2, 5, 4, 6>, f32, Dev> = got.weights;
    println!("{:?}", weights.shape().concrete());
}
