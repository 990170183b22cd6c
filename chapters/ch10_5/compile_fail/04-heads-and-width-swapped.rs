//! Twenty heads of width 5 fill 100 as well as five of 20 do; but the weights
//! tell them apart. Section 10.5.

use ch10_3::Mask;
use ch10_5::MultiHeadAttention;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3, Tensor4};

type Layer = MultiHeadAttention<100, 20, 5>;

fn main() {
    let dev = Dev::default();
    let queries: Tensor3<2, 4, 100> = dev.ones();
    let pairs: Tensor3<2, 6, 100> = dev.ones();
    let layer = Layer::new(&dev, 0.0);
    let got = layer.forward(queries, pairs.clone(), pairs, &Mask::none());
    let weights: Tensor4<2, 5, 4, 6> = got.weights;
    println!("{:?}", weights.shape().concrete());
}
// Right, line 9: type Layer = MultiHeadAttention<100, 5, 20>;
