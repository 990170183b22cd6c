//! Keys have width 7 and values width 9: they cannot change places. Section
//! 10.5.

use ch10_1::Dev;
use ch10_3::ValidLens;
use ch10_5::MultiHeadAttention;
use dfdx::prelude::*;

/// Queries of width 5, keys of 7, values of 9; three heads of width 4.
type Layer = MultiHeadAttention<5, 7, 9, 3, 4, 12>;

fn main() {
    let dev = Dev::default();
    let queries: Tensor<Rank3<2, 4, 5>, f32, Dev> = dev.ones();
    let keys: Tensor<Rank3<2, 6, 7>, f32, Dev> = dev.ones();
    let values: Tensor<Rank3<2, 6, 9>, f32, Dev> = dev.ones();
    let layer = Layer::new(&dev, 0.0);
    let got = layer.forward(queries, values, keys, &ValidLens::All);
    println!("{:?}", got.output.shape().concrete());
}
