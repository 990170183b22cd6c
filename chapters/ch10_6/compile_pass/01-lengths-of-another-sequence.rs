//! Self-attention of section 10.6: each row of a sequence is a query, so
//! lengths for each query need one for each row. These are for three rows.

use ch10_1::Dev;
use ch10_3::ValidLens;
use ch10_5::MultiHeadAttention;
use ch10_6::self_attend;
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let layer: MultiHeadAttention<8, 8, 8, 2, 4, 8> =
        MultiHeadAttention::new(&dev, 0.0);
    let x: Tensor<Rank3<2, 4, 8>, f32, Dev> = dev.ones();
    let lens = ValidLens::PerQuery([[1, 2, 3, 4]; 2]);
    self_attend(&layer, x, &lens);
}
